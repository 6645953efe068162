"""Anybody's own files: tables, globs of tables, folders of class folders."""

import glob
import io
import logging
import re
import sys
from collections.abc import Collection, Iterator
from numbers import Integral
from pathlib import Path

import pandas as pd

from zoo.datasets.columns import TEXT_COLUMNS, choose_columns, column_named
from zoo.datasets.corpus import Corpus, Split, class_numbers
from zoo.datasets.folders import children, find_splits, read_class_folders, short_name
from zoo.datasets.labels import in_label_order
from zoo.datasets.reports import (
    holds_rows,
    place,
    report_left_out,
    report_odd_labels,
    report_repeats,
    report_swallowed,
    skipped,
    some_of,
)
from zoo.datasets.separated import MARKS, separator_of
from zoo.datasets.tables import NO_ROWS, SEPARATED, SUFFIXES, kind_of, read_columns, read_rows
from zoo.datasets.text_files import (
    Problem,
    composed,
    open_text,
    undecodable,
    unpacked,
    well_formed,
)
from zoo.errors import UsageError, unknown

ON_BAD_ROW = ("fail", "skip")
RARE_CLASSES = ("drop", "merge")
MERGED = "other"  # the class of merged ones
KINDS = (*(f"a {suffix} file" for suffix in SUFFIXES), "a folder", "a glob")

logger = logging.getLogger("zoo")


class NoRows(UsageError):
    """A table, a glob or a folder without a row."""


def as_path(path: str | Path) -> Path:
    """Refuses an empty one, which pathlib takes for the working folder."""
    if path == "":
        raise UsageError("an empty path, as of a shell variable that is not set: give a file")
    return Path(path)


def is_path(data: str | Path) -> bool:
    """Whether ``data`` is meant as a file, a folder or a glob, be it there or not."""
    return kind_of(data) is not None or glob.has_magic(str(data)) or Path(data).exists()


def load_files(
    train: str | Path,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    text_column: str | None = None,
    label_column: str | None = None,
    on_bad_row: str = "fail",
    min_class_size: int = 1,
    rare_classes: str = "drop",
) -> Corpus:
    """A corpus from the user's own files. Letters and their accents are :func:`composed`.

    A table is CSV, TSV, JSON lines (each also in gzip) or Parquet. A glob stands for tables with
    the same columns. A folder has a folder of ``.txt`` files for each class; or, for each split,
    such a folder or a table, named ``train``, ``validation`` (or ``valid``, ``val``, ``dev``) and
    ``test``.

    Args:
        train: a table, a glob or a folder.
        validation, test: the same; without them the splits are taken of ``train``, by
            :meth:`Corpus.split`.
        text_column, label_column: by default ``text`` and ``label``, or else well-known names,
            which the log announces; so, too, in a split that lacks those of ``train``. Class
            folders have none.
        on_bad_row: "fail" refuses the file at its first bad row; "skip" leaves bad rows out and
            reports their number and lines.
        min_class_size: a class of fewer texts in ``train`` is rare, splits that are taken of these
            included. By default none is, and a label that they lack is refused.
        rare_classes: "drop" leaves the texts of rare classes out, of all splits; "merge" puts them
            into a class "other", the last. The log tells which they are.

    Returns:
        The corpus. Its ``columns`` are the names of the columns, also where they were guessed; its
        labels are in the order of :func:`zoo.datasets.labels.in_label_order`.

    Raises:
        UsageError: for a file that cannot be read, a missing column, a bad row, more bad rows
            than good ones, a single class, or a label that the training file lacks.
    """
    check_rare(min_class_size, rare_classes)
    own = {"validation": validation, "test": test}
    within = find_splits(as_path(train))
    if within:
        others = set(children(as_path(train))) - set(within.values())
        report_left_out(as_path(train), sorted(others))
    paths = {"train": train} | within
    paths |= {split: path for split, path in own.items() if path is not None}
    columns = {"text_column": text_column, "label_column": label_column}
    given = " and ".join(repr(column) for column in columns.values() if column is not None)
    if given and all(Path(path).is_dir() for path in paths.values()):
        raise UsageError(f"{train} has no columns: leave out {given}")
    frames, found = {}, {}
    for split, path in paths.items():
        own = {
            option: column_of(path, found[option]) if option in found else name
            for option, name in columns.items()
        }
        frames[split] = read_labelled(path, **own, on_bad_row=on_bad_row)
        for option, name in frames[split].attrs["columns"].items():
            role = option.removesuffix("_column")
            if found.get(option) and own[option] is None and name == role:  # else it is told
                logger.info("%s has no column %r: %ss are in %r", path, found[option], role, name)
        found = frames[split].attrs["columns"] | found
    sizes = frames["train"]["label"].value_counts()
    if min_class_size > 1:
        kept = set(sizes.index[sizes >= min_class_size])
        for split, path in paths.items():
            frames[split] = without_rare(
                frames[split], path, kept, min_class_size, rare_classes, split
            )
            if split == "train":
                kept |= {MERGED} & set(frames[split]["label"])
    labels = in_label_order(frames["train"]["label"].unique())
    if rare_classes == "merge" and MERGED in labels:  # the last, behind numbers
        labels = [*in_label_order({*labels} - {MERGED}), MERGED]
    report_odd_labels(train, labels)
    if len(labels) < 2:
        raise UsageError(f"{train} has one class only, {labels[0]!r}: there is nothing to learn")
    splits = {}
    for split, frame in frames.items():
        splits[split] = Split(frame["text"], class_numbers(frame, labels))
        there = set(frame["label"])
        if absent := [label for label in labels if label not in there]:
            logger.warning("%s has no text of: %s", paths[split], some_of(absent))
    report_repeats(frames)
    corpus = Corpus(short_name(train), labels, **splits)
    corpus.columns = found
    return corpus


