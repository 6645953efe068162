"""Answers of any system to the test texts: a table, a row for each text, in their order."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from zoo.datasets.own_files.columns import column_among
from zoo.datasets.own_files.label_cells import LabelCells, clean
from zoo.datasets.own_files.row_reports import place
from zoo.datasets.own_files.tables import Table, as_text, open_table
from zoo.datasets.own_files.text_files import Problem
from zoo.errors import UsageError
from zoo.evaluation.prediction import OF_CLASS

ANSWERS = ("predicted_label", "predicted", "prediction", "answer", "label")
SURE = ("predicted_probability", "probability")
EACH = ("predicted_probabilities", "probabilities")


class Predictions(NamedTuple):
    """Answers of a system.

    Attributes:
        answers: ``[texts, ..]``, in the form of targets.
        probabilities: ``[texts, classes]``; None where the file does not tell them.
        sure: ``[texts]``, the probability of each answer; None where it does not.
    """

    answers: np.ndarray
    probabilities: np.ndarray | None
    sure: np.ndarray | None


def read_predictions(
    path: Path,
    texts: list[str],
    labels: list[str],
    kind,
    answer_column: str | None = None,
    encoding: str | None = None,
) -> Predictions:
    """Reads answers.

    They are in ``answer_column``, or in the first column that is called ``predicted_label``,
    ``predicted``, ``prediction``, ``answer`` or ``label``. Probabilities are those of all classes,
    in ``probability_<label>`` each or in a dictionary ``probabilities``, or only those of the
    answers, in ``probability``. Where there is a column ``text``, it must have the test texts.

    Args:
        path: a table: CSV, TSV, JSON lines or Parquet.
        texts: the test texts.
        labels: of the classes.
        kind: of the answers.
        answer_column: the name of a column.
        encoding: of a file that is not UTF-8.

    Raises:
        UsageError: naming the line, for a label that there is not, a probability that is none, or
            another text; and where there are not as many rows as texts.
    """
    table = open_table(path, encoding)
    column = _answer_column(path, table, answer_column)
    each = [f"{OF_CLASS}{label}" for label in labels]
    each = each if set(each) <= set(table.columns) else None
    nested = next((name for name in EACH if name in table.nested), None)
    sure = next((name for name in SURE if name in table.columns), None)
    if column is None and not (each or nested):
        raise UsageError(
            f"{path}: which column has the answers? Choose one with answer_column "
            f"(--answer-column): {', '.join(map(repr, table.columns))}"
        )
    cells = LabelCells([column], nested=column in table.nested)
    found, rows, numbers = [], [], []
    for number, row in table.rows(table.columns, True, [column, nested]):
        where = place(path, number)
        if isinstance(row, Problem):
            raise UsageError(f"{where}: {row.message}")
        _check_text(where, row, texts, len(found))
        try:
            found.append(None if column is None else kind.parsed(_cell(cells, row), labels))
            if each or nested:
                own = [row[name] for name in each] if each else _of_each(row[nested], labels)
                rows.append(list(map(_probability, own)))
            elif sure is not None:
                numbers.append(_probability(row[sure]))
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
    if len(found) != len(texts):
        raise UsageError(
            f"{path} has {len(found):,} rows, and there are {len(texts):,} test texts: it needs a "
            "row for each text, in their order"
        )
    probabilities = None
    if rows:
        with np.errstate(invalid="ignore"):
            probabilities = kind.probabilities(np.array(rows), logits=False)
        if len(empty := np.flatnonzero(~np.isfinite(probabilities).all(axis=-1))):
            raise UsageError(f"{path}: all probabilities of answer {empty[0] + 1} are 0")
    if column is None:
        answers = kind.decide(probabilities)
    else:
        places = {label: number for number, label in enumerate(labels)}
        answers = kind.encoded(pd.Series(found, dtype=object), places)
    if probabilities is not None:
        return Predictions(answers, probabilities, kind.sureness(answers, probabilities))
    return Predictions(answers, None, np.array(numbers) if numbers else None)


def _answer_column(path, table: Table, given):
    if given is not None:
        return column_among(path, given, table.columns, "answer")
    folded = {name.strip().lower(): name for name in reversed(table.columns)}
    return next((folded[name] for name in ANSWERS if name in folded), None)


def _cell(cells, row):
    """The answer of a row: a text, or a list of labels."""
    value = cells.read(row)
    if isinstance(value, Problem):
        raise UsageError(value.message)
    return "" if value is None else clean(value)


def _of_each(value, labels):
    if not isinstance(value, dict) or (lacking := [one for one in labels if one not in value]):
        of = f" of {lacking[0]!r}" if isinstance(value, dict) else ""
        raise UsageError(f"no probability{of}: each class needs one")
    return [value[label] for label in labels]


def _probability(value):
    text = (as_text(value) or "").strip()
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise UsageError(f"a probability is a number from 0 to 1: got {text!r}")
    return number


def _check_text(where, row, texts, number):
    """Refuses an answer to another text: the order, or the test split, is another one."""
    own = row.get("text")
    if not isinstance(own, str) or number >= len(texts):
        return
    if own.split() != texts[number].split():
        shown = " ".join(texts[number].split())[:60]
        raise UsageError(f"{where}: its text is not the test text {number + 1}, {shown!r}")
