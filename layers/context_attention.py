"""Attention by a learned context vector, of HAN."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.frozen import freeze_within
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import weighted_sum
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class ContextAttention(UnmaskedLayer):
    """Sums a sequence up by the likeness of its items to a learned context vector.

    Yang et al. 2016 (HAN), Section 2.2, Equations 5-7 and 8-10: ``u_t = tanh(W h_t + b)``,
    ``a = softmax(u_t . u_w)``, ``s = sum of a_t h_t``.

    Args:
        attention_dim: width of u and of the context vector.
        kernel_initializer: of W and of the context vector.
        bias_initializer: of b.

    Call arguments:
        inputs: h, ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word (or a sentence).
        return_attention_scores: also return the weights, ``[batch, length]`` float32.

    Returns:
        ``[batch, dim]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import ContextAttention
        >>> tuple(ContextAttention(attention_dim=4)(keras.ops.ones((2, 5, 8))).shape)
        (2, 8)
    """

    def __init__(
        self,
        attention_dim: int = 100,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(attention_dim=attention_dim)
        self.attention_dim = attention_dim
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)
        self.hidden = keras.layers.Dense(
            attention_dim,
            activation="tanh",
            kernel_initializer=fresh(self.kernel_initializer),
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )

    def build(self, input_shape: Shape) -> None:
        self.hidden.build(input_shape)
        self.context = self.add_weight(
            name="context",
            shape=(self.attention_dim, 1),
            initializer=fresh(self.kernel_initializer),
        )
        freeze_within(self)

    def call(
        self, inputs: Tensor, mask: Tensor | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        scores = ops.matmul(self.hidden(inputs), self.context)
        outputs, weights = weighted_sum(inputs, scores, mask)
        return (outputs, weights) if return_attention_scores else outputs

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[0], input_shape[-1]
