"""Our AdamW is Keras'."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from zoo import optimizers


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("options", [{}, {"amsgrad": True}, {"weight_decay": 0.0, "beta_1": 0.8}])
def test_a_variable_moves_as_by_keras(indexed, options):
    """Dense gradients, and those of an embedding: some rows, one of them twice."""
    start = np.random.default_rng(0).normal(size=(10, 4)).astype("float32")
    tables = []
    for kind in (optimizers.AdamW, keras.optimizers.AdamW):
        table = keras.Variable(start)
        rate = keras.optimizers.schedules.CosineDecay(0.1, 5)
        optimizer = kind(rate, **{"weight_decay": 0.1, "global_clipnorm": 1.0} | options)
        optimizer.build([table])
        for step in range(5):
            gradient = tf.random.stateless_normal((3, 4), (0, step))
            gradient = tf.IndexedSlices(gradient, tf.constant([7, step, 7]), tf.constant([10, 4]))
            if not indexed:
                gradient = tf.convert_to_tensor(gradient)
            optimizer.apply([gradient])
        tables.append(table.numpy())
    np.testing.assert_allclose(*tables, rtol=1e-5, atol=1e-6)
    moved = np.abs(tables[0] - start).max(axis=-1)
    assert moved[[0, 7]].min() > 1e-3  # those without a gradient only decay, if that
