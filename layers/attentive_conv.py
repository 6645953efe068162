"""Multi-head attentive convolution of ACT."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_heads, check_sizes
from zoo.layers.initializers import fresh, get_initializer, in_parts
from zoo.layers.layer import Layer
from zoo.layers.masking import masked_max, zero_masked
from zoo.layers.ngrams import windows
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class AttentiveConv(Layer):
    """Attention over convolution filters: they are keys and values at once.

    Li et al. 2021 (ACT), Sections 2.1-2.2. Head i projects the words, ``Q_i = W_i^Q Q``, matches
    each n-gram with its filters ``F_i``, ``M_i = gelu(Q_i (*) F_i + b_i)`` (Equation 2: the
    n-gram of word j is words j to j+n-1), and replaces the n-gram by the filters it excites,
    ``O_i = F_i M_i`` (Equation 3). The heads' outputs are concatenated and projected back by
    ``W^O`` (Equation 5). The global representation is the same for the largest match of each
    filter, ``g_i = F_i max(M_i)`` (Equation 4), and goes through the same ``W^O``.

    ``W^O Cat(O_1, .., O_h)`` is computed as the sum of ``(W_i^O F_i) M_i``: the products
    ``W_i^O F_i`` do not depend on the text, which saves a third of the work.

    Args:
        num_heads: number of heads; divides the input's width.
        filters: filters of each head.
        kernel_size: n, the words of an n-gram.
        attentive: False leaves the filters out as values: the outputs are the feature maps, as in
            a usual convolution, projected by ``W^O`` (Table 3, row 1).
        kernel_initializer: of the kernels of each head; by default Glorot's uniform one, with
            ``W^O`` at a tenth of that.
        bias_initializer: of the filters' biases.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the feature maps M,
            ``[batch, length, num_heads, filters]``, in the compute dtype. They match, they do
            not sum to 1.

    Returns:
        The local output ``[batch, length, dim]`` and the global one ``[batch, dim]``.

    Raises:
        ValueError: if ``num_heads`` does not divide the input's width or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import AttentiveConv
        >>> local, overall = AttentiveConv(num_heads=2, filters=5)(keras.ops.ones((1, 3, 8)))
        >>> tuple(local.shape), tuple(overall.shape)
        ((1, 3, 8), (1, 8))
    """

    def __init__(
        self,
        num_heads: int,
        filters: int,
        kernel_size: int = 3,
        attentive: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(num_heads=num_heads, filters=filters, kernel_size=kernel_size)
        self.num_heads = num_heads
        self.filters = filters
        self.kernel_size = kernel_size
        self.attentive = attentive
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)

    def build(self, input_shape: Shape) -> None:
        dim = input_shape[-1]
        check_heads(self.num_heads, dim, "the input's width")
        head_dim = dim // self.num_heads
        ngram_dim = self.kernel_size * head_dim

        def weight(name, shape, fan_in, fan_out, given, gain=1.0):
            limit = gain * (6 / (fan_in + fan_out)) ** 0.5  # Glorot uniform, each head for itself
            default = self.kernel_initializer is None
            initializer = keras.initializers.RandomUniform(-limit, limit) if default else given
            return self.add_weight(name=name, shape=shape, initializer=initializer)

        def output_start(shape, dtype=None):  # one kernel for the outputs of all heads
            kernel = fresh(self.kernel_initializer)((heads * shape[1], dim), dtype=dtype)
            return ops.reshape(kernel, shape)

        heads, filters = self.num_heads, self.filters
        each_head = in_parts(self.kernel_initializer, heads)
        self.query_kernel = weight("query_kernel", (dim, dim), dim, head_dim, each_head)
        each_head = in_parts(self.kernel_initializer, heads, axis=0)
        shape = (heads, ngram_dim, filters)
        self.filter_kernel = weight("filters", shape, ngram_dim, filters, each_head)
        self.bias = self.add_weight(
            name="bias", shape=(heads * filters,), initializer=fresh(self.bias_initializer)
        )
        # The paper does not say how to start. Outputs start small, as the global one is a sum over
        # all filters: at full size it would fix ACT's attention on a random word or two.
        rows = ngram_dim if self.attentive else filters
        self.output_kernel = weight(
            "output_kernel", (heads, rows, dim), heads * rows, dim, output_start, gain=0.1
        )

    def call(
        self, inputs: Tensor, mask: Tensor | None = None, return_attention_scores: bool = False
    ) -> tuple[Tensor, ...]:
        batch, length, dim = ops.shape(inputs)
        heads, filters = self.num_heads, self.filters
        query = ops.matmul(zero_masked(inputs, mask), self.query_kernel)
        # Padded once for all heads: in ONNX that leaves out a third of what a graph has to do.
        padded = ops.pad(query, [[0, 0], [0, self.kernel_size - 1], [0, 0]])
        parts = zip(
            ops.split(padded, heads, axis=-1),
            ops.unstack(ops.convert_to_tensor(self.filter_kernel), heads),
            ops.split(self.bias, heads),
            strict=True,
        )
        matches = []
        for own_query, kernel, bias in parts:  # ops.add of rows: oneDNN does all three at once
            rows = windows(own_query, self.kernel_size, (batch, length, dim // heads))
            rows = ops.reshape(rows, (-1, kernel.shape[0]))
            matches.append(ops.gelu(ops.add(ops.matmul(rows, kernel), bias), approximate=False))
        matches = ops.reshape(ops.concatenate(matches, axis=-1), (batch, length, heads * filters))
        values = ops.convert_to_tensor(self.output_kernel)
        if self.attentive:
            values = ops.matmul(ops.transpose(self.filter_kernel, (0, 2, 1)), values)
        values = ops.reshape(values, (heads * filters, dim))
        local = ops.matmul(matches, values)
        overall = ops.matmul(masked_max(matches, mask), values)
        if return_attention_scores:
            return local, overall, ops.reshape(matches, (batch, length, heads, filters))
        return local, overall

    def compute_output_shape(self, input_shape: Shape) -> tuple[Shape, Shape]:
        return (*input_shape,), (input_shape[0], input_shape[-1])
