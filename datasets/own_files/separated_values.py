"""Separated values: rows as in CSV, of which a stray quote spoils only one."""

import collections
import contextlib
import csv
import itertools
import logging
import re
from collections.abc import Iterator
from pathlib import Path

from zoo.datasets.own_files.spreadsheet_cells import LONGEST_CELL
from zoo.datasets.own_files.text_files import Problem, advice_on, open_text, undecodable, unpacked
from zoo.errors import UsageError

SUFFIXES = (".csv", ".tsv")
LONGEST_NAME = 1000  # of a column: a longer one is a text, in a file without a header
UNBALANCED = (
    "a quote opens here and is not closed before the separator or the line end; double the quotes "
    'within a text: "say ""hi"""'
)
HEAD = 200  # lines, blank ones apart, that tell the separator
MARKS = ",;\t|"  # of CSV: a spreadsheet writes semicolons where numbers have decimal commas
WHOLE = re.compile('"(?:[^"]|"")*"')  # a cell that is quoted
DIRECTIVE = re.compile(r"sep=(.)\s*")  # which Excel reads, and may write, before the header
JSON = ("{", "[")  # how it starts
MOST_REREAD = 50_000_000  # lines, after unbalanced quotes: a bound on the time

logger = logging.getLogger("zoo")


def read_separated(
    path: Path, encoding: str | None = None
) -> tuple[str, Iterator[tuple[int, list[str] | Problem]]]:
    """The separator of a file, and its rows, the header first; blank lines are none.

    Many a writer of TSV does not quote: where quotes do not balance there, a line that has as many
    cells as the header is taken as it stands, which the log reports. Blanks after separators are
    left out where the header has some, so that a quote may follow.

    Returns:
        The separator; and, of each row, the number of the line where it starts, and its cells, in
        any number, or its problem.

    Raises:
        UsageError: where the file cannot be read on.
    """
    rows = _separator_and_rows(path, encoding)
    return next(rows), rows


def _separator_and_rows(path, encoding):
    csv.field_size_limit(LONGEST_CELL)
    with open_text(path, encoding) as file:
        separator, blanks, again = _start(path, file)
        yield separator
        record = []  # the lines of a row

        def lines():
            while line := again.popleft() if again else next(file, ""):
                record.append(line)
                yield line

        def reader():
            return csv.reader(lines(), delimiter=separator, strict=True, skipinitialspace=blanks)

        rows, number, ends = reader(), 1, "\n"
        width, unquoted, reread = 0, [], 0
        while True:
            record.clear()
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error:
                # The rest of the file may be what the quote took in: only its line is given up.
                row = _as_it_stands(record[0], separator, blanks)
                if row and len(row) == width:
                    unquoted.append(number)
                else:
                    row = Problem("with an unbalanced quote", UNBALANCED)
                again.extendleft(reversed(record[1:]))
                reread += len(record) - 1
                del record[1:]
                if reread > MOST_REREAD:
                    raise UsageError(
                        f"{path}, line {number}: too many unbalanced quotes to read on: double the "
                        "quotes within texts"
                    ) from None
                rows = reader()
            start = number
            if start == 1 and record[0].endswith("\r"):
                ends = ("\n", "\r")  # a lone carriage return ends a line if it ends the first
            number += sum(line.endswith(ends) for line in record)
            if not width and (DIRECTIVE.fullmatch(record[0]) or not any(map(str.strip, row))):
                continue  # neither is a header
            if row:
                width = width or len(row)
                yield start, row
    if unquoted:
        logger.warning(
            "%s: %d rows with quotes that do not balance are read as they stand (first: line %d)",
            *(path, len(unquoted), unquoted[0]),
        )


def _start(path, file):
    """What separates the columns, whether blanks after it are left out, and the lines read so far.

    Tabs in TSV. In CSV the mark of Excel's directive; or of ``MARKS`` the one that is in the header
    most often, and one before a blank only where no other is. One that makes as many cells of the
    next row, too, is before all others.
    """
    read, head = collections.deque(), []
    while len(head) < HEAD and (line := next(file, "")):
        read.append(line)
        if not line.isspace():
            head.append(line)

    def first_rows(mark, blanks=True):
        rows = csv.reader(head, delimiter=mark, skipinitialspace=blanks)
        return [*itertools.islice(rows, 2), [], []][:2]

    def likeliness(mark):
        header, row = map(len, first_rows(mark))
        after = sum(cell.startswith(" ") for cell in first_rows(mark, False)[0][1:])
        return header > 1 and header == row, header - after, header

    directive = DIRECTIVE.fullmatch(head[0]) if head else None
    if directive:
        del head[0]
    if unpacked(path).suffix.lower() == ".tsv":
        return "\t", False, read
    mark = directive[1] if directive else max(MARKS, key=likeliness)
    (header, _), (plain, _) = first_rows(mark), first_rows(mark, False)
    is_json = bool(head) and head[0].startswith(JSON)
    return mark, mark != "\t" and header[1:] != plain[1:] and not is_json, read


def check_header(path: Path, line: int, names: list[str], encoding: str | None = None) -> list[str]:
    """The names of columns in a first row.

    Raises:
        UsageError: for what shows that the file is of another kind, or has no header.
    """
    text = "".join(names)
    if "\0" in text:
        advice = f"save the file as UTF-8{advice_on(path, encoding)}"
        raise UsageError(f"{path}, line {line}: NUL bytes in the header: {advice}")
    if reason := undecodable(text, encoding):
        raise UsageError(f"{path}, line {line}, the header: {reason}{advice_on(path, encoding)}")
    if text.startswith(JSON):
        raise UsageError(f"{path} looks like JSON: name it .json, or .jsonl")
    if max(map(len, names)) > LONGEST_NAME:
        raise UsageError(f"{path}, line {line}: that long a line is no header: name the columns")
    is_tsv = unpacked(path).suffix.lower() == ".tsv"
    if is_tsv and len(names) == 1 and any(mark in text for mark in MARKS):
        raise UsageError(f"{path}, line {line}: columns are not separated by tabs: name it .csv")
    return names


def _as_it_stands(line, separator, blanks):
    """The cells of a line of which only some quotes are meant; none where there is no telling."""
    if separator == "\t":
        cells = line.rstrip("\r\n").split("\t")
        return [one[1:-1].replace('""', '"') if WHOLE.fullmatch(one) else one for one in cells]
    if blanks:
        with contextlib.suppress(csv.Error):
            return next(csv.reader([line], delimiter=separator, strict=True), [])
    return []
