"""Masked pooling of a sequence to one vector.

Keras' GlobalMaxPooling1D ignores masks and its GlobalAveragePooling1D divides by zero where a
sequence is wholly masked.
"""

from typing import Any

import keras
from keras import ops

from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import masked_max, zero_masked
from zoo.layers.types import Shape, Tensor


class MaskedPooling(UnmaskedLayer):
    """What pooling layers share: a mask goes in, and none comes out.

    They can stand where an attention layer may: asked for attention scores, they give None.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def pool(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        """One vector, ``[batch, dim]``, of the unmasked positions of ``[batch, length, dim]``."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[0], input_shape[-1]

    def call(
        self, inputs: Tensor, mask: Tensor | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, None]:
        outputs = self.pool(ops.cast(inputs, self.compute_dtype), mask)  # integers, too
        return (outputs, None) if return_attention_scores else outputs


@keras.saving.register_keras_serializable("zoo")
class MaskedMaxPooling(MaskedPooling):
    """``[batch, length, dim]`` -> ``[batch, dim]``, the largest value over real positions.

    Zeros for a sequence that is wholly masked.

    Example:
        >>> import keras
        >>> from zoo.layers import MaskedMaxPooling
        >>> words, mask = keras.ops.array([[[1.0], [9.0]]]), keras.ops.array([[True, False]])
        >>> float(MaskedMaxPooling()(words, mask=mask)[0, 0])
        1.0
    """

    def pool(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        return masked_max(inputs, mask)


@keras.saving.register_keras_serializable("zoo")
class MaskedAveragePooling(MaskedPooling):
    """``[batch, length, dim]`` -> ``[batch, dim]``, the mean over real positions.

    Zeros for a sequence that is wholly masked. Sums in at least float32.

    Example:
        >>> import keras
        >>> from zoo.layers import MaskedAveragePooling
        >>> words = keras.ops.array([[[1.0], [2.0], [9.0]]])
        >>> mask = keras.ops.array([[True, True, False]])
        >>> float(MaskedAveragePooling()(words, mask=mask)[0, 0])
        1.5
    """

    def pool(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        wide = keras.backend.result_type(inputs.dtype, "float32")
        summed = ops.sum(ops.cast(zero_masked(inputs, mask), wide), axis=1)
        if mask is None:
            count = ops.cast(ops.shape(inputs)[1], wide)
        else:
            count = ops.sum(ops.cast(mask, wide), axis=1, keepdims=True)
        return ops.cast(summed / ops.maximum(count, 1), inputs.dtype)
