"""Texts as others hand them over: each way gives the answers and the losses of a list of them."""

import itertools
import warnings

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from tests.kinds import long_unless
from zoo.datasets import Preprocessor
from zoo.text_inputs import as_keras_reads

TEXTS = [f"w{i} w{i % 7} and. w3 w{i % 5}" + " w1" * i for i in range(10)]
TARGETS = np.arange(10) % 3
ROWS = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64))


def compiled(name="fasttext", loss="sparse_categorical_crossentropy", eagerly=True):
    model = zoo.build(name, 3, vocabulary_size=30, **SMALL.get(name, {}))
    limits = model.max_words, model.max_sentences
    model.preprocessor = Preprocessor([f"w{i}" for i in range(20)], *limits, ngrams=model.ngrams)
    how = {"weighted_metrics": ["accuracy"], "run_eagerly": eagerly}
    model.compile(keras.optimizers.SGD(0.1), loss, **how)
    return model


SMALL = {"hcan": {"embedding_dim": 8, "num_heads": 2}}


def pairs():
    return tf.data.Dataset.from_tensor_slices((TEXTS, TARGETS))


def generator(size=None):
    if size is None:
        yield from zip(TEXTS, TARGETS, strict=True)
    else:
        yield from ((TEXTS[i : i + size], TARGETS[i : i + size]) for i in range(0, 10, size))


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return TEXTS[3 * i : 3 * i + 3], TARGETS[3 * i : 3 * i + 3]


WAYS = {
    "rows": pairs,
    "batches": lambda: pairs().batch(4),
    "whole batches": lambda: pairs().batch(5, drop_remainder=True).prefetch(2),
    "columns": lambda: pairs().batch(4).map(lambda t, y: (t[:, None], y[:, None])),
    "one in a dictionary": lambda: pairs().batch(4).map(lambda t, y: ({"text": t}, y)),
    "weights": lambda: pairs().batch(4).map(lambda t, y: (t, y, tf.ones_like(y, tf.float32))),
    "unknown length": lambda: tf.data.Dataset.from_generator(generator, output_signature=ROWS),
    "unknown length, batches": lambda: pairs().batch(4).filter(lambda t, y: tf.size(y) > 0),
    "generator": generator,
    "generator of batches": lambda: generator(3),
    "PyDataset": Batches,
}


@pytest.fixture(scope="module")
def models():
    return {name: compiled(name) for name in ("fasttext", "hcan")}


