"""The papers' tables, rerun: the paper's numbers, ours over several seeds, and the gap.

``make reproduce TABLE=ssan2`` runs the rows of a module of :mod:`benchmarks.tables` on the corpora
that are at hand, and writes ``benchmarks/results/<table>.csv``, a row for each training, and
``.md``, and what docs/measured.md shows of it. Run again, it goes on where the CSV stops.
Accuracies of other arguments than the table has now are run anew, and take the place of the old
ones; delete rows to run them anew for another reason, as a changed recipe or preset, and those of
costs or counts.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

import zoo
from benchmarks.claims import counted
from benchmarks.report import tell
from benchmarks.table import Table
from zoo import datasets
from zoo.backend import quiet_tensorflow
from zoo.filesystem.atomic_files import whole

RESULTS = Path(__file__).parent / "results"
TABLES = sorted(path.stem for path in (Path(__file__).parent / "tables").glob("[!_]*.py"))
KEY = ["system", "data", "seed"]
LEAST_TRAININGS = 3  # of each system, for a verdict to rest on


def table_of(name: str):
    """The table of that name."""
    if name not in TABLES:
        raise zoo.errors.unknown("table", name, TABLES)
    return importlib.import_module(f"benchmarks.tables.{name}").TABLE


def run_alone(name: str, row: tuple, quick: bool, jobs: int) -> dict:
    """Runs a row in a process of its own, with its part of the cores."""
    command = [sys.executable, "-m", "benchmarks.reproduce", name, "--row", *map(str, row)]
    command += ["--quick"] if quick else []
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    names = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
    part = dict.fromkeys(names, threads) if jobs > 1 else {}
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | part
    )
    found = json.loads(ended.stdout.splitlines()[-1])
    return dict(zip(KEY, row, strict=True)) | found | {"jobs": jobs}


def as_run(name: str, plan: list[tuple], quick: bool, jobs: int) -> Iterator[tuple]:
    """Each row of the plan and what it gave, or None if it failed, as they end."""
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_alone, name, row, quick, jobs): row for row in plan}
        try:
            for ended in as_completed(running):
                yield running[ended], None if ended.exception() else ended.result()
        finally:  # whatever stops the reader, too
            pool.shutdown(cancel_futures=True)


def highlights() -> Iterator[str]:
    """What docs/measured.md shows of the tables that have a report: some rows, and verdicts."""
    few, several = [], []  # verdicts, by the trainings they rest on
    yield "| paper | system | data | paper's accuracy | ours | gap | trainings |"
    yield "|---|---|---|--:|--:|--:|--:|"
    for name in TABLES:
        report, table = RESULTS / f"{name}.md", table_of(name)
        measured = report.with_suffix(".csv")
        if report.exists() and measured.exists() and isinstance(table, Table):
            rows = pd.read_csv(measured)
            yield from table.highlighted(f"{RESULTS.name}/{report.name}", rows)
            for verdict, trainings in table.verdicts(rows):
                (several if trainings >= LEAST_TRAININGS else few).append(verdict)
    yield ""
    yield (
        f"The papers' claims of order were tested {len(few) + len(several)} times, each time one "
        f"claim on one corpus. With {LEAST_TRAININGS} trainings of each system and more: "
        f"{counted(several)}. With fewer: {counted(few)}. Intervals hold what other test texts "
        "and other trainings might change; a claim on a system that has not learnt is left out."
    )


def main(
    name: Annotated[str, typer.Argument(help=", ".join(TABLES))],
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, one epoch; not written.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=1, help="Trainings at a time, which share the cores.")
    ] = 1,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, help="Trainings of each row, of accuracies.", show_default="the table's plan"
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write the report of the rows there are, and no more.")
    ] = False,
    row: Annotated[tuple[str, str, int] | None, typer.Option(hidden=True)] = None,
) -> None:
    """Rerun a table of a paper."""
    quiet_tensorflow()
    table = table_of(name)
    if row is not None:
        print(json.dumps(table.run(*row, quick)))
        return
    jobs = jobs if isinstance(table, Table) else 1  # beside others, times say nothing
    path = RESULTS / f"{name}.csv"
    rows = pd.read_csv(path) if path.exists() and not quick else pd.DataFrame(columns=KEY)
    corpora = []
    for data in table.corpora:
        try:
            datasets.load(data)
            corpora.append(data)
        except zoo.UsageError as error:
            print(f"left out: {error}")
    current = rows[~table.outdated(rows)] if isinstance(table, Table) else rows
    done = set(current[KEY].itertuples(index=False, name=None))
    asked = [] if report else table.plan(corpora, 1 if quick else seeds)
    plan = [one for one in asked if one not in done]
    if plan:
        table.prepare(plan)
    failed, ended = 0, ""
    try:
        for number, (one, found) in enumerate(as_run(name, plan, quick, jobs), start=1):
            told = f"{number} of {len(plan)}: {', '.join(map(str, one))}"
            if found is None:
                failed += 1
                print(f"{told}: failed", flush=True)
                continue
            if not quick and path.exists():
                rows = pd.read_csv(path)  # another run may have added to it
            old = rows[KEY].eq(pd.Series(one, KEY)).all(axis=1)
            rows = pd.concat([rows[~old], pd.DataFrame([found])], ignore_index=True)
            if not quick:
                with whole(path) as partial:
                    rows.to_csv(partial, index=False)
            print(f"{told}: {table.told(found)}", flush=True)
    except KeyboardInterrupt:  # what is there is reported
        ended = "interrupted; run again to go on from here"
    if rows.empty:
        sys.exit("nothing was run: no corpus is at hand, or every row failed")
    text = table.report(name, rows)
    if not quick:
        with whole(path.with_suffix(".md")) as partial:
            partial.write_text(text, "utf-8")
        tell("papers", "\n".join(highlights()))
    print(text)
    if failed:
        ended = ended or f"{failed} rows failed; run again to try them anew"
    if ended:
        sys.exit(ended)


if __name__ == "__main__":
    try:
        typer.run(main)
    except zoo.UsageError as error:
        sys.exit(f"reproduce: {error}")
