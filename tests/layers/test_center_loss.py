"""The centre loss of ACT against Wen et al. 2016, Equations 2 to 4."""

import keras
import numpy as np

from zoo.layers import CenterLoss

rng = np.random.default_rng(0)


def test_loss_and_centers():
    layer = CenterLoss(num_classes=3, rate=0.1)
    centers = rng.normal(size=(3, 4))
    layer.build((None, 4))
    layer.set_weights([centers])
    x, targets = rng.normal(size=(6, 4)), np.array([0, 2, 2, 0, 2, 0])
    want = np.mean([np.sum((x[i] - centers[targets[i]]) ** 2) / 2 for i in range(6)])
    inputs = keras.ops.convert_to_tensor(x.astype("float32"))
    np.testing.assert_allclose(layer(inputs, targets), want, rtol=1e-5)
    np.testing.assert_allclose(layer.get_weights()[0], centers, rtol=1e-5)  # not in training

    layer(inputs, targets, training=True)
    for j in range(3):
        members = [x[i] for i in range(6) if targets[i] == j]
        moved = sum(centers[j] - member for member in members) / (1 + len(members))
        np.testing.assert_allclose(
            layer.get_weights()[0][j], centers[j] - 0.1 * moved, rtol=1e-5, atol=1e-6
        )


def test_centers_come_to_the_means_of_their_classes():
    layer = CenterLoss(num_classes=2, rate=0.5)
    x = rng.normal(size=(40, 3)).astype("float32")
    targets = np.arange(40) % 2
    for _ in range(100):
        loss = layer(keras.ops.convert_to_tensor(x), targets, training=True)
    means = np.array([x[targets == j].mean(axis=0) for j in range(2)])
    np.testing.assert_allclose(layer.get_weights()[0], means, atol=1e-4)
    np.testing.assert_allclose(loss, ((x - means[targets]) ** 2).sum(axis=1).mean() / 2, rtol=1e-4)


def test_in_16_bits_centers_and_loss_are_as_in_32(precision):
    layer, x = CenterLoss(num_classes=2, rate=0.1), rng.integers(90, 99, (6, 3)).astype("float32")
    exact = CenterLoss(num_classes=2, rate=0.1, dtype="float32")
    for _ in range(50):
        found, wanted = (one(x, np.arange(6) % 2, training=True) for one in (layer, exact))
        assert keras.backend.standardize_dtype(found.dtype) == "float32"
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(*layer.get_weights(), *exact.get_weights())


def test_a_vector_of_no_class_counts_for_nothing():
    layer, x = CenterLoss(num_classes=2), rng.normal(size=(4, 3)).astype("float32")
    loss = layer(x, np.array([0, -1, 1, 2]), training=True)
    moved = layer.get_weights()[0]
    alone = CenterLoss(num_classes=2)
    np.testing.assert_allclose(2 * loss, alone(x[[0, 2]], np.array([0, 1]), training=True))
    np.testing.assert_array_equal(moved, alone.get_weights()[0])
