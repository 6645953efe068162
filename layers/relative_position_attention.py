"""Self-attention with relative position representations, of SSAN."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_heads, check_sizes
from zoo.layers.dot_product import merge_heads, split_heads
from zoo.layers.frozen import freeze_within
from zoo.layers.initializers import fresh, get_initializer, in_parts
from zoo.layers.layer import Layer
from zoo.layers.masking import masked_softmax
from zoo.layers.types import ActivationLike, InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class RelativePositionAttention(Layer):
    """Self-attention that also learns how far two words stand apart.

    Shaw et al. 2018, Section 3, as used by Ambartsoumian and Popowich 2018 (SSAN), Sections 2.2
    and 2.3.3. With ``a`` the learned vectors of an offset, clipped to ``max_distance``, and
    ``w_ij = softmax(q_i (k_j + a^K_(j-i)) / sqrt(d))``, the output is
    ``sum over j of w_ij (v_j + a^V_(j-i))``; heads share the two tables, are concatenated and
    projected by ``W^O``.

    The tensor of all ``a_(j-i)``, ``[length, length, dim]``, is never built: a query meets each of
    the ``2 max_distance + 1`` vectors once, and the weights of equal offsets are added up before
    they meet the values' table.

    Args:
        num_heads: number of heads; divides ``dim``.
        dim: width of Q, K, V and of the output.
        max_distance: the largest offset with vectors of its own; None leaves positions out.
        activation: of all four projections; SSAN's are ``"relu"``, a Transformer's have none.
        use_bias: whether the projections have biases.
        dropout: rate on the output.
        kernel_initializer: of the projections' kernels, each for itself; by default Glorot's
            uniform one.
        bias_initializer: of their biases.
        offset_initializer: of the tables of offsets.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights,
            ``[batch, num_heads, length, length]`` float32.

    Returns:
        ``[batch, length, dim]``. What it holds at masked positions means nothing.

    Raises:
        ValueError: if ``num_heads`` does not divide ``dim`` or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import RelativePositionAttention
        >>> attention = RelativePositionAttention(num_heads=2, dim=8, max_distance=4)
        >>> tuple(attention(keras.ops.ones((1, 5, 8))).shape)
        (1, 5, 8)
    """

    def __init__(
        self,
        num_heads: int,
        dim: int,
        max_distance: int | None = 10,
        activation: ActivationLike | None = None,
        use_bias: bool = True,
        dropout: float = 0.0,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = "zeros",
        offset_initializer: InitializerLike = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(dim=dim)
        if max_distance is not None:
            check_sizes(0, max_distance=max_distance)
        check_heads(num_heads, dim, "dim")
        self.num_heads = num_heads
        self.dim = dim
        self.max_distance = max_distance
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias
        self.dropout = dropout
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)
        self.offset_initializer = get_initializer(offset_initializer)
        # Q, K and V as one matrix product, in which each starts as Glorot's initializer would
        # start it alone: the product's fan is twice theirs.
        self.projection = keras.layers.Dense(
            3 * dim,
            activation=self.activation,
            use_bias=use_bias,
            kernel_initializer=keras.initializers.VarianceScaling(2.0, "fan_avg", "uniform")
            if self.kernel_initializer is None
            else in_parts(self.kernel_initializer, 3),
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )
        self.output_projection = keras.layers.Dense(
            dim,
            activation=self.activation,
            use_bias=use_bias,
            kernel_initializer=fresh(self.kernel_initializer),
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        self.projection.build(input_shape)
        self.output_projection.build((*input_shape[:-1], self.dim))
        if self.max_distance is not None:
            shape = (2 * self.max_distance + 1, self.dim // self.num_heads)
            self.key_offsets, self.value_offsets = (
                self.add_weight(name=name, shape=shape, initializer=fresh(self.offset_initializer))
                for name in ("key_offsets", "value_offsets")
            )
        freeze_within(self)

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        batch, length, dim = ops.shape(inputs)
        # Of rows: oneDNN does product, bias and activation at once.
        projected = self.projection(ops.reshape(inputs, (-1, dim)))
        projected = ops.reshape(projected, (batch, length, 3 * self.dim))
        query, key, value = (
            split_heads(x, self.num_heads) for x in ops.split(projected, 3, axis=-1)
        )
        query = query * query.shape[-1] ** -0.5
        scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))
        if self.max_distance is not None:
            offsets = self._offsets(length)
            per_offset = ops.matmul(query, ops.transpose(self.key_offsets))
            scores = scores + ops.einsum("bhir,ijr->bhij", per_offset, offsets)
        weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, (1, 2)))
        summed = ops.cast(weights, value.dtype)
        heads = ops.matmul(summed, value)
        if self.max_distance is not None:
            per_offset = ops.einsum("bhij,ijr->bhir", summed, offsets)
            heads = heads + ops.matmul(per_offset, self.value_offsets)
        rows = ops.reshape(merge_heads(heads), (-1, self.dim))
        outputs = ops.reshape(self.output_projection(rows), (batch, length, self.dim))
        outputs = self.drop(outputs, training=training)
        return (outputs, weights) if return_attention_scores else outputs

    def _offsets(self, length):
        """The row of the tables for each pair i, j, one-hot: ``[length, length, rows]``."""
        positions = ops.arange(length)
        offsets = positions[None, :] - positions[:, None]
        rows = ops.clip(offsets, -self.max_distance, self.max_distance) + self.max_distance
        return ops.one_hot(rows, 2 * self.max_distance + 1, dtype=self.compute_dtype)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape[:-1], self.dim)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"activation": keras.activations.serialize(self.activation)}
