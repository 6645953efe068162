"""Masked pooling of a sequence to one vector.

Keras' GlobalMaxPooling1D ignores masks and its GlobalAveragePooling1D divides by zero where a
sequence is wholly masked.
"""

import keras
from keras import ops

from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import masked_max, zero_masked


class MaskedPooling(UnmaskedLayer):
    """What pooling layers share: a mask goes in, and none comes out.

    They can stand where an attention layer may: asked for attention scores, they give None.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def call(self, inputs, mask=None, return_attention_scores=False):
        outputs = self.pool(ops.cast(inputs, self.compute_dtype), mask)  # integers, too
        return (outputs, None) if return_attention_scores else outputs


@keras.saving.register_keras_serializable("zoo")
class MaskedMaxPooling(MaskedPooling):
    """``[batch, length, dim]`` -> ``[batch, dim]``, the largest value over real positions.

    Zeros for a sequence that is wholly masked.
    """

    def pool(self, inputs, mask):
        return masked_max(inputs, mask)


@keras.saving.register_keras_serializable("zoo")
class MaskedAveragePooling(MaskedPooling):
    """``[batch, length, dim]`` -> ``[batch, dim]``, the mean over real positions.

    Zeros for a sequence that is wholly masked. Sums in at least float32.
    """

    def pool(self, inputs, mask):
        wide = keras.backend.result_type(inputs.dtype, "float32")
        summed = ops.sum(ops.cast(zero_masked(inputs, mask), wide), axis=1)
        if mask is None:
            count = ops.cast(ops.shape(inputs)[1], wide)
        else:
            count = ops.sum(ops.cast(mask, wide), axis=1, keepdims=True)
        return ops.cast(summed / ops.maximum(count, 1), inputs.dtype)
