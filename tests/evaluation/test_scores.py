"""Scores of answers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import zoo
from zoo import datasets
from zoo.cli import terminal
from zoo.evaluation import prediction
from zoo.evaluation.calibration import expected_calibration_error, fit_temperature
from zoo.evaluation.scores import (
    probabilities_of,
    read_corpus,
    read_test_split,
    score,
    worst_classes,
)
from zoo.runs.run_config import RunConfig, read_config
from zoo.settings import TrainSettings


def test_macro_f1_is_over_the_classes_that_occur():
    perfect = score(np.array([0, 0, 1]), np.eye(3)[[0, 0, 1]], ["a", "b", "c"])
    assert perfect["accuracy"] == perfect["macro_f1"] == 1
    assert perfect["classes"]["c"]["support"] == 0
    answered = score(np.array([0, 0, 1]), np.eye(3)[[0, 2, 1]], ["a", "b", "c"])
    assert answered["macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_a_run_from_before_keeps_the_order_of_its_classes(tmp_path):
    """Numbers were ordered as text, and class numbers decide which rows are in which split."""
    labels = [str(i % 12) for i in range(240)]
    rows = [f"text {i},{label}\n" for i, label in enumerate(labels)]
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(rows))
    settings = TrainSettings(data=str(tmp_path / "a.csv"), seed=1)
    config = RunConfig(settings, {}, {}, 1, None, label_order="as text")
    found = read_corpus(config)
    assert found.labels == "0 1 10 11 2 3 4 5 6 7 8 9".split()
    numbers = [found.labels.index(label) for label in labels]
    train = datasets.Split([f"text {i}" for i in range(240)], numbers)
    then = datasets.Corpus("a", found.labels, train).split(seed=1)
    assert found.digest() == then.digest()
    new = read_corpus(replace(config, label_order="by number"))
    assert new.labels == [str(i) for i in range(12)]
    assert set(new.frame("test").itertuples(index=False, name=None)) <= set(
        zip(train.texts, labels, strict=True)
    )
    assert read_corpus(replace(config, settings=TrainSettings())).labels == list("12345")


def test_of_many_classes_the_worst_are_shown(capsys):
    targets = np.arange(600) % 60
    answers = np.where(targets < 5, 59, targets)
    labels = [f"c{i}" for i in range(1000)]
    scores = score(targets, np.eye(1000)[answers], labels)
    shown, told = worst_classes(scores["classes"])
    assert len(shown) == 20 and [*shown][:6] == ["c0", "c1", "c2", "c3", "c4", "c59"]
    assert told == "These are the 20 of 1,000 classes with the lowest F1 (940 have no text here)"
    terminal.print_scores(scores, "Test split", "metrics.json has all")
    printed = capsys.readouterr().out
    assert printed.count("\n") < 32 and f"{told}; metrics.json has all." in printed
    assert "(of the classes that texts" in printed
    few = dict(list(scores["classes"].items())[:20])
    assert worst_classes(few) == (few, "")


def test_a_dataframe_is_scored_as_its_file_is(trained, csv_file, tmp_path):
    frame = pd.read_csv(csv_file)
    scores = zoo.evaluate(trained, frame)
    assert scores["texts"] == 120 and scores["accuracy"] == 1
    frame = frame.rename(columns={"review": "text", "stars": "label"})
    frame.loc[0, "label"] = None
    with pytest.raises(zoo.UsageError, match="the DataFrame, row 1: no label; or leave bad rows"):
        zoo.evaluate(trained, frame)
    scores = zoo.evaluate(trained, frame, on_bad_row="skip", label_column="label")
    assert scores["texts"] == 119


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"text": "a", "label": "b"}], "got a list; pandas.DataFrame"),
        ({"text": ["a"]}, "got a dict; pandas.DataFrame"),
        (pd.Series(["a"]), "got a Series; put it beside its labels"),
        (pa.table({"text": ["a"]}), "got a Table; give its .to_pandas"),
        (np.zeros(3), "got a ndarray"),
        (pd.DataFrame({"text": ["a"]}), "the DataFrame: which column has the labels"),
    ],
)
def test_other_tables_end_in_one_line(trained, data, message):
    for use in (zoo.evaluate, zoo.train):
        with pytest.raises(zoo.UsageError, match=message) as refused:
            use(trained if use is zoo.evaluate else "svm_bigrams", data)
        assert "\n" not in str(refused.value)


def test_unknown_arguments_of_evaluate(trained, csv_file):
    with pytest.raises(zoo.UsageError, match="Did you mean 'text_column'"):
        zoo.evaluate(trained, csv_file, txt_column="x")


def test_a_training_on_a_dataframe_keeps_its_texts(csv_file, tmp_path, monkeypatch):
    """And in a folder of the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    frame = pd.read_csv(csv_file)
    frame["n"] = range(len(frame))
    frame.loc[3, "review"] = None
    files = {"text_column": "review", "on_bad_row": "skip", "encoding": "cp1252"}
    run = zoo.train("svm_bigrams", frame, files=files, output="~", verbose=0)
    assert run.parent == tmp_path and read_config(run).settings.data == str(run / "data.jsonl")
    assert read_config(run).settings.files == files | {"label_column": "stars"}
    assert run.name.startswith("svm_bigrams-dataframe-")
    frame.to_csv(tmp_path / "own.csv", index=False, encoding="cp1252")
    own = zoo.datasets.load(tmp_path / "own.csv", **files, label_column="stars").split()
    assert zoo.evaluate(run)["texts"] == len(own.test)
    assert list(read_test_split(read_config(run))) == list(own.test)
    with pytest.raises(zoo.UsageError, match="the DataFrame, row 4: no text"):
        zoo.train("svm_bigrams", frame, files={"text_column": "review"}, output=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.csv", run.name]


def test_texts_and_dataframes_are_labelled(trained):
    model = zoo.load(trained)
    frame = pd.DataFrame({"review": ["a bad, sad stay", None, 5], "label": [1, 2, 3]}, list("pqp"))
    found = zoo.predict(model, frame)
    assert found.columns.tolist() == ["review", "label", "predicted_label", "probability"]
    assert found[["review", "label"]].equals(frame)
    assert found["predicted_label"].iloc[0] == "bad one"
    alone = zoo.predict(model, frame, text_column="review", keep_columns=False)
    assert alone.columns.tolist() == ["text", "label", "probability"]
    assert alone["label"].tolist() == found["predicted_label"].tolist()
    assert zoo.predict(model, iter(["a bad, sad stay"]))["label"].tolist() == ["bad one"]
    assert zoo.predict(model, pd.Series(["e\u0301"]))["text"].tolist() == ["\u00e9"]
    assert zoo.predict(model, []).columns.tolist() == ["label", "probability"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a good stay", r"no such file: a good stay; texts are given as a list: \['a good stay'\]"),
        ("no.csv", "no such file: no.csv"),
        (5, "texts, a table or a file are wanted: got 5"),
        ([{"text": "a"}], "texts must be strings: got {'text': 'a'}"),
        (np.array([["a"]]), "one column of texts is needed"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "the DataFrame: which column has the texts"),
    ],
)
def test_what_cannot_be_labelled_ends_in_one_line(data, message):
    model = SimpleNamespace(labels=["x", "y"])
    with pytest.raises(zoo.UsageError, match=message) as refused:
        zoo.predict(model, data)
    assert "\n" not in str(refused.value)


def test_answers_that_are_no_numbers_are_refused():
    """Their largest would be the first class."""
    targets = np.array([0, 1])
    for wrong in (np.nan, np.inf):
        said = np.array([[wrong, 0.1], [0.5, 0.5]])
        for of in (
            lambda said: score(targets, said, ["a", "b"]),
            lambda said: fit_temperature(said, targets),
            lambda said: expected_calibration_error(said, targets),
        ):
            with pytest.raises(zoo.UsageError, match="answers 1 of 2 texts with NaN or infinity"):
                of(said)


def test_a_model_of_damaged_weights_is_refused():
    model = zoo.build("ave", 2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor, model.labels = zoo.datasets.Preprocessor(["a", "b"]), ["x", "y"]
    model.classify.bias.assign([float("nan"), 0])
    for of in (
        lambda: probabilities_of(model, ["a", "b"]),
        lambda: list(prediction.predict(model, ["a", "b"])),
        lambda: model.explain(["a", "b"]),
    ):
        with pytest.raises(zoo.UsageError, match="answers 2 of 2 texts with NaN or infinity"):
            of()
