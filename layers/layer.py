"""What the package's layers share: settings that are saved, masks, and shapes."""

import inspect
from typing import Any

import keras

from zoo.layers.types import Tensor


class Layer(keras.layers.Layer):
    """A layer that knows of masks and keeps each argument of its ``__init__`` as an attribute.

    The configuration consists of these attributes, with initializers as Keras writes them. A layer
    adds other settings that JSON does not know, such as functions, in its own ``get_config``.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and dtypes of all outputs of a call, which Keras traces.

        With a ``compute_output_shape`` Keras would take the shape from there, and that knows
        nothing of the scores that a call may ask for.
        """
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        settings = {
            name: getattr(self, name)
            for kind in type(self).mro()
            if issubclass(kind, Layer)
            for name in inspect.signature(kind.__init__).parameters
            if hasattr(self, name)
        }
        written = {
            name: keras.initializers.serialize(value) if name.endswith("initializer") else value
            for name, value in settings.items()
        }
        return written | super().get_config()


class UnmaskedLayer(Layer):
    """A layer into which a mask goes, and out of which none comes."""

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor | None) -> None:
        return None
