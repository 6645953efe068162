"""Masks: what is padding never reaches a sum, a maximum or a softmax.

A mask is boolean, True where there is a word (or a sentence). Masks are applied with
``where``: adding large negative numbers overflows in float16 and fails when two masks meet.
"""

import keras
from keras import ops

from zoo.layers.types import Tensor

UNKNOWN = 1  # the id of a word that is not in the vocabulary; 0 is padding
LOWEST = -6e4  # not infinite, which exports multiply by zero; nor in float16, to which they round


def word_mask(ids: Tensor) -> Tensor:
    """True where there is a word: ids ``[..., words]`` to a boolean of the same shape."""
    return ops.not_equal(ids, 0)


def zero_masked(inputs: Tensor, mask: Tensor | None) -> Tensor:
    """Sets masked positions to zero, so that a convolution sees what it sees beyond the end.

    Args:
        inputs: ``[..., length, dim]``, any float dtype.
        mask: ``[..., length]`` boolean, or None to keep everything.
    """
    if mask is None:
        return inputs
    return ops.where(ops.expand_dims(mask, -1), inputs, ops.zeros((), dtype=inputs.dtype))


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis among the positions that the mask allows.

    Args:
        scores: ``[..., length]``, any float dtype.
        mask: boolean, broadcastable to ``scores``, or None.

    Returns:
        Weights in at least float32. Masked positions get exactly 0, and a row without a
        single allowed position is all 0, not NaN.
    """
    scores = ops.cast(scores, keras.backend.result_type(scores.dtype, "float32"))
    if mask is not None:
        scores = ops.where(mask, scores, LOWEST)
    # Keras warns of a softmax of one position, which is 1 (or no number).
    weights = scores * 0 + 1 if scores.shape[-1] == 1 else ops.softmax(scores, axis=-1)
    return weights if mask is None else ops.where(mask, weights, ops.zeros((), weights.dtype))


def masked_max(inputs: Tensor, mask: Tensor | None) -> Tensor:
    """Largest value over axis 1 among unmasked positions; 0 where there is none.

    Args:
        inputs: ``[batch, length, ...]``, any float dtype.
        mask: ``[batch, length]`` boolean, or None.
    """
    if mask is None:
        return ops.max(inputs, axis=1)
    mask = ops.reshape(mask, (*ops.shape(mask), *[1] * (len(inputs.shape) - 2)))
    largest = ops.max(ops.where(mask, inputs, ops.cast(LOWEST, inputs.dtype)), axis=1)
    return ops.where(ops.any(mask, axis=1), largest, ops.zeros((), dtype=inputs.dtype))


def weighted_sum(inputs: Tensor, scores: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Sums a sequence up with the softmax of its scores.

    Args:
        inputs: ``[batch, length, dim]``.
        scores: ``[batch, length, 1]``.
        mask: ``[batch, length]`` boolean, or None.

    Returns:
        ``[batch, dim]``, zeros where all is masked, and the weights, ``[batch, length]`` in at
        least float32.
    """
    weights = masked_softmax(ops.squeeze(scores, axis=-1), mask)
    return ops.einsum("bl,bld->bd", ops.cast(weights, inputs.dtype), inputs), weights
