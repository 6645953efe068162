"""Tables in files: their columns and their rows, all values as text."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

from zoo.datasets.separated import check_header, read_separated
from zoo.datasets.text_files import Problem, open_text, unpacked
from zoo.errors import UsageError, unknown

SEPARATED = (".csv", ".tsv")
TO_CSV, UNPACK = "save it as CSV", "unpack it, or pack it with gzip"
ADVICE = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), TO_CSV),
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"), UNPACK),
    ".json": "write one object a line, as .jsonl",
}
SUFFIXES = (*SEPARATED, ".jsonl", ".ndjson", ".parquet")
NO_ROWS = "it must have one for each text, in CSV and TSV after a header"


def kind_of(path: str | Path) -> str | None:
    """The suffix that tells how to read a file, without ``.gz``; None for a file of another kind.

    >>> kind_of("reviews.csv.gz")
    '.csv'
    """
    suffix = unpacked(path).suffix.lower()
    if suffix not in SUFFIXES or (suffix == ".parquet" and unpacked(path) != Path(path)):
        return None
    return suffix


def read_columns(path: str | Path) -> list[str]:
    """The names of a table's columns. Of JSON lines: the keys of the first 1,000.

    Raises:
        UsageError: for a missing or empty file, one of another kind, or a damaged header.
    """
    path = Path(path)
    kind = _check(path)
    if kind == ".parquet":
        return _parquet(path).schema_arrow.names
    rows = read_separated(path) if kind in SEPARATED else _objects(path)
    line, first = next(rows, (0, None))
    if first is None:
        raise UsageError(f"{path} has no rows: {NO_ROWS}")
    if kind not in SEPARATED:
        good = [
            row for _, row in ((line, first), *itertools.islice(rows, 999)) if isinstance(row, dict)
        ]
        if not good:
            raise UsageError(f"{path}, line {line}: {first.message}")
        return list(dict.fromkeys(itertools.chain.from_iterable(good)))
    if isinstance(first, Problem):
        raise UsageError(f"{path}, line {line}, the header: {first.message}")
    return check_header(path, line, [name.strip() for name in first])


def read_rows(
    path: str | Path, wanted: list[str]
) -> Iterator[tuple[int, list[str | None] | Problem]]:
    """The rows of a table, one by one; blank lines are none.

    Args:
        path: a file that :func:`read_columns` accepts.
        wanted: names of columns.

    Yields:
        The number of the line (in Parquet: of the row) where the row starts, and the values of
        the ``wanted`` columns, None where one is missing; or the problem of that row.

    Raises:
        UsageError: where the file is so damaged that no further row can be read.
    """
    path = Path(path)
    kind = kind_of(path)
    if kind == ".parquet":
        yield from _parquet_rows(path, wanted)
    elif kind in SEPARATED:
        records = read_separated(path)
        header = [name.strip() for name in next(records)[1]]
        indices = [header.index(name) for name in wanted]
        for line, row in records:
            if isinstance(row, Problem):
                yield line, row
            elif len(row) == len(header):
                yield line, [row[index] for index in indices]
            elif len(row) > 1 or row[0].strip():
                message = (
                    f"{len(row)} columns where the header has {len(header)}; a text that contains "
                    "the separator must be quoted"
                )
                yield line, Problem("ragged", message)
    else:
        for line, row in _objects(path):
            values = row if isinstance(row, Problem) else [row.get(name) for name in wanted]
            odd = [type(v).__name__ for v in values if not isinstance(v, (str, bool, type(None)))]
            if isinstance(row, dict) and odd:
                values = Problem("with a value that is no text", f"a {odd[0]} instead of a text")
            elif isinstance(row, dict):
                values = [str(v) if isinstance(v, bool) else v for v in values]
            yield line, values


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


def _objects(path):
    """JSON lines: dictionaries, numbers in them as they are written, or problems."""

    def constant(name):
        return None if name == "NaN" else name  # which pandas writes where there is nothing

    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                row = json.loads(line, parse_int=str, parse_float=str, parse_constant=constant)
            except json.JSONDecodeError as error:
                row = Problem("not JSON", f"not JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                row = Problem("not JSON", "not JSON: too many brackets")
            if not isinstance(row, (dict, Problem)):
                row = Problem("not an object", 'not an object like {"text": "..", "label": ".."}')
            yield number, row


def _parquet(path):
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise UsageError(f"{path} is not Parquet, or damaged: {_first_line(error)}") from None


def _parquet_rows(path, wanted):
    import pyarrow

    number = 0
    try:
        for batch in _parquet(path).iter_batches(1024, columns=wanted):
            columns = [_texts(path, name, batch.column(name)) for name in wanted]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, list(values)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is damaged after row {number}: {_first_line(error)}") from None


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
