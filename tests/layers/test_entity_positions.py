"""Positions relative to entities, by a loop."""

import keras
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zoo.layers import EntityPositions, PositionAwareAttention


def distances(inside, most):
    places = [i for i, one in enumerate(inside) if one]
    if not places:
        return [2 * most + 1] * len(inside)
    first, last = places[0], places[-1]
    away = [i - first if i < first else i - last if i > last else 0 for i in range(len(inside))]
    return [max(-most, min(most, one)) + most for one in away]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 4))
def test_each_entity_has_its_table(roles, most):
    layer = EntityPositions(most, 3)
    found = keras.ops.convert_to_numpy(layer(np.array([roles])))[0]
    tables = [keras.ops.convert_to_numpy(table) for table in layer.tables]
    expected = [
        table[distances(inside, most)]
        for table, inside in zip(
            tables, ([r % 2 for r in roles], [r // 2 for r in roles]), strict=True
        )
    ]
    np.testing.assert_array_equal(found, np.concatenate(expected, axis=-1))


def test_position_aware_attention():
    random = np.random.default_rng(0)
    h, q, p = (random.normal(size=shape) for shape in ((2, 5, 4), (2, 4), (2, 5, 6)))
    layer = PositionAwareAttention(7)
    mask = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]], bool)
    found, weights = layer(h, q, p, mask=mask, return_attention_scores=True)
    w_h, w_q, w_p, v = (
        np.asarray(one, "float64")
        for one in (layer.item_kernel, layer.summary_kernel, layer.position_kernel, layer.context)
    )
    u = (np.tanh(h @ w_h + (q @ w_q)[:, None] + p @ w_p) @ v)[..., 0]
    a = np.where(mask, np.exp(u), 0)
    a /= np.maximum(a.sum(-1, keepdims=True), 1e-30)
    np.testing.assert_allclose(weights, a, atol=1e-5)
    np.testing.assert_allclose(found, np.einsum("bl,bld->bd", a, h), atol=1e-5)
