"""Anybody's own files: tables, globs of tables, folders of class folders."""

import glob
import json
import logging
import re
import sys
from collections.abc import Collection, Iterator
from numbers import Integral
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from zoo.answers import ONE, of_form
from zoo.answers.class_labels import in_label_order
from zoo.datasets.corpus import Corpus, Split, targets_of
from zoo.datasets.own_files.class_folders import (
    children,
    find_splits,
    read_class_folders,
    short_name,
)
from zoo.datasets.own_files.columns import (
    TEXT_COLUMNS,
    Columns,
    choose_columns,
    column_among,
    column_named,
    listed_columns,
    plain_columns,
)
from zoo.datasets.own_files.in_memory import FORMS
from zoo.datasets.own_files.label_cells import LabelCells, clean, in_one_form, problem_of
from zoo.datasets.own_files.row_reports import (
    labels_within,
    place,
    report_left_out,
    report_odd_labels,
    report_repeats,
    report_swallowed,
    skipped,
    some_of,
)
from zoo.datasets.own_files.separated_values import MARKS
from zoo.datasets.own_files.tables import (
    NESTED,
    NO_ROWS,
    SUFFIXES,
    as_text,
    kind_of,
    of_frame,
    open_table,
)
from zoo.datasets.own_files.text_files import (
    Problem,
    advice_on,
    check_encoding,
    composed,
    open_text,
    undecodable,
    unpacked,
    well_formed,
)
from zoo.errors import UsageError, unknown
from zoo.filesystem.paths import expanded
from zoo.progress import progress

ON_BAD_ROW = ("fail", "skip")
RARE_CLASSES = ("drop", "merge")
MERGED = "other"  # the class of merged ones
KINDS = (*(f"a {suffix} file" for suffix in SUFFIXES), "a folder", "a glob")
FRAME = Path("the DataFrame")  # in messages
BETWEEN = "\n\n"  # between the parts of a text from several columns: a sentence ends there

logger = logging.getLogger("zoo")


class NoRows(UsageError):
    """A table, a glob or a folder without a row."""


