"""Attention between all pairs of words by a small network, of ATT-CNN."""

from typing import Any

import keras
from keras import ops

from zoo.backend import compiled
from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import Layer
from zoo.layers.masking import masked_softmax
from zoo.layers.types import InitializerLike, Shape, Tensor

BLOCK = 32  # words: lengths in training are multiples of it, as XLA compiles for each length


@keras.saving.register_keras_serializable("zoo")
class PairwiseAttention(Layer):
    """A context vector for each word, from all the others.

    Zhao and Wu 2016 (ATT-CNN), Section 2.2, Equations 3-6: ``g_i = sum over j != i of a_ij x_j``,
    ``a_i = softmax over j != i of (1 - decay)^(|j-i|-1) v . tanh(W [x_i ; x_j])``.
    The decay multiplies the score before the softmax: at 1 all but the neighbours score 0.

    ``W [x_i ; x_j]`` is computed as ``U x_i + V x_j``, and the tanh for one word i at a time, in
    the gradient too: memory grows with ``length^2`` and not with ``length^2 * attention_dim``. In
    training XLA compiles that: several times as fast.

    Args:
        attention_dim: rows of W; the paper does not give them.
        decay: the paper's lambda, 0 to 1.
        kernel_initializer: of U, V and v.

    Call arguments:
        inputs: x, ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights, ``[batch, length, length]`` float32,
            with zeros on the diagonal.

    Returns:
        g, ``[batch, length, dim]``; zeros where there is no other word.

    Raises:
        ValueError: if ``decay`` is not between 0 and 1 or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import PairwiseAttention
        >>> tuple(PairwiseAttention(attention_dim=4)(keras.ops.ones((2, 5, 8))).shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        attention_dim: int = 100,
        decay: float = 0.0,
        kernel_initializer: InitializerLike = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(attention_dim=attention_dim)
        if not 0 <= decay <= 1:
            raise ValueError(f"decay must be between 0 and 1: got {decay}")
        self.attention_dim = attention_dim
        self.decay = decay
        self.kernel_initializer = get_initializer(kernel_initializer)

    def build(self, input_shape: Shape) -> None:
        def kernel(name, shape):
            start = fresh(self.kernel_initializer)
            return self.add_weight(name=name, shape=shape, initializer=start)

        shape = (input_shape[-1], self.attention_dim)
        self.query_kernel = kernel("query_kernel", shape)
        self.key_kernel = kernel("key_kernel", shape)
        self.context = kernel("context", (self.attention_dim, 1))

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape,)

    def score_pairs(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        """``v . tanh(W [x_i ; x_j])``, ``[batch, length, length]`` in at least float32."""
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        query, key, context = (
            ops.cast(x, dtype)
            for x in (
                ops.matmul(inputs, self.query_kernel),
                ops.matmul(inputs, self.key_kernel),
                ops.convert_to_tensor(self.context)[:, 0],
            )
        )
        if not training:  # and in what is exported
            return additive_scores(query, key, context)
        length = ops.shape(inputs)[1]
        query, key = (ops.pad(x, [[0, 0], [0, -length % BLOCK], [0, 0]]) for x in (query, key))
        return compiled_scores(query, key, context)[:, :length, :length]

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        scores = self.score_pairs(inputs, training)
        positions = ops.arange(ops.shape(inputs)[1])
        distance = ops.abs(positions[None, :] - positions[:, None])
        between = ops.cast(ops.maximum(distance - 1, 0), scores.dtype)
        others = (distance > 0)[None]
        if mask is not None:
            others = ops.logical_and(others, mask[:, None, :])
        weights = masked_softmax(scores * (1 - self.decay) ** between, others)
        outputs = ops.matmul(ops.cast(weights, inputs.dtype), inputs)
        return (outputs, weights) if return_attention_scores else outputs


@ops.custom_gradient
def additive_scores(query: Tensor, key: Tensor, context: Tensor) -> Any:
    """``context . tanh(query_i + key_j)`` for all pairs i, j, without ``[length, length, dim]``.

    With ``G = exp(-2 query)`` and ``F = exp(2 key)``, ``tanh(query_i + key_j)`` is
    ``1 - 2 G_i / (G_i + F_j)``: one exponential a word, and for a pair only a sum and a division.
    Its slope is ``4 (p - p^2)`` with ``p = G_i / (G_i + F_j)``, and the same with F for G.

    Args:
        query, key: ``[batch, length, dim]``, at least float32; beyond 40 they count as 40.
        context: ``[dim]``.

    Returns:
        ``[batch, length, length]``.
    """
    query, key = ops.exp(ops.clip(query, -40, 40) * -2), ops.exp(ops.clip(key, -40, 40) * 2)

    def rows(x):  # for ops.map, which goes along the first axis
        return ops.transpose(x, (1, 0, 2))

    def row_scores(row):  # of one i with all j, [batch, length]
        row = row[:, None]
        return ops.matmul(row / (row + key), context)

    def gradient(upstream):
        def sums(one, others, upstream):
            """Of a word with all others: the sums of p and of p - p^2, ``[batch, dim]``."""
            one, upstream = one[:, None], upstream[..., None]
            part = one / (one + others)
            return ops.sum(upstream * part, 1), ops.sum(upstream * (part - part * part), 1)

        parts, to_query = ops.map(
            lambda row: sums(row[0], key, row[1]), (rows(query), rows(upstream))
        )
        _, to_key = ops.map(
            lambda row: sums(row[0], query, row[1]),
            (rows(key), ops.transpose(upstream, (2, 0, 1))),
        )
        to_context = ops.sum(upstream) - 2 * ops.sum(parts, axis=(0, 1))
        return 4 * context * rows(to_query), 4 * context * rows(to_key), to_context

    # Not as a difference, whose sides LiteRT's converter changes round.
    return -2 * rows(ops.map(row_scores, rows(query))) + ops.sum(context), gradient


compiled_scores = compiled(additive_scores)
