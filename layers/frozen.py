"""Layers that are built frozen, as they are when a frozen one is loaded."""

import keras


def freeze_within(layer: keras.layers.Layer) -> None:
    """Freezes the layers within a layer that is frozen; for the end of its ``build``.

    Keras' constructor freezes the layer's own weights alone, and setting ``trainable`` to what it
    is already does nothing.
    """
    if not layer.trainable:
        layer.trainable = True
        layer.trainable = False
