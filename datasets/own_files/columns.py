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

logger = logging.getLogger("zoo")


def choose_columns(
    path: str | Path,
    names: list[str],
    text_column: str | None = None,
    label_column: str | None = None,
    labelled: bool = True,
) -> tuple[str, str | None]:
    """The columns of texts and labels: those given, or guessed from the names of all columns.

    The guess is ``text`` and ``label``; or the only well-known name, in any case; or the other
    one of two columns. Any but the first is announced on the log.

    Args:
        path: the file, for messages.
        names: of all its columns.
        text_column, label_column: None to guess.
        labelled: False where only texts are needed.

    Raises:
        UsageError: for a name that is not there, with the nearest match; where the guess is not
            clear; for a column that is there twice.
    """
    listed = list(map(_shown, names))
    wanted = {"text": text_column, "label": label_column if labelled else None}
    wanted = {role: name for role, name in wanted.items() if name is not None}
    given = {role: column_named(name, names) for role, name in wanted.items()}
    for role, name in given.items():
        if name is None:
            error = unknown(f"column of {path}:", wanted[role], listed)
            raise UsageError(f"{error} Choose one that all files have, with {_option(role)}.")
    text, label = given.get("text"), given.get("label")
    text = _guess(names, TEXT_COLUMNS, label) if text is None else text
    label = _guess(names, LABEL_COLUMNS, text) if label is None else label
    others = [name for name in names if name not in (text, label)]
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
        if names.count(name) > 1:
            raise UsageError(f"{path} has two columns {name!r}: rename one")
    if text == chosen.get("label"):
        raise UsageError(
            f"{path}: the texts and the labels are both in {text!r}: choose another column with "
            f"{_option('text')} or {_option('label')}"
        )
    if any(role not in given and name != role for role, name in chosen.items()):
        labels = f", labels in {label!r}" if labelled else ""
        options = ", ".join(map(_option, chosen))
        logger.info("%s: texts are in %r%s; choose others with %s", path, text, labels, options)
    return text, chosen.get("label")


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
    if well_known[0] in names and well_known[0] != taken:
        return well_known[0]
    matches = [name for name in names if name.strip().lower() in well_known and name != taken]
    return matches[0] if len(matches) == 1 else None
