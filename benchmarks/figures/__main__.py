"""Draws figures of the papers: ``make figures`` all, ``make figures FIGURES=hcan_time`` one.

Runs that they need are trained once, and kept in ``runs/figures``.
"""

import importlib
import logging
import sys
from pathlib import Path

import pandas as pd
from matplotlib import pyplot

from benchmarks.report import machine
from zoo.errors import UsageError, unknown
from zoo.filesystem.atomic_files import whole

FOLDER = Path(__file__).parent.parent / "results" / "figures"
NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def module_of(name: str):
    """The module of a figure."""
    if name not in NAMES:
        raise unknown("figure", name, NAMES)
    return importlib.import_module(f"benchmarks.figures.{name}")


def report() -> str:
    """Markdown of the figures that are there."""
    parts = []
    for name in NAMES:
        if (FOLDER / f"{name}.svg").exists():
            one = module_of(name)
            numbers = f"Its numbers are in `benchmarks/results/figures/{name}.csv`."
            links = f"![{one.TITLE}](figures/{name}.svg)\n\n{numbers}"
            parts.append(f"## {one.TITLE}\n\n{one.TEXT}\n\n{links}\n")
    lines = ["# The papers' figures and analyses", "", *parts]
    return "\n".join([*lines, f"Written by `make figures` on {machine()}.", ""])


def main() -> None:
    """Draws what is asked for."""
    logging.basicConfig(format="%(message)s")
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        one = module_of(name)
        table = one.measure()
        with whole(FOLDER / f"{name}.csv") as partial:
            table.to_csv(partial, index=False, float_format="%.5g")
        figure = one.draw(pd.read_csv(FOLDER / f"{name}.csv"))
        with whole(FOLDER / f"{name}.svg") as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})
        pyplot.close(figure)
        with whole(FOLDER.with_suffix(".md")) as partial:
            partial.write_text(report(), "utf-8")
        print(f"{name}: {FOLDER / name}.svg", flush=True)


if __name__ == "__main__":
    try:
        main()
    except UsageError as error:
        sys.exit(f"figures: {error}")
