"""Trainings on so few texts that a validation split would choose by chance."""

import json
import math

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.vectors.byte_rows import in_bytes
from zoo.datasets.vectors.english import english_vectors
from zoo.evaluation.calibration import MOST_OF_OTHERS, calibrate
from zoo.recipes import Recipe
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import read_scores

KEPT = "best", None
FEW = {"options": {"embedding_dim": 8, "filters": 4}, "verbose": 0}


@pytest.fixture(autouse=True)
def _few_are_few(monkeypatch):
    monkeypatch.setattr("zoo.recipes.FEW", 1_000)


def table(texts=40):
    words, labels = ("good", "bad"), ("yes", "no")
    rows = [(f"a {words[i % 2]} day {i}", labels[i % 2]) for i in range(texts)]
    return pd.DataFrame(rows, columns=["text", "label"])


def noisy_rows():
    """300 texts, a fifth of them with a label by chance."""
    random = np.random.default_rng(0)
    words = np.array(["fine", "nice", "dull", "sad", "a", "the"])
    texts = [" ".join(random.choice(words, 6)) for _ in range(300)]
    labels = np.array(["no" if one.count("dull") > one.count("fine") else "yes" for one in texts])
    return texts, list(np.where(random.random(300) < 0.2, random.permutation(labels), labels))


def test_all_texts_are_learnt_from_and_the_last_weights_kept(tmp_path, caplog):
    caplog.set_level("INFO", "zoo")
    run = zoo.train("cnn_kim", table(), output=tmp_path, epochs=12, **FEW)
    config, history = read_config(run), pd.read_csv(run / "history.csv")
    assert config.recipe.keep == "last"
    assert config.texts == {"train": 36, "validation": 0, "test": 4}
    assert "all texts are learnt from" in caplog.text
    assert history["val_loss"].isna().all() and len(history) == 8  # checkpoints in 24 steps
    assert (run / "learning_curves.png").exists()
    scores = json.loads((run / "metrics.json").read_text())
    assert "temperature" not in scores
    again = zoo.evaluate(run)
    assert again["accuracy"] == scores["accuracy"]


def test_what_is_solved_is_calibrated_by_models_of_parts(tmp_path, caplog):
    caplog.set_level("INFO", "zoo")
    errors, rows = {}, noisy_rows()
    for calibrated in (False, True):
        told = {"calibrate": calibrated, "output": tmp_path, "verbose": 0}
        run = zoo.train("svm_unigrams", rows, **told)
        scores = json.loads((run / "metrics.json").read_text())
        errors[calibrated] = scores["loss"]
        assert ("temperature" in scores) is calibrated
    assert errors[True] < errors[False]
    assert "probabilities are calibrated by 3 further trainings" in caplog.text
    run = zoo.train("svm_unigrams", table(4), output=tmp_path, keep="last", verbose=0)
    assert "temperature" not in json.loads((run / "metrics.json").read_text())


