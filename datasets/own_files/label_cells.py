"""Cells of labels: a row has one label, several labels, or shares of labels.

A cell becomes a text, if texts have one label; a tuple of labels; or a tuple of pairs of a label
and its share, which dictionaries and columns of numbers have.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from zoo.datasets.own_files.tables import as_text
from zoo.datasets.own_files.text_files import Problem, composed, undecodable
from zoo.errors import UsageError

ONE, LIST, SHARES = "text", "list", "distribution"  # forms of cells
TRUE, FALSE = ("true", "yes"), ("false", "no")


class LabelCells(NamedTuple):
    """Where a table has its labels.

    Attributes:
        columns: a single column; or several columns of numbers, whose names are the labels.
        separator: what stands between several labels in a cell; None if there is no separator.
        nested: whether cells are lists or dictionaries.
    """

    columns: list[str]
    separator: str | None = None
    nested: bool = False

    def read(self, row: Mapping[str, Any]) -> Any:
        """The labels of a row: a text or None, a tuple, or a :class:`Problem`."""
        if len(self.columns) > 1:
            return _shares({name: row.get(name) for name in self.columns})
        value = row.get(self.columns[0])
        if isinstance(value, Mapping):
            return _shares(value)
        if isinstance(value, list | tuple | set | frozenset | np.ndarray):
            return tuple(label for label in map(as_text, value) if label is not None)
        value = as_text(value)
        if self.separator is not None:
            value = value or ""
            return tuple(part.strip() for part in value.split(self.separator) if part.strip())
        if self.nested:
            return () if value is None else (value,)
        return value


def _shares(values):
    """Pairs of a label and its share, which are 0 and more."""
    found = []
    for name, value in values.items():
        number = _number(value)
        if number is None or not 0 <= number < float("inf"):
            shown = repr(as_text(value))
            return Problem("with labels that are no numbers", f"{name!r} is {shown}, not 0 or more")
        found.append((str(name), number))
    return tuple(found)


def _number(value):
    text = (as_text(value) or "").strip().lower()
    if text in TRUE or text in FALSE:
        return float(text in TRUE)
    try:
        return float(text)
    except ValueError:
        return None


def problem_of(label: Any, encoding: str | None = None) -> Problem | None:
    """The problem with the labels of a row, if there is one."""
    if isinstance(label, Problem):
        return label
    if label is None or (isinstance(label, str) and not label.strip()):
        return Problem("without a label", "no label")
    for value in names_of(label):
        if "\0" in value:
            return Problem("with NUL bytes", "NUL bytes in the label: save the file as UTF-8")
        if reason := undecodable(value, encoding):
            return Problem(f"not {encoding or 'UTF-8'}", reason)
        if re.search(r"[\r\n]", value.strip()):
            return Problem("with a label of many lines", f"a label of many lines: {value[:40]!r}")
    return None


def names_of(label: Any) -> list[str]:
    """The labels of a cell."""
    if isinstance(label, str):
        return [label]
    return [one[0] if isinstance(one, tuple) else one for one in label]


def clean(label: Any) -> Any:
    """A cell with its labels in the form to compare: composed, and without blanks around."""
    if isinstance(label, str):
        return composed(label).strip()
    return tuple(
        (composed(one[0]).strip(), one[1]) if isinstance(one, tuple) else composed(one).strip()
        for one in label
    )


def in_one_form(cells: list[Any], wanted: str | None, source: Any) -> tuple[list[Any], str]:
    """Cells of one form, and which that is.

    Args:
        cells: of :meth:`LabelCells.read`, cleaned.
        wanted: the form that they have elsewhere; None where they decide.
        source: of them, for messages.

    Raises:
        UsageError: for lists where texts have one label, and shares of which none is above 0.
    """
    shares = [any(isinstance(one, tuple) for one in cell) for cell in cells]
    numbers = any(shares)
    form = ONE if all(isinstance(cell, str) for cell in cells) else LIST
    if numbers and wanted != LIST:
        whole = all(
            share in (0, 1)
            for cell, own in zip(cells, shares, strict=True)
            if own
            for _, share in cell
        )
        form = LIST if whole and wanted is None else SHARES
    form = SHARES if wanted == SHARES else LIST if wanted == LIST else form
    if wanted == ONE and form == LIST:
        raise UsageError(f"{source} has several labels a text, where each has one")
    if form == LIST:
        return [_chosen(cell) for cell in cells], form
    if form == SHARES:
        found = [_weighed(cell) for cell in cells]
        if not all(any(share for _, share in cell) for cell in found):
            raise UsageError(
                f"{source} has texts of which all labels have the share 0: remove them"
            )
        return found, form
    return cells, form


def _chosen(cell):
    if isinstance(cell, str):
        return (cell,)
    pairs = any(isinstance(one, tuple) for one in cell)
    chosen = [name for name, share in cell if share >= 0.5] if pairs else cell
    return tuple(dict.fromkeys(chosen))


def _weighed(cell):
    if isinstance(cell, str):
        return ((cell, 1.0),)
    return tuple(one if isinstance(one, tuple) else (one, 1.0) for one in cell)
