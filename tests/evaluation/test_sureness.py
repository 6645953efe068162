"""How sure is sure."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from zoo.cli import commands
from zoo.evaluation import sureness
from zoo.evaluation.sureness import least_sureness, right_of_surest, surest, write_sureness

ANSWERS = st.lists(st.tuples(st.sampled_from([0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1)


@given(ANSWERS)
def test_each_row_is_what_came_of_all_answers_that_are_at_least_so_sure(answers):
    sure, right = (np.array(column) for column in zip(*answers, strict=True))
    rows = surest(sure, right)
    assert sorted(rows["sure"], reverse=True) == sorted({*sure.tolist()}, reverse=True)
    for row in rows.itertuples():
        inside = sure >= row.sure
        assert row.texts == inside.sum()
        assert row.answered == pytest.approx(inside.mean())
        assert row.right == pytest.approx(right[inside].mean())


def test_of_many_answers_some_rows_are_kept_the_last_among_them():
    sure = np.linspace(0.2, 1, 5_000)
    rows = surest(sure, sure > 0.5)
    assert len(rows) == sureness.MOST and rows["answered"].iloc[-1] == 1


def test_right_of_surest():
    found = right_of_surest(np.arange(10) / 10, np.arange(10) >= 4)
    assert found == {"100%": 0.6, "90%": 6 / 9, "80%": 0.75, "70%": 6 / 7, "50%": 1.0}


def test_the_lowest_sureness_whose_answers_are_so_often_right(tmp_path):
    sure = np.linspace(1, 0.01, 100)
    right = np.arange(100) < 50  # the surest half
    right[2] = False
    write_sureness(tmp_path, sure, right)
    threshold = least_sureness(tmp_path, 0.98)
    assert right[sure >= threshold].mean() >= 0.98
    assert right[sure >= threshold - 0.01].mean() < 0.98
    assert least_sureness(tmp_path, 0.49) == pytest.approx(0.01)
    with pytest.raises(zoo.UsageError, match=r"right in 100%.* at most 98"):
        least_sureness(tmp_path, 1)
    for wrong in (95, 0, "a"):
        with pytest.raises(zoo.UsageError, match="0.95, not 95"):
            least_sureness(tmp_path, wrong)
    (tmp_path / sureness.NAME).write_text("a,b\n1,2\n")
    with pytest.raises(zoo.UsageError, match="is damaged"):
        least_sureness(tmp_path, 0.9)
    (tmp_path / sureness.NAME).unlink()
    with pytest.raises(zoo.UsageError, match="without a validation split"):
        least_sureness(tmp_path, 0.9)


def test_few_answers_tell_nothing(tmp_path):
    write_sureness(tmp_path, np.linspace(1, 0, 10), np.ones(10, bool))
    with pytest.raises(zoo.UsageError, match="too few"):
        least_sureness(tmp_path, 0.9)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run whose answers are sure where a text has a telling word."""
    random = np.random.default_rng(0)
    rows = []
    for number in range(600):
        label = ("good", "bad")[number % 2]
        word = {"good": "lovely", "bad": "awful"}[label] if number % 3 else "plain"
        rows.append((f"a {word} stay in room {random.integers(9)}", label))
    frame = pd.DataFrame(rows, columns=["text", "label"])
    return zoo.train("bow", frame, output=tmp_path_factory.mktemp("runs"), verbose=0)


TEXTS = ["a lovely stay", "an awful stay", "a plain stay"]


def test_unsure_texts_are_left_to_a_person(run, tmp_path):
    found = zoo.predict(run, TEXTS, sure=0.99)
    assert list(found["label"][:2]) == ["good", "bad"] and pd.isna(found["label"][2])
    assert list(found["reason"][:2]) == ["", ""] and "below" in found["reason"][2]
    assert list(zoo.predict(run, TEXTS)["label"])[2] in ("good", "bad")
    scores = json.loads((run / "metrics.json").read_text("utf-8"))
    assert scores["right_of_surest"]["50%"] == 1 > scores["right_of_surest"]["100%"]
    assert scores["right_of_surest"]["100%"] == scores["accuracy"]
    assert (run / "sureness.png").exists()
    with pytest.raises(zoo.UsageError, match="folder of a run"):
        zoo.predict(zoo.load(run), TEXTS, sure=0.9)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_command_leaves_them_too(run, tmp_path, monkeypatch, caplog, form):
    given = tmp_path / "given.csv"
    pd.DataFrame({"text": TEXTS}).to_csv(given, index=False)
    output = tmp_path / f"answers.{form}"
    told = ["--file", given, "--sure", 0.99, "--output", output]
    monkeypatch.setattr(sys, "argv", ["zoo", "predict", str(run), *map(str, told)])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert not stop.value.code and "1 of 3 texts are left to a person" in caplog.text
    read = pd.read_csv(output) if form == "csv" else pd.read_json(output, lines=True)
    assert read["label"].isna().tolist() == [False, False, True]
    assert read["reason"].iloc[-1].startswith("sure by")
