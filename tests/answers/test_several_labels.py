"""Several labels a text: targets, answers, thresholds, scores, and trainings from end to end."""

import csv
import json
import random

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from sklearn.metrics import f1_score

import zoo
from zoo import datasets
from zoo.answers import SEVERAL, answer
from zoo.evaluation.calibration import expected_calibration_error, fit_temperature

WORDS = {"card": ("card", "visa"), "lost": ("lost", "gone"), "pin": ("pin", "code")}
LABELS = list(WORDS)
SMALL = {"embedding_dim": 16, "filters": 4}


def rows_of(count=200, seed=0):
    """Texts whose words tell their labels, some of which are none."""
    rng, rows = random.Random(seed), []
    for number in range(count):
        labels = [label for label in LABELS if rng.random() < 0.4]
        words = ["please", "my", f"n{number}", *(rng.choice(WORDS[label]) for label in labels)]
        rng.shuffle(words)
        rows.append({"text": " ".join(words), "label": labels})
    return rows


ROWS = rows_of()
TEXTS, LISTS = [row["text"] for row in ROWS], [row["label"] for row in ROWS]
TABLE = pd.DataFrame([{name: int(name in row["label"]) for name in LABELS} for row in ROWS])


@pytest.fixture(scope="module")
def several(tmp_path_factory, saved_models):
    """A finished run."""
    folder = tmp_path_factory.mktemp("several")
    path = folder / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    settings = {"options": SMALL, "epochs": 30, "learning_rate": 1e-2, "verbose": 0}
    with saved_models():
        return zoo.train("cnn_kim", path, output=folder / "runs", **settings)


def load(folder, name, content, **settings):
    path = folder / name
    path.write_text(content, "utf-8")
    return datasets.load(str(path), **settings)


def is_what_was_meant(corpus):
    assert corpus.kind is SEVERAL and corpus.labels == LABELS
    np.testing.assert_array_equal(corpus.train.targets, TABLE.to_numpy())


def test_files_have_several_labels_as_lists_as_columns_and_in_a_cell(tmp_path):
    without = [row if row["label"] else {"text": row["text"]} for row in ROWS]
    lines = "\n".join(map(json.dumps, without))
    is_what_was_meant(load(tmp_path, "a.jsonl", lines))
    is_what_was_meant(load(tmp_path, "a.json", json.dumps(ROWS)))
    pd.DataFrame(ROWS).to_parquet(tmp_path / "a.parquet")
    is_what_was_meant(datasets.load(tmp_path / "a.parquet"))
    cells = pd.DataFrame({"text": TEXTS, "label": ["; ".join(own) for own in LISTS]})
    is_what_was_meant(load(tmp_path, "a.csv", cells.to_csv(index=False), label_separator=";"))
    table = TABLE.assign(text=TEXTS)
    for own in (table, table.assign(pin=table["pin"].map({0: "false", 1: "True"}))):
        named = own.to_csv(index=False)
        is_what_was_meant(load(tmp_path, "b.csv", named, label_column=LABELS))
    is_what_was_meant(datasets.load(pd.DataFrame(ROWS)))


def test_bad_labels_are_told(tmp_path):
    table = TABLE.assign(text=TEXTS, pin="perhaps").to_csv(index=False)
    with pytest.raises(zoo.UsageError, match="line 2: 'pin' is 'perhaps', not 0 or more"):
        load(tmp_path, "a.csv", table, label_column=LABELS)
    with pytest.raises(zoo.UsageError, match="unknown column of .*'pim'. Did you mean 'pin'"):
        load(tmp_path, "a.csv", table, label_column=["card", "pim"])
    lines = "\n".join(map(json.dumps, [*ROWS, {"text": ["a"], "label": []}]))
    with pytest.raises(zoo.UsageError, match="line 201: a list instead of a text"):
        load(tmp_path, "a.jsonl", lines)
    with pytest.raises(zoo.UsageError, match="no label: there is nothing to learn"):
        load(tmp_path, "b.jsonl", '{"text": "a", "label": []}\n' * 9)


