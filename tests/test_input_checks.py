"""Ids and targets that mean nothing are refused by name, whatever the backend does."""

import copy

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from zoo.classifier import dtype_policy

IDS = np.array([[2, 3], [4, 5], [6, 7], [8, 9]])


@pytest.fixture
def model():
    model = zoo.build("fasttext", 3, vocabulary_size=10)
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, 1, 2, 3], "^target 3 is 3: .* takes the number of a class for each text, 0 to 2$"),
        ([0, -1, 2, 0], "target 1 is -1"),
        ([1, 2, 3, 1], "target 2 is 3: .*; do they start at 1?"),
        ([0, 1.5, 2, 0], "target 1 is 1.5"),
        ([0, 1, 2, float("nan")], "target 3 is nan"),
        (["a", "b", "c", "a"], "target 0 is 'a'"),
        ([0, 1, None, 2], "target 2 is None"),
        (np.array([0, 3, 2, 0], object), "target 1 is 3"),  # as pandas may keep them
        (np.eye(3)[[0, 1, 2, 0]], r"targets of the shape \(4, 3\)"),
    ],
)
def test_wrong_targets_are_refused(model, targets, message):
    before = model.get_weights()
    for method in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=message):
            method(IDS, np.array(targets), verbose=0)
    with pytest.raises(ValueError, match=message):
        model.fit(IDS, np.zeros(4), validation_data=(IDS, np.array(targets)), verbose=0)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_wrong_validation_ids_are_refused_before_anything_is_learnt(model):
    before = model.get_weights()
    with pytest.raises(ValueError, match="words have 1 to 9, padding 0"):
        model.fit(IDS, np.zeros(4), validation_data=(IDS + 10**6, np.zeros(4)), verbose=0)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "targets",
    [
        np.array([0, 1, 2, 0]),
        np.array([[0], [1], [2], [0]], "float32"),
        pd.Series([0, 1, 2, 0]),
        np.array([True, False] * 2),
    ],
)
def test_numbers_of_classes_are_taken(model, targets):
    model.fit(IDS, targets, verbose=0, validation_data=(IDS, targets))
    model.evaluate(IDS, targets, verbose=0)


def test_labels_are_taken_for_their_numbers(model, monkeypatch):
    model.labels = ["bad", "fine", "good"]
    seen, fit = [], keras.Model.fit

    def look(self, x, y, *args, validation_data=None, **kwargs):
        seen.extend([y.tolist(), validation_data[1].tolist()])
        return fit(self, x, y, *args, validation_data=validation_data, **kwargs)

    monkeypatch.setattr(keras.Model, "fit", look)
    names = ["good", "bad", "bad", "fine"]
    for targets in (names, np.array(names), pd.Series(names), pd.Categorical(names)):
        model.fit(IDS, targets, verbose=0, validation_data=(IDS, names[::-1]))
        assert seen[-2:] == [[2, 0, 0, 1], [1, 0, 0, 2]]
    numbers = np.array([2, 0, 0, 1])
    assert model.evaluate(IDS, names, verbose=0) == model.evaluate(IDS, numbers, verbose=0)
    with pytest.raises(zoo.UsageError, match="label, of target 2, 'god'. Did you mean 'good'"):
        model.fit(IDS, ["good", "bad", "god", "fine"])


@pytest.mark.parametrize(
    ("labels", "targets", "message"),
    [
        ([1, 2, 3], [1, 2, 3, 1], "target 2 is 3: .*; the labels are numbers, too: .*labels.index"),
        ([-1, 0, 1], [0, -1, 1, 0], "target 1 is -1: .*the labels are numbers, too"),
        ([10, 20, 30], [10, 20, 30, 10], "target 0 is 10: .*the labels are numbers, too"),
        (["0", "2", "1"], [0, 1, 0, 1], "target 1 may be the label '1', or .* class '2': give lab"),
    ],
)
def test_numbers_that_may_be_labels_are_refused(model, labels, targets, message):
    model.labels = labels
    for method in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=message):
            method(IDS, np.array(targets), verbose=0)
    model.fit(IDS, [str(one) for one in targets], verbose=0)


