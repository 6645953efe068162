"""Shares of labels, weights of texts, and texts of several columns."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import zoo
from zoo import datasets
from zoo.answers.soft_labels import SoftLabels
from zoo.training import candidates, choosing

TEXTS = [f"{word} {number}" for number in range(60) for word in ("fine", "dull")]
SMALL = {"embedding_dim": 8, "filters": 2}


def taught(fine):
    """Rows that a teacher is so sure of."""
    return [
        {"text": text, "label": {"good": fine if text[0] == "f" else 0.0, "bad": 1 - fine}}
        for text in TEXTS
    ]


def test_dictionaries_and_columns_are_shares_of_labels(tmp_path):
    rows = taught(0.75)
    path = tmp_path / "taught.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    frame = pd.DataFrame([row["label"] | {"text": row["text"]} for row in rows])
    for corpus in (datasets.load(path), datasets.load(frame, label_column=["good", "bad"])):
        assert corpus.kind.form == "distribution" and corpus.labels == ["bad", "good"]
        np.testing.assert_allclose(corpus.train.targets[:2], [[0.25, 0.75], [1, 0]])
    rows[3]["label"] = {"good": 0, "bad": 0}
    with pytest.raises(zoo.UsageError, match="all labels have the share 0"):
        datasets.load(pd.DataFrame(rows))


def test_a_model_learns_to_be_as_unsure_as_its_teacher(tmp_path):
    settings = {"options": SMALL, "learning_rate": 3e-2, "epochs": 20, "calibrate": False}
    run = zoo.train("cnn_kim", pd.DataFrame(taught(0.75)), output=tmp_path, verbose=0, **settings)
    scores = json.loads((run / "metrics.json").read_text("utf-8"))
    assert scores["accuracy"] == 1 and "answers" not in scores
    model = zoo.load(run)
    assert model.answers == "one"
    (told,) = model.classify(["fine 3"])
    assert told["label"] == "good" and told["probability"] == pytest.approx(0.75, abs=0.1)
    named = pd.DataFrame({"text": ["fine 1", "dull 2"], "label": ["good", "bad"]})
    assert zoo.evaluate(run, named)["accuracy"] == 1
    assert zoo.evaluate(run, pd.DataFrame(taught(0.9)))["accuracy"] > 0.95


@given(arrays("float32", (5, 3), elements=st.floats(0, 1, width=32)))
def test_shares_and_the_classes_that_are_likeliest_are_judged_alike(targets):
    soft, hard = SoftLabels(), targets.argmax(-1)
    np.testing.assert_array_equal(soft.hard(soft.hard(targets)), hard)
    answers = np.eye(3)[[0, 1, 2, 0, 1]]
    right = hard == answers.argmax(-1)
    for one in (targets, soft.hard(targets)):
        np.testing.assert_array_equal(soft.gains(one, answers), right)
    np.testing.assert_array_equal(soft.counts(hard, 3), np.bincount(hard, minlength=3))


def test_auto_judges_models_by_the_likeliest_labels(tmp_path, monkeypatch):
    found = candidates.Candidates("texts of a test", "bow", ("svm_unigrams", "bow"))
    monkeypatch.setattr(choosing, "candidates", lambda *_: found)
    told = {"output": tmp_path, "weights": "none", "calibrate": False, "verbose": 0}
    run = zoo.train("auto", pd.DataFrame(taught(0.75)), **told)
    assert pd.read_csv(run / "candidates.csv")["validation"].tolist() == [1, 1]


@pytest.mark.parametrize("name", ["bow", "cnn_kim"])
def test_texts_without_weight_are_not_learnt(name, tmp_path):
    right = ["good" if text[0] == "f" else "bad" for text in TEXTS]
    wrong = ["bad" if one == "good" else "good" for one in right]
    frame = pd.DataFrame(
        {"text": TEXTS * 3, "label": right + wrong * 2, "sure": np.repeat([1, 0, 0], len(TEXTS))}
    )
    test = tmp_path / "test.csv"
    pd.DataFrame({"text": TEXTS, "label": right}).to_csv(test, index=False)
    given = {"weight_column": "sure", "test_data": test, "keep": "last", "verbose": 0}
    if name == "cnn_kim":
        given |= {"options": SMALL, "epochs": 20, "learning_rate": 1e-2}
    run = zoo.train(name, frame, output=tmp_path / "runs", **given)
    assert json.loads((run / "metrics.json").read_text("utf-8"))["accuracy"] == 1
    with pytest.raises(zoo.UsageError, match="the weight is 'much', not 0 or more"):
        datasets.load(frame.assign(sure="much"), weight_column="sure")


def test_texts_of_two_columns_are_one_with_an_empty_line_between(tmp_path):
    frame = pd.DataFrame({"title": ["A", None], "body": ["b c", "d"], "label": ["x", "y"]})
    corpus = datasets.load(frame, text_column=["title", "body"])
    assert list(corpus.train) == ["A\n\nb c", "d"]
    assert corpus.columns["text_column"] == ["title", "body"]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert datasets.read_texts(tmp_path / "a.csv", ["title", "body"]) == ["A\n\nb c", "d"]
    with pytest.raises(zoo.UsageError, match="both in 'body'"):
        datasets.load(frame, text_column=["title", "body"], label_column="body")
