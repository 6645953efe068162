"""Reports on unusual rows of files: a line of the log for each kind, with the first places."""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from zoo.answers.class_labels import number_of
from zoo.datasets.own_files.tables import unit_of

SHOWN = 3  # places
ODD_LABELS = 10  # lines
UNSEEN = re.compile("[\u200b-\u200d\u2060\ufe0f\ufeff]")  # characters that take no place
MISSING = ("nan", "none", "null", "n/a", "na", "<na>", "#n/a")

logger = logging.getLogger("zoo")


def place(file: Path, where: int | str) -> str:
    """A row's place: "reviews.csv, line 4", "reviews.parquet, row 3" or "reviews/good/1.txt"."""
    return str(file / where) if isinstance(where, str) else f"{file}, {unit_of(file)} {where}"


def skipped(bad: list[tuple[Path, int | str, str]]) -> Iterator[str]:
    """A line for each file on its rows that are left out, from their file, place and problem.

    >>> list(skipped([(Path("a.csv"), 4, "ragged"), (Path("a.csv"), 9, "ragged")]))
    ['a.csv: 2 rows skipped: 2 ragged (lines 4, 9)']
    """
    files = {}
    for file, where, kind in bad:
        files.setdefault(file, {}).setdefault(kind, []).append(where)
    for file, kinds in files.items():
        total = sum(map(len, kinds.values()))
        parts = (f"{len(places)} {kind} ({_some(file, places)})" for kind, places in kinds.items())
        yield f"{file}: {total} row{'s' * (total > 1)} skipped: {', '.join(parts)}"


def some_of(names: Sequence[str]) -> str:
    """Names in a line: all names if they are few, else the first and the number of others.

    >>> some_of(list("abcdefgh"))
    'a, b, c and 5 others'
    """
    if len(names) <= 2 * SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN:,} others"


def report_left_out(folder: Path, paths: Iterable[Path]) -> None:
    """Reports files of a folder that are not texts."""
    names = [str(path.relative_to(folder)) for path in paths]
    if names:
        logger.warning("%s: %d left out: %s", folder, len(names), _some(folder, names))


def report_odd_labels(path: str | Path, labels: list[str]) -> None:
    """Labels that look alike, or are one number, and what is written for a missing one.

    Pandas writes 1 as 1.0 in a file where a label is missing, and some programs 01.
    """
    cases, numbers, odd = {}, {}, []
    for label in labels:
        cases.setdefault(" ".join(UNSEEN.sub("", label).split()).casefold(), []).append(label)
        number = number_of(label)
        if number is not None and number == number.to_integral_value():  # no version, as 1.10
            numbers.setdefault(number, []).append(label)
        if label.casefold() in MISSING:
            odd.append(f"{label!r} is taken for a class: is a label missing there?")
    alike = "differ in case or blanks alone, but are classes apart"
    for groups, how in ((cases, alike), (numbers, "are one number, but classes apart")):
        for same in groups.values():
            if len(same) > 1:
                odd.append(f"the labels {' and '.join(map(repr, same))} {how}")
    for line in odd[:ODD_LABELS]:
        logger.warning("%s: %s", path, line)
    if len(odd) > ODD_LABELS:
        logger.warning("%s: %s more such labels", path, f"{len(odd) - ODD_LABELS:,}")


def labels_within(text: str, separator: str, width: int, index: int | None) -> set[str | None]:
    """The labels of what looks like whole rows of a table among the lines of a text.

    Args:
        text: the text.
        separator: of the table's columns.
        width: how many these are.
        index: the column of labels; without one, each row has the label None.
    """
    rows = (line.split(separator) for line in text.splitlines())
    return {
        None if index is None else row[index].strip('" ') for row in rows if len(row) == width > 1
    }


def report_swallowed(file: Path, lines: list[int]) -> None:
    """Lines whose texts hold rows: a quote may be unbalanced."""
    if lines:
        logger.warning(
            "%s: %d of the texts have lines that look like rows (%s): is a quote unbalanced?",
            *(file, len(lines), _some(file, lines)),
        )


def report_repeats(frames: dict[str, pd.DataFrame]) -> None:
    """Texts that are there twice: with two labels, in the training split, or in two splits.

    Args:
        frames: ``text``, ``label``, ``file`` and ``place`` of each split.
    """
    train = frames["train"]
    pairs = train.drop_duplicates(["text", "label"])
    odd = pairs[pairs["text"].duplicated()]
    if len(odd):
        logger.warning(
            "%d training texts have another label elsewhere (%s)", len(odd), _pair(odd, train)
        )
    again = train[train["text"].duplicated()]
    if len(again) and len(frames) < 3:
        logger.warning(
            "%d training rows repeat a text (%s): splits taken of them may share it",
            *(len(again), _pair(again, train)),
        )
    done = {}
    for split, frame in frames.items():
        for other, earlier in done.items():
            both = frame[frame["text"].isin(earlier["text"])]
            if len(both):
                logger.warning(
                    "%d %s texts are in the %s split too (%s)",
                    *(len(both), split, other, _pair(both, earlier)),
                )
        done[split] = frame


def first_place(frame: pd.DataFrame) -> str:
    """The place of a frame's first row."""
    return place(frame["file"].iloc[0], frame["place"].iloc[0])


def _pair(rows, earlier):
    """The first of some rows, and the first with its text."""
    same = earlier[earlier["text"] == rows["text"].iloc[0]]
    here, there = first_place(rows), first_place(same)
    return f"{here} has the text of {there.removeprefix(here.rpartition(', ')[0] + ', ')}"


def _some(file, places):
    """The first few: "lines 4, 9, 12, ..", or names of files."""
    some = ", ".join(map(str, places[:SHOWN])) + ", .." * (len(places) > SHOWN)
    return (
        some if isinstance(places[0], str) else f"{unit_of(file)}{'s' * (len(places) > 1)} {some}"
    )