@pytest.mark.parametrize(
    ("labels", "targets", "told"),
    [
        ([0, 1, 2], [0, 1, 2, 1], False),
        (["0.0", "1.0", "2.0"], [0, 1, 2, 1], False),
        ([1, 2, 3], [0, 1, 2, 1], False),  # 0 is no label
        (["0", "2", "1"], [0, 0, 0, 0], False),  # the same either way
        (["bad", "fine", "good"], [0, 1, 2, 1], False),
        (["0", "1", "none"], [0, 1, 2, 1], False),
        ([1, 2, 3], [1, 2, 1, 2], True),
    ],
)
def test_numbers_are_those_of_classes(model, labels, targets, told, caplog):
    model.labels = labels
    model.fit(IDS, np.array(targets), verbose=0)
    unclear = "target 1 may be the label '1', or the number of the class '2', which it is taken"
    assert (unclear in caplog.text) == told


def test_a_dataset_of_the_same_classes_in_another_order_is_refused(model, tmp_path):
    """As Keras orders numbers as text."""
    for name in (2, 9, 10):
        (tmp_path / str(name)).mkdir()
        (tmp_path / str(name) / "1.txt").write_text("a text")

    def read(names):
        found = keras.utils.text_dataset_from_directory(tmp_path, class_names=names, verbose=False)
        ids = found.map(lambda texts, numbers: (tf.ones((3, 2), "int32"), numbers))
        ids.class_names = found.class_names
        return ids

    model.labels = [2, 9, 10]
    for method in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match="class 0 of the dataset is '10', of the model '2'"):
            method(read(None), verbose=0)
    model.fit(read(model.labels), verbose=0)
    with pytest.raises(ValueError, match="class 0 of the dataset is '10'"):
        model.fit(read(model.labels), validation_data=read(None), verbose=0)
    model.labels = ["a", "b", "c"]
    model.fit(read(None), verbose=0)


def test_other_losses_take_what_they_take(model):
    model.compile("adam", "categorical_crossentropy")
    model.fit(IDS, np.eye(3)[[0, 1, 2, 0]], verbose=0)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(ignore_class=-1))
    model.fit(IDS, np.array([0, -1, 2, 0]), verbose=0)
    with pytest.raises(ValueError, match="target 1 is -2"):
        model.fit(IDS, np.array([0, -2, 2, 0]), verbose=0)


def test_a_loss_may_be_named_as_its_class(model):
    model.compile("adam", "SparseCategoricalCrossentropy")
    with pytest.raises(ValueError, match="target 3 is 3"):
        model.fit(IDS, np.array([0, 1, 2, 3]), verbose=0)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([[2, 10]], r"id \(0, 1\) is 10: words have 1 to 9, padding 0"),
        ([[2, 3], [-1, 0]], r"id \(1, 0\) is -1"),
        ([[2.0, np.nan]], r"id \(0, 1\) is nan"),
        ([2, 3], r"ids of the shape \(2,\): this model reads \[texts, words\]"),
        ([[[2, 3]]], r"ids of the shape \(1, 1, 2\): this model reads"),
    ],
)
def test_wrong_ids_are_refused(model, ids, message):
    for call in (model.predict, model.evaluate, lambda ids: model.fit(ids, np.zeros(len(ids)))):
        with pytest.raises(ValueError, match=message):
            call(np.array(ids))


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16", "mixed_float16"])
def test_float_ids_are_the_same_words(policy):
    with dtype_policy(policy):
        model = zoo.build("cnn_kim", 3, vocabulary_size=20_000)
    ids = np.random.default_rng(0).integers(3000, 20_000, (4, 7))
    of_floats = model.predict(ids.astype("float32"), verbose=0)
    np.testing.assert_array_equal(of_floats, model.predict(ids, verbose=0))


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_bags_read_ids_of_any_type(dtype):
    model, ids = zoo.build("bow_tfidf", 3, vocabulary_size=3000), np.array([[2999, 2998, 1]])
    of_others = model.predict(ids.astype(dtype), verbose=0)
    np.testing.assert_array_equal(of_others, model.predict(ids, verbose=0))


