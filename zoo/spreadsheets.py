"""Tables that people open in spreadsheets, which run a cell as a formula if it looks like one."""

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet might run it.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{text}" if text.startswith(FORMULAS) else text


def original_cell(cell: str) -> str:
    """The text of which :func:`safe_cell` made this."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULAS) else cell
