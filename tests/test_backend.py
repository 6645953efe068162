"""What zoo does about Keras and its backends: each quirk by name, and a function on several cores.

A test of a quirk fails where Keras no longer has it, so that what is done about it can go.
"""

import ast
import io
import os
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path
from types import SimpleNamespace

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from tests.environment import on_jax
from tests.kinds import long_unless
from zoo import backend, optimizers
from zoo.backend import in_threads
from zoo.backend.keras_private import TABLE, all_layers, with_rows
from zoo.datasets import Preprocessor
from zoo.layers.frozen import freeze_within

IDS, TARGETS = np.array([[2, 3], [4, 5], [6, 7], [8, 9]]), np.array([0, 1, 1, 0])
ROOT = Path(__file__).parent.parent
# The files that know which backend it is, as what they do is of one of them: exports and strings
# are TensorFlow's, several processes JAX's, and a run goes on where it began.
KNOW_THE_BACKEND = {
    "zoo/runs/run_folder.py",
    "zoo/shipping/formats.py",
    "zoo/shipping/saving.py",
    "zoo/training/devices.py",
    "zoo/training/trainer.py",
}


def plain():
    return compiled(keras.Sequential([keras.layers.Dense(2, activation="softmax")]))


def ours():
    return compiled(zoo.build("fasttext", 2, vocabulary_size=10))


def compiled(model):
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def modules():
    """Those that are not of the backends."""
    for top in ("zoo", "layers", "datasets"):
        for path in ROOT.glob(f"{top}/**/*.py"):
            if "backend" not in path.relative_to(ROOT).parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_no_other_module_asks_for_the_backend():
    texts = dict(modules())
    assert len(texts) > 100
    assert not [name for name, text in texts.items() if "backend.backend()" in text]
    assert {name for name, text in texts.items() if "backend_name()" in text} == KNOW_THE_BACKEND


def test_no_other_module_has_a_private_name_of_keras():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(), "mse")
    model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
    adadelta = keras.optimizers.Adadelta()
    adadelta.build(model.trainable_variables)
    theirs = {"_value", "_use_cached_eval_dataset", "_xla_gc_callback"}
    theirs |= {"distribute_strategy", "jax_state_sync"}  # of one backend
    for one in (model, model.layers[0], model.optimizer, adadelta):
        theirs |= {name for name in dir(one) if name[0] == "_" and name[:2] != "__"}
    assert len(theirs) > 100
    kinds = {ast.Attribute: "attr", ast.FunctionDef: "name", ast.Constant: "value"}
    for name, text in modules():
        assert "keras.src" not in text and "tensorflow.python" not in text, name
        nodes = [node for node in ast.walk(ast.parse(text)) if type(node) in kinds]
        found = {str(getattr(node, kinds[type(node)])) for node in nodes}
        assert not found & theirs, name


@pytest.mark.slow
def test_quirks_of_jax():
    check = Path(__file__).with_name("jax_quirks_check.py")
    on_jax("-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", check)


@pytest.mark.slow
def test_quirks_of_several_devices_of_tensorflow():
    check = Path(__file__).with_name("mirrored_quirks_check.py")
    ended = subprocess.run([sys.executable, check], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-5000:]


def test_on_a_gpu_keras_would_compile_each_length_by_xla(monkeypatch):
    gpu = SimpleNamespace(device_type="GPU")
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda *_: [gpu])
    assert plain().jit_compile
    assert not ours().jit_compile
    model = zoo.build("fasttext", 2)
    assert not model.jit_compile  # which predicts without having been compiled
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=True)
    assert model.jit_compile


def test_keras_fit_evaluates_by_an_option_of_its_own(monkeypatch):
    """By which evaluate knows that fit has looked at the data: a generator's first comes once."""
    given, seen, evaluate = [], [], keras.Sequential.evaluate

    def look(model, *args, **options):
        given.append(backend.keras_private.is_validation(options))
        return evaluate(model, *args, **options)

    monkeypatch.setattr(keras.Sequential, "evaluate", look)
    plain().fit(IDS, TARGETS, validation_data=(IDS, TARGETS), verbose=0)
    assert given == [True]
    count = keras.callbacks.LambdaCallback(on_test_batch_end=lambda batch, logs: seen.append(batch))
    batches = ((IDS, TARGETS) for _ in range(3))
    ours().fit(IDS, TARGETS, validation_data=batches, callbacks=[count], verbose=0)
    assert seen == [0, 1, 2]


def test_after_a_step_that_failed_keras_fails_on():
    """As it keeps the function that failed while it was traced."""
    right, wrong = (
        tf.data.Dataset.from_tensors((IDS, targets)) for targets in (TARGETS, np.eye(2)[TARGETS])
    )
    models = plain(), ours()
    for model in models:
        with pytest.raises(ValueError, match="must have rank"):
            model.fit(wrong, shuffle=False, verbose=0)
    with pytest.raises(ValueError, match="OptionalFromValue"):
        models[0].fit(right, shuffle=False, verbose=0)
    models[1].fit(right, verbose=0)


def test_a_saved_optimizer_without_variables_would_warn_at_loading(tmp_path):
    for kind, warns in ((plain, True), (ours, False)):
        model = kind()
        model.build((None, 2))
        model.save(tmp_path / "model.keras")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            keras.saving.load_model(tmp_path / "model.keras")
        found = [one for one in told if "Skipping variable loading" in str(one.message)]
        assert bool(found) == warns


