"""Tables in files: their columns and their rows, all values as text."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
LARGEST_OBJECT = 50_000_000  # characters, of several lines, that is told from faulty lines
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


def read_columns(path: str | Path, encoding: str | None = None) -> list[str]:
    """The names of a table's columns. Of JSON: the keys of the first 1,000 objects.

    Raises:
        UsageError: for a missing or empty file, one of another kind, or a damaged header.
    """
    path = Path(path)
    kind = _check(path)
    if kind == ".parquet":
        return _parquet(path).schema_arrow.names
    rows = read_separated(path, encoding) if kind in SEPARATED else _objects(path, encoding)
    line, first = next(rows, (0, None))
    if first is None:
        raise UsageError(f"{path} has no rows: {NO_ROWS}")
    if kind not in SEPARATED:
        good = [
            row for _, row in ((line, first), *itertools.islice(rows, 999)) if isinstance(row, dict)
        ]
        if not good:
            raise UsageError(f"{path}, {unit_of(path)} {line}: {first.message}")
        return list(dict.fromkeys(itertools.chain.from_iterable(good)))
    if isinstance(first, Problem):
        raise UsageError(f"{path}, line {line}, the header: {first.message}")
    return check_header(path, line, [name.strip() for name in first], encoding)


def read_rows(
    path: str | Path, wanted: list[str], encoding: str | None = None, keep: bool = False
) -> Iterator[tuple[int, list[Any] | Problem]]:
    """The rows of a table, one by one; blank lines are none.

    Args:
        path: a file that :func:`read_columns` accepts.
        wanted: names of columns.
        encoding: None for UTF-8, or what the file's mark tells.
        keep: whether whole rows are wanted, too.

    Yields:
        The number of the line (in Parquet and in an array of JSON: of the row) where the row
        starts, and the values of the ``wanted`` columns, None where one is missing, and at last,
        with ``keep``, the row by :func:`own_names`; or the problem of that row.

    Raises:
        UsageError: where the file is so damaged that no further row can be read.
    """
    path = Path(path)
    kind = kind_of(path)
    if kind == ".parquet":
        yield from _parquet_rows(path, wanted, keep)
    elif kind in SEPARATED:
        records = read_separated(path, encoding)
        header = [name.strip() for name in next(records)[1]]
        indices = [header.index(name) for name in wanted]
        names = own_names(header)
        for line, row in records:
            if isinstance(row, Problem):
                yield line, row
            elif len(row) == len(header):
                own = [dict(zip(names, row, strict=True))] if keep else []
                yield line, [row[index] for index in indices] + own
            elif len(row) > 1 or row[0].strip():
                message = (
                    f"{len(row)} columns where the header has {len(header)}; a text that contains "
                    "the separator must be quoted"
                )
                yield line, Problem("ragged", message)
    else:
        for line, row in _objects(path, encoding):
            values = row if isinstance(row, Problem) else [row.get(name) for name in wanted]
            odd = [type(v).__name__ for v in values if not isinstance(v, (str, bool, type(None)))]
            if isinstance(row, dict) and odd:
                values = Problem("with a value that is no text", f"a {odd[0]} instead of a text")
            elif isinstance(row, dict):
                values = [v if v is None else str(v) for v in values] + ([row] if keep else [])
            yield line, values


def own_names(columns: list[str]) -> list[str]:
    """Names of columns, each once, as pandas makes them.

    >>> own_names(["id", "text", "id"])
    ['id', 'text', 'id.1']
    """
    if len(set(columns)) == len(columns):
        return columns
    names = []
    for column in columns:
        forms = itertools.chain([column], (f"{column}.{i}" for i in itertools.count(1)))
        names.append(next(name for name in forms if name not in names))
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
    with open_text(path, encoding) as file:
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


def _parquet(path):
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise UsageError(f"{path} is not Parquet, or damaged: {_first_line(error)}") from None


def _parquet_rows(path, wanted, keep):
    import pyarrow

    number, file = 0, _parquet(path)
    names = own_names(file.schema_arrow.names)
    try:
        for batch in file.iter_batches(1024, columns=None if keep else wanted):
            columns = [_texts(path, name, batch.column(name)) for name in wanted]
            if keep:
                own = zip(*map(_values, batch.columns), strict=True)
                columns.append(dict(zip(names, row, strict=True)) for row in own)
            for values in zip(*columns, strict=True):
                number += 1
                yield number, list(values)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is damaged after row {number}: {_first_line(error)}") from None


def _values(column):
    """A column of Parquet as Python's values: None for NaN, U+FFFD for what is not UTF-8."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_string(column.type) or types.is_large_string(column.type):
        column = column.cast(pyarrow.large_binary())
    single = types.is_float32(column.type) or types.is_float16(column.type)
    return [
        value.decode("utf-8", "replace")
        if isinstance(value, bytes)
        else None
        if value is None or value != value  # NaN
        else float(str(value))
        if single
        else value
        for value in (column.to_numpy(zero_copy_only=False) if single else column.to_pylist())
    ]


def _texts(path, name, values):
    """A column of Parquet as strings and None."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if types.is_nested(values.type):
        raise UsageError(f"{path}: the column {name!r} holds {values.type}: choose one of texts")
    if types.is_string(values.type) or types.is_large_string(values.type):
        values = values.cast(pyarrow.large_binary())  # so that bad UTF-8 is only its row's problem
    single = types.is_float32(values.type) or types.is_float16(values.type)
    values = values.to_numpy(zero_copy_only=False) if single else values.to_pylist()
    return [  # 0.1 of 32 bits is 0.1, and not the nearest of 64 bits
        value.decode("utf-8", "surrogateescape")
        if isinstance(value, bytes)
        else None
        if value is None or value != value  # NaN
        else str(value)
        for value in values
    ]


def _first_line(error):
    return str(error).partition("\n")[0]
