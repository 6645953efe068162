"""What the package's layers share: settings that are found again, and masks."""

import inspect

import keras


class Layer(keras.layers.Layer):
    """A layer that knows of masks, and has the arguments of its ``__init__`` as attributes.

    Its configuration is made of those. One that is not what JSON can say, as a function, is to be
    put in by a ``get_config`` of the layer's own.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def get_config(self):
        settings = {
            name: getattr(self, name)
            for kind in type(self).mro()
            if issubclass(kind, Layer)
            for name in inspect.signature(kind.__init__).parameters
            if hasattr(self, name)
        }
        return settings | super().get_config()


class UnmaskedLayer(Layer):
    """A layer into which a mask goes, and out of which none comes."""

    def compute_mask(self, inputs, previous_mask):
        return None
