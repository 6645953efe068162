"""Global attention of ACT."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import masked_softmax
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class GlobalAttention(UnmaskedLayer):
    """Sums a sequence up by local, global and position information.

    Li et al. 2021 (ACT), Section 2.3, Equation 6:
    ``r = O softmax(f(W_o O + W_p P)^T c + O^T g / sqrt(d))`` with f = gelu.

    Args:
        attention_dim: rows of ``W_o`` and ``W_p``.
        num_contexts: vectors c, each with weights and a sum of its own; the paper has one. More of
            them look at more than one place (Lin et al. 2017, Section 2.1).
        kernel_initializer: of ``W_o``, ``W_p`` and the vectors c.

    Call arguments:
        inputs: O, ``[batch, length, dim]``.
        overall: g, ``[batch, dim]``, or None to leave its term out (Table 3, row 3).
        positions: P, ``[length, position_dim]`` or ``[batch, length, position_dim]``, or None to
            leave its term out (Table 3, row 4).
        mask: ``[batch, length]`` boolean, True where there is a word.
        inputs_mask: the same, by the name under which Keras gives it where there are several
            inputs; ``mask`` goes before it.
        return_attention_scores: also return the weights, ``[batch, num_contexts, length]``
            float32.

    Returns:
        r, ``[batch, num_contexts * dim]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import GlobalAttention
        >>> words, overall = keras.ops.ones((2, 5, 8)), keras.ops.ones((2, 8))
        >>> tuple(GlobalAttention(attention_dim=4)(words, overall).shape)
        (2, 8)
    """

    def __init__(
        self,
        attention_dim: int = 200,
        num_contexts: int = 1,
        kernel_initializer: InitializerLike = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(attention_dim=attention_dim, num_contexts=num_contexts)
        self.attention_dim = attention_dim
        self.num_contexts = num_contexts
        self.kernel_initializer = get_initializer(kernel_initializer)

    def build(
        self,
        inputs_shape: Shape,
        overall_shape: Shape | None = None,
        positions_shape: Shape | None = None,
    ) -> None:
        def kernel(name, rows, columns):
            start = fresh(self.kernel_initializer)
            return self.add_weight(name=name, shape=(rows, columns), initializer=start)

        self.local_kernel = kernel("local_kernel", inputs_shape[-1], self.attention_dim)
        self.position_kernel = None
        if positions_shape is not None:
            self.position_kernel = kernel(
                "position_kernel", positions_shape[-1], self.attention_dim
            )
        self.context = kernel("context", self.attention_dim, self.num_contexts)

    def call(
        self,
        inputs: Tensor,
        overall: Tensor | None = None,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        return_attention_scores: bool = False,
        inputs_mask: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        mask = inputs_mask if mask is None else mask
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        hidden = ops.matmul(inputs, self.local_kernel)
        if positions is not None:
            hidden = hidden + ops.matmul(positions, self.position_kernel)
        hidden = ops.gelu(hidden, approximate=False)
        # No einsum: oneDNN's fails on one text of one word.
        scores = ops.matmul(ops.transpose(self.context), ops.transpose(hidden, (0, 2, 1)))
        if overall is not None:
            scaled = ops.expand_dims(overall * inputs.shape[-1] ** -0.5, 1)
            scores = scores + ops.einsum("bkd,bld->bkl", scaled, inputs)
        weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, 1))
        sums = ops.matmul(ops.cast(weights, inputs.dtype), inputs)
        outputs = ops.reshape(sums, (-1, self.num_contexts * inputs.shape[-1]))
        return (outputs, weights) if return_attention_scores else outputs

    def compute_output_shape(
        self,
        inputs_shape: Shape,
        overall_shape: Shape | None = None,
        positions_shape: Shape | None = None,
    ) -> Shape:
        return inputs_shape[0], self.num_contexts * inputs_shape[-1]
