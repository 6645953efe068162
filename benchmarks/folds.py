"""Training texts to learn from and others to judge on: what is chosen is chosen here.

No test split is read.
"""

import functools
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import zoo
from zoo import datasets
from zoo.filesystem.paths import expanded

SEED = 7
# Whose training texts teach, by names of the catalogue or files of $ZOO_DATA_DIR. Collections
# without a test split of their own do not: each of their texts is somebody's test text, and those
# of rt_polarity are in SST's.
CORPORA = {
    "agnews": "agnews",
    "trec": "trec",
    "sst_binary": "sst_binary",
    "semeval2013": "semeval2013",
    "semeval2010": "semeval2010",
    "newsgroups": "newsgroups",
    "imdb": "imdb",
    "opener": "opener/train.jsonl.gz",
    "sentube_a": "sentube_auto/train.jsonl.gz",
    "sentube_t": "sentube_tablets/train.jsonl.gz",
    "banking77": "banking77/train.csv",
    "tweeteval_emotion": "tweeteval_emotion/train_text.txt",
    "tweeteval_irony": "tweeteval_irony/train_text.txt",
}
SHARE = 0.6  # of the training texts of a corpus, which teach; on the others tables are compared
BEDS = (
    *("agnews", "trec", "opener", "banking77", "tweeteval_emotion", "tweeteval_irony"),
    "sst_binary",
)
JUDGED = 600  # texts judged on, in each draw


def data_folder(corpus: str = "") -> Path:
    """Where the files of corpora are, or those of one of them, which must be there."""
    folder = expanded(os.environ.get("ZOO_DATA_DIR", "data")) / corpus
    if corpus and not folder.is_dir():
        sys.exit(f"{folder} is not here: put it there, or set ZOO_DATA_DIR")
    return folder


def corpus_texts(name: str) -> list[str]:
    """All training texts of a corpus, in the order of its file."""
    if CORPORA[name] in datasets.CATALOGUE:
        return list(datasets.load(CORPORA[name]).train)
    return datasets.read_texts(data_folder() / CORPORA[name])


def teaching_rows(texts: int) -> np.ndarray:
    """The numbers of a corpus' training texts that teach; on the others tables are compared."""
    return np.random.default_rng(SEED).permutation(texts)[: int(SHARE * texts)]


@functools.cache
def bed(name: str) -> tuple[list[str], np.ndarray]:
    """Training texts and class numbers of a corpus."""
    source = CORPORA[name]
    path = data_folder() / source
    if source in datasets.CATALOGUE:
        labels = datasets.load(source).train.targets
    elif path.suffix == ".txt":
        labels = datasets.read_texts(path.with_name("train_labels.txt"))
    elif path.suffix == ".csv":
        labels = pd.read_csv(path)["category"]
    else:
        labels = pd.read_json(path, lines=True)["label"]
    return corpus_texts(name), np.unique(np.asarray(labels), return_inverse=True)[1]


def drawn(name: str, labels: int, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from, some of each class, and rows to judge on, which teach no table."""
    texts, numbers = bed(name)
    teaching, rng = teaching_rows(len(texts)), np.random.default_rng([draw, labels])
    teaching, others = (
        rng.permutation(rows) for rows in (teaching, np.setdiff1d(np.arange(len(texts)), teaching))
    )
    classes = range(numbers.max() + 1)
    learnt = [teaching[numbers[teaching] == one][:labels] for one in classes]
    return rng.permutation(np.concatenate(learnt)), others[:JUDGED]


def by_model(model: str, trial: tuple[str, int, int], **settings: Any) -> dict:
    """The accuracy of a model that zoo.train makes, by these settings or its defaults."""
    name, labels, draw = trial
    texts, classes = bed(name)
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        paths = [Path(folder, f"{part}.jsonl") for part in ("train", "test")]
        for path, rows in zip(paths, drawn(*trial), strict=True):
            label = [f"class {classes[row]}" for row in rows]
            frame = pd.DataFrame({"text": [texts[row] for row in rows], "label": label})
            frame.to_json(path, orient="records", lines=True)
        files, runs = {"test": str(paths[1])}, Path(folder, "runs")
        told = {"files": files, "output": runs, "seed": draw, "verbose": 0}
        run = zoo.train(model, str(paths[0]), **told, **settings)
        right = 100 * json.loads((run / "metrics.json").read_text("utf-8"))["accuracy"]
    return {"corpus": name, "labels": labels, "draw": draw, "accuracy": right}


def interval(ours: pd.DataFrame, other: pd.DataFrame) -> str:
    """Mean difference over trials, and its interval of 95 % by redrawing them, if they are five."""
    on = ["by", "corpus", "labels", "draw"]
    pairs = ours.merge(other, on=on, suffixes=("", "_other"))
    points = (pairs["accuracy"] - pairs["accuracy_other"]).to_numpy()
    if len(points) < 5:
        return f"{points.mean():+.1f}"
    rng = np.random.default_rng(0)
    means = rng.choice(points, (2000, len(points))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return f"{points.mean():+.1f} ({low:+.1f} to {high:+.1f})"


def way_head(corpora: Sequence[str], against: str) -> list[str]:
    """The first two lines of a table of ways, in Markdown."""
    return [
        f"| way | {' | '.join(corpora)} | mean | trials | beside {against} |",
        "|---|" + "--:|" * (len(corpora) + 2) + "---|",
    ]


def way_rows(part: pd.DataFrame, corpora: Sequence[str], first: str) -> list[str]:
    """Its other lines: of each number of labels and each way.

    Args:
        part: with the columns way, by, corpus, labels, draw and accuracy.
        corpora: its columns.
        first: the way beside which the others are.
    """
    lines = []
    for labels, these in part.groupby("labels"):
        for way, own in these.groupby("way", sort=False):
            means = own.groupby("corpus")["accuracy"].mean()
            cells = [f"{means[name]:.1f}" if name in means else "" for name in corpora]
            whole = len(means) == these["corpus"].nunique()  # else it is of other corpora
            mean = f"{means.mean():.1f}" if whole else ""
            beside = "" if way == first else interval(own, these[these["way"] == first])
            cells += [mean, str(len(own)), beside]
            lines += [f"| {way}, {labels} a class | {' | '.join(cells)} |"]
    return lines
