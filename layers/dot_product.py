"""Scaled dot-product attention over several heads (Vaswani et al. 2017; HCAN, Equations 1, 3)."""

import keras
from keras import ops

from zoo.layers.masking import masked_softmax
from zoo.layers.types import Tensor


def split_heads(inputs: Tensor, num_heads: int) -> Tensor:
    """``[batch, length, dim]`` -> ``[batch, num_heads, length, dim / num_heads]``."""
    batch, length, dim = ops.shape(inputs)
    heads = ops.reshape(inputs, (batch, length, num_heads, dim // num_heads))
    return ops.transpose(heads, (0, 2, 1, 3))


def merge_heads(heads: Tensor) -> Tensor:
    """``[batch, num_heads, length, head_dim]`` -> ``[batch, length, num_heads * head_dim]``."""
    batch, num_heads, length, head_dim = ops.shape(heads)
    return ops.reshape(ops.transpose(heads, (0, 2, 1, 3)), (batch, length, num_heads * head_dim))


def multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    mask: Tensor | None = None,
    dropout: keras.layers.Dropout | None = None,
    training: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Each head attends with its own part of the width; heads are concatenated.

    Args:
        query: ``[batch, queries, dim]``.
        key: ``[batch, length, dim]``.
        value: ``[batch, length, dim]``.
        num_heads: divides ``dim``. Scores are divided by ``sqrt(dim / num_heads)``.
        mask: ``[batch, length]`` boolean over the keys, or None.
        dropout: a Dropout layer for the weights, or None.
        training: whether ``dropout`` drops.

    Returns:
        Output ``[batch, queries, dim]`` and weights ``[batch, num_heads, queries, length]``
        (before dropout, at least float32).
    """
    head_dim = query.shape[-1] // num_heads
    query, key, value = (split_heads(x, num_heads) for x in (query, key, value))
    scores = ops.matmul(query * head_dim**-0.5, ops.transpose(key, (0, 1, 3, 2)))
    weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, (1, 2)))
    dropped = weights if dropout is None else dropout(weights, training=training)
    heads = ops.matmul(ops.cast(dropped, value.dtype), value)
    return merge_heads(heads), weights
