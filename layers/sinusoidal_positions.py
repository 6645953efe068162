"""Sinusoidal position encodings."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.types import Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class SinusoidalPositions(UnmaskedLayer):
    """A fixed vector for each position (Vaswani et al. 2017, Section 3.5; SSAN, Section 2.3.1).

    ``PE(pos, 2i) = sin(pos / 10000^(2i/dim))`` and ``PE(pos, 2i+1)`` the cosine.

    Args:
        dim: width of a vector, even.

    Call arguments:
        inputs: ``[batch, length, ...]``; only the length is read.

    Returns:
        ``[length, dim]``, to be added by the caller. Keras' functional models lose the mask in a
        sum: give it to the next layer, ``mask=embedding.compute_mask(ids)``.

    Raises:
        ValueError: if ``dim`` is odd or a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import SinusoidalPositions
        >>> tuple(SinusoidalPositions(dim=8)(keras.ops.ones((2, 5, 8))).shape)
        (5, 8)
    """

    def __init__(self, dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_sizes(dim=dim)
        if dim % 2:
            raise ValueError(f"sinusoidal positions need an even embedding_dim: got {dim}")
        self.dim = dim

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[1], self.dim

    def call(self, inputs: Tensor) -> Tensor:
        wavelengths = 10_000 ** (ops.arange(0, self.dim, 2, dtype="float32") / self.dim)
        positions = ops.arange(ops.shape(inputs)[1], dtype="float32")
        angles = positions[:, None] / wavelengths
        encoding = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)
        return ops.cast(ops.reshape(encoding, (-1, self.dim)), self.compute_dtype)
