"""Keras' Bidirectional, in a form that loads."""

from typing import Any

import keras


@keras.saving.register_keras_serializable("zoo")
class Bidirectional(keras.layers.Bidirectional):
    """Keras' layer, which builds both directions from copies of ``layer`` and drops it.

    While ``keras.saving.load_model`` runs, Keras knows an object that it has copied by its address.
    Once ``layer`` is gone the next one may get that address, and then a copy of the first in place
    of its own: "Forward layer and backward layer should have different `go_backwards` value". So
    ``layer`` stays.
    """

    def __init__(self, layer: keras.layers.Layer, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.copied = lambda: layer  # as an attribute it would be saved, too
