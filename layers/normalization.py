"""Layer normalisation whose epsilon may be small."""

import math

import keras
from keras import ops

from zoo.layers.types import Tensor


@keras.saving.register_keras_serializable("zoo")
class LayerNormalization(keras.layers.LayerNormalization):
    """Keras' layer, the same to the last bit, also for exports that round constants to 16 bits.

    An ``epsilon`` of 1e-12 is zero in float16, and vectors of equal numbers are then divided by
    zero. Here the inputs are multiplied by a power of 2, and epsilon by its square, which changes
    no digit of the quotient, so that both are numbers of float16.

    Call arguments:
        inputs: ``[..., dim]``, any float dtype.

    Returns:
        The shape of the inputs, in the layer's compute dtype; sums in at least float32.

    Example:
        >>> import keras
        >>> from zoo.layers.normalization import LayerNormalization
        >>> float(keras.ops.max(LayerNormalization(epsilon=1e-12)(keras.ops.ones((1, 2, 8)))))
        0.0
    """

    def call(self, inputs: Tensor) -> Tensor:
        power = min(max(round(math.log(1e-3 / self.epsilon, 4)), 0), 15)
        wide = ops.cast(inputs, keras.backend.result_type(inputs.dtype, "float32"))
        outputs = ops.layer_normalization(
            wide * 2.0**power if power else wide,
            self.gamma,
            self.beta,
            self.axis,
            self.epsilon * 4.0**power,
            rms_scaling=self.rms_scaling,
        )
        return ops.cast(outputs, self.compute_dtype)
