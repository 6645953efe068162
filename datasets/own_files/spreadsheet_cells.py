"""CSV that is read back as it was, and that spreadsheets open without running a cell of it."""

import csv
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

LONGEST_CELL = 2**31 - 1  # characters: csv's own limit is 131,072, and Windows knows no larger one
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(cell: Any) -> Any:
    """The cell, after an apostrophe if it is a text that a spreadsheet might run.

    Or if it looks like what this makes of one, which :func:`original_cell` tells apart.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip("'").startswith(FORMULAS) else cell


def original_cell(cell: str) -> str:
    """The text of which :func:`safe_cell` made this."""
    is_safe = cell.startswith("'") and cell.lstrip("'").startswith(FORMULAS)
    return cell[1:] if is_safe else cell


def write_csv(
    file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], safe: bool = False
) -> None:
    """Writes a header and rows.

    Args:
        file: opened with ``newline=""``.
        columns: the header.
        rows: as many cells each.
        safe: whether cells are made safe for a spreadsheet, all in quotes: one that separates by
            another mark would find a cell within a text.
    """
    plain = csv.writer(file, lineterminator="\n")
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoted if safe else plain).writerow(map(safe_cell, columns) if safe else columns)
    for row in rows:
        cells = list(map(safe_cell, row)) if safe else row
        # Before Python 3.13 a carriage return is not quoted, and read as the end of the row.
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (quoted if safe or returns else plain).writerow(cells)
