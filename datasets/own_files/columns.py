"""Which column has the texts, and which the labels."""

import logging
from pathlib import Path

from zoo.datasets.own_files.separated_values import SUFFIXES as SEPARATED
from zoo.datasets.own_files.text_files import composed, unpacked
from zoo.errors import UsageError, unknown

TEXT_COLUMNS = (
    "text texts review sentence content body message comment tweet post document title headline "
    "description question utterance abstract review_text review_body"
).split()
LABEL_COLUMNS = (
    "label labels class category sentiment stars rating score target topic polarity intent emotion "
    "y"
).split()
IDS = ("", "id", "index", "unnamed: 0", "__index_level_0__")  # of rows: neither texts nor labels

Columns = str | list[str] | None  # of one role; None where they are to be guessed

logger = logging.getLogger("zoo")


def choose_columns(
    path: str | Path,
    names: list[str],
    text_column: Columns = None,
    label_column: Columns = None,
    labelled: bool = True,
) -> tuple[Columns, Columns]:
    """The columns of texts and labels: those given, or guessed from the names of all columns.

    The guess is ``text`` and ``label``; or the only well-known name, in any case; or the other of
    two columns. The log announces any guess but the first.

    Args:
        path: the file, for messages.
        names: of all its columns.
        text_column, label_column: None to guess; a list of several.
        labelled: False where only texts are needed.

    Raises:
        UsageError: for a name that is not there, with the nearest match; where the guess is not
            clear; for a column that is there twice.
    """
    listed = list(map(_shown, names))
    wanted = {"text": text_column, "label": label_column if labelled else None}
    wanted = {role: one for role, one in wanted.items() if one is not None}
    given = {
        role: plain_columns([column_among(path, name, names, role) for name in listed_columns(one)])
        for role, one in wanted.items()
    }
    text, label = given.get("text"), given.get("label")
    text = _guess(names, TEXT_COLUMNS, listed_columns(label)) if text is None else text
    label = _guess(names, LABEL_COLUMNS, listed_columns(text)) if label is None else label
    taken = (*listed_columns(text), *listed_columns(label))
    others = [name for name in names if name not in taken]
    if len(names) == 2 and len(others) == 1 and others[0].strip().lower() not in IDS:
        text, label = (others[0] if name is None else name for name in (text, label))
    if not labelled and len(names) == 1 and text is None:
        text = names[0]
        if unpacked(path).suffix.lower() in SEPARATED:
            logger.warning(
                "%s: its first line, %r, is taken for the name of the only column, not for a text",
                path,
                listed[0],
            )
    chosen = {"text": text, "label": label} if labelled else {"text": text}
    for role, name in chosen.items():
        if name is None:
            raise UsageError(
                f"{path}: which column has the {role}s? Choose one with {_option(role)}: "
                f"{', '.join(map(repr, listed))} (a first line must name the columns); or name it "
                f"{role!r}"
            )
        for one in listed_columns(name):
            if names.count(one) > 1:
                raise UsageError(f"{path} has two columns {one!r}: rename one")
    if both := {*listed_columns(text)} & {*listed_columns(chosen.get("label"))}:
        raise UsageError(
            f"{path}: the texts and the labels are both in {min(both)!r}: choose another one with "
            f"{_option('text')} or {_option('label')}"
        )
    if any(role not in given and name != role for role, name in chosen.items()):
        labels = f", labels in {label!r}" if labelled else ""
        options = ", ".join(map(_option, chosen))
        logger.info("%s: texts are in %r%s; choose others with %s", path, text, labels, options)
    return text, chosen.get("label")


def listed_columns(columns: Columns) -> list[str]:
    """A list of column names, from a single name, a list, or None."""
    return [] if columns is None else [columns] if isinstance(columns, str) else list(columns)


def plain_columns(columns: Columns) -> Columns:
    """The name in a list with a single name, or the list."""
    several = listed_columns(columns)
    return several[0] if len(several) == 1 else several or None


def column_among(path: str | Path, name: str, names: list[str], role: str) -> str:
    """The column of a name, as the file spells it.

    Raises:
        UsageError: if it has none, with the nearest matches.
    """
    if (own := column_named(name, names)) is None:
        error = unknown(f"column of {path}:", name, list(map(_shown, names)))
        raise UsageError(f"{error} Choose one that all files have, with {_option(role)}.")
    return own


def column_named(name: str, names: list[str]) -> str | None:
    """The column of that name, or the only one that differs from it in how accents are written, or
    in blanks, or that messages show so.
    """
    if name in names:
        return name
    name = str(name)
    on_a_line = _on_a_line(name)
    forms = ((composed, composed(name)), (_on_a_line, on_a_line), (_shown, on_a_line))
    for form, wanted in forms:
        alike = [one for one in names if form(one) == wanted]
        if len(alike) == 1:
            return alike[0]
    return None


def _option(role):
    """The option of a column, in Python and on the command line."""
    return f"{role}_column (--{role}-column)"


def _on_a_line(name):
    return " ".join(name.split())


def _shown(name):
    """In messages: a line, and not a long one."""
    return _on_a_line(name)[:60]


def _guess(names, well_known, taken):
    """The column of the first well-known name, or the only one of another; else None."""
    if well_known[0] in names and well_known[0] not in taken:
        return well_known[0]
    matches = [name for name in names if name.strip().lower() in well_known and name not in taken]
    return matches[0] if len(matches) == 1 else None
