"""Separated values: rows as in CSV, of which a stray quote spoils only one."""

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
LONGEST_ROW = 100  # lines of one of the first two, in looking for its end
MARKS = ",;\t|"  # of CSV: a spreadsheet writes semicolons where numbers have decimal commas
OPENING = rf'(?:(?<=[{MARKS}])|^)(\s*)"'  # a quote where a cell begins, after some blanks
QUOTED = re.compile(rf'{OPENING}(?:[^"]++|"")*+(?:"|\Z)')
WHOLE = re.compile('"(?:[^"]|"")*"')  # a cell that is quoted
DIRECTIVE = re.compile(r"sep=(.)\s*")  # which Excel reads, and may write, before the header
JSON = ("{", "[")  # how it starts
MOST_REREAD = 50_000_000  # lines, after unbalanced quotes: a bound on the time

logger = logging.getLogger("zoo")


def read_separated(
    path: Path, encoding: str | None = None
) -> Iterator[tuple[int, list[str] | Problem]]:
    """The rows of a file, the header first; blank lines are none.

    Many a writer of TSV does not quote: where quotes do not balance there, a line that has as many
    cells as the header is taken as it stands, which the log reports. Blanks after separators are
    left out where the header has some, so that a quote may follow.

    Yields:
        The number of the line where the row starts; and its cells, in any number, or its problem.

    Raises:
        UsageError: where the file cannot be read on.
    """
    csv.field_size_limit(LONGEST_CELL)
    separator = separator_of(path, encoding)
    _, header, _ = _start(path, encoding)
    blanks = separator != "\t" and f"{separator} " in header and not header.startswith(JSON)
    with open_text(path, encoding) as file:
        lines = _Lines(file)
        rows = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=blanks)
        width, unquoted = 0, []
        while True:
            start = lines.number
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error:
                # The rest of the file may be what the quote took in: only its line is given up.
                row = _as_it_stands(lines.record[0], separator, blanks)
                if row and len(row) == width:
                    unquoted.append(start)
                else:
                    row = Problem("with an unbalanced quote", UNBALANCED)
                lines.go_on(1)
                if lines.reread > MOST_REREAD:
                    raise UsageError(
                        f"{path}, line {start}: too many unbalanced quotes to read on: double the "
                        "quotes within texts"
                    ) from None
            else:
                directive = not width and DIRECTIVE.fullmatch(lines.record[0])
                lines.go_on()
                if directive:
                    continue
            if row and (width or any(cell.strip() for cell in row)):  # the header is not blank
                width = width or len(row)
                yield start, row
    if unquoted:
        logger.warning(
            "%s: %d rows with quotes that do not balance are read as they stand (first: line %d)",
            *(path, len(unquoted), unquoted[0]),
        )


def separator_of(path: Path, encoding: str | None = None) -> str:
    """Tabs in TSV. In CSV that of Excel's directive; or of ``MARKS`` the one that is in the header
    most often, without what is in quotes, and a mark before a blank only where no other is. One
    that makes as many cells of the next line, too, is before all others.
    """
    if unpacked(path).suffix.lower() == ".tsv":
        return "\t"
    directive, header, row = _start(path, encoding)
    if directive:
        return directive[1]

    def likeliness(mark):
        count = header.count(mark)
        return count and count == row.count(mark), count - header.count(f"{mark} "), count

    return max(MARKS, key=likeliness)


def _start(path, encoding):
    """Excel's directive, or None, and the two rows after it, without what is in quotes."""
    with open_text(path, encoding) as file:
        lines = (line for line in file if not line.isspace())
        header = _row(lines)
        directive = DIRECTIVE.fullmatch(header)
        header = _row(lines) if directive else header
        row = _row(lines)
    return directive, *(QUOTED.sub(r"\1", line) for line in (header, row))


def _row(lines):
    """The next row: of many lines, where a quote opens in it, up to where its quotes balance.

    Where they never do, one line, and the others are lost: its reader will refuse it.
    """
    following = itertools.accumulate(itertools.islice(lines, LONGEST_ROW))
    row = next(following, "")
    if row.count('"') % 2 and re.search(OPENING, row):
        row = next((more for more in following if more.count('"') % 2 == 0), row)
    return row


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


class _Lines:
    """Lines of a file, counted, that can be gone back to."""

    def __init__(self, lines):
        self.lines = lines
        self.again = []  # the next one last
        self.record = []  # those since the last row
        self.number = 1  # of the first of them
        self.ends = "\n"  # of lines; a lone carriage return ends one where it ends the header
        self.reread = 0

    def __iter__(self):
        return self

    def __next__(self):
        line = self.again.pop() if self.again else next(self.lines)
        self.record.append(line)
        return line

    def go_on(self, taken=None):
        """The next row starts ``taken`` lines further; by default after those read."""
        taken = len(self.record) if taken is None else taken
        if self.number == 1 and self.record[0].endswith("\r"):
            self.ends = ("\n", "\r")
        self.number += sum(line.endswith(self.ends) for line in self.record[:taken])
        self.again += reversed(self.record[taken:])
        self.reread += len(self.record) - taken
        self.record.clear()
