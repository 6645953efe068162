"""Layer normalisation whose epsilon may be small."""

import math
from typing import Any

import keras
from keras import ops

from zoo.layers.types import Tensor


@keras.saving.register_keras_serializable("zoo")
class LayerNormalization(keras.layers.LayerNormalization):
    """Keras' layer, the same to the last bit, also for exports that round constants to 16 bits.

    An ``epsilon`` of 1e-12 is zero in float16, and vectors of equal numbers are then divided by
    zero. Here the inputs are multiplied by a power of 2, and epsilon by its square, which changes
    no digit of the quotient, so that both are numbers of float16.

    Args:
        over_words: whether a text is normalised as a whole, its words and their features together,
            as in the authors' code of HCAN; else each word by itself.

    Call arguments:
        inputs: ``[..., dim]``, any float dtype; ``[batch, length, dim]`` with ``over_words``.
        mask: ``[batch, length]`` boolean, True where there is a word; read with ``over_words``.

    Returns:
        The shape of the inputs, in the layer's compute dtype; sums in at least float32.

    Example:
        >>> import keras
        >>> from zoo.layers.normalization import LayerNormalization
        >>> float(keras.ops.max(LayerNormalization(epsilon=1e-12)(keras.ops.ones((1, 2, 8)))))
        0.0
    """

    def __init__(self, *, over_words: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.over_words = over_words

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        power = min(max(round(math.log(1e-3 / self.epsilon, 4)), 0), 15)
        wide = ops.cast(inputs, keras.backend.result_type(inputs.dtype, "float32"))
        wide, epsilon = wide * 2.0**power if power else wide, self.epsilon * 4.0**power
        if self.over_words:
            outputs = self.gamma * self._standardized(wide, mask, epsilon) + self.beta
        else:
            outputs = ops.layer_normalization(
                wide, self.gamma, self.beta, self.axis, epsilon, rms_scaling=self.rms_scaling
            )
        return ops.cast(outputs, self.compute_dtype)

    def _standardized(self, inputs: Tensor, mask: Tensor | None, epsilon: float) -> Tensor:
        """Of mean 0 and variance 1 over the words and features of each text."""
        if mask is None:
            mask = ops.ones(ops.shape(inputs)[:2], "bool")
        words = ops.cast(ops.expand_dims(mask, -1), inputs.dtype)
        numbers = ops.maximum(ops.sum(words, axis=1, keepdims=True), 1) * ops.shape(inputs)[-1]

        def mean(values: Tensor) -> Tensor:
            return ops.sum(values * words, axis=(1, 2), keepdims=True) / numbers

        centred = inputs - mean(inputs)
        return centred * ops.rsqrt(mean(ops.square(centred)) + epsilon)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"over_words": self.over_words}
