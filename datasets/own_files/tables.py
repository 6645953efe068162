"""Tables in files: their columns and their rows, with all values as text."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo.datasets.own_files.columns import TEXT_COLUMNS
from zoo.datasets.own_files.separated_values import SUFFIXES as SEPARATED
from zoo.datasets.own_files.separated_values import check_header, read_separated
from zoo.datasets.own_files.text_files import Problem, open_text, unpacked
from zoo.errors import UsageError, unknown

TO_CSV, UNPACK = "save it as CSV", "unpack it, or pack it with gzip"
ADVICE = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), TO_CSV),
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"), UNPACK),
}
JSON = (".json", ".jsonl", ".ndjson")
SUFFIXES = (*SEPARATED, *JSON, ".parquet")
NO_ROWS = "it must have one for each text, in CSV and TSV after a header"
NO_OBJECT = 'not an object like {"text": "..", "label": ".."}'
LARGEST_OBJECT = 50_000_000  # characters; a longer object over several lines counts as faulty lines
NESTED = (list, tuple, set, frozenset, dict, np.ndarray)  # values that hold others
BLANKS = re.compile(r"[ \t\r\n]*")  # JSON's


class Number(str):
    """A number of JSON, as it is written there."""


def kind_of(path: str | Path) -> str | None:
    """The suffix that tells how to read a file, without ``.gz``; None for a file of another kind.

    >>> kind_of("reviews.csv.gz")
    '.csv'
    """
    suffix = unpacked(path).suffix.lower()
    if suffix not in SUFFIXES or (suffix == ".parquet" and unpacked(path) != Path(path)):
        return None
    return suffix


@dataclass
class Table:
    """An open table.

    Attributes:
        columns: their names, as they are there.
        rows: given names of columns, whether whole rows are wanted, and which columns may hold
            lists, the rows that follow, one by one: a number, of the line where a row starts (in
            Parquet and in an array of JSON: of the row), and its values by :func:`own_names`, at
            least of those columns; or its problem. Blank lines are none.
        separator: of columns, in CSV and TSV; else None.
        nested: those columns that hold lists or dictionaries.
    """

    columns: list[str]
    rows: Callable[..., Iterator[tuple[int, dict[str, Any] | Problem]]]
    separator: str | None = None
    nested: frozenset[str] = frozenset()


def open_table(path: str | Path, encoding: str | None = None) -> Table:
    """A table in a file. The columns of JSON are the keys of the first 1,000 objects.

    Raises:
        UsageError: for a missing or empty file, one of another kind, or a damaged header; and,
            among the rows, where the file is so damaged that no further one can be read.
    """
    path = Path(path)
    kind = _check(path)
    if kind == ".parquet":
        return _of_parquet(path)
    return _of_separated(path, encoding) if kind in SEPARATED else _of_json(path, encoding)


def _of_separated(path, encoding):
    separator, records = read_separated(path, encoding)
    line, first = next(records, (0, None))
    if first is None:
        raise UsageError(f"{path} has no rows: {NO_ROWS}")
    if isinstance(first, Problem):
        raise UsageError(f"{path}, line {line}, the header: {first.message}")
    columns = check_header(path, line, [name.strip() for name in first], encoding)
    names = own_names(columns)

    def rows(wanted, keep, lists=()):
        for line, row in records:
            if isinstance(row, Problem):
                yield line, row
            elif len(row) == len(names):
                yield line, dict(zip(names, row, strict=True))
            elif len(row) > 1 or row[0].strip():
                message = (
                    f"{len(row)} columns where the header has {len(names)}; a text that contains "
                    "the separator must be quoted"
                )
                yield line, Problem("ragged", message)

    return Table(columns, rows, separator)


def _of_json(path, encoding):
    objects = _objects(path, encoding)
    first = list(itertools.islice(objects, 1000))
    if not first:
        raise UsageError(f"{path} has no rows: {NO_ROWS}")
    good = [row for _, row in first if isinstance(row, dict)]
    if not good:
        line, problem = first[0]
        raise UsageError(f"{path}, {unit_of(path)} {line}: {problem.message}")

    def rows(wanted, keep, lists=()):
        yield from itertools.chain(first, objects)

    nested = {name for row in good for name, value in row.items() if isinstance(value, dict | list)}
    columns = list(dict.fromkeys(itertools.chain.from_iterable(good)))
    return Table(columns, rows, nested=frozenset(nested))


def _of_parquet(path):
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise UsageError(f"{path} is not Parquet, or damaged: {_first_line(error)}") from None
    columns = file.schema_arrow.names
    kinds = dict(zip(columns, file.schema_arrow.types, strict=True))

    def rows(wanted, keep, lists=()):
        for name in wanted:
            if pyarrow.types.is_nested(kinds[name]) and name not in lists:
                reason = f"holds {kinds[name]}: choose one of texts"
                raise UsageError(f"{path}: the column {name!r} {reason}")
        number = 0
        try:
            for batch in file.iter_batches(1024, columns=None if keep else wanted):
                names = own_names(batch.schema.names)
                for row in zip(*map(_values, batch.columns), strict=True):
                    number += 1
                    yield number, dict(zip(names, row, strict=True))
        except (pyarrow.ArrowException, OSError) as error:
            reason = f"{path} is damaged after row {number}: {_first_line(error)}"
            raise UsageError(reason) from None

    nested = frozenset(name for name, kind in kinds.items() if pyarrow.types.is_nested(kind))
    return Table(columns, rows, nested=nested)


def of_frame(frame: pd.DataFrame) -> Table:
    """A DataFrame as a table."""
    columns = list(map(str, frame.columns))

    def rows(wanted, keep, lists=()):
        names = own_names(columns)
        chosen = names if keep else wanted
        part = frame.iloc[:, [names.index(name) for name in chosen]]
        for number, row in enumerate(part.itertuples(index=False, name=None), start=1):
            yield number, dict(zip(chosen, row, strict=True))

    nested = set()
    for place, name in enumerate(columns):
        own = frame.iloc[:, place]
        values = own[own.notna()].head(1) if own.dtype == object else ()
        nested |= {name for value in values if isinstance(value, NESTED)}
    return Table(columns, rows, nested=frozenset(nested))


def as_text(value: Any) -> str | None:
    """A value of a table as text; None where it is missing."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, NESTED):
        return str(value)
    missing = value is None or value is pd.NA or value is pd.NaT or value != value
    return None if missing else str(value)