def test_one_input_may_stand_in_a_list(model):
    targets = np.array([0, 1, 2, 0])
    model.fit([IDS], targets, verbose=0, validation_data=([IDS], targets))
    model.evaluate((IDS,), np.array([0, 1, 2, 0]), verbose=0)
    np.testing.assert_array_equal(model.predict([IDS], verbose=0), model.predict(IDS, verbose=0))
    with pytest.raises(ValueError, match="id .* is 10: words have 1 to 9"):
        model.predict([np.array([[10]])])


def test_another_dtype_than_that_of_keras_is_refused():
    with pytest.raises(ValueError, match="dtype must be that of Keras, float32, .*mixed_bfloat16"):
        type(zoo.build("han", 2))(2, dtype="mixed_bfloat16")


def test_labels_become_names(model):
    model.labels = np.unique([3, 1, 2])
    assert model.labels == copy.deepcopy(model).labels == ["1", "2", "3"]
    for wrong in ("pos", ["bad", "good"]):
        with pytest.raises(ValueError, match="labels must be the names of the 3 classes"):
            model.labels = wrong


def test_a_preprocessor_of_other_ngrams_is_refused(model):
    with pytest.raises(ValueError, match="the preprocessor has ngrams=1, the model ngrams=2"):
        model.preprocessor = zoo.datasets.Preprocessor(["a", "b"])


def test_keras_own_export_takes_ids(model, tmp_path):
    model.export(tmp_path / "model", verbose=False)
    exported = tf.saved_model.load(str(tmp_path / "model"))
    found = exported.serve(tf.constant(IDS, "int32"))
    np.testing.assert_allclose(found, model.predict(IDS, verbose=0), rtol=1e-5)


def test_a_failed_fit_leaves_the_model_usable(model):
    """Whatever failed: the tracing of a step, a metric, a callback, a number, a dataset."""

    class Broken(keras.metrics.Metric):
        broken = True

        def __init__(self):
            super().__init__()
            self.seen = self.add_weight(initializer="zeros")

        def update_state(self, targets, answers, sample_weight=None):
            if self.broken:
                raise ValueError("broken")

        def result(self):
            return self.seen

    def one_hot(model):
        model.fit(tf.data.Dataset.from_tensors((IDS, np.eye(3)[[0, 1, 2, 0]])), verbose=0)

    def other_ids(model):
        model.fit(tf.data.Dataset.from_tensors((IDS[..., None, None], np.zeros(4))), verbose=0)

    def callback(model):
        stop = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: 1 / 0)
        model.fit(IDS, np.zeros(4), callbacks=[stop], verbose=0)

    def metric(model):
        model.fit(IDS, np.zeros(4), verbose=0)

    def large(model):
        model.fit(tf.data.Dataset.from_tensors((IDS, np.full(4, 3))), verbose=0)

    targets = np.array([0, 1, 2, 0])
    for fail in (one_hot, other_ids, callback, metric, large):
        broken = Broken()
        broken.broken = fail is metric
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy", broken])
        with pytest.raises((ValueError, ZeroDivisionError)):
            fail(model)
        broken.broken = False
        before = model.get_weights()
        history = model.fit(IDS, targets, epochs=2, verbose=0).history
        assert np.isfinite(history["loss"]).all() and len(history["accuracy"]) == 2
        assert any((a != b).any() for a, b in zip(before, model.get_weights(), strict=True))
        assert len(model.evaluate(IDS, targets, verbose=0)) == 3


def test_targets_and_ids_of_a_dataset_that_are_none_are_told_in_a_line(model):
    wrong = {"a target is no class: got 3, where there are 3": (IDS, np.full(4, 3))}
    wrong["an id is no word: got 12, where there are 10"] = (np.full((4, 2), 12), np.zeros(4, int))
    for message, arrays in wrong.items():
        with pytest.raises(ValueError, match=f"^{message}, from 0 on$"):
            model.fit(tf.data.Dataset.from_tensors(arrays), verbose=0)
