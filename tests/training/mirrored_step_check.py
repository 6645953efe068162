"""One step on one and on two logical CPUs. Run by test_devices.py.

In a process of its own: TensorFlow mixes up the sums of several strategies.
"""

import functools

import keras
import numpy as np
import tensorflow as tf

import zoo
from zoo.layers import CenterLoss
from zoo.optimizers import Adadelta

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    loss = CenterLoss(num_classes=2, rate=0.5)
    loss.build((None, 1))


@tf.function
def move(vectors, targets):
    """The centres, of which each device moves one."""
    strategy.run(lambda: loss(one_part(vectors), one_part(targets), training=True))


def one_part(x):
    return x[tf.distribute.get_replica_context().replica_id_in_sync_group]


move(tf.constant([[[4.0]], [[8.0]]]), tf.constant([[0], [1]]))
(centers,) = loss.get_weights()
assert centers.tolist() == [[0.5], [1.0]]  # half of what they move on one device


def after_a_step(strategy, name, optimizer=lambda: keras.optimizers.SGD(0.5), **own):
    """Weights, statistics among them; without what is drawn."""
    with strategy.scope():
        model = zoo.build(name, 2, vocabulary_size=9, **own)
        model.build()
        model.compile(optimizer(), "sparse_categorical_crossentropy")
    random = np.random.default_rng(0)
    model.set_weights([random.normal(size=one.shape) for one in model.get_weights()])
    ids = random.integers(1, 9, (8, 12))
    model.fit(ids, np.arange(8) % 2, batch_size=8, shuffle=False, verbose=0)
    return model.get_weights()


with strategy.scope():
    model = zoo.build("cnn_kim", 2, vocabulary_size=9)
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
model.fit(np.ones((8, 12), int), np.eye(2)[np.arange(8) % 2], verbose=0)
assert model.evaluate(np.ones((8, 12), int), np.eye(2)[[0] * 8], verbose=0)[1] in (0, 1)

model.preprocessor = zoo.datasets.Preprocessor(list("abcdefg"))
texts = ["a b", "c", "d e f g"]
expected = [model(model.preprocessor([text]))[0] for text in texts]
np.testing.assert_allclose(model.predict(texts, verbose=0), expected, atol=1e-6)

act = {"embedding_dim": 6, "filters": 2, "num_layers": 1, "dropout": 0.0, "word_dropout": 0.0}
short = functools.partial(Adadelta, 1.0, global_clipnorm=0.01)  # steps grow with gradients at first
for name, own in {
    "cnn_kim": {"embedding_dim": 4, "filters": 2, "dropout": 0.0, "optimizer": short},
    "act": act | {"center_weight": 0.5, "center_rate": 0.0},
    "leam": {"embedding_dim": 6, "dropout": 0.0},
    "vdcnn": {"embedding_dim": 2, "filters": 2, "hidden_dim": 3, "max_words": 80},
}.items():
    one, two = (
        after_a_step(each, name, **own) for each in (tf.distribute.get_strategy(), strategy)
    )
    for weight, other in zip(one, two, strict=True):
        np.testing.assert_allclose(weight, other, rtol=1e-3, atol=1e-4, err_msg=name)