def check_rare(min_class_size: int, rare_classes: str) -> None:
    """Refuses what is no size of a class, or no way to deal with rare ones."""
    if not isinstance(min_class_size, Integral) or min_class_size < 1:
        raise UsageError(f"min_class_size must be a whole number from 1: got {min_class_size!r}")
    if rare_classes not in RARE_CLASSES:
        raise unknown("rare_classes", rare_classes, RARE_CLASSES)
    if rare_classes == "merge" and min_class_size == 1:
        raise UsageError("rare_classes needs min_class_size of 2 or more, which tells what is rare")


def without_rare(
    frame: pd.DataFrame,
    path: str | Path,
    kept: Collection[str],
    min_class_size: int = 1,
    rare_classes: str = "drop",
    split: str = "test",
) -> pd.DataFrame:
    """The rows of a split as a corpus without rare classes has them; the log tells which go.

    Args:
        frame: a column ``label``, and others.
        path: where they are from.
        kept: the classes that are not rare; in a run, the labels of its model.
        min_class_size, rare_classes: as those of :func:`load_files`.
        split: whose they are.

    Raises:
        UsageError: if no row is left.
    """
    merge = rare_classes == "merge"
    if merge and split != "train" and MERGED not in kept:
        return frame  # no class was rare
    rare = ~frame["label"].isin({*kept, MERGED} if merge else kept)
    if min_class_size <= 1 or not rare.any():
        return frame
    sizes = frame["label"][rare].value_counts()
    logger.warning(
        "%s: %s rows of %s with fewer than %d training texts %s: %s",
        *(path, f"{rare.sum():,}", _classes(len(sizes)), min_class_size),
        *(f"become the class {MERGED!r}" if merge else "are left out", some_of(sizes.index)),
    )
    if merge:
        return frame.assign(label=frame["label"].mask(rare, MERGED))
    if rare.all():
        raise UsageError(
            f"{path}: no text is of a class with {min_class_size} training texts (min_class_size)"
        )
    return frame[~rare]


def _classes(number):
    return "1 class" if number == 1 else f"{number:,} classes"


def read_texts(
    path: str | Path, text_column: str | None = None, on_bad_row: str = "fail"
) -> list[str]:
    """The texts of tables or folders, or the lines of ``.txt`` files; some may be empty.

    A file of a folder is one text, each line of another ``.txt`` file is one.

    Letters and their accents are :func:`composed`.

    Args:
        path: as for :func:`load_files`, or ``.txt`` or ``.txt.gz``, or a glob of these. What is
            not Unicode in a line of these is replaced, NUL bytes are left out; both are reported.
        text_column: by default ``text``, or else a well-known name, which the log announces.
            Lines and folders have none.
        on_bad_row: as that of :func:`load_files`.

    Raises:
        UsageError: if the file cannot be read or lacks the column, or for a bad row.
    """
    return [text for _, text in stream_texts(path, text_column, on_bad_row)]


