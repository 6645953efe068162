"""Convolutional multi-head self-attention of HCAN."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_heads, check_sizes
from zoo.layers.dot_product import multi_head_attention
from zoo.layers.frozen import freeze_within
from zoo.layers.initializers import fresh, get_initializer, in_parts, orthogonal
from zoo.layers.layer import Layer
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import ActivationLike, InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class ConvMultiHeadAttention(Layer):
    """Self-attention whose queries, keys and values are convolutions of the input.

    Gao et al. 2018 (HCAN), Sections 3.2-3.4, Equations 2-4: ``Q = elu(Conv1D(E, W^q) + b^q)``,
    and so for K and V; each head is scaled dot-product attention over its part of the width;
    heads are concatenated, with no projection after them. The equation divides the scores by
    ``sqrt(d)``; we divide by the square root of the head's width, as the authors' code does.

    Args:
        num_heads: number of heads; divides ``filters``.
        filters: width of Q, K, V and of the output.
        kernel_size: words in the convolution's window.
        value_activation: activation of V; HCAN's second, parallel attention uses ``"tanh"``.
        activation: activation of Q and K; Section 3.2 compares ``"elu"`` with ``"relu"``.
        dropout: rate on the attention weights.
        kernel_initializer: of the kernels of Q, K and V, each for itself; by default they are
            orthogonal together, as in the authors' code.
        bias_initializer: of their biases.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights,
            ``[batch, num_heads, length, length]`` float32.

    Returns:
        ``[batch, length, filters]``. What it holds at masked positions means nothing.

    Raises:
        ValueError: if ``num_heads`` does not divide ``filters`` or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import ConvMultiHeadAttention
        >>> attention = ConvMultiHeadAttention(num_heads=2, filters=8)
        >>> tuple(attention(keras.ops.ones((1, 5, 4))).shape)
        (1, 5, 8)
    """

    def __init__(
        self,
        num_heads: int,
        filters: int,
        kernel_size: int = 3,
        value_activation: ActivationLike | None = "elu",
        dropout: float = 0.0,
        activation: ActivationLike | None = "elu",
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(filters=filters, kernel_size=kernel_size)
        check_heads(num_heads, filters, "filters")
        self.num_heads = num_heads
        self.filters = filters
        self.kernel_size = kernel_size
        self.value_activation = keras.activations.get(value_activation)
        self.activation = keras.activations.get(activation)
        self.dropout = dropout
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)
        # Q, K and V as one convolution with three times the filters: one pass over the input.
        # Orthogonal kernels as in the authors' code; the paper does not say.
        self.projection = keras.layers.Dense(
            3 * filters,
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )
        self.weight_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        rows = self.kernel_size * input_shape[-1]
        self.projection.kernel_initializer = (
            orthogonal(rows, 3 * self.filters, parts=3)
            if self.kernel_initializer is None
            else in_parts(self.kernel_initializer, 3)
        )
        self.projection.build((*input_shape[:-1], rows))
        freeze_within(self)

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        windows = ngrams(zero_masked(inputs, mask), self.kernel_size, (self.kernel_size - 1) // 2)
        query, key, value = ops.split(self.projection(windows), 3, axis=-1)
        outputs, scores = multi_head_attention(
            self.activation(query),
            self.activation(key),
            self.value_activation(value),
            self.num_heads,
            mask,
            self.weight_dropout,
            training,
        )
        return (outputs, scores) if return_attention_scores else outputs

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape[:-1], self.filters)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "value_activation": keras.activations.serialize(self.value_activation),
            "activation": keras.activations.serialize(self.activation),
        }
