"""Learned vectors for how far a word is from two entities."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import Layer
from zoo.layers.types import InitializerLike, Shape, Tensor

ROLES = 4  # of a word: in none of the entities, the first, the second, or both


def join_roles(ids: Tensor, roles: Tensor) -> Tensor:
    """Ids and roles of words as one number each, which a model of entities reads; padding is 0."""
    return ROLES * ids + roles


def part_roles(joined: Tensor) -> tuple[Tensor, Tensor]:
    """The ids and the roles that :func:`join_roles` made one number."""
    return joined // ROLES, joined % ROLES


def entity_masks(roles: Tensor) -> tuple[Tensor, Tensor]:
    """Which words are in the first entity, and which in the second: two boolean masks."""
    return ops.equal(roles % 2, 1), ops.equal(roles // 2, 1)


@keras.saving.register_keras_serializable("zoo")
class EntityPositions(Layer):
    """Positions relative to two entities, each with a table of vectors, side by side.

    Zhang et al. 2017, Section 2.2, as Li et al. 2021 (ACT), Section 3.3, use it: words before an
    entity are -1, -2, ... words away, its own words 0, those after it 1, 2, ... Zhang et al. have
    one table for both entities.

    Args:
        max_distance: beyond it, words are as far. A text without the entity has a row of its own.
        dim: width of a row of each table, half of a model's ``position_dim``.
        initializer: of both tables.

    Call arguments:
        roles: ``[batch, length]`` integers: 1 in the first entity, 2 in the second, 3 in both,
            else 0.

    Returns:
        ``[batch, length, 2 * dim]``.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import EntityPositions
        >>> roles = keras.ops.array([[0, 1, 0, 2]])  # the second and the fourth word are entities
        >>> tuple(EntityPositions(max_distance=10, dim=3)(roles).shape)
        (1, 4, 6)
    """

    def __init__(
        self, max_distance: int, dim: int, initializer: InitializerLike = "uniform", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(0, max_distance=max_distance)
        check_sizes(dim=dim)
        self.max_distance = max_distance
        self.dim = dim
        self.initializer = get_initializer(initializer)

    def build(self, input_shape: Shape) -> None:
        rows = 2 * self.max_distance + 2
        self.tables = [
            self.add_weight(
                name=f"entity_{number}",
                shape=(rows, self.dim),
                initializer=fresh(self.initializer),
            )
            for number in (1, 2)
        ]

    def call(self, roles: Tensor) -> Tensor:
        found = [
            ops.take(table, self.distances(inside), axis=0)
            for table, inside in zip(self.tables, entity_masks(roles), strict=True)
        ]
        return ops.concatenate(found, axis=-1)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape, 2 * self.dim)

    def distances(self, inside: Tensor) -> Tensor:
        """The row of each word, ``[batch, length]``, given which are in the entity."""
        length = ops.shape(inside)[1]
        places = ops.expand_dims(ops.arange(length, dtype="int32"), 0)
        first = ops.min(ops.where(inside, places, length), axis=1, keepdims=True)
        last = ops.max(ops.where(inside, places, -1), axis=1, keepdims=True)
        away = ops.minimum(places - first, 0) + ops.maximum(places - last, 0)
        rows = ops.clip(away, -self.max_distance, self.max_distance) + self.max_distance
        return ops.where(last < 0, 2 * self.max_distance + 1, rows)