def own_names(columns: list[str]) -> list[str]:
    """Names of columns, each once, as pandas makes them; what is there once stays as it is.

    >>> own_names(["id", "text", "id"])
    ['id', 'text', 'id.1']
    """
    names = []
    for column in columns:
        others = (f"{column}.{i}" for i in itertools.count(1))
        if column in names:
            column = next(name for name in others if name not in columns and name not in names)
        names.append(column)
    return names


def unit_of(path: Path) -> str:
    """What the rows of a table are counted in: "line", or "row" in Parquet and arrays of JSON."""
    kind = kind_of(path)
    if kind in JSON:
        try:
            with open_text(path) as file:
                return "row" if _is_array(file) else "line"
        except UsageError:  # it is gone
            return "line"
    return "line" if kind in SEPARATED or unpacked(path).suffix.lower() == ".txt" else "row"


def _check(path):
    """The kind of an existing file."""
    if not path.exists():
        siblings = [p.name for p in path.parent.glob("*") if kind_of(p)]
        here = f" In {path.parent} there is: {', '.join(sorted(siblings)[:20])}."
        raise UsageError(f"no such file: {path}.{here if siblings else ''} Check the path.")
    kind = kind_of(path)
    if kind is None or path.is_dir():
        suffix = "a folder" if path.is_dir() else "".join(path.suffixes[-2:]) or path.name
        if advice := ADVICE.get(path.suffix.lower()):
            raise UsageError(f"{path} is of a kind that is not read: {advice}")
        allowed = [*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES[:-1])]
        raise unknown(f"kind of file of {path}:", suffix, allowed)
    return kind


def _constant(name):
    return None if name == "NaN" else name  # which pandas writes where there is nothing


READER = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_constant)