def as_path(path: str | Path) -> Path:
    """The path, with ``~`` expanded. Refuses an empty path, which pathlib takes for the working
    folder, and anything else than a path.

    Example:
        >>> from zoo import datasets
        >>> datasets.as_path("reviews.csv").name
        'reviews.csv'
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"a {type(path).__name__} where a path is wanted: write it to a file")
    if path == "":
        raise UsageError("an empty path, as of a shell variable that is not set: give a file")
    return expanded(path)


def is_path(data: str | Path) -> bool:
    """Whether ``data`` is meant as a file, a folder or a glob, be it there or not."""
    return kind_of(data) is not None or glob.has_magic(str(data)) or expanded(data).exists()


def check_data(data: Any) -> None:
    """Refuses what is neither a name, nor a path, nor a DataFrame."""
    if isinstance(data, str | Path | pd.DataFrame):
        return
    way_out = "pandas.DataFrame(..) makes one of a list of dictionaries or of columns"
    if hasattr(data, "to_pandas"):  # of Polars, PyArrow, Hugging Face
        way_out = "give its .to_pandas()"
    elif isinstance(data, pd.Series):
        way_out = "put it beside its labels, as by pandas.concat([texts, labels], axis=1)"
    raise UsageError(
        "data must be the name of a corpus or a path, such as that of a CSV file, or "
        f"{FORMS}: got a {type(data).__name__}; {way_out}"
    )


def load_files(
    train: str | Path | pd.DataFrame,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    text_column: Columns = None,
    label_column: Columns = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    min_class_size: int = 1,
    rare_classes: str = "drop",
    label_separator: str | None = None,
    weight_column: str | None = None,
) -> Corpus:
    """A corpus from the user's own files. Letters and their accents are :func:`composed`.

    A table is CSV, TSV, JSON (one object a line, or an array of objects), each also in gzip, or
    Parquet; or a DataFrame. A glob stands for tables with the same columns. A folder has a folder
    of ``.txt`` files for each class; or, for each split, such a folder or a table, named ``train``,
    ``validation`` (or ``valid``, ``val``, ``dev``) and ``test``.

    Args:
        train: a table, a glob or a folder.
        validation, test: the same; without them :meth:`Corpus.split` takes the splits out of
            ``train``.
        text_column, label_column: by default ``text`` and ``label``, or else well-known names,
            which the log announces, also for a split that lacks the columns of ``train``. Class
            folders have no columns. Several text columns are read as one text, with an empty line
            between their parts. Several label columns hold 0 or 1, and their names are the labels.
        on_bad_row: "fail" refuses the file at its first bad row; "skip" leaves bad rows out and
            reports their number and lines.
        encoding: the encoding, such as "cp1252", of files without a byte order mark for UTF-8,
            UTF-16 or UTF-32; by default UTF-8.
        min_class_size: a class with fewer texts in ``train`` is rare; splits that are taken out of
            ``train`` are counted with it. By default no class is rare, and a label that ``train``
            lacks is refused.
        rare_classes: "drop" leaves the texts of rare classes out of all splits; "merge" puts them
            into a last class, "other". The log names the rare classes.
        label_separator: what stands between several labels in a cell, such as ";".
        weight_column: the column that tells how much each text counts in training; None if all
            texts count the same.

    Texts have several labels, or none, if a column of JSON or Parquet holds lists, if there is a
    separator, or if there are several columns of labels. Numbers other than 0 and 1 in columns of
    labels, or in dictionaries of JSON, are the shares of a text's labels.

    Returns:
        The corpus. Its ``columns`` are the names of the columns that were given or guessed; its
        labels are in the order of :func:`zoo.answers.class_labels.in_label_order`.

    Raises:
        UsageError: for a file that cannot be read, a missing column, a bad row, more bad rows
            than good ones, a single class, or a label that the training file lacks.

    Example:
        >>> from zoo import datasets
        >>> corpus = datasets.load_files("reviews.csv", text_column="text", label_column="label")
        >>> len(corpus.train), corpus.labels
        (60, ['bad', 'good'])
    """
    check_rare(min_class_size, rare_classes)
    paths = {"train": _source(train)}
    if isinstance(paths["train"], Path):
        within = find_splits(paths["train"])
        if within:
            others = set(children(paths["train"])) - set(within.values())
            report_left_out(paths["train"], sorted(others))
        paths |= within
    further = {"validation": validation, "test": test}
    paths |= {split: as_path(path) for split, path in further.items() if path is not None}
    title = short_name(train)
    train = paths["train"] if isinstance(paths["train"], Path) else FRAME
    columns = {"text_column": text_column, "label_column": label_column}
    given = " and ".join(repr(column) for column in columns.values() if column is not None)
    how: dict[str, Any] = {
        "on_bad_row": on_bad_row,
        "encoding": encoding,
        "label_separator": label_separator,
    }
    if given and all(isinstance(path, Path) and path.is_dir() for path in paths.values()):
        raise UsageError(f"{train} has no columns: leave out {given}")
    frames, found = {}, {}
    for split, path in paths.items():
        own: dict[str, Any] = {
            option: column_of(path, found[option], encoding) if option in found else name
            for option, name in columns.items()
        }
        if split == "train":
            how["weight_column"] = weight_column
        else:
            how |= {"weight_column": None, "form": frames["train"].attrs["form"]}
        frames[split] = read_labelled(path, **own, **how)
        for option, name in frames[split].attrs["columns"].items():
            role = option.removesuffix("_column")
            # Other names are reported already.
            if found.get(option) and own.get(option) is None and name == role:
                logger.info("%s has no column %r: %ss are in %r", path, found[option], role, name)
        found = frames[split].attrs["columns"] | found
    told = paths | {"train": train}
    kind = of_form(frames["train"].attrs["form"])
    if min_class_size > 1:
        sizes = kind.sizes(frames["train"]["label"])
        kept = {label for label, size in sizes.items() if size >= min_class_size}
        for split, path in told.items():
            frames[split] = without_rare(
                frames[split], path, kept, min_class_size, rare_classes, split, kind
            )
            if split == "train":
                kept |= {MERGED} & kind.labels_in(frames[split]["label"])
    labels = in_label_order(kind.labels_in(frames["train"]["label"]))
    if rare_classes == "merge" and MERGED in labels:  # the last, behind numbers
        labels = [*in_label_order({*labels} - {MERGED}), MERGED]
    report_odd_labels(train, labels)
    if len(labels) < 2:
        only = f"one class only, {labels[0]!r}" if labels else "no label"
        raise UsageError(f"{train} has {only}: there is nothing to learn")
    splits: dict[str, Any] = {}
    for split, frame in frames.items():
        weights = frame.get("weight")
        splits[split] = Split(frame["text"], targets_of(frame, labels, kind), weights)
        there = kind.labels_in(frame["label"])
        if absent := [label for label in labels if label not in there]:
            logger.warning("%s has no text of: %s", told[split], some_of(absent))
    report_repeats(frames)
    corpus = Corpus(title, labels, **splits, kind=kind)
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
    kind: Any = ONE,
) -> pd.DataFrame:
    """The rows of a split as a corpus without rare classes has them; the log tells which go.

    Args:
        frame: a column ``label``, and others.
        path: where they are from.
        kept: the classes that are not rare; in a run, the labels of its model.
        min_class_size, rare_classes: as those of :func:`load_files`.
        split: whose they are.
        kind: of the answers.

    Raises:
        UsageError: if no row is left.
    """
    merge = rare_classes == "merge"
    if merge and split != "train" and MERGED not in kept:
        return frame  # no class was rare
    if min_class_size <= 1:
        return frame
    sizes = kind.sizes(frame["label"])
    common = {*kept, MERGED} if merge else {*kept}
    rare = {label: size for label, size in sizes.items() if label not in common}
    if not rare:
        return frame
    logger.warning(
        "%s: %s rows of %s with fewer than %d training texts %s: %s",
        *(path, f"{sum(rare.values()):,}", _classes(len(rare)), min_class_size),
        *(f"become the class {MERGED!r}" if merge else "are left out", some_of([*rare])),
    )
    labels, stay = kind.without(frame["label"], {*rare}, MERGED if merge else None)
    frame = frame.assign(label=labels)
    if not stay.any():
        raise UsageError(
            f"{path}: no text is of a class with {min_class_size} training texts (min_class_size)"
        )
    return frame[stay]


def _classes(number):
    return "1 class" if number == 1 else f"{number:,} classes"


def read_texts(
    path: str | Path,
    text_column: str | None = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
) -> list[str]:
    """The texts of tables or folders, or the lines of ``.txt`` files; some may be empty.

    A file of a folder is one text, each line of another ``.txt`` file is one.

    Letters and their accents are :func:`composed`.

    Args:
        path: as for :func:`load_files`, or ``.txt`` or ``.txt.gz``, or a glob of these. What is
            not Unicode in a line of these is replaced, NUL bytes are left out; both are reported.
        text_column: by default ``text``, or else a well-known name, which the log announces.
            Lines and folders have none.
        on_bad_row, encoding: as those of :func:`load_files`.

    Raises:
        UsageError: if the file cannot be read or lacks the column, or for a bad row.

    Example:
        >>> from zoo import datasets
        >>> len(datasets.read_texts("reviews.csv"))
        60
    """
    return [text for _, text in stream_texts(path, text_column, on_bad_row, encoding)]


def text_column_of(
    path: str | Path, text_column: Columns = None, encoding: str | None = None
) -> Columns:
    """The column of texts that :func:`stream_texts` takes; None where there are no columns."""
    path = as_path(path)
    if path.is_dir() or _is_lines(path):
        return text_column
    return _open_rows(path, text_column, None, encoding, labelled=False)[0]["text_column"]


def column_of(
    path: str | Path | pd.DataFrame, column: Columns, encoding: str | None = None
) -> Columns:
    """The column if a file has it, else None. Another file's column may be asked for.

    Of several columns it gives those that the file has, as the file spells them.

    Example:
        >>> from zoo import datasets
        >>> datasets.column_of("reviews.csv", "text"), datasets.column_of("reviews.csv", "rating")
        ('text', None)
    """
    if column is None:
        return None
    try:
        names = _open_first(_source(path), encoding)[1].columns
    except UsageError:  # lines of text or a folder; or what its reader will tell
        return None
    found = [column_named(one, names) for one in listed_columns(column)]
    return plain_columns([one for one in found if one is not None])


def table_kind(path: str | Path) -> str | None:
    """The suffix of a table, or of the first of a glob; None of a folder and of lines of text."""
    path = as_path(path)
    return None if path.is_dir() else kind_of(matching_files(path)[0])


def _open_first(source, encoding):
    """The files of a table or a glob, and the first of them, open."""
    if isinstance(source, pd.DataFrame):
        return [FRAME], of_frame(source)
    files = matching_files(source)
    return files, open_table(files[0], encoding)


def _source(data):
    """A DataFrame as it is, and any other data as a path."""
    return data if isinstance(data, pd.DataFrame) else as_path(data)


def stream_texts(
    path: str | Path | pd.DataFrame,
    text_column: Columns = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    keep: bool = False,
) -> Iterator[tuple[dict[str, Any], str]]:
    """What :func:`read_texts` gives, one by one; an error comes where it is met.

    Yields:
        Where a text is from, its ``file`` and, but of a folder, ``line`` (in Parquet and in arrays
        of JSON: the row), and the text. With ``keep``, of a table, the whole row in place of that,
        as it is in the file, by the names of its columns; of several tables after the ``file``.
    """
    if on_bad_row not in ON_BAD_ROW:
        raise unknown("on_bad_row", on_bad_row, ON_BAD_ROW)
    path = _source(path)
    is_table = isinstance(path, pd.DataFrame)
    is_lines = not is_table and _is_lines(path)
    if text_column is not None and not is_table and (is_lines or path.is_dir()):
        raise UsageError(f"{path} has no columns: leave out {text_column!r}, the column of texts")
    if is_lines:
        for file in matching_files(path):
            for number, text in enumerate(lines_of(file, encoding), start=1):
                yield {"file": well_formed(str(file)), "line": number}, text
        return
    _, rows = _open_rows(path, text_column, None, encoding, labelled=False, keep=keep)
    good = _good_rows(path, rows, on_bad_row, encoding, labelled=False)
    several = keep and not is_table and len(matching_files(path)) > 1
    for file, where, (text, _, own) in good:
        in_folder = isinstance(where, str)
        if own is None:
            name = well_formed(str(file / where if in_folder else file))
            own = {"file": name} | ({} if in_folder else {"line": where})
        elif several:
            own = {"file": well_formed(str(file))} | own
        yield own, (text or "").strip()


def _is_lines(path):
    paths = [] if path.is_dir() else matching_files(path)
    return bool(paths) and all(unpacked(one).suffix.lower() == ".txt" for one in paths)


def lines_of(
    path: Path, encoding: str | None = None, file: BinaryIO | None = None
) -> Iterator[str]:
    """The lines of a text file, or of what is open already, each a text.

    What is not Unicode is replaced, NUL bytes are left out, and both reported; so is a first line
    that looks like a table's or has carriage returns.

    Raises:
        UsageError: if it cannot be read, is of another kind, or its first line has NUL bytes.
    """
    bad, nul = [], []
    try:
        with open_text(path, encoding, file) as file:
            file.reconfigure(newline="\n")  # a lone carriage return ends no line
            for number, line in enumerate(file, start=1):
                if number == 1 and _is_of_table(line):
                    logger.warning(
                        "%s: each line is a text, but the first looks like a table's: %r; give a "
                        "table as a .csv, .tsv or .jsonl file",
                        *(path, line[:60]),
                    )
                if number == 1 and "\0" in line:
                    advice = f"save the file as UTF-8{advice_on(path, encoding)}"
                    raise UsageError(f"{path}, line 1: NUL bytes: {advice}")
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
        kinds = {f"are not {encoding or 'UTF-8'}": bad, "have NUL bytes, which are left out": nul}
        for kind, lines in kinds.items():
            if lines:
                advice = advice_on(path, encoding) if lines is bad else ""
                advice = advice.replace(", or give", ": give")
                logger.warning(
                    "%s: %d lines %s (the first: %d)%s", path, len(lines), kind, lines[0], advice
                )


def _is_of_table(line):
    cells = [cell.strip('"\r\n ').lower() for cell in re.split(f"[{MARKS}]", line)]
    return line.startswith('{"') or (len(cells) > 1 and not {*cells}.isdisjoint(TEXT_COLUMNS))


def read_labelled(
    path: str | Path | pd.DataFrame,
    text_column: Columns = None,
    label_column: Columns = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    label_separator: str | None = None,
    weight_column: str | None = None,
    form: str | None = None,
) -> pd.DataFrame:
    """The texts and labels of a table, a glob or a folder, and where each is from.

    Args:
        path, text_column, label_column, on_bad_row, encoding, label_separator, weight_column: as
            those of :func:`load_files`.
        form: of the labels, as others have it; by default as they are.

    Returns:
        The columns ``text``, ``label``, ``file`` and ``place`` (see :func:`row_reports.place`), and
        ``weight``, where there is a column of weights. ``attrs["columns"]`` are the names of the
        columns, ``attrs["form"]`` is the form of labels, as :mod:`zoo.answers` has it.

    Raises:
        UsageError: for what cannot be read, a missing column, or a bad row.

    Example:
        >>> from zoo import datasets
        >>> datasets.read_labelled("reviews.csv").columns.tolist()
        ['text', 'label', 'file', 'place']
    """
    path = _source(path)
    columns, rows = _open_rows(
        path,
        text_column,
        label_column,
        encoding,
        separator=label_separator,
        weight_column=weight_column,
    )
    good = {"text": [], "label": [], "file": [], "place": [], "weight": []}
    for file, where, (text, label, weight) in _good_rows(path, rows, on_bad_row, encoding):
        row = (text.strip(), label, file, where, weight)
        for column, value in zip(good.values(), row, strict=True):
            column.append(value)
    if weight_column is None:
        del good["weight"]
    good["label"], found = in_one_form(good["label"], form, _named(path))
    frame = pd.DataFrame({name: pd.Series(own, dtype=object) for name, own in good.items()})
    frame.attrs |= {"columns": columns, "form": found}
    return frame


def _named(source):
    return FRAME if isinstance(source, pd.DataFrame) else source


def _good_rows(path, rows, on_bad_row, encoding, labelled=True):
    """Rows without those that have a problem: these end it, or are counted and told."""
    if on_bad_row not in ON_BAD_ROW:
        raise unknown("on_bad_row", on_bad_row, ON_BAD_ROW)
    file, good, bad, read = None, 0, [], False
    path = FRAME if isinstance(path, pd.DataFrame) else path
    try:
        for file, where, values in progress(rows, f"Reading {path}", unit="rows"):
            is_bad = isinstance(values, Problem)
            problem = values if is_bad else _problem(*values[:2], encoding, labelled)
            if problem is None:
                good += 1
                text, label, own = values
                label = None if label is None else clean(label)
                label = sys.intern(label) if isinstance(label, str) else label
                yield file, where, (text and composed(text), label, own)
            elif on_bad_row == "skip":
                bad.append((file, where, problem.kind))
            else:
                source = file / where if isinstance(where, str) else file
                is_foreign = problem.kind == f"not {encoding or 'UTF-8'}"
                advice = advice_on(source, encoding) if is_foreign else ""
                way_out = 'or leave bad rows out with on_bad_row="skip" (--on-bad-row skip)'
                raise UsageError(f"{place(file, where)}: {problem.message}{advice}; {way_out}")
        read = True
    finally:  # also where no more are asked for
        reports = list(skipped(bad))
        if not read or len(bad) <= good:
            for report in reports:
                logger.warning("%s", report)
    if file is None:
        raise NoRows(f"{path} has no rows: {NO_ROWS}")
    if len(bad) > good:
        is_foreign = bad[0][2] == f"not {encoding or 'UTF-8'}"
        advice = advice_on(bad[0][0], encoding).replace(", or give", ": give") if is_foreign else ""
        raise UsageError(
            f"only {good} {'row is' if good == 1 else 'rows are'} left of "
            f"{'; '.join(reports)}{advice}"
        )


def _open_rows(
    source,
    text_column,
    label_column,
    encoding,
    labelled=True,
    keep=False,
    separator=None,
    weight_column=None,
):
    """The names of the columns, and file, place, and values or a problem of each row.

    The values are the text, the labels or None, and the whole row, its weight or None.
    """
    if isinstance(source, Path) and source.is_dir():
        check_encoding(encoding)
        rows = read_class_folders(source, labelled, encoding)
        return {}, ((file, where, (*values, None)) for file, where, values in rows)
    files, first = _open_first(source, encoding)
    chosen = choose_columns(files[0], first.columns, text_column, label_column, labelled)
    if weight_column is not None:
        weight_column = column_among(files[0], weight_column, first.columns, "weight")

    def rows():
        yield from _rows_of(files[0], first, *chosen, keep, separator, weight_column)
        for file in files[1:]:
            table = open_table(file, encoding)
            # All files have these columns, but may write their accents in another way.
            own = choose_columns(file, table.columns, *chosen, labelled)
            yield from _rows_of(file, table, *own, keep, separator, weight_column)

    found = dict(zip(("text_column", "label_column"), chosen, strict=True))
    return found | ({} if weight_column is None else {"weight_column": weight_column}), rows()


def _rows_of(file, table, text, label, keep, separator, weight):
    """Rows of a table: file, place, and values or a problem."""
    texts, labels = listed_columns(text), listed_columns(label)
    cells = LabelCells(labels, separator, len(labels) == 1 and labels[0] in table.nested)
    wanted = [*texts, *labels, *listed_columns(weight)]
    index = table.columns.index(labels[0]) if len(labels) == 1 else None
    watched = table.separator is not None and (labels or kind_of(file) == ".tsv")
    known, suspects = set(), {}
    for number, row in table.rows(wanted, keep, labels):
        if isinstance(row, Problem):
            yield file, number, row
            continue
        found = _text_of([row.get(name) for name in texts])
        own = row if keep else None if weight is None else _weight_of(row.get(weight))
        if bad := next((one for one in (found, own) if isinstance(one, Problem)), None):
            yield file, number, bad
            continue
        values = found, cells.read(row) if labels else None
        known.add(values[1] if isinstance(values[1], str) else None)
        if watched and "\n" in (found or ""):
            suspects[number] = labels_within(found, table.separator, len(row), index)
        yield file, number, (*values, own)
    report_swallowed(file, [number for number, found in suspects.items() if found & known])


def _text_of(values):
    """The text of a row: its parts with an empty line between them; None where all lack."""
    odd = next((type(value).__name__ for value in values if isinstance(value, NESTED)), None)
    if odd is not None:
        return Problem("with a value that is no text", f"a {odd} instead of a text")
    if len(values) == 1:
        return as_text(values[0])
    parts = [part.strip() for part in map(as_text, values) if part and part.strip()]
    return BETWEEN.join(parts) if parts else None


def _weight_of(value):
    try:
        number = float(as_text(value) or "")
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        shown = repr(as_text(value))
        return Problem("with a weight that is none", f"the weight is {shown}, not 0 or more")
    return number


def write_rows(path: Path, frame: pd.DataFrame, columns: dict[str, str]) -> None:
    """Writes columns of a DataFrame as JSON lines, which :func:`load_files` reads alike.

    Example:
        >>> from pathlib import Path
        >>> import pandas as pd
        >>> from zoo import datasets
        >>> frame = pd.DataFrame({"text": ["A fine day."], "label": ["good"]})
        >>> datasets.write_rows(Path("kept.jsonl"), frame, {"text": "text", "label": "label"})
        >>> Path("kept.jsonl").read_text()
        '{"text": "A fine day.", "label": "good"}\\n'
    """
    names = [name for columns in columns.values() for name in listed_columns(columns)]
    with path.open("w", encoding="utf-8") as file:
        for _, row in of_frame(frame).rows(names, False):
            cells = {name: _plain(value) for name, value in row.items()}  # type: ignore[union-attr]
            file.write(json.dumps(cells) + "\n")


def _plain(value):
    """A value of a cell, for JSON."""
    if isinstance(value, dict):
        return {str(name): float(share) for name, share in value.items()}
    if isinstance(value, NESTED):
        return list(map(as_text, value))
    return as_text(value)


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


def _problem(text, label, encoding, labelled=True) -> Problem | None:
    """What is wrong with the values of a row."""
    if labelled and not (text and text.strip()):
        return Problem("without a text", "no text")
    if text and "\0" in text:
        return Problem("with NUL bytes", "NUL bytes in the text: save the file as UTF-8")
    if text and (reason := undecodable(text, encoding)):
        return Problem(f"not {encoding or 'UTF-8'}", reason)
    return problem_of(label, encoding) if labelled else None