def test_rare_labels_go_and_their_texts_stay(tmp_path):
    rows = [*ROWS, {"text": "odd", "label": ["odd", "pin"]}]
    lines = "\n".join(map(json.dumps, rows))
    corpus = load(tmp_path, "a.jsonl", lines, min_class_size=2)
    assert corpus.labels == LABELS and corpus.train.targets[-1].tolist() == [0, 0, 1]
    corpus = load(tmp_path, "a.jsonl", lines, min_class_size=2, rare_classes="merge")
    assert corpus.labels == [*LABELS, "other"] and corpus.train.targets[-1].tolist() == [0, 0, 1, 1]


def test_splits_keep_rare_labels():
    rng = np.random.default_rng(0)
    targets = (rng.random((1000, 4)) < [0.5, 0.1, 0.02, 0.005]).astype("float32")
    taken = SEVERAL.taken(targets, 4, 0.2, None, 0)
    assert len(taken) == pytest.approx(200, abs=5)
    shares = targets[taken].sum(0) / targets.sum(0)
    assert (np.abs(shares - 0.2) <= [0.01, 0.02, 0.05, 0.2]).all()
    np.testing.assert_array_equal(taken, SEVERAL.taken(targets, 4, 0.2, None, 0))
    assert len(SEVERAL.taken(targets, 4, 0.2, 50, 0)) == pytest.approx(50, abs=5)
    once = np.eye(4, dtype="float32").repeat([50, 50, 1, 1], axis=0)
    kept = np.delete(once, SEVERAL.taken(once, 4, 0.2, None, 0), axis=0)
    assert (kept.sum(0) >= 1).all()  # a label's only text stays in training


def test_thresholds_are_those_of_the_best_f1():
    rng = np.random.default_rng(0)
    said = rng.random((4000, 2))
    targets = (said > [0.3, 0.7]).astype("float32")
    np.testing.assert_allclose(SEVERAL.thresholds(said, targets), [0.3, 0.7], atol=0.02)
    few = np.zeros((40, 3))
    few[:20, 0] = few[:1, 1] = 1
    noise = rng.random((40, 3)) * 0.2 + 0.5 * few
    both = SEVERAL.thresholds(noise, few)
    assert 0.2 <= both[1] <= 0.5 and both[1] == pytest.approx(both[0], abs=0.2)


def test_scores_are_scikit_learns():
    rng = np.random.default_rng(0)
    targets = (rng.random((50, 3)) < 0.4).astype("float32")
    answers = (rng.random((50, 3)) < 0.4).astype("float32")
    scores = SEVERAL.scores(targets, answers, rng.random((50, 3)), LABELS)
    for average in ("micro", "macro"):
        wanted = f1_score(targets, answers, average=average)
        assert scores[f"{average}_f1"] == pytest.approx(wanted)
    assert scores["hamming_loss"] == pytest.approx((targets != answers).mean())
    assert scores["exact_match"] == pytest.approx((targets == answers).all(1).mean())
    assert set(scores["classes"]) == set(LABELS)


def test_a_temperature_of_several_labels_is_found():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 3)) * 2
    said = 1 / (1 + np.exp(-logits))
    true = SEVERAL.with_temperature(said, 2.0)
    targets = (rng.random(true.shape) < true).astype("float32")
    assert fit_temperature(said, targets, SEVERAL) == pytest.approx(2, rel=0.05)
    before, after = (expected_calibration_error(p, targets, SEVERAL) for p in (said, true))
    assert after < 0.02 < before


def test_confusions_are_pairs_of_what_is_missed_and_what_is_given():
    targets, answers = np.array([[1, 1, 0], [0, 0, 0]]), np.array([[1, 0, 1], [0, 1, 0]])
    wanted, given, names = SEVERAL.confusions(targets, answers, LABELS)
    assert list(zip(wanted, given, strict=True)) == [(0, 0), (1, 2), (3, 1)]
    assert names == [*LABELS, "(no label)"]


@pytest.mark.parametrize(
    "targets",
    [LISTS, TABLE, TABLE.to_numpy(), pd.Series(LISTS), [set(own) for own in LISTS]],
    ids=["lists", "frame", "array", "column", "sets"],
)
def test_keras_fit_takes_lists_and_tables(targets):
    model = zoo.build("cnn_kim", 3, answers="several", vocabulary_size=300, **SMALL)
    history = model.fit(TEXTS, targets, epochs=2, verbose=0).history
    assert history["loss"][-1] < history["loss"][0] and "average_precision" in history
    assert model.labels == (["0", "1", "2"] if isinstance(targets, np.ndarray) else LABELS)
    found = model.predict(["my card"])
    assert ((found > 0) & (found < 1)).all()
    with pytest.raises(ValueError, match="classes are 0 to 2|unknown label|target .* is 7"):
        model.fit(TEXTS[:2], [[7], [1, 2]], verbose=0)


