"""The papers' tables, rerun: the paper's numbers, ours over several seeds, and the gap.

``make reproduce TABLE=ssan2`` trains the systems of :mod:`benchmarks.tables` on the corpora that
are at hand, and writes ``benchmarks/results/<table>.csv``, a row for each training, and ``.md``.
Run again, it goes on where the CSV stops: delete rows to train them anew. A row tells also which
test texts were right, so that systems are compared text by text.
"""

import base64
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

import zoo
from benchmarks.measure import machine
from benchmarks.table import Table
from zoo import datasets
from zoo.cli import quiet_tensorflow
from zoo.datasets.embeddings import cache_folder, train_word2vec
from zoo.datasets.preprocessor import split_words
from zoo.evaluation import probabilities_of
from zoo.runs import whole

RESULTS = Path(__file__).parent / "results"
TABLES = sorted(path.stem for path in (Path(__file__).parent / "tables").glob("[!_]*.py"))
KEY = ["system", "data", "seed"]
SAMPLES = 10_000  # of the bootstrap


def table_of(name: str) -> Table:
    """The table of that name."""
    if name not in TABLES:
        raise zoo.errors.unknown("table", name, TABLES)
    return importlib.import_module(f"benchmarks.tables.{name}").TABLE


def imdb_vectors(dim: int) -> Path:
    """A file of word vectors trained on IMDB's training and unlabelled reviews, made once."""
    path = cache_folder().with_name(f"imdb-{dim}.bin")
    if not path.is_file():
        corpus = datasets.load("imdb")
        texts = (text for split in (corpus.train, corpus.unlabelled) for text in split)
        # Marks are words, as in corpora that come tokenized. One worker gives the same again.
        vectors = train_word2vec(texts, lambda part: split_words(part, "han"), dim, workers=1)
        with whole(path) as partial:
            vectors.save_word2vec_format(str(partial), binary=True)
    return path


def run_row(table: Table, system: str, data: str, seed: int, epochs: int | None) -> dict:
    """Trains one system on one corpus, and tells how it came out."""
    row = table.system(system)
    train = row.train | ({"epochs": epochs} if epochs else {})
    if table.vectors is not None:
        train["embeddings"] = str(imdb_vectors(table.vectors))
    with tempfile.TemporaryDirectory() as folder:
        run = zoo.train(row.model, data, seed=seed, output=folder, verbose=2, **train)
        scores = json.loads((run / "metrics.json").read_text("utf-8"))
        test = datasets.load(data).split(seed).test
        right = probabilities_of(zoo.load(run), test).argmax(-1) == test.numbers
        return {
            "system": system,
            "data": data,
            "seed": seed,
            "accuracy": scores["accuracy"],
            "macro_f1": scores["macro_f1"],
            "parameters": zoo.load(run).parameter_count(),
            "epochs": len(pd.read_csv(run / "history.csv")),
            "seconds": scores["seconds"],
            "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "machine": machine(),
            "texts": len(right),
            "right": base64.b64encode(np.packbits(right).tobytes()).decode(),
        }


def train_row(name: str, row: tuple, quick: bool, jobs: int) -> dict:
    """The same in a process of its own, with its part of the cores."""
    command = [sys.executable, "-m", "benchmarks.reproduce", name, "--row", *map(str, row)]
    command += ["--quick"] if quick else []
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    names = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
    alone = dict.fromkeys(names, threads) if jobs > 1 else {}
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | alone
    )
    return json.loads(ended.stdout.splitlines()[-1]) | {"jobs": jobs}


def trained(name: str, plan: list[tuple], quick: bool, jobs: int) -> Iterator[tuple]:
    """Each row of the plan and what it gave, or None if it failed, as they end."""
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(train_row, name, row, quick, jobs): row for row in plan}
        try:
            for ended in as_completed(running):
                yield running[ended], None if ended.exception() else ended.result()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            sys.exit("interrupted; run again to go on from here")


def rights_of(rows: pd.DataFrame) -> np.ndarray:
    """``[texts]``: the share of the trainings that had each test text right."""
    packed = [np.frombuffer(base64.b64decode(one), "uint8") for one in rows["right"]]
    texts = int(rows["texts"].iloc[0])  # pandas may have made a float of it
    return np.mean([np.unpackbits(one, count=texts) for one in packed], axis=0)


def difference(better: np.ndarray, worse: np.ndarray) -> tuple[float, float, float]:
    """Points between two systems on the same texts, and the bounds of 95 % (paired bootstrap)."""
    points = 100 * (better - worse)
    random = np.random.default_rng(0)
    means = [random.choice(points, len(points)).mean() for _ in range(SAMPLES)]
    return float(points.mean()), *map(float, np.percentile(means, (2.5, 97.5)))


