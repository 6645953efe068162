"""What Keras does on JAX, and what zoo makes of it. Run by test_backend.py, on JAX.

A test of a quirk fails where Keras no longer has it, so that what is done about it can go.
"""

import gc

import jax
import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo import backend
from zoo.registry import create

pytestmark = pytest.mark.filterwarnings("ignore")  # of datasets that Keras cannot shuffle
IDS = np.array([[2, 3, 4]] * 4)
TARGETS = np.array([0, 1, 1, 0])


def plain(fitted=True):
    model = keras.Sequential([keras.layers.Dense(2, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    if fitted:
        model.fit(IDS, TARGETS, verbose=0)
    return model


def ours():
    model = zoo.build("fasttext", 2, vocabulary_size=9)
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


def counted(model, data, method="fit", **options):
    """How many batches a model saw, and what it answers for them."""
    seen = []
    count = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: seen.append(batch),
        on_test_batch_end=lambda batch, logs: seen.append(batch),
    )
    getattr(model, method)(data, callbacks=[count], verbose=0, **options)
    return len(seen)


def read_once():
    """A dataset of four batches that can be read once."""
    batches = iter([(IDS, TARGETS)] * 4)
    spec = tf.TensorSpec([4, 3], "int64"), tf.TensorSpec([4], "int64")
    return tf.data.Dataset.from_generator(lambda: batches, output_signature=spec)


def compilations(function):
    """How often JAX compiles for a function."""
    found = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: found.append(event)
    )
    function()
    jax.monitoring.clear_event_listeners()
    return sum("backend_compile" in event for event in found)


def test_it_is_jax():
    assert backend.backend_name() == "jax" and backend.prediction_threads() == 1
    assert backend.compiled(len) is len  # as whole steps are compiled


def test_fit_takes_a_batch_to_build_metrics():
    assert counted(plain(fitted=False), read_once()) < 4
    assert counted(ours(), read_once()) == 4
    assert counted(ours(), read_once(), "evaluate") == 4


def test_a_failed_step_keeps_the_weights():
    models = plain(), ours()
    for model, ids in zip(models, (IDS[:, :2], IDS[:, None, None]), strict=True):
        with pytest.raises((ValueError, TypeError)):
            model.fit(tf.data.Dataset.from_tensors((ids, TARGETS)), verbose=0)
    with pytest.raises(TypeError, match="NoneType"):
        models[0].get_weights()
    assert np.isfinite(models[1].fit(IDS, TARGETS, verbose=0).history["loss"]).all()


def test_no_batch_ends_in_an_error_of_another_thing():
    empty = tf.data.Dataset.from_tensors((IDS, TARGETS)).filter(lambda *_: False)
    for method in ("fit", "evaluate"):
        with pytest.raises((UnboundLocalError, TypeError)):
            getattr(plain(), method)(empty, verbose=0)
        model = ours()
        with pytest.raises(zoo.UsageError, match="there are no texts"):
            getattr(model, method)(empty, verbose=0)
        model.fit(IDS, TARGETS, verbose=0)


def test_a_call_compiles_each_operation():
    models = [create("cnn_kim", 2, vocabulary_size=9) for _ in range(2)]
    one_by_one = compilations(lambda: models[0].call(keras.ops.zeros((1, 2), "int32")))
    assert compilations(lambda: models[1].build()) < one_by_one / 2


def test_each_shape_is_compiled():
    model = ours()
    model.predict_on_batch(IDS)
    assert compilations(lambda: model.predict_on_batch(IDS)) == 0
    assert compilations(lambda: model.predict_on_batch(IDS[:, :2])) == 1
    model.preprocessor = zoo.datasets.Preprocessor(list("abcdefg"), ngrams=model.ngrams)
    words = [model.preprocessor(["a " * number]).shape[1] for number in range(9, 17)]
    assert len(set(words)) <= 2 and backend.compiles_each_shape()


def test_a_step_reads_no_tensor_of_tensorflow():
    ids = tf.constant(IDS)
    with pytest.raises(TypeError, match="abstract array"):
        ours().predict_on_batch(ids)
    np.testing.assert_array_equal(backend.readable(ids), IDS)
    assert isinstance(backend.readable(ids), np.ndarray)


def test_a_garbage_collection_has_a_name():
    """Within it Ctrl-C waits."""
    assert {one.__name__ for one in gc.callbacks} & set(backend.COLLECTORS)
