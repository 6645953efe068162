"""Position-aware attention, for relations of two entities."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import weighted_sum
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class PositionAwareAttention(UnmaskedLayer):
    """Sums a sequence up by its items, its summary and the positions of two entities.

    Zhang et al. 2017, Section 2.1, Equations 1-3:
    ``u_i = v . tanh(W_h h_i + W_q q + W_s p_i^s + W_o p_i^o)``, ``a = softmax(u)``,
    ``z = sum of a_i h_i``.

    Args:
        attention_dim: rows of the matrices.
        kernel_initializer: of the matrices and of v.

    Call arguments:
        inputs: h, ``[batch, length, dim]``.
        summary: q, ``[batch, dim]``.
        positions: p^s and p^o side by side, ``[batch, length, position_dim]``, or None to leave
            their terms out.
        mask: ``[batch, length]`` boolean, True where there is a word.
        inputs_mask: the same, by the name under which Keras gives it where there are several
            inputs; ``mask`` goes before it.
        return_attention_scores: also return the weights, ``[batch, length]`` float32.

    Returns:
        z, ``[batch, dim]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import PositionAwareAttention
        >>> words, summary = keras.ops.ones((2, 5, 8)), keras.ops.ones((2, 8))
        >>> positions = keras.ops.ones((2, 5, 6))
        >>> tuple(PositionAwareAttention(attention_dim=4)(words, summary, positions).shape)
        (2, 8)
    """

    def __init__(
        self,
        attention_dim: int = 200,
        kernel_initializer: InitializerLike = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(attention_dim=attention_dim)
        self.attention_dim = attention_dim
        self.kernel_initializer = get_initializer(kernel_initializer)

    def build(
        self, inputs_shape: Shape, summary_shape: Shape, positions_shape: Shape | None = None
    ) -> None:
        def kernel(name, rows, columns=self.attention_dim):
            start = fresh(self.kernel_initializer)
            return self.add_weight(name=name, shape=(rows, columns), initializer=start)

        self.item_kernel = kernel("item_kernel", inputs_shape[-1])
        self.summary_kernel = kernel("summary_kernel", summary_shape[-1])
        self.position_kernel = None
        if positions_shape is not None:
            self.position_kernel = kernel("position_kernel", positions_shape[-1])
        self.context = kernel("context", self.attention_dim, 1)

    def compute_output_shape(
        self, inputs_shape: Shape, summary_shape: Shape, positions_shape: Shape | None = None
    ) -> Shape:
        return inputs_shape[0], inputs_shape[-1]

    def call(
        self,
        inputs: Tensor,
        summary: Tensor,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        return_attention_scores: bool = False,
        inputs_mask: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        mask = inputs_mask if mask is None else mask
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        hidden = ops.matmul(inputs, self.item_kernel)
        hidden = hidden + ops.expand_dims(ops.matmul(summary, self.summary_kernel), 1)
        if positions is not None:
            hidden = hidden + ops.matmul(positions, self.position_kernel)
        scores = ops.matmul(ops.tanh(hidden), self.context)
        outputs, weights = weighted_sum(inputs, scores, mask)
        return (outputs, weights) if return_attention_scores else outputs
