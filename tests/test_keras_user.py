"""What a user of Keras writes: build, compile, fit on strings, save, load elsewhere, predict."""

import copy
import pickle
import subprocess
import sys

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from zoo.datasets.catalogue import sample
from zoo.recipes import Recipe

TEXTS = ["a fine day", "a dull film", "fine, fine film", "dull dull day"] * 15
LABELS = ["good", "bad", "good", "bad"] * 15
NUMBERS = [1, 0, 1, 0] * 15
SMALL = {"embedding_dim": 8, "filters": 2, "vocabulary_size": 50}


def build(**options):
    return zoo.build("cnn_kim", num_classes=2, **SMALL | options)


def test_the_script_of_a_user_of_keras(tmp_path):
    model = zoo.build("hcan", num_classes=2, embedding_dim=16, num_heads=2)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-2),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    history = model.fit(
        TEXTS,
        LABELS,
        epochs=4,
        validation_split=0.2,
        callbacks=[keras.callbacks.EarlyStopping(patience=3)],
        verbose=0,
    )
    assert history.history["val_accuracy"][-1] == 1
    zoo.save(model, tmp_path / "run")
    script = (
        f"import zoo; model = zoo.load({str(tmp_path / 'run')!r});"
        "print(model.classify(['a fine film'])[0]['label'], *model.predict(['a fine film'])[0])"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    label, *probabilities = told.stdout.split()[-3:]
    assert label == "good"
    here = model.predict(["a fine film"])[0]
    np.testing.assert_allclose(np.array(probabilities, float), here, atol=1e-6)


def dataset(labels):
    return tf.data.Dataset.from_tensor_slices((TEXTS, labels))


@pytest.mark.parametrize(
    "data",
    [
        (TEXTS, LABELS),
        (TEXTS, NUMBERS),
        (np.array(TEXTS), np.array(NUMBERS)),
        (np.array(TEXTS, object), np.array(LABELS, object)),
        (pd.Series(TEXTS), pd.Series(LABELS, dtype="category")),
        (dataset(LABELS).batch(8),),
        (dataset(NUMBERS),),
    ],
    ids=["names", "numbers", "arrays", "objects", "columns", "dataset of names", "single texts"],
)
def test_texts_and_labels_of_any_kind_are_fitted_to_at_once(data):
    model = build()
    losses = model.fit(*data, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    names = ["0", "1"] if data[-1] is NUMBERS or isinstance(data[-1], np.ndarray) else model.labels
    assert model.labels in (names, ["bad", "good"])
    assert set(model.preprocessor.vocabulary) == {"a", "fine", "dull", "film", "day"}
    losses = model.fit(*data, verbose=0).history["loss"]  # and goes on
    assert model.evaluate(*data, verbose=0, return_dict=True)["accuracy"] >= 0.5


def test_what_keras_takes_beside_texts_is_taken():
    model = build()
    weights = np.ones(len(TEXTS))
    given = {"validation_data": (TEXTS[:4], LABELS[:4]), "sample_weight": weights}
    history = model.fit(TEXTS, LABELS, **given, verbose=0).history
    assert set(history) == {"accuracy", "loss", "val_accuracy", "val_loss"}
    model.fit(TEXTS, LABELS, class_weight={"good": 2.0, "bad": 0.5}, verbose=0)
    model.fit(TEXTS, LABELS, class_weight={0: 2.0, 1: 0.5}, verbose=0)
    with pytest.raises(zoo.UsageError, match="label of class_weight 'god'. Did you mean 'good'"):
        model.fit(TEXTS, LABELS, class_weight={"god": 2.0}, verbose=0)


def test_labels_that_are_not_as_many_as_classes_are_told():
    with pytest.raises(zoo.UsageError, match=r"have 2 labels \('bad', 'good'\), the model 3 clas"):
        zoo.build("cnn_kim", num_classes=3, **SMALL).fit(TEXTS, LABELS)
    model = zoo.build("cnn_kim", num_classes=3, **SMALL)
    model.labels = ["bad", "fair", "good"]
    model.fit(TEXTS, LABELS, verbose=0)
    with pytest.raises(zoo.UsageError, match="label, of target 0, 'so so'"):
        model.fit(TEXTS[:1], ["so so"])


def test_a_stream_that_comes_once_is_not_counted():
    with pytest.raises(zoo.UsageError, match="counted first, which come but once here"):
        build().fit(one for one in zip(TEXTS, NUMBERS, strict=True))


def test_classify_names_the_answers_and_copies_do_the_same():
    model = build()
    model.fit(TEXTS, LABELS, epochs=20, verbose=0)
    (answer,) = model.classify(["a fine film"])
    assert answer["label"] == "good" and answer["probability"] == max(
        answer["probabilities"].values()
    )
    assert sum(answer["probabilities"].values()) == pytest.approx(1)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.classify(["a fine film"])[0]["label"] == "good"
    (explained,) = model.explain(["a fine film"])
    assert explained.label == "good"
    with pytest.raises(zoo.UsageError, match="a list of texts is needed"):
        model.classify("a fine film")


def test_models_that_are_solved_are_fitted_by_the_same_line():
    model = zoo.build("svm_bigrams", num_classes=2)
    model.fit(TEXTS, LABELS)
    assert [one["label"] for one in model.classify(TEXTS[:4])] == LABELS[:4]


def test_word_vectors_that_were_given_stay_those_of_the_model():
    model = zoo.build("cnn_kim", num_classes=2, weights="english", filters=2)
    words = model.preprocessor.vocabulary
    model.fit(TEXTS, LABELS, verbose=0)
    assert model.preprocessor.vocabulary == words and model.labels == ["bad", "good"]


def test_a_solver_fitted_to_texts_learns_what_training_does(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.datasets.vectors.english.ENOUGH", 0.8)
    monkeypatch.setattr("zoo.recipes.FEW", 1_000)
    for split, texts in {"train": 400, "validation": 50, "test": 100}.items():
        monkeypatch.setitem(sample.SIZES, split, texts)
    corpus = zoo.datasets.load("sample").split(0, least_validation=Recipe().least_validation)
    labels = corpus.kind.named(corpus.train.targets, corpus.labels)
    run = zoo.train("svm_vectors", calibrate=False, output=tmp_path, verbose=0)
    trained, test = zoo.load(run), list(corpus.test)
    expected = trained.predict(test, verbose=0)
    model = zoo.build("svm_vectors", len(corpus.labels))
    for _ in range(2):  # for the second fit the vectors, which are not kept, are read again
        model.fit(list(corpus.train), labels)
        assert model.preprocessor.vocabulary == trained.preprocessor.vocabulary
        assert " " in "".join(model.preprocessor.vocabulary) and model.known.numpy().any()
        answers = model.predict(test, verbose=0)
        np.testing.assert_allclose(answers, expected, atol=0.01)  # the solver draws
        assert (answers.argmax(-1) == expected.argmax(-1)).all()
    model.save(tmp_path / "model.keras")
    loaded = zoo.load(tmp_path / "model.keras").predict(test, verbose=0)
    np.testing.assert_array_equal(loaded, model.predict(test, verbose=0))


def test_a_solver_with_english_words_knows_them_from_its_first_fit_on():
    model = zoo.build("svm_vectors", num_classes=2, weights="english")
    model.fit(dataset(LABELS))
    assert {*model.preprocessor.vocabulary[:2]} == {"dull", "fine"}
    assert len(model.preprocessor.vocabulary) > 15_000  # some are none of the clean-up
    assert [one["label"] for one in model.classify(TEXTS[:4])] == LABELS[:4]
    assert model.classify(["a boring film"])[0]["label"] == "bad"


def test_a_solver_reads_all_of_a_dataset():
    model = zoo.build("svm_bigrams", num_classes=2)
    model.fit(TEXTS, LABELS)
    expected = model.predict(TEXTS[:4], verbose=0)
    for data in (dataset(LABELS).batch(8), dataset(LABELS)):
        other = zoo.build("svm_bigrams", num_classes=2)
        other.fit(data)
        np.testing.assert_allclose(other.predict(TEXTS[:4], verbose=0), expected, atol=1e-3)
    model.fit(one for one in zip(TEXTS, NUMBERS, strict=True))
    np.testing.assert_allclose(model.predict(TEXTS[:4], verbose=0), expected, atol=1e-3)
    with pytest.raises(zoo.UsageError, match="takes sample_weight, and no class_weight"):
        model.fit(TEXTS, LABELS, class_weight={"good": 2.0})
    with pytest.raises(zoo.UsageError, match="needs all texts: give a tf.data.Dataset that ends"):
        model.fit(dataset(LABELS).repeat())


def test_a_solver_is_fitted_in_one_epoch_that_is_judged_and_told(tmp_path, caplog):
    numbers = {"accuracy", "loss"}
    model = zoo.build("svm_bigrams", num_classes=2)
    assert model.fit(TEXTS, LABELS, verbose=0).history.keys() == numbers
    numbers |= {"val_accuracy", "val_loss"}
    wrong = ["good" if label == "bad" else "bad" for label in LABELS]
    log = keras.callbacks.CSVLogger(tmp_path / "log.csv")
    seen = model.fit(TEXTS, LABELS, validation_data=(TEXTS, wrong), callbacks=[log], verbose=0)
    assert seen.history.keys() == numbers and seen.epoch == [0]
    assert (seen.history["accuracy"], seen.history["val_accuracy"]) == ([1], [0])
    assert set(pd.read_csv(tmp_path / "log.csv")) == numbers | {"epoch"}
    early = keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)
    given = {"validation_split": 0.2, "callbacks": [early], "verbose": 0}
    assert model.fit(TEXTS[:-1], LABELS[:-1], **given).history["val_accuracy"] == [1]
    caplog.clear()
    others = dataset(LABELS).batch(8)
    seen = model.fit(others, validation_data=others, epochs=3, batch_size=8, verbose=0)
    assert seen.history["val_accuracy"] == [1]
    assert "solved at once and does not use epochs or batch_size" in caplog.text
    with pytest.raises(zoo.UsageError, match="beside a dataset give validation_data"):
        model.fit(others, validation_split=0.2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'epoch'"):
        model.fit(TEXTS, LABELS, epoch=3)


@pytest.mark.parametrize("answers", ["one", "several"])
def test_a_solver_learns_from_a_table_of_the_classes(answers):
    model = zoo.build("svm_bigrams", num_classes=2, answers=answers)
    if answers == "one":
        model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    seen = model.fit(TEXTS, np.eye(2)[NUMBERS], validation_split=0.2, verbose=0).history
    (own,) = [name for name in seen if name.startswith("val_") and name != "val_loss"]
    assert seen[own] == [1]


def test_a_table_whose_size_is_told_stays_so_large():
    model = zoo.build("svm_bigrams", num_classes=2, vocabulary_size=5)
    model.fit(TEXTS, LABELS)
    assert len(model.preprocessor.vocabulary) == 3 and model.embed.embeddings.shape == (5, 2)