@pytest.mark.parametrize("way", [long_unless(way in ("batches", "weights"), way) for way in WAYS])
def test_texts_of_any_way_get_the_answers_of_a_list(models, way):
    model = models["fasttext"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        np.testing.assert_allclose(
            model.predict(WAYS[way](), verbose=0), model.predict(TEXTS, verbose=0), atol=1e-6
        )
        np.testing.assert_allclose(
            model.evaluate(WAYS[way](), verbose=0),
            model.evaluate(TEXTS, TARGETS, verbose=0),
            atol=1e-5,
        )
        before = model.get_weights()
        model.fit(WAYS[way](), validation_data=WAYS[way](), verbose=0)
    assert any((a != b).any() for a, b in zip(before, model.get_weights(), strict=True))


def test_documents_of_a_dataset_get_the_answers_of_a_list(models):
    model = models["hcan"]
    found = model.predict(pairs().batch(4), verbose=0)
    np.testing.assert_allclose(found, model.predict(TEXTS, verbose=0), atol=1e-5)


def test_a_step_on_a_batch_is_that_of_its_ids(models):
    """Of a dataset, a list of one batch and ``train_on_batch``."""
    model, after = models["fasttext"], []
    before = model.get_weights()
    for learn in (
        lambda: model.fit(np.asarray(model.preprocessor(TEXTS)), TARGETS, verbose=0),
        lambda: model.fit(pairs().batch(10), verbose=0),
        lambda: model.fit(TEXTS, TARGETS, verbose=0),
        lambda: model.train_on_batch(TEXTS, TARGETS.tolist()),
    ):
        model.set_weights(before)
        learn()
        after.append(model.get_weights())
    for other in after[1:]:
        for one, same in zip(after[0], other, strict=True):
            np.testing.assert_allclose(same, one, atol=1e-6)
    assert any((a != b).any() for a, b in zip(before, after[0], strict=True))


def test_texts_without_end_need_steps(models):
    model, endless = models["fasttext"], pairs().shuffle(10).repeat().batch(4)
    for name, call in {
        "steps_per_epoch": lambda: model.fit(endless),
        "validation_steps": lambda: model.fit(pairs(), validation_data=endless),
        "steps": lambda: model.evaluate(endless),
    }.items():
        with pytest.raises(zoo.UsageError, match=f"^the dataset has no end: give {name}$"):
            call()
    with pytest.raises(zoo.UsageError, match="the dataset has no end: give steps"):
        model.predict(endless)
    assert model.predict(endless, steps=2, verbose=0).shape == (8, 3)
    steps = {"steps_per_epoch": 3, "epochs": 2, "validation_steps": 2}
    fitted = model.fit(endless, validation_data=endless, verbose=0, **steps)
    assert len(fitted.history["val_loss"]) == 2


@pytest.mark.parametrize("groups", [long_unless(False, 0), 12])
@pytest.mark.parametrize("way", ["batches", "unknown length", "weights"])
def test_batches_of_any_dataset_hold_every_text_once(models, way, groups):
    preprocessor = models["hcan"].preprocessor
    data = preprocessor.batches(WAYS[way](), 3, shuffle=True, groups=groups)
    seen = [batch[1].numpy().tolist() for batch in data]
    assert sorted(itertools.chain(*seen)) == sorted(TARGETS.tolist())
    assert {len(batch) for batch in seen} == {3, 1}
    assert all(len(batch) == len(WAYS[way]().element_spec) for batch in data)


def test_batches_of_a_dataset_without_end(models):
    endless = pairs().repeat().batch(4)
    batches = models["fasttext"].preprocessor.batches(endless, 3, shuffle=True)
    assert [len(targets) for _, targets in batches.take(5)] == [3] * 5
    for wrong in ({"first": 0}, {"cache": "memory"}):
        with pytest.raises(ValueError, match=r"known length|without end"):
            models["fasttext"].preprocessor.batches(endless, 3, **wrong)


def test_classes_in_columns_are_for_another_loss():
    columns = pairs().batch(4).map(lambda t, y: (t, tf.one_hot(y, 3)))
    model = compiled(loss="categorical_crossentropy")
    assert np.isfinite(model.fit(columns, verbose=0).history["loss"]).all()


def test_a_folder_as_keras_reads_it(tmp_path):
    for number, label in enumerate(("bad", "good", "so so")):
        (tmp_path / label).mkdir()
        for i in range(3):
            (tmp_path / label / f"{i}.txt").write_text(f"w{number} w{i}")
    data = keras.utils.text_dataset_from_directory(tmp_path, batch_size=4, verbose=False)
    model = compiled(eagerly=False)
    model.fit(data, verbose=0)
    assert model.predict(data, verbose=0).shape == (9, 3)


def strings(texts, targets):
    return texts, texts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: pairs().take(0), "there are no texts: the dataset is empty"),
        (lambda: pairs().filter(lambda t, y: False), "there are no texts: the dataset is empty"),
        (lambda: pairs().map(lambda t, y: ({"a": t, "b": t}, y)), "got elements with a, b of an"),
        (lambda: pairs().map(lambda t, y: t), r"gives \(texts, targets\): got texts alone"),
        (lambda: pairs().map(lambda t, y: (t, y + 1)), "a target is no class: .*, 0 to 2: got 3"),
        (lambda: pairs().map(strings), "a target is no class: it must be among model.labels: got"),
        (lambda: pairs().batch(2).map(lambda t, y: (t, tf.one_hot(y, 3))), "the shape .*None, 3"),
        (lambda: pairs().batch(2).map(lambda t, y: (t, y[0])), "but single targets: batch both"),
        (
            lambda: tf.data.Dataset.from_tensors((tf.ragged.constant([["a"], ["b", "c"]]), [0, 1])),
            "got ragged",
        ),
    ],
)
def test_what_cannot_be_learnt_ends_in_a_line(models, data, message):
    with pytest.raises(ValueError, match=message) as told:
        models["fasttext"].fit(data(), verbose=0)
    assert "\n" not in str(told.value)
    models["fasttext"].fit(pairs(), verbose=0)


def test_texts_that_are_called_or_given_as_one_batch(models):
    model = models["fasttext"]
    expected = model.predict(TEXTS, verbose=0)
    kinds = (TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), pd.Series(TEXTS))
    for texts in (*kinds, tf.constant(TEXTS), [text.encode() for text in TEXTS]):
        for answer in (model, model.predict_on_batch):
            found = keras.ops.convert_to_numpy(answer(texts))
            np.testing.assert_allclose(found, expected, atol=1e-6)
        loss = model.test_on_batch(texts, TARGETS)
        np.testing.assert_allclose(loss, model.evaluate(TEXTS, TARGETS, verbose=0), atol=1e-5)
    with pytest.raises(zoo.UsageError, match=r"write \[text\]"):
        model("one text")
    with pytest.raises(zoo.UsageError, match="reads int32 ids and no strings"):
        model(keras.Input((), dtype="string"))
    with pytest.raises(ValueError, match="target 0 is 5"):
        model.train_on_batch(TEXTS, [5] * 10)
    with pytest.raises(ValueError, match="need targets"):
        model.test_on_batch(TEXTS)
    with pytest.raises(ValueError, match="10 texts need as many targets: got 9"):
        model.train_on_batch(TEXTS, TARGETS[:9])


def test_weights_and_a_split_of_a_list_are_those_of_its_ids(models):
    model, history = models["fasttext"], []
    ids, before = np.asarray(model.preprocessor(TEXTS)), model.get_weights()
    weights = np.arange(10) / 5
    for inputs in (ids, TEXTS):
        model.set_weights(before)
        history.append(
            model.fit(
                inputs,
                TARGETS,
                sample_weight=weights,
                validation_split=0.3,
                verbose=0,
            ).history
        )
    for name in history[0]:
        np.testing.assert_allclose(history[1][name], history[0][name], rtol=1e-4)


def test_a_list_that_is_sorted_by_class_is_mixed(models, monkeypatch):
    """However long it is: of more than some thousand texts, batches mix neighbours alone."""
    for name in ("SHUFFLED", "BLOCK"):
        monkeypatch.setattr(f"zoo.datasets.batches.{name}", 1)
    targets = np.arange(2000) // 1000
    data, *_ = as_keras_reads(models["fasttext"], 2000 * ["w1"], targets, shuffle=True)
    ((_, first),) = data.take(1)
    assert 0 < first.numpy().mean() < 1