def test_a_model_that_is_solved_learns_from_all_of_many_texts(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("zoo.recipes.FEW", 100)
    caplog.set_level("INFO", "zoo")
    told = {"output": tmp_path, "verbose": 0}
    runs = {kept: zoo.train("svm_unigrams", noisy_rows(), keep=kept, **told) for kept in KEPT}
    assert "calibrated by a further training, which leaves a tenth of the texts out" in caplog.text
    texts = {kept: read_config(run).texts for kept, run in runs.items()}
    whole = {"train": 270, "validation": 0, "test": 30}
    assert texts == {"best": {"train": 243, "validation": 27, "test": 30}, None: whole}
    for run in runs.values():
        scores = read_scores(run)
        assert scores["temperature"] != 1 and "least_familiarity" not in scores  # of 100 texts
        assert zoo.evaluate(run)["loss"] == pytest.approx(scores["loss"])  # of texts read again


def test_a_temperature_by_models_of_parts_is_within_bounds():
    keras.utils.set_random_seed(0)
    model = zoo.build("bow", 2, vocabulary_size=5)
    split = Split(["a", "b"] * 20, [0, 1] * 20)
    said = np.tile([[0.9, 0.1], [0.9, 0.1]], (20, 1))  # which know nothing
    assert calibrate(model, split, said, MOST_OF_OTHERS) == MOST_OF_OTHERS


def test_a_validation_split_that_is_given_chooses(tmp_path):
    table(10).to_csv(tmp_path / "validation.csv", index=False)
    run = zoo.train(
        "cnn_kim",
        table(),
        output=tmp_path,
        epochs=1,
        validation_data=tmp_path / "validation.csv",
        **FEW,
    )
    assert read_config(run).recipe.keep == "best"
    assert pd.read_csv(run / "history.csv")["val_loss"].notna().all()


@pytest.mark.parametrize("keep", ["best", "last"])
def test_it_can_be_told(keep, tmp_path):
    run = zoo.train("cnn_kim", table(), output=tmp_path, epochs=1, keep=keep, **FEW)
    assert read_config(run).recipe.keep == keep
    assert read_config(run).texts["validation"] == (4 if keep == "best" else 0)


def test_one_that_was_killed_goes_on_to_the_same_end(tmp_path, monkeypatch):
    whole = zoo.train("cnn_kim", table(), output=tmp_path / "whole", epochs=12, **FEW)
    save = zoo.training.checkpoints.Checkpoint._save_state

    def killed(self, model, evaluations):
        save(self, model, evaluations)
        if evaluations == 3:
            raise MemoryError

    monkeypatch.setattr(zoo.training.checkpoints.Checkpoint, "_save_state", killed)
    with pytest.raises(MemoryError):
        zoo.train("cnn_kim", table(), output=tmp_path / "killed", epochs=12, **FEW)
    monkeypatch.undo()
    (run,) = (tmp_path / "killed").iterdir()
    zoo.resume(run, verbose=0)
    one, other = (zoo.load(folder).get_weights() for folder in (whole, run))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_so_does_one_that_was_killed_while_it_chose_thresholds(tmp_path, monkeypatch):
    rows = table(30).assign(label=[["x"], ["y", "z"], ["x", "z"]] * 10)
    whole = zoo.train("cnn_kim", rows, output=tmp_path / "whole", epochs=2, **FEW)
    learnt, begun = zoo.training.folds.learnt, []

    def killed(corpus, settings):
        begun.append(corpus)
        if len(begun) == 2:
            raise MemoryError
        return learnt(corpus, settings)

    monkeypatch.setattr("zoo.training.folds.learnt", killed)
    with pytest.raises(MemoryError):
        zoo.train("cnn_kim", rows, output=tmp_path / "killed", epochs=2, **FEW)
    (run,) = (tmp_path / "killed").iterdir()
    with pytest.raises(zoo.UsageError, match="has not ended: zoo train --resume"):
        zoo.load(run)
    zoo.resume(run, verbose=0)
    one, other = zoo.load(whole), zoo.load(run)
    assert one.thresholds == other.thresholds and not (run / "checkpoint").exists()
    for a, b in zip(one.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("texts", "validation"), [(990, 0), (1000, 100)])
def test_from_a_thousand_texts_on_there_is_a_validation_split(texts, validation):
    test = Split(["a"], [0])
    train = Split([f"text {i}" for i in range(texts)], [i % 2 for i in range(texts)])
    corpus = Corpus("own", ["no", "yes"], train, test=test)
    corpus.split(0, least_validation=Recipe().least_validation)
    assert len(corpus.validation) == validation
    assert len(corpus.train) == texts - validation
    assert corpus.digest() and Recipe(keep="last").least_validation == math.inf


def test_english_word_vectors_stay_as_they_are(tmp_path):
    run = zoo.train("cnn_kim", table(), output=tmp_path, epochs=1, weights="english", verbose=0)
    model = zoo.load(run)
    assert read_config(run).architecture["train_embeddings"] is False
    words = model.preprocessor.vocabulary
    known = english_vectors()[["good", "day"]]
    table_ = model.embed.embeddings.numpy()[2:]
    np.testing.assert_array_equal(table_[[words.index("good"), words.index("day")]], known)


def test_english_word_vectors_that_are_trained_keep_to_bytes(tmp_path, saved_models):
    told = {"options": {"train_embeddings": True, "filters": 4}, "weights": "english"}
    with saved_models():
        run = zoo.train("cnn_kim", table(), output=tmp_path, epochs=1, verbose=0, **told)
    assert read_config(run).architecture["train_embeddings"] is True
    model = zoo.load(run)
    words, trained = model.preprocessor.vocabulary, model.embed.embeddings.numpy()
    assert np.any(trained[2 + words.index("good")] != english_vectors()["good"])
    assert in_bytes(trained)[2].all()
    texts = ["a good day", "a bad day", ""]
    served = tf.saved_model.load(run / "saved_model").serve(texts)["probabilities"]
    np.testing.assert_allclose(served, model.predict(texts, verbose=0), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "texts", "least"),
    [("svm_bigrams", 120, 1), ("svm_bigrams", 1300, 2), ("fasttext", 80, 1), ("fasttext", 120, 2)],
)
def test_of_few_texts_words_count_that_stand_once(name, texts, least, tmp_path):
    given = {"epochs": 1, "weights": "none", "verbose": 0}
    run = zoo.train(name, table(texts), output=tmp_path, **given)
    assert read_config(run).settings.min_count == least
    model = zoo.build(name, 2)
    model.fit(table(texts)["text"], table(texts)["label"], verbose=0)
    assert (f"{texts - 1}" in model.preprocessor.vocabulary) is (least == 1)
    once = [word for word in zoo.load(run).preprocessor.vocabulary if word.isdecimal()]
    assert bool(once) is (least == 1)
