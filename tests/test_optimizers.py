"""Our optimizers are Keras' on dense gradients."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from zoo import optimizers


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("AdamW", {"weight_decay": 0.1}),
        ("AdamW", {"weight_decay": 0.1, "amsgrad": True}),
        ("AdamW", {"weight_decay": 0.0, "beta_1": 0.8}),
        ("Adam", {"beta_2": 0.99}),
        ("Adadelta", {"epsilon": 1e-6}),
        ("Adadelta", {"rho": 0.5, "weight_decay": 0.1}),
    ],
)
def test_a_variable_moves_as_by_keras(indexed, name, options):
    """Dense gradients, and those of an embedding: some rows, one of them twice."""
    start = np.random.default_rng(0).normal(size=(10, 4)).astype("float32")
    tables = []
    for kind in (getattr(optimizers, name), getattr(keras.optimizers, name)):
        table = keras.Variable(start)
        rate = keras.optimizers.schedules.CosineDecay(0.1, 5)
        optimizer = kind(rate, **options)
        optimizer.build([table])
        for step in range(5):
            gradient = tf.random.stateless_normal((3, 4), (0, step))
            gradient = tf.IndexedSlices(gradient, tf.constant([7, step, 7]), tf.constant([10, 4]))
            # Keras on TensorFlow squares rows apart, and ours leaves amsgrad to it.
            if not indexed or (kind.__module__.startswith("keras") and "amsgrad" not in options):
                gradient = tf.convert_to_tensor(gradient)
            optimizer.apply([gradient])
        tables.append(table.numpy())
    np.testing.assert_allclose(*tables, rtol=1e-5, atol=1e-6)
    moved = np.abs(tables[0] - start).max(axis=-1)
    assert moved[7] > 1e-5 and moved[0] > 1e-6  # those without a gradient only decay, if that
