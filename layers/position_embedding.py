"""Learned absolute position embeddings."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class PositionEmbedding(UnmaskedLayer):
    """A learned vector for each position (HCAN, Section 3.6; ACT, Section 2.3).

    Args:
        max_length: rows of the table. Positions beyond it share its last row.
        dim: width of a row.
        initializer: of the table; the authors' code of HCAN has a normal of deviation 0.1.

    Call arguments:
        inputs: ``[batch, length, ...]``; only the length is read.

    Returns:
        ``[length, dim]``, to be added or concatenated by the caller. Keras' functional models lose
        the mask in a sum: give it to the next layer, ``mask=embedding.compute_mask(ids)``.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import PositionEmbedding
        >>> tuple(PositionEmbedding(max_length=100, dim=8)(keras.ops.ones((2, 5, 8))).shape)
        (5, 8)
    """

    def __init__(
        self, max_length: int, dim: int, initializer: InitializerLike = "uniform", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(max_length=max_length, dim=dim)
        self.max_length = max_length
        self.dim = dim
        self.initializer = get_initializer(initializer, copied=False)

    def build(self, input_shape: Shape) -> None:
        self.embeddings = self.add_weight(
            name="embeddings", shape=(self.max_length, self.dim), initializer=self.initializer
        )

    def call(self, inputs: Tensor) -> Tensor:
        positions = ops.minimum(ops.arange(ops.shape(inputs)[1]), self.max_length - 1)
        return ops.take(ops.convert_to_tensor(self.embeddings), positions, axis=0)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape[1], self.dim
