"""Accuracy by the number of labels: zoo and other systems that users might pick, on the same texts.

``make bench-labels`` draws some training texts of each class, trains every system of
:mod:`benchmarks.labels_systems` on the same draws, and scores it on the test split. Each training
is a row of ``benchmarks/results/labels.csv``; ``labels.md`` and ``labels.svg`` show these rows. The
next run of the command measures only what the CSV does not have yet; ``--anew`` measures the chosen
rows again.
"""

import functools
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

import zoo
from benchmarks.labels_report import ALL, picture, tables
from benchmarks.labels_systems import SYSTEMS
from benchmarks.report import machine
from zoo import datasets
from zoo.backend import quiet_tensorflow
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.paths import expanded
from zoo.progress import progress

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "labels.csv"
KEY = ["system", "corpus", "labels", "draw"]
LABELS = ("16", "100", "8", "64", "256", ALL)  # per class; the first two are measured first
FIRST = 2
DRAWS, DRAWS_OF_LARGE = 5, 3
MOST_TESTED = 5_000  # test texts
MOST_OTHERS = 10_000  # further training texts, without labels, which a teacher may label
TAUGHT = ("zoo_attcnn_taught", "zoo_svm_vectors_taught", "zoo_attcnn_varied")  # with few labels
SLOW = {"minilm_tuned": (1_500, 0)}  # most training texts, and of large corpora; more take hours
SLOW |= dict.fromkeys(("zoo_bert", *TAUGHT), (math.inf, 1_000))
THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


@dataclass(frozen=True)
class Corpus:
    """Where texts come from.

    Attributes:
        title: the title in reports.
        source: a name of the catalogue, or the files in $ZOO_DATA_DIR by split.
        large: whether trainings take long, so that there are fewer draws.
    """

    title: str
    source: str
    large: bool = False


CORPORA = {
    "trec": Corpus("TREC", "trec"),
    "opener": Corpus("OpeNER", "opener/{split}.jsonl.gz"),
    "sst_binary": Corpus("SST-2", "sst_binary"),
    "banking77": Corpus("Banking77", "banking77/{split}.csv"),
    "tweeteval_emotion": Corpus("TweetEval emotion", "tweeteval_emotion/{split}_text.txt"),
    "tweeteval_irony": Corpus("TweetEval irony", "tweeteval_irony/{split}_text.txt"),
    "semeval2013": Corpus("SemEval-2013", "semeval2013"),
    "sentube_a": Corpus("SenTube-A", "sentube_a"),
    "sentube_t": Corpus("SenTube-T", "sentube_tablets/{split}.jsonl.gz"),
    "agnews": Corpus("AG News", "agnews", large=True),
    "newsgroups": Corpus("20 Newsgroups", "newsgroups", large=True),
    "imdb": Corpus("IMDB", "imdb", large=True),
}


