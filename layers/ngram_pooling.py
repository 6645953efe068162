"""Convolution and max-pooling over time, of Kim's CNN."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import masked_max, zero_masked
from zoo.layers.types import ActivationLike, InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class NgramPooling(UnmaskedLayer):
    """For each filter, its largest match with an n-gram of the text, for several n.

    Kim 2014, Section 2: ``c_i = f(w . x_(i:i+n-1) + b)``, then the maximum over i. An n-gram
    starts at every word; beyond the last one there are zeros. Kim's code has zeros before the first
    one, too.

    Each word meets each part of every filter in one matrix product; the parts' products are then
    shifted and added up. They are as wide as the filters, while n-grams would be n words wide.

    Args:
        filters: filters of each window.
        windows: n of the n-grams.
        activation: f; Kim's is ``"relu"`` (Section 3.1).
        kernel_initializer: of w, for each window.
        bias_initializer: of b, for each window.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.

    Returns:
        ``[batch, len(windows) * filters]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import NgramPooling
        >>> tuple(NgramPooling(filters=10, windows=(2, 3))(keras.ops.ones((1, 5, 8))).shape)
        (1, 20)
    """

    def __init__(
        self,
        filters: int = 100,
        windows: Sequence[int] = (3, 4, 5),
        activation: ActivationLike | None = "relu",
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(filters=filters)
        if not windows:
            raise ValueError(f"windows must be at least one width: got {windows!r}")
        for window in windows:
            check_sizes(window=window)
        self.filters = filters
        self.windows = tuple(windows)
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)

    def build(self, input_shape: Shape) -> None:
        self.kernels, self.biases = [], []
        for size in self.windows:
            shape = (size * input_shape[-1], self.filters)
            start = fresh(self.kernel_initializer)
            self.kernels.append(
                self.add_weight(name=f"kernel_{size}", shape=shape, initializer=start)
            )
            start = fresh(self.bias_initializer)
            self.biases.append(
                self.add_weight(name=f"bias_{size}", shape=shape[1:], initializer=start)
            )

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        dim, parts = inputs.shape[-1], sum(self.windows)
        kernels = [
            ops.reshape(kernel, (size, dim, self.filters))
            for size, kernel in zip(self.windows, self.kernels, strict=True)
        ]
        kernel = ops.reshape(ops.transpose(ops.concatenate(kernels), (1, 0, 2)), (dim, -1))
        products = ops.split(ops.matmul(zero_masked(inputs, mask), kernel), parts, axis=-1)
        pooled = []
        for size, bias in zip(self.windows, self.biases, strict=True):
            matches = sum(shifted(products.pop(0), words) for words in range(size))
            pooled.append(masked_max(self.activation(matches + bias), mask))
        return ops.concatenate(pooled, axis=-1)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[0], len(self.windows) * self.filters

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"activation": keras.activations.serialize(self.activation)}


def shifted(inputs: Tensor, words: int) -> Tensor:
    """``[batch, length, dim]`` with what stood ``words`` later; zeros beyond the end."""
    if not words:
        return inputs
    shape = ops.shape(inputs)
    return ops.slice(ops.pad(inputs, [[0, 0], [0, words], [0, 0]]), (0, words, 0), shape)