def verdict(low: float, high: float) -> str:
    """What an interval says of a claim."""
    return "confirmed" if low > 0 else "contrary" if high < 0 else "not confirmed"


def report(name: str, table: Table, rows: pd.DataFrame) -> str:
    """The table as Markdown."""
    lines = ["| system | " + " | ".join(
        f"{title}: paper | ours | gap" for title in table.corpora.values()
    ) + " | parameters | s a training |"]  # fmt: skip
    lines.append("|---|" + "--:|" * (3 * len(table.corpora) + 2))
    for system in table.systems:
        cells, own = [], rows[rows["system"] == system.name]
        numbers = dict(zip(table.corpora, system.paper, strict=bool(system.paper)))
        for data in table.corpora:
            paper, scores = numbers.get(data), 100 * own[own["data"] == data]["accuracy"]
            cells.append("" if paper is None else f"{paper:.1f}")
            spread = f" ({scores.std():.1f})" if len(scores) > 1 else ""
            cells.append(f"{scores.mean():.1f}{spread}" if len(scores) else "")
            both = len(scores) and paper is not None
            cells.append(f"{scores.mean() - paper:+.1f}" if both else "")
        cells.append(f"{own['parameters'].max():,.0f}" if len(own) else "")
        cells.append(f"{own['seconds'].median():.0f}" if len(own) else "")
        lines.append(f"| {system.name} | {' | '.join(cells)} |")
    counts = rows.groupby(["system", "data"]).size()
    claims = ["| claim | corpus | points | 95 % | verdict |", "|---|---|--:|---|---|"]
    for claim in table.claims:
        for data in claim.corpora or table.corpora:
            parts = [
                rows[(rows["system"] == one) & (rows["data"] == data)]
                for one in (claim.better, claim.worse)
            ]
            if all(map(len, parts)):
                mean, low, high = difference(*map(rights_of, parts))
                interval = f"{low:+.1f} to {high:+.1f}"
                cells = (claim.says, table.corpora[data], f"{mean:+.1f}", interval)
                claims.append(f"| {' | '.join(cells)} | {verdict(low, high)} |")
    notes = "\n".join(f"- {note}" for note in table.footnotes)
    trainings = f"{counts.min()} to {counts.max()}" if len(counts) else "0"
    return f"""# {table.title}

Test accuracy in percent: the paper's, ours (the mean and, in brackets, the standard deviation of
{trainings} trainings), and the gap. Written by `make reproduce TABLE={name}` on
{" and ".join(sorted(set(rows["machine"])))}.

{chr(10).join(lines)}

{notes}

## Claims of order

Points of accuracy, by the mean of the trainings on each test text, with the interval of 95 % of
samples of such texts (paired bootstrap).

{chr(10).join(claims)}
"""


def main(
    name: Annotated[str, typer.Argument(help=", ".join(TABLES))],
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, one epoch; not written.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=1, help="Trainings at a time, which share the cores.")
    ] = 1,
    row: Annotated[tuple[str, str, int] | None, typer.Option(hidden=True)] = None,
) -> None:
    """Rerun a table of a paper."""
    quiet_tensorflow()
    table, epochs = table_of(name), 1 if quick else None
    if row is not None:
        print(json.dumps(run_row(table, *row, epochs)))
        return
    path = RESULTS / f"{name}.csv"
    rows = pd.read_csv(path) if path.exists() and not quick else pd.DataFrame(columns=KEY)
    corpora = []
    for data in table.corpora:
        try:
            datasets.load(data)
            corpora.append(data)
        except zoo.UsageError as error:
            print(f"left out: {error}")
    plan = [
        (system.name, data, seed)
        for seed in range(1 if quick else table.seeds)
        for data in corpora
        for system in table.systems
    ]
    done = set(rows[KEY].itertuples(index=False, name=None))
    plan = [one for one in plan if one not in done]
    if table.vectors is not None and plan:
        imdb_vectors(table.vectors)
    failed = 0
    for number, (one, found) in enumerate(trained(name, plan, quick, jobs), start=1):
        print(f"{number} of {len(plan)}: {', '.join(map(str, one))}: ", end="")
        if found is None:
            failed += 1
            print("failed", flush=True)
            continue
        print(f"{found['accuracy']:.2%}, {found['seconds']:.0f} s", flush=True)
        rows = pd.concat([rows, pd.DataFrame([found])], ignore_index=True)
        if not quick:
            with whole(path) as partial:
                rows.to_csv(partial, index=False)
    text = report(name, table, rows)
    if not quick:
        with whole(path.with_suffix(".md")) as partial:
            partial.write_text(text, "utf-8")
    print(text)
    if failed:
        sys.exit(f"{failed} trainings failed; run again to try them anew")


if __name__ == "__main__":
    try:
        typer.run(main)
    except zoo.UsageError as error:
        sys.exit(f"reproduce: {error}")