def test_keras_files_name_weights_by_the_order_of_layers(tmp_path, monkeypatch):
    """Which is another one for whoever asks for ``model.layers``."""

    def names_and_shapes():
        model.save(tmp_path / "model.keras")
        with zipfile.ZipFile(tmp_path / "model.keras") as archive:
            weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")))
        found = {}
        weights.visititems(lambda name, one: found.update({name: getattr(one, "shape", None)}))
        return found

    model = zoo.build("hcan", 2, vocabulary_size=9, embedding_dim=8, num_heads=2)
    before = names_and_shapes()
    monkeypatch.setattr("zoo.classifier.is_saving", lambda: False)
    assert names_and_shapes() != before


def test_keras_tells_no_layers_of_a_layer():
    model = zoo.build("hcan", 2, vocabulary_size=9, embedding_dim=8, num_heads=2)
    assert not hasattr(keras.layers.Layer, "layers")
    assert {model, *model.layers} < {*all_layers(model)}


def test_a_frozen_layer_does_not_freeze_those_within_it():
    class Outer(keras.layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.inner = keras.layers.Dense(2)

    outer = Outer(trainable=False)
    outer.trainable = False
    assert outer.inner.trainable
    freeze_within(outer)
    assert not outer.inner.trainable


def test_keras_adam_squares_the_gradients_of_a_word_apart():
    gradient = tf.IndexedSlices(tf.ones((2, 2)), tf.constant([1, 1]), tf.constant([3, 2]))
    for module, apart in ((keras.optimizers, True), (optimizers, False)):
        moved = []
        for one in (gradient, tf.convert_to_tensor(gradient)):
            table = keras.Variable(np.zeros((3, 2), "float32"))
            optimizer = module.Adam(0.1, epsilon=0.1)
            optimizer.build([table])
            optimizer.apply([one])
            moved.append(table.numpy())
        assert np.allclose(*moved) != apart


def test_tensorflow_speaks_while_it_is_imported():
    """Whatever its level; ``zoo`` says nothing, see the tests of the commands."""
    ended = subprocess.run(
        [sys.executable, "-c", "import tensorflow"],
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert ended.stderr


def test_xla_traces_a_function_once():
    traced = []

    def double(x):
        traced.append(x)
        return 2 * x

    for _ in range(2):
        assert backend.compiled(double)(tf.constant(2.0)) == 4 and len(traced) == 1
        traced.clear()


def test_on_jax_tensorflow_leaves_the_gpus(monkeypatch):
    seen = []
    monkeypatch.setattr(tf.config, "set_visible_devices", lambda *args: seen.append(args))
    backend.leave_gpus_to_jax()
    assert not seen
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    backend.leave_gpus_to_jax()
    assert seen == [([], "GPU")]


def test_on_jax_several_steps_are_executed_at_a_time(monkeypatch):
    assert backend.steps_per_execution(100) == 1
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    assert [backend.steps_per_execution(steps) for steps in (100, 14, 9, 11)] == [10, 7, 9, 1]


@settings(max_examples=25)
@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 5))
def test_answers_come_in_the_order_of_the_items(waits, threads):
    def answer(item):
        time.sleep(item[1] / 1000)
        return item

    assert list(in_threads(answer, enumerate(waits), threads)) == list(enumerate(waits))


@pytest.mark.parametrize("threads", [1, 3])
def test_items_are_not_read_far_ahead(threads):
    read = []
    answers = in_threads(lambda item: item, (read.append(i) or i for i in range(100)), threads)
    for place, _ in enumerate(answers):
        assert len(read) <= place + 1 + threads


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_one_item_reaches_the_caller(threads):
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 / item, [1, 2, 0, 3], threads))


def test_several_threads_work_at_a_time():
    meeting = threading.Barrier(2, timeout=20)  # which one thread alone would never pass
    assert len(list(in_threads(lambda item: meeting.wait(), range(4), 2))) == 4


@pytest.mark.parametrize(
    "name", [long_unless(n == "fasttext", n) for n in ("act", "han", "fasttext")]
)
def test_texts_get_the_same_probabilities_from_one_thread_and_from_several(name, monkeypatch):
    words = [f"w{i}" for i in range(50)]
    model = zoo.build(name, 3, vocabulary_size=52)
    model.preprocessor = Preprocessor(
        words, model.max_words, model.max_sentences, ngrams=model.ngrams
    )
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(words, draw.integers(0, 40))) + "." for _ in range(100)]
    monkeypatch.setattr("zoo.classifier.prediction_threads", lambda: 1)
    alone = model.predict_texts(texts, batch_size=8)
    monkeypatch.setattr("zoo.classifier.prediction_threads", lambda: 4)
    np.testing.assert_allclose(model.predict_texts(texts, batch_size=8), alone, atol=1e-6)
    assert alone.std(axis=0).min() > 0


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_the_command_sets_the_threads_of_an_operation_before_tensorflow_starts(command):
    code = (
        "import os, sys, zoo.cli.commands, zoo.backend\n"
        "os.environ.pop('TF_NUM_INTRAOP_THREADS', None)\n"
        "os.cpu_count = lambda: 2 * zoo.backend.MOST_THREADS\n"
        f"sys.argv = ['zoo', '{command}', 'no such run']\n"
        "try:\n    zoo.cli.commands.main()\n"
        "finally:\n    print(os.environ['TF_NUM_INTRAOP_THREADS'])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, input="a")
    assert ended.returncode == 2 and "no such run" in ended.stderr
    assert ended.stdout == "2\n"


def test_a_layer_that_is_built_gets_a_larger_table():
    layer = keras.layers.Embedding(3, 2)
    layer.build()
    with pytest.raises(ValueError, match="cannot add new elements of state"):
        layer.add_weight(shape=(5, 2))
    with_rows(layer, TABLE, 5)
    assert [one.shape for one in layer.weights] == [(5, 2)]
    np.testing.assert_array_equal(layer(np.array([4])), [[0, 0]])
