"""Positions relative to entities, by a loop."""

import keras
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import as_float64
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


def test_position_aware_attention(precision):
    random = np.random.default_rng(0)
    h, q, p = (random.normal(size=shape) for shape in ((2, 5, 4), (2, 4), (2, 5, 6)))
    layer = PositionAwareAttention(7)
    mask = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]], bool)
    found, weights = layer(h, q, p, mask=mask, return_attention_scores=True)
    w_h, w_q, w_p, v = (
        as_float64(one)
        for one in (layer.item_kernel, layer.summary_kernel, layer.position_kernel, layer.context)
    )
    u = (np.tanh(h @ w_h + (q @ w_q)[:, None] + p @ w_p) @ v)[..., 0]
    a = np.where(mask, np.exp(u), 0)
    a /= np.maximum(a.sum(-1, keepdims=True), 1e-30)
    np.testing.assert_allclose(as_float64(weights), a, atol=precision)
    expected = np.einsum("bl,bld->bd", a, h)
    np.testing.assert_allclose(as_float64(found), expected, atol=precision)
    longer = [np.pad(x, [(0, 0), (0, 3), (0, 0)], constant_values=9) for x in (h, p)]
    again = layer(longer[0], q, longer[1], mask=np.pad(mask, [(0, 0), (0, 3)]))
    np.testing.assert_allclose(as_float64(again), as_float64(found), atol=precision)