def _objects(path, encoding):
    """Objects of JSON, one a line or in one array: dictionaries, or problems."""
    with open_text(path, encoding) as file:
        if _is_array(file):
            yield from _of_array(path, file)
            return
        _check_one_a_line(path, file)
        file.seek(0)
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                row = READER.decode(line)
            except json.JSONDecodeError as error:
                row = Problem("not JSON", f"not JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                row = Problem("not JSON", "not JSON: too many brackets")
            if not isinstance(row, (dict, Problem)):
                row = Problem("not an object", NO_OBJECT)
            yield number, row


def _is_array(file):
    """Whether the file is one array of JSON, and not one of a line's."""
    lines = (line for line in file if not line.isspace())
    first = next(lines, "")
    if not first.lstrip().startswith("["):
        return False
    if not first.rstrip().endswith("]") or next(lines, None) is None:
        return True
    try:
        READER.decode(first.strip())
    except (json.JSONDecodeError, RecursionError):
        return True
    return False


def _of_array(path, file):
    """The objects of an array, which is held in memory as text."""
    file.seek(0)
    text, number = file.read(), 0
    place = BLANKS.match(text, BLANKS.match(text).end() + 1).end()
    mark, message = ",", ""
    while mark == "," and text[place : place + 1] != "]":
        number += 1
        try:
            row, place = READER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            message, place = error.msg, error.pos
            break
        except RecursionError:
            message = "too many brackets"
            break
        if not isinstance(row, dict):
            row = Problem("not an object", NO_OBJECT)
        yield number, row
        place = BLANKS.match(text, place).end()
        mark = text[place : place + 1]
        if mark == ",":
            place = BLANKS.match(text, place + 1).end()
    ended = text[place : place + 1] == "]" and not text[place + 1 :].strip()
    if message or not ended:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        reason = message or "Expecting ',' or one ']' at the end"
        where = f"line {line}, character {column}"
        raise UsageError(f"{path}, row {max(number, 1)}: not JSON: {reason} ({where})")


def _check_one_a_line(path, file):
    """Refuses what is JSON, but neither an array nor one object a line."""
    way_out = (
        "write an array of objects, or one object a line, as pandas does by "
        'to_json(path, orient="records")'
    )
    file.seek(0)
    lines = (line for line in file if not line.isspace())
    first, second = next(lines, "").strip(), next(lines, "")
    try:
        row = READER.decode(first)
    except json.JSONDecodeError as error:
        if error.pos < len(first):  # the object does not go on in the next line
            return
        file.seek(0)
        text = file.read(LARGEST_OBJECT)
        try:
            row, end = READER.raw_decode(text, BLANKS.match(text).end())
        except (json.JSONDecodeError, RecursionError):
            return
        if isinstance(row, dict) and text[end:].strip():
            raise UsageError(f"{path} has objects of several lines: {way_out}") from None
        second = ""
    except RecursionError:
        return
    if second or not isinstance(row, dict):
        return
    lists = [name for name, value in row.items() if _is_list_of_rows(value)]
    if lists and not any(isinstance(row.get(name), str) for name in TEXT_COLUMNS):
        raise UsageError(f"{path} is one object, with rows in {lists[0]!r}: give that list alone")
    if row and all(isinstance(value, (dict, list)) for value in row.values()):
        raise UsageError(f"{path} is one object, not one for each text: {way_out}")


def _is_list_of_rows(value):
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _values(column):
    """A column of Parquet as Python's values: None for NaN, surrogates for what is not UTF-8."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_string(column.type) or types.is_large_string(column.type):
        column = column.cast(pyarrow.large_binary())  # so that bad UTF-8 is only its row's problem
    single = types.is_float32(column.type) or types.is_float16(column.type)
    return [  # 0.1 of 32 bits is 0.1, and not the nearest of 64 bits
        value.decode("utf-8", "surrogateescape")
        if isinstance(value, bytes)
        else None
        if value is None or value != value  # NaN
        else float(str(value))
        if single
        else value
        for value in (column.to_numpy(zero_copy_only=False) if single else column.to_pylist())
    ]


def _first_line(error):
    return str(error).partition("\n")[0]
