"""What the site's pages have beside Markdown: equations, drawings, and rows of measured tables.

``$$ .. $$`` and ``\\( .. \\)`` are LaTeX, which becomes MathML. ``<!-- drawing NAME -->`` is one of
``drawings.py``. ``<!-- rows FILE | NAME; NAME | COLUMN; COLUMN -->`` is of a table in
``benchmarks/results/FILE`` the rows whose first or second cell is one of the names, and these
columns.
"""

import re
from pathlib import Path

from drawings import drawing
from latex2mathml.converter import convert

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
SPECIAL = re.compile(
    r"\$\$(?P<block>.+?)\$\$"
    r"|\\\((?P<inline>.+?)\\\)"
    r"|<!-- drawing (?P<drawing>\w+) -->"
    r"|<!-- rows (?P<rows>.+?) -->",
    re.DOTALL,
)


def on_config(config, **kwargs):
    """Adds reports that the navigation does not name to the end of the results."""
    (results,) = (section["Results"] for section in config.nav if "Results" in section)
    pages = (f"results/{path.name}" for path in sorted(RESULTS.glob("*.md")))
    if further := [page for page in pages if page not in str(results)]:
        results.append({"Further": further})


def on_page_markdown(markdown, page, **kwargs):
    page.kept = []
    parts = FENCE.split(markdown)  # at odd places: code, which stays as it is
    parts[::2] = [SPECIAL.sub(lambda found: _markdown(found, page), one) for one in parts[::2]]
    return "".join(parts)


def on_page_content(html, page, **kwargs):
    for number, kept in enumerate(page.kept):
        html = html.replace(f"<p>KEPT{number}KEPT</p>", kept).replace(f"KEPT{number}KEPT", kept)
    return html


def _markdown(found, page):
    if found["rows"]:
        up = "../" * page.file.src_uri.count("/")
        return rows(*(part.strip() for part in found["rows"].split("|")), up)
    if found["drawing"]:
        kept = f'<figure class="drawing">{drawing(found["drawing"])}</figure>'
    elif found["block"]:
        kept = convert(found["block"].strip(), display="block")
    else:
        kept = convert(found["inline"].strip())
    page.kept.append(kept)  # Markdown would take its underscores for emphasis
    return f"KEPT{len(page.kept) - 1}KEPT"


def _full_names(head):
    """``SST: paper | ours`` as ``SST: paper | SST: ours``."""
    group, names = "", []
    for name in head:
        group = name.split(": ")[0] if ": " in name else group
        names.append(f"{group}: {name}" if name in ("ours", "gap") else name)
    return names


def rows(file: str, names: str, columns: str, up: str) -> str:
    """A table of the rows and columns that were asked for, and a link to the report."""
    names, columns = ([one.strip() for one in many.split(";")] for many in (names, columns))
    shown, head = [], None
    for line in (RESULTS / file).read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = _full_names(cells)
            head = head if set(columns) <= set(head) else ()
        elif head and set(cells[:2]) & set(names):
            shown.append([cells[head.index(column)] for column in columns])
    if not shown:
        raise ValueError(f"{file} has no rows of {names} with the columns {columns}")
    right = ["--:" if re.match(r"[-+\d.]", cell) else "---" for cell in shown[0]]
    lines = [columns, right, *shown]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{table}\n\nFrom [{file}]({up}results/{file}), which tells how it was measured.\n"