def test_a_training_from_end_to_end(several, tmp_path):
    scores = json.loads((several / "metrics.json").read_text("utf-8"))
    assert scores["micro_f1"] > 0.9 and scores["answers"] == "several"
    model = zoo.load(several)
    assert model.kind is SEVERAL and len(model.thresholds) == 3
    (told,) = model.classify(["please, my card is lost"])
    assert told["label"] == ["card", "lost"]
    frame = zoo.predict(several, ["my pin code"], probabilities=True)
    assert frame["label"][0] == ["pin"] and frame["probability_pin"][0] > 0.5
    again = zoo.evaluate(several, pd.DataFrame(ROWS))
    assert again["micro_f1"] > 0.9
    table = TABLE.assign(text=TEXTS)
    assert zoo.evaluate(several, table, label_column=LABELS)["micro_f1"] == again["micro_f1"]
    (explained,) = zoo.explain(several, ["my card is lost"])
    assert explained.label == "card; lost"
    model.save(tmp_path / "model.keras")
    assert zoo.load(tmp_path / "model.keras").thresholds == model.thresholds
    (several_files,) = [
        list(csv.DictReader((several / name).open(encoding="utf-8")))
        for name in ("predictions.csv",)
    ]
    assert {"label", "predicted", "probability"} == set(several_files[0])


def test_the_saved_model_gives_labels_and_thresholds(several):
    model, texts = zoo.load(several), ["my card is lost", "hello", ""]
    served = tf.saved_model.load(str(several / "saved_model")).serve(tf.constant(texts))
    np.testing.assert_allclose(served["probabilities"], model.predict(texts), atol=1e-3)
    for row, told in enumerate(model.classify(texts)):
        assert served["label"][row].numpy().decode() == "; ".join(told["label"])
        probabilities = served["probabilities"][row].numpy()
        thresholds = served["thresholds"][row].numpy()
        found = answer(SEVERAL, texts[row], model.labels, probabilities, thresholds)
        assert found["label"] == told["label"]


def test_few_texts_choose_thresholds_by_leaving_a_part_of_them_out(caplog, monkeypatch):
    monkeypatch.setattr("zoo.recipes.FEW", 100)
    caplog.set_level("INFO", "zoo")
    classifier = zoo.Classifier("bow", keep="last").fit(TEXTS[:60], LISTS[:60])
    assert "chosen by 3 further trainings" in caplog.text
    assert len(classifier.model_.thresholds) == 3
    found = classifier.predict(TEXTS[60:])
    assert f1_score(TABLE[60:], found, average="micro") > 0.9


@pytest.mark.parametrize("name", ["svm_bigrams", "naive_bayes", "nb_svm", "logistic_l1"])
def test_linear_models_learn_one_against_the_rest(name):
    model = zoo.build(name, 3, answers="several", vocabulary_size=400)
    model.fit(TEXTS, LISTS)
    found = [one["label"] for one in model.classify(["card", "code lost", "n1"])]
    assert found[:2] == [["card"], ["lost", "pin"]]


def test_an_interrupted_training_goes_on(tmp_path, monkeypatch):
    from zoo.training.checkpoints import Checkpoint

    class Killed(BaseException):
        pass

    given = {"options": SMALL, "epochs": 3, "verbose": 0, "label_column": LABELS}
    frame = TABLE.assign(text=TEXTS)
    whole = zoo.train("cnn_kim", frame, output=tmp_path / "whole", **given)

    def stop(self, batch, logs=None):
        if len(self.scores) == 1:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "on_train_batch_end", stop)
        with pytest.raises(Killed):
            zoo.train("cnn_kim", frame, output=tmp_path / "killed", **given)
    (run,) = (tmp_path / "killed").iterdir()
    zoo.resume(run, verbose=0)
    for one, other in zip(*(zoo.load(one).get_weights() for one in (whole, run)), strict=True):
        np.testing.assert_array_equal(one, other)
