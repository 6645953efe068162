"""Layers that are built frozen, as they are when a frozen one is loaded."""

import keras


def freeze_within(layer: keras.layers.Layer) -> None:
    """Freezes the layers within a frozen layer; to be called at the end of its ``build``.

    Keras' constructor freezes only the weights of the layer itself, and setting ``trainable`` to
    the value that it has already does nothing.
    """
    if not layer.trainable:
        layer.trainable = True
        layer.trainable = False
