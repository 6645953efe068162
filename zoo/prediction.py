"""Labels for new texts."""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np

from zoo.evaluation import probabilities_of
from zoo.spreadsheets import write_csv

COLUMNS = ("text", "label", "probability")  # of CSV, of answers for texts that are from no file


def predict(model, texts: Iterable[str], chunk: int = 1024) -> Iterator[dict[str, Any]]:
    """The label of each text, in order and as texts come.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` gives.
        texts: any number of texts.
        chunk: how many are read before the first answer.

    Yields:
        ``text``, ``label``, its ``probability``, and ``probabilities`` by label.

    Raises:
        UsageError: for one text, a table, or what is no string among the texts.
        ValueError: if the model has no ``labels``.
    """
    from zoo.datasets.text_files import well_formed
    from zoo.datasets.texts import check_texts  # takes seconds

    check_texts(texts)
    if model.labels is None:
        raise ValueError("a model that names its answers needs model.labels")
    texts = iter(texts)
    while part := list(itertools.islice(texts, chunk)):
        rows = probabilities_of(model, part)
        for text, row in zip(part, rows, strict=True):
            yield answer_of(well_formed(text), model.labels, row)


def answer_of(text: str, labels: Sequence[str], row: np.ndarray) -> dict[str, Any]:
    """What is told of a text with these probabilities."""
    return {
        "text": text,
        "label": labels[row.argmax()],
        "probability": float(row.max()),
        "probabilities": dict(zip(labels, map(float, row), strict=True)),
    }


def write_answers(
    file: TextIO, answers: Iterable[dict[str, Any]], format: str = "jsonl", safe: bool = False
) -> None:
    """Writes answers of :func:`predict`, a line each as they come.

    Args:
        file: opened with ``newline=""``.
        answers: the answers.
        format: "jsonl"; or "csv", without the probabilities of the other labels. Columns are those
            of the first answer.
        safe: whether CSV's cells that look like formulas are made safe to open in a spreadsheet.
    """
    if format == "jsonl":
        for answer in answers:
            file.write(json.dumps(answer, ensure_ascii=False) + "\n")
        return
    answers = iter(answers)
    first = list(itertools.islice(answers, 1))
    columns = [name for name in (*first, dict.fromkeys(COLUMNS))[0] if name != "probabilities"]
    rows = ([answer[name] for name in columns] for answer in itertools.chain(first, answers))
    write_csv(file, columns, rows, safe)