def text_column_of(path: str | Path, text_column: str | None = None) -> str | None:
    """The column of texts that :func:`stream_texts` takes; None where there are no columns."""
    path = as_path(path)
    if path.is_dir() or _is_lines(path):
        return text_column
    return _open_rows(path, text_column, None, labelled=False)[0]["text_column"]


def column_of(path: str | Path, column: str | None) -> str | None:
    """A column, if a file that it may not have been meant for has it; else None."""
    if column is None:
        return None
    try:
        return column_named(column, read_columns(matching_files(Path(path))[0]))
    except UsageError:  # lines of text or a folder; or what its reader will tell
        return None


def stream_texts(
    path: str | Path, text_column: str | None = None, on_bad_row: str = "fail"
) -> Iterator[tuple[dict[str, str | int], str]]:
    """What :func:`read_texts` gives, one by one; an error comes where it is met.

    Yields:
        Where a text is from, its ``file`` and, but of a folder, ``line`` (in Parquet: the row), and
        the text.
    """
    if on_bad_row not in ON_BAD_ROW:
        raise unknown("on_bad_row", on_bad_row, ON_BAD_ROW)
    path = as_path(path)
    is_lines = _is_lines(path)
    if text_column is not None and (is_lines or path.is_dir()):
        raise UsageError(f"{path} has no columns: leave out {text_column!r}, the column of texts")
    if is_lines:
        for file in matching_files(path):
            for number, text in enumerate(lines_of(file), start=1):
                yield {"file": well_formed(str(file)), "line": number}, text
        return
    _, rows = _open_rows(path, text_column, None, labelled=False)
    for file, where, (text, _) in _good_rows(path, rows, on_bad_row, labelled=False):
        in_folder = isinstance(where, str)
        name = well_formed(str(file / where if in_folder else file))
        yield {"file": name} | ({} if in_folder else {"line": where}), (text or "").strip()


def _is_lines(path):
    paths = [] if path.is_dir() else matching_files(path)
    return bool(paths) and all(unpacked(one).suffix.lower() == ".txt" for one in paths)


def lines_of(path: Path, file: io.BufferedReader | None = None) -> Iterator[str]:
    """The lines of a text file, or of what is open already, each a text.

    What is not Unicode is replaced, NUL bytes are left out, and both reported; so is a first line
    that looks like a table's or has carriage returns.

    Raises:
        UsageError: if it cannot be read, is of another kind, or its first line has NUL bytes.
    """
    bad, nul = [], []
    try:
        with open_text(path, file) as file:
            file.reconfigure(newline="\n")  # a lone carriage return ends no line
            for number, line in enumerate(file, start=1):
                if number == 1 and _is_of_table(line):
                    logger.warning(
                        "%s: each line is a text, but the first looks like a table's: %r; give a "
                        "table as a .csv, .tsv or .jsonl file",
                        *(path, line[:60]),
                    )
                if number == 1 and "\0" in line:
                    raise UsageError(f"{path}, line 1: NUL bytes: save the file as UTF-8")
                if number == 1 and "\r" in line.rstrip("\r\n"):
                    logger.warning("%s: line 1 has carriage returns, which end no line", path)
                if "\0" in line:
                    nul.append(number)
                    line = line.replace("\0", "")
                if undecodable(line):
                    bad.append(number)
                    line = well_formed(line)
                yield composed(line.rstrip("\r\n"))
    finally:  # also where no more are asked for
        for kind, lines in (("are not UTF-8", bad), ("have NUL bytes, which are left out", nul)):
            if lines:
                logger.warning("%s: %d lines %s (the first: %d)", path, len(lines), kind, lines[0])


def _is_of_table(line):
    cells = [cell.strip('"\r\n ').lower() for cell in re.split(f"[{MARKS}]", line)]
    return line.startswith('{"') or (len(cells) > 1 and not {*cells}.isdisjoint(TEXT_COLUMNS))


