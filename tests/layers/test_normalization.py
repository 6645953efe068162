"""Layer normalisation whose epsilon may be small."""

import keras
import numpy as np
import pytest

from zoo.layers.normalization import LayerNormalization


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-12])
def test_it_is_keras_own_to_the_last_bit(epsilon):
    rng = np.random.default_rng(0)
    for deviation in (1e-6, 1e-2, 100):
        inputs = rng.normal(rng.normal(0, deviation, (5, 4, 1)), deviation, (5, 4, 7))
        inputs = inputs.astype("float32")
        inputs[0] = 0
        own, theirs = (
            layer(epsilon=epsilon)
            for layer in (LayerNormalization, keras.layers.LayerNormalization)
        )
        for layer in (own, theirs):
            layer.build(inputs.shape)
            layer.gamma.assign(np.arange(1, 8))
            layer.beta.assign(np.arange(7))
        expected = keras.ops.convert_to_numpy(theirs(inputs))
        np.testing.assert_array_equal(keras.ops.convert_to_numpy(own(inputs)), expected)
        np.testing.assert_array_equal(expected[0], np.broadcast_to(np.arange(7.0), (4, 7)))
