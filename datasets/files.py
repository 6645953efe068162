"""Anybody's own files: CSV, TSV and JSON lines."""

import csv
import json
from pathlib import Path

import pandas as pd

from zoo.datasets.corpus import Corpus, class_numbers
from zoo.errors import UsageError, unknown

SUFFIXES = {".csv": ",", ".tsv": "\t", ".jsonl": None}


def read_table(path: str | Path) -> pd.DataFrame:
    """Reads a ``.csv``, ``.tsv`` (with a header) or ``.jsonl`` file, all values as text.

    Raises:
        UsageError: for a missing, empty or malformed file, naming the file and the line.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise unknown(f"kind of file of {path}:", path.suffix, SUFFIXES)
    if not path.is_file():
        siblings = [p.name for p in path.parent.glob("*") if p.suffix in SUFFIXES]
        here = f" In {path.parent} there is: {', '.join(sorted(siblings))}." if siblings else ""
        raise UsageError(f"no such file: {path}.{here} Check the path.")
    try:
        frame = _read_jsonl(path) if path.suffix == ".jsonl" else _read_separated(path)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error}. Convert it, with iconv for one.") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if frame.empty:
        raise UsageError(f"{path} has no rows: it must have a header and one row a text")
    return frame


def _read_separated(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=SUFFIXES[path.suffix], strict=True)
        try:
            header = next(rows, [])
            table = []
            for row in rows:
                if len(row) != len(header) and row:
                    raise UsageError(
                        f"{path}, line {rows.line_num}: {len(row)} columns where the header has "
                        f"{len(header)}; a text that contains the separator must be quoted"
                    )
                if row:
                    table.append(row)
        except csv.Error as error:
            raise UsageError(f"{path}, line {rows.line_num}: {error}") from None
    return pd.DataFrame(table, columns=header, dtype=object)


def _read_jsonl(path):
    table = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise UsageError(f"{path}, line {number}: not JSON: {error}") from None
            if not isinstance(row, dict):
                raise UsageError(f'{path}, line {number}: not an object like {{"text": ".."}}')
            table.append(row)
    return pd.DataFrame(table, dtype=object)


def read_column(path: str | Path, column: str, option: str, table=None) -> pd.Series:
    """A column of a file as stripped text.

    Raises:
        UsageError: if the column is missing, with the nearest match, or has no value in a row.
    """
    table = read_table(path) if table is None else table
    if column not in table:
        error = unknown(f"column of {path}:", column, table.columns)
        raise UsageError(f"{error} Choose one with {option}.")
    missing = table[column].isna()
    if missing.any():
        raise UsageError(f"{path}, row {missing.argmax() + 1} of the texts: no {column!r}")
    return table[column].astype(str).str.strip()


def read_labelled(
    path: str | Path, text_column: str = "text", label_column: str = "label"
) -> pd.DataFrame:
    """The texts and labels of a file, as a frame with the columns ``text`` and ``label``.

    Raises:
        UsageError: for a file that cannot be read, or a missing column or label.
    """
    table = read_table(path)
    frame = pd.DataFrame(
        {
            "text": read_column(path, text_column, "--text-column", table),
            "label": read_column(path, label_column, "--label-column", table),
        }
    )
    bad = (frame["label"] == "") | frame["label"].str.contains("\n")
    if bad.any():
        row = bad.argmax() + 1
        raise UsageError(f"{path}, row {row} of the texts: the label is empty or of many lines")
    return frame


def load_files(
    train: str | Path,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    **columns: str,
) -> Corpus:
    """A corpus from the user's own files.

    Args:
        train: CSV, TSV or JSON lines.
        validation, test: files of the same columns; without them they are split off ``train``.
        columns: ``text_column`` and ``label_column``, by default ``text`` and ``label``.

    Raises:
        UsageError: for a file that cannot be read, a missing column or label, a single class, or
            a label that the training file lacks.
    """
    paths = {"train": train, "validation": validation, "test": test}
    frames = {
        split: read_labelled(path, **columns) for split, path in paths.items() if path is not None
    }
    labels = sorted(frames["train"]["label"].unique())
    if len(labels) < 2:
        raise UsageError(f"{train} has one class only, {labels[0]!r}: there is nothing to learn")
    for split, frame in frames.items():
        class_numbers(frame, labels, str(paths[split]))
    return Corpus(Path(train).stem, labels, **frames)
