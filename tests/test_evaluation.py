"""Scores of answers."""

import numpy as np
import pytest

from zoo import datasets, terminal
from zoo.evaluation import read_corpus, score, worst_classes


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
    config = {"data": str(tmp_path / "a.csv"), "files": {}, "seed": 1}
    found = read_corpus(config)
    assert found.labels == "0 1 10 11 2 3 4 5 6 7 8 9".split()
    numbers = [found.labels.index(label) for label in labels]
    train = datasets.Split([f"text {i}" for i in range(240)], numbers)
    then = datasets.Corpus("a", found.labels, train).split(seed=1)
    assert found.digest() == then.digest()
    new = read_corpus(config | {"label_order": "by number"})
    assert new.labels == [str(i) for i in range(12)]
    assert set(new.frame("test").itertuples(index=False, name=None)) <= set(
        zip(train.texts, labels, strict=True)
    )
    assert read_corpus(config | {"data": "sample"}).labels == list("12345")


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
