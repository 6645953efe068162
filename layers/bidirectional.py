"""Keras' Bidirectional, in a form that loads."""

from typing import Any

import keras


@keras.saving.register_keras_serializable("zoo")
class Bidirectional(keras.layers.Bidirectional):
    """Keras' layer, which builds both directions from copies of ``layer``, and keeps ``layer``.

    While ``keras.saving.load_model`` runs, Keras identifies an object that it has copied by its
    address. If ``layer`` were freed, the next layer might get the same address, and with it a copy
    of the first layer: "Forward layer and backward layer should have different `go_backwards`
    value". So ``layer`` is kept.
    """

    def __init__(self, layer: keras.layers.Layer, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.copied = lambda: layer  # as an attribute it would be saved, too
