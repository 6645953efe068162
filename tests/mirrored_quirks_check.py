"""What Keras does on two devices of TensorFlow, and what zoo makes of it. Run by test_backend.py.

Each check fails where Keras no longer does so, so that what is done about it can go.
"""

import keras
import numpy as np
import tensorflow as tf

import zoo
from zoo.backend import devices
from zoo.backend.keras_private import share_of_device
from zoo.optimizers import Adadelta

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
IDS, TARGETS = np.arange(24).reshape(8, 3) % 9, np.arange(8) % 2
one = tf.distribute.get_strategy()


def strategy_of_two():
    with devices.on_devices(2, 1, 0) as parts:
        assert parts == (2, None) and devices.is_mirrored()
        return tf.distribute.get_strategy()


def plain():
    layers = keras.layers.Embedding(9, 4), keras.layers.GlobalMaxPooling1D()
    return keras.Sequential([*layers, keras.layers.Dense(2, activation="softmax")])


def ours():
    return zoo.build("fasttext", 2, vocabulary_size=9)


def compiled(kind, strategy, optimizer=lambda: "sgd"):
    with strategy.scope():
        model = kind()
        model.build((None, 3))
        model.compile(optimizer(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    draw = np.random.default_rng(0)
    model.set_weights([draw.normal(size=weight.shape) for weight in model.get_weights()])
    return model


def learnt(optimizer, strategy):
    """The weights after a step on one batch, all in a row."""
    model = compiled(ours, strategy, lambda: optimizer(1.0, global_clipnorm=0.01))
    model.fit(IDS, TARGETS, batch_size=8, shuffle=False, verbose=0)
    return np.concatenate([weight.ravel() for weight in model.get_weights()])


def refused(function):
    try:
        function()
    except Exception:
        return True
    return False


# A second strategy would number its messages as the first does: there is one for all trainings.
two = strategy_of_two()
assert strategy_of_two() is two and not devices.is_mirrored()

# To build metrics, a batch is averaged over the devices, whose parts have other lengths.
parts = [(IDS[:4], TARGETS[:4]), (IDS[:4, :2], TARGETS[:4])] * 2
types = tf.TensorSpec([4, None], "int64"), tf.TensorSpec([4], "int64")
data = tf.data.Dataset.from_generator(lambda: parts, output_signature=types)
distributed = two.distribute_datasets_from_function(lambda _: data)
assert refused(lambda: compiled(plain, two).fit(distributed, verbose=0, shuffle=False))
compiled(ours, two).fit(distributed, verbose=0)

# An optimizer that is made outside of the scope has its variables on the first device alone.
model = compiled(ours, two, keras.optimizers.Adam)
assert refused(lambda: model.optimizer.build(model.trainable_variables))
model = compiled(ours, two, keras.optimizers.Adam)
model.build_optimizer()
model.fit(IDS, TARGETS, batch_size=8, verbose=0)

# Gradients are clipped on each device, and then summed up.
for optimizer, same in ((keras.optimizers.Adadelta, False), (Adadelta, True)):
    assert np.allclose(learnt(optimizer, one), learnt(optimizer, two), atol=1e-4) == same, same

# A loss is summed up over the devices.
with two.scope():
    assert share_of_device(model, tf.constant(1.0)) == 0.5