@functools.cache
def read(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test texts with their labels; at most 5,000 test texts, the same in every draw.

    Raises:
        UsageError: if the corpus is not on this machine.
    """
    source = CORPORA[name].source
    if source in datasets.CATALOGUE:
        corpus = datasets.load(source)
        frames = [corpus.frame(split) for split in ("train", "test")]
    else:
        folder = expanded(os.environ.get("ZOO_DATA_DIR", "data"))
        frames = [_of_file(folder / source.format(split=split)) for split in ("train", "test")]
    train, test = (
        frame.loc[frame["text"].str.strip() != "", ["text", "label"]].astype(str)
        for frame in frames
    )
    return train, test.sample(min(len(test), MOST_TESTED), random_state=0)


def _of_file(path):
    if not path.exists():
        raise zoo.UsageError(f"{path} is not here: put it there, or set ZOO_DATA_DIR")
    if path.suffix == ".txt":
        labels = path.with_name(path.name.replace("text", "labels"))
        columns = {"text": datasets.read_texts(path), "label": labels.read_text().split()}
        return pd.DataFrame(columns)
    if path.suffix == ".csv":
        return pd.read_csv(path).rename(columns={"category": "label"})
    return pd.read_json(path, lines=True, dtype=False)


def drawn(train: pd.DataFrame, labels: str, draw: int) -> pd.DataFrame:
    """Draws so many texts of each class, or all texts of a class with fewer, in random order.

    A draw with fewer labels is part of the same draw with more labels.
    """
    shuffled = train.sample(frac=1, random_state=draw)
    return shuffled if labels == ALL else shuffled.groupby("label").head(int(labels))


@functools.cache
def count(name: str, labels: str) -> int:
    """How many texts are drawn; 0 if no class has more texts, as that would be the draw of all."""
    sizes = read(name)[0]["label"].value_counts()
    if labels == ALL:
        return sizes.sum()
    return sizes.clip(upper=int(labels)).sum() if int(labels) < sizes.max() else 0


def is_run(system: str, name: str, labels: str) -> bool:
    """Whether the corpus has that many labels, and they are not too many for a slow system."""
    texts = count(name, labels)
    few = texts <= SLOW.get(system, (math.inf, math.inf))[CORPORA[name].large]
    return texts > 0 and few and not (system in TAUGHT and labels == ALL)


def plan(
    corpora: list[str], labels: list[str], systems: list[str], draws: int | None
) -> list[tuple[str, str, str, int]]:
    """What to train, in order: system, corpus, labels and draw.

    Every draw with the first numbers of labels comes before the others. With all texts there is
    only one draw.
    """

    def most(corpus, number):
        planned = DRAWS_OF_LARGE if CORPORA[corpus].large else DRAWS
        return 1 if number == ALL else min(planned, draws or planned)

    parts = [[one for one in labels if (one in LABELS[:FIRST]) is first] for first in (True, False)]
    return [
        (system, corpus, number, draw)
        for part in parts
        for draw in range(DRAWS)
        for number in part
        for system in systems
        for corpus in corpora
        if draw < most(corpus, number)
    ]


def trained(system: str, draw: int, folders: list[Path]) -> Iterator[dict | None]:
    """The results of a system on the texts of each folder, from a separate process; None if failed.

    The process uses one core, so that its CPU seconds are what a clock would show on an idle
    machine.
    """
    command = [sys.executable, "-m", "benchmarks.labels_systems", system, str(draw)]
    found = []
    with tempfile.TemporaryFile("w+") as errors:
        told = {"stdout": subprocess.PIPE, "stderr": errors, "text": True, "cwd": ROOT}
        one_core = os.environ | dict.fromkeys(THREADS, "1")
        process = subprocess.Popen([*command, *map(str, folders)], env=one_core, **told)
        try:
            for line in process.stdout:
                if line.startswith(('{"accuracy"', "null")):
                    found.append(json.loads(line))
                    yield found[-1]
        finally:  # also when the caller stops reading
            process.kill()
            process.wait()
        if None in found or len(found) < len(folders):
            errors.seek(0)
            print(f"{system} failed:", *errors.readlines()[-5:], file=sys.stderr)
    yield from [None] * (len(folders) - len(found))


def measured(todo: list[tuple]) -> Iterator[tuple[tuple, dict | None]]:
    """Each row of the plan with its result, or None if it failed.

    Rows with the same system, number of labels and draw run in the same process.
    """
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        for (system, labels, draw), part in groupby(todo, key=lambda row: (row[0], *row[2:])):
            rows = list(part)
            folders = [Path(folder, name) for _, name, *_ in rows]
            for path in folders:
                train, test = read(path.name)
                if not path.exists():
                    path.mkdir()
                    test.to_json(path / "test.jsonl", orient="records", lines=True)
                learnt = drawn(train, labels, draw)
                learnt.to_json(path / "train.jsonl", orient="records", lines=True)
                others = train.drop(learnt.index)[["text"]]
                others = others.sample(min(len(others), MOST_OTHERS), random_state=draw)
                others.to_json(path / "others.jsonl", orient="records", lines=True)
            for row, found in zip(rows, trained(system, draw, folders), strict=True):
                more = {"classes": read(row[1])[1]["label"].nunique(), "machine": machine()}
                yield row, found and found | more


def load() -> pd.DataFrame:
    """The rows that have been measured."""
    if not RESULTS.exists():
        return pd.DataFrame(columns=KEY)
    return pd.read_csv(RESULTS, dtype={"labels": str})


def keep(row: tuple, found: dict) -> None:
    """Adds a row to the CSV, and removes an older result for the same row."""
    rows = load()  # another run may have added rows
    old = rows[KEY].eq(pd.Series(row, KEY)).all(axis=1)
    new = pd.DataFrame([dict(zip(KEY, row, strict=True)) | found])
    with whole(RESULTS) as partial:
        pd.concat([rows[~old], new], ignore_index=True).to_csv(
            partial, index=False, float_format="%.6g"
        )


def report(drawing: bool = True) -> None:
    """Writes the tables and, if asked for, the picture, from the rows that have been measured."""
    rows = load()
    if rows.empty:
        return
    corpora = {name: corpus.title for name, corpus in CORPORA.items()}
    systems = {name: title for name, (title, _) in SYSTEMS.items()}
    with whole(RESULTS.with_suffix(".md")) as partial:
        partial.write_text(tables(rows, systems, corpora), "utf-8")
    if drawing:
        picture(rows, systems, corpora, RESULTS.with_suffix(".svg"))


def chosen(given: str | None, known, what: str) -> list[str]:
    """The names in a list separated by commas; all known names if none is given."""
    names = given.split(",") if given else list(known)
    for name in names:
        if name not in known:
            raise zoo.errors.unknown(what, name, list(known))
    return names


def main(
    corpora: Annotated[str | None, typer.Option(help=",".join(CORPORA))] = None,
    labels: Annotated[str | None, typer.Option(help=",".join(LABELS))] = None,
    systems: Annotated[str | None, typer.Option(help=",".join(SYSTEMS))] = None,
    draws: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Also what is in the CSV.")] = False,
) -> None:
    """Measure accuracy by the number of labels; each choice is of names separated by commas."""
    asked = [
        chosen(given, known, what)
        for given, known, what in (
            (corpora, CORPORA, "corpus"),
            (labels, LABELS, "number of labels"),
            (systems, SYSTEMS, "system"),
        )
    ]
    here = []
    for name in asked[0]:
        try:
            read(name)
            here.append(name)
        except zoo.UsageError as error:
            print(f"left out: {error}")
    done = set() if anew else set(load()[KEY].itertuples(index=False, name=None))
    todo = [row for row in plan(here, *asked[1:], draws) if row not in done]
    todo = [row for row in todo if is_run(*row[:3])]
    before = None
    try:
        for row, found in progress(measured(todo), "Training", len(todo), "trainings", shown=True):
            if found:
                keep(row, found)
            if row[0] != before:
                before = row[0]
                report(drawing=False)
    except KeyboardInterrupt:
        sys.exit("interrupted; run again to go on from here")
    finally:
        report()
    print(f"Written to {RESULTS.with_suffix('.md')}.")


if __name__ == "__main__":
    quiet_tensorflow()
    logging.basicConfig(format="%(message)s")
    logging.getLogger("zoo").setLevel(logging.INFO)
    try:
        typer.run(main)
    except zoo.UsageError as error:
        sys.exit(f"labels: {error}")
