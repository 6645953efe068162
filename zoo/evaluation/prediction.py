"""Labels for new texts."""

import contextlib
import itertools
import json
import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from zoo.answers import probabilities_of, told
from zoo.datasets.own_files.spreadsheet_cells import write_csv
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.given_texts import check_texts
from zoo.evaluation.familiarity import Familiarity

OF_CLASS = "probability_"  # with the name of a class, it is the name of a column in CSV
COLUMNS = ("text", "label", "probability")  # in CSV, for texts that are not from a file

logger = logging.getLogger("zoo")


def predict(
    model, texts: Iterable[str], chunk: int = 1024, written: bool = False
) -> Iterator[dict[str, Any]]:
    """The label of each text, in order, while texts are still read.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` returns.
        texts: any number of texts.
        chunk: how many texts are read before the first answer.
        written: whether several labels of a text are joined to a string, as in a table.

    Yields:
        ``text``, ``label``, its ``probability``, and ``probabilities`` by label.

    Raises:
        UsageError: for a single text, a table, or if a text is not a string.
        ValueError: if the model has no ``labels``.
    """
    check_texts(texts)
    if model.labels is None:
        raise ValueError("a model that names its answers needs model.labels")
    texts = iter(texts)
    while part := list(itertools.islice(texts, chunk)):
        rows = probabilities_of(model, part)
        for text, row in zip(part, rows, strict=True):
            yield told(model, well_formed(text), row, written)


def only_sure(
    answers: Iterable[dict[str, Any]], least: float, familiar: Familiarity | None = None
) -> Iterator[dict[str, Any]]:
    """Answers of :func:`predict`, without labels where the model is not sure enough.

    Each has a ``reason`` why a person should answer; "" if that is not necessary.

    Args:
        answers: the answers.
        least: the lowest probability of an answer that keeps its label.
        familiar: what the run knows about words. Texts that are unlike those that it learnt from
            get no label either. With None, no text is refused for this reason.
    """
    texts = left = 0
    for answer in answers:
        texts += 1
        reason = ""
        if answer["probability"] < least:
            reason = f"sure by {answer['probability']:.3f}, which is below {least:.3f}"
        elif familiar is not None and not familiar.knows(answer["text"]):
            reason = "unlike the texts that were learnt, by its words"
        left += bool(reason)
        yield answer | ({"label": None} if reason else {}) | {"reason": reason}
    logger.info("%s of %s texts are left to a person", f"{left:,}", f"{texts:,}")


def names_beside(own: Iterable[str], answers: Iterable[str]) -> dict[str, str]:
    """Names for the columns of answers that the table does not have; changed names are logged.

    >>> names_beside(["id", "label"], ["label", "probability"])
    {'label': 'predicted_label', 'probability': 'probability'}
    """
    taken, names = set(own), {}
    for name in answers:
        others = (f"predicted_{name}_{number}" for number in itertools.count(2))
        forms = itertools.chain([name, f"predicted_{name}"], others)
        names[name] = next(form for form in forms if form not in taken)
        taken.add(names[name])
    if changed := {name: new for name, new in names.items() if name != new}:
        own, new = (" and ".join(map(repr, side)) for side in (changed, changed.values()))
        logger.warning("the table has its own %s: the model's answer is in %s", own, new)
    return names


def columns_of_answers(
    labels: Sequence[str], format: str, probabilities: bool, reason: bool = False
) -> list[str]:
    """The names of an answer's columns apart from the text, in a format of :func:`write_answers`.

    JSON lines have the probabilities of all classes in one column. CSV has a column for each class
    if ``probabilities`` is true.
    """
    each = [f"{OF_CLASS}{label}" for label in labels] if probabilities else []
    why = ["reason"] if reason else []
    return ["label", "probability", *why, *(["probabilities"] if format == "jsonl" else each)]


def rows_beside(
    rows: Iterable[dict[str, Any]],
    answers: Iterable[dict[str, Any]],
    names: dict[str, str],
    whole: bool,
) -> Iterator[dict[str, Any]]:
    """Rows, each followed by its answer of :func:`predict` under the ``names``.

    The rows are ``whole`` rows of a table; or they say where each text is from, and the text
    follows.
    """
    for answer, row in zip(answers, rows, strict=False):
        found = {
            new: answer["probabilities"][name.removeprefix(OF_CLASS)]
            if name.startswith(OF_CLASS)
            else answer[name]
            for name, new in names.items()
        }
        yield row | ({} if whole else {"text": answer["text"]}) | found


def write_answers(
    file: TextIO,
    answers: Iterable[dict[str, Any]],
    format: str = "jsonl",
    safe: bool = False,
    columns: Sequence[str] | None = None,
) -> None:
    """Writes answers of :func:`predict`, or rows of :func:`rows_beside`, line by line.

    Args:
        file: a file opened with ``newline=""``.
        answers: the answers.
        format: "jsonl" or "csv".
        safe: whether cells of CSV that look like formulas are made safe to open in a spreadsheet.
        columns: the columns of CSV; by default those of the first answer, without the
            ``probabilities`` of all labels.
    """
    if format == "jsonl":
        for answer in answers:
            file.write(json.dumps(plain(answer), ensure_ascii=False, default=str) + "\n")
        return
    answers = iter(answers)
    if columns is None:
        first = list(itertools.islice(answers, 1))
        columns = [name for name in (*first, dict.fromkeys(COLUMNS))[0] if name != "probabilities"]
        answers = itertools.chain(first, answers)
    rows = ([_cell(answer.get(name)) for name in columns] for answer in answers)
    write_csv(file, list(map(_cell, columns)), rows, safe)


def plain(value: Any) -> Any:
    """A value of a row, for JSON: numbers stay numbers, and text becomes valid UTF-8."""
    if isinstance(value, str) and type(value) is not str and _is_number(value):
        with contextlib.suppress(ValueError):  # if it has more digits than Python reads
            if math.isfinite(number := json.loads(value)):
                return number
        return str(value)
    if isinstance(value, dict):
        return {plain(name): plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return list(map(plain, value))
    return well_formed(value) if isinstance(value, str) and not value.isascii() else value


def _is_number(value):
    from zoo.datasets.own_files.tables import Number  # imports pandas

    return isinstance(value, Number)


def _cell(value):
    """A value of a row, for CSV."""
    if isinstance(value, dict | list):
        return json.dumps(plain(value), ensure_ascii=False, default=str)
    return value if isinstance(value, str) and value.isascii() else plain(value)