def read_labelled(
    path: str | Path,
    text_column: str | None = None,
    label_column: str | None = None,
    on_bad_row: str = "fail",
) -> pd.DataFrame:
    """The texts and labels of a table, a glob or a folder, and where each is from.

    Args:
        path, text_column, label_column, on_bad_row: as those of :func:`load_files`.

    Returns:
        The columns ``text``, ``label``, ``file`` and ``place`` (see
        :func:`zoo.datasets.reports.place`). ``attrs["columns"]`` are the names of the columns.

    Raises:
        UsageError: for what cannot be read, a missing column, or a bad row.
    """
    path = as_path(path)
    columns, rows = _open_rows(path, text_column, label_column)
    good = {"text": [], "label": [], "file": [], "place": []}
    for file, where, (text, label) in _good_rows(path, rows, on_bad_row):
        row = (text.strip(), sys.intern(label.strip()), file, where)
        for column, value in zip(good.values(), row, strict=True):
            column.append(value)
    frame = pd.DataFrame(good, dtype=object)
    frame.attrs["columns"] = columns
    return frame


def _good_rows(path, rows, on_bad_row, labelled=True):
    """Rows without those that have a problem: these end it, or are counted and told."""
    if on_bad_row not in ON_BAD_ROW:
        raise unknown("on_bad_row", on_bad_row, ON_BAD_ROW)
    file, good, bad, read = None, 0, [], False
    try:
        for file, where, values in rows:
            problem = values if isinstance(values, Problem) else _problem(*values, labelled)
            if problem is None:
                good += 1
                yield file, where, [value and composed(value) for value in values]
            elif on_bad_row == "skip":
                bad.append((file, where, problem.kind))
            else:
                way_out = "or leave bad rows out with --on-bad-row skip"
                raise UsageError(f"{place(file, where)}: {problem.message}; {way_out}")
        read = True
    finally:  # also where no more are asked for
        reports = list(skipped(bad))
        if not read or len(bad) <= good:
            for report in reports:
                logger.warning("%s", report)
    if file is None:
        raise NoRows(f"{path} has no rows: {NO_ROWS}")
    if len(bad) > good:
        raise UsageError(
            f"only {good} {'row is' if good == 1 else 'rows are'} left of {'; '.join(reports)}"
        )


def _open_rows(path, text_column, label_column, labelled=True):
    """The names of the columns, and file, place, and values or a problem of each row."""
    if path.is_dir():
        return {}, read_class_folders(path, labelled)
    files = matching_files(path)
    names = read_columns(files[0])
    chosen = choose_columns(files[0], names, text_column, label_column, labelled)
    columns = dict(zip(("text_column", "label_column"), chosen, strict=True))
    return columns, (row for file in files for row in _table(file, *chosen))


def matching_files(path: Path) -> list[Path]:
    """The files that a glob stands for, or the path itself.

    Raises:
        UsageError: if it is a glob and no file matches.
    """
    if path.exists() or not glob.has_magic(str(path)):
        return [path]
    files = sorted(map(Path, glob.glob(str(path), recursive=True)))
    if not files:
        raise UsageError(f"no file matches {path}. Check the path, and quote it in a shell.")
    return files


def _table(file, text, label) -> Iterator[tuple]:
    """Rows of a table: file, place, and values or a problem."""
    names = read_columns(file)
    # All files have them, but may write their accents in another way.
    text, label = choose_columns(file, names, text, label, labelled=label is not None)
    index = None if label is None else names.index(label)
    labels, long_texts, swallowed = set(), [], []
    watched = kind_of(file) == ".tsv" or (label is not None and kind_of(file) in SEPARATED)
    separator = separator_of(file) if watched else None
    for number, values in read_rows(file, [text] if label is None else [text, label]):
        if not isinstance(values, Problem):
            values = (values[0], values[1] if label is not None else None)
            labels.add(values[1])
            if watched and values[0] and "\n" in values[0]:
                if label is not None:  # all of which are not known yet
                    long_texts.append((number, values[0]))
                elif holds_rows(values[0], separator, len(names)):
                    swallowed.append(number)
        yield file, number, values
    for number, long in long_texts:
        if holds_rows(long, separator, len(names), index, labels):
            swallowed.append(number)
    report_swallowed(file, swallowed)


def _problem(text, label, labelled=True) -> Problem | None:
    """What is wrong with the values of a row."""
    for name, value in (("text", text), ("label", label)):
        if labelled and not (value and value.strip()):
            return Problem(f"without a {name}", f"no {name}")
        if value and "\0" in value:
            return Problem("with NUL bytes", f"NUL bytes in the {name}: save the file as UTF-8")
        if value and (reason := undecodable(value)):
            return Problem("not UTF-8", reason)
    if label and re.search(r"[\r\n]", label.strip()):
        return Problem("with a label of many lines", f"a label of many lines: {label[:40]!r}")
    return None
