"""Convolutional multi-head target attention of HCAN."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_heads, check_sizes
from zoo.layers.dot_product import multi_head_attention
from zoo.layers.frozen import freeze_within
from zoo.layers.initializers import fresh, get_initializer, in_parts, orthogonal
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import ActivationLike, InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class TargetAttention(UnmaskedLayer):
    """A learned query sums a sequence up in one vector.

    Gao et al. 2018 (HCAN), Section 3.5, Equation 5: ``MultiHead(T, K, V)`` with a learned
    target vector ``T`` and ``K = elu(Conv1D(E, W^k) + b^k)``, ``V = elu(Conv1D(E, W^v) + b^v)``.

    Args:
        num_heads: number of heads; divides ``filters``.
        filters: width of T, K, V and of the output.
        kernel_size: words in the convolution's window.
        project_values: False averages the input itself, as the authors' code does; the input
            must then be ``filters`` wide.
        dropout: rate on the attention weights.
        activation: activation of K and V.
        kernel_initializer: of the kernels of K and V, each for itself; by default they are
            orthogonal together, as in the authors' code.
        bias_initializer: of their biases.
        target_initializer: of T.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights, ``[batch, num_heads, length]`` float32.

    Returns:
        ``[batch, filters]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if ``num_heads`` does not divide ``filters``, the widths do not
            agree, or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import TargetAttention
        >>> tuple(TargetAttention(num_heads=2, filters=6)(keras.ops.ones((2, 5, 8))).shape)
        (2, 6)
    """

    def __init__(
        self,
        num_heads: int,
        filters: int,
        kernel_size: int = 3,
        project_values: bool = True,
        dropout: float = 0.0,
        activation: ActivationLike | None = "elu",
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = "zeros",
        target_initializer: InitializerLike = "orthogonal",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(filters=filters, kernel_size=kernel_size)
        check_heads(num_heads, filters, "filters")
        self.num_heads = num_heads
        self.filters = filters
        self.kernel_size = kernel_size
        self.project_values = project_values
        self.dropout = dropout
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)
        self.target_initializer = get_initializer(target_initializer)
        self.projection = keras.layers.Dense(
            2 * filters if project_values else filters,
            activation=self.activation,
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )
        self.weight_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        if not self.project_values and input_shape[-1] != self.filters:
            raise ValueError(
                "project_values=False needs an input as wide as filters: "
                f"got width {input_shape[-1]}, filters={self.filters}"
            )
        rows, parts = self.kernel_size * input_shape[-1], 2 if self.project_values else 1
        self.projection.kernel_initializer = (
            orthogonal(rows, parts * self.filters, parts)
            if self.kernel_initializer is None
            else in_parts(self.kernel_initializer, parts)
        )
        self.projection.build((*input_shape[:-1], rows))
        self.target = self.add_weight(
            shape=(1, 1, self.filters), initializer=fresh(self.target_initializer), name="target"
        )
        freeze_within(self)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[0], self.filters

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        inputs = zero_masked(ops.cast(inputs, self.compute_dtype), mask)  # integers, too
        windows = ngrams(inputs, self.kernel_size, before=(self.kernel_size - 1) // 2)
        projected = self.projection(windows)
        key, value = (
            ops.split(projected, 2, axis=-1) if self.project_values else (projected, inputs)
        )
        target = ops.cast(self.target, key.dtype)
        target = ops.broadcast_to(target, (ops.shape(inputs)[0], 1, self.filters))
        outputs, scores = multi_head_attention(
            target, key, value, self.num_heads, mask, self.weight_dropout, training
        )
        outputs, scores = ops.squeeze(outputs, axis=1), ops.squeeze(scores, axis=2)
        return (outputs, scores) if return_attention_scores else outputs

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"activation": keras.activations.serialize(self.activation)}
