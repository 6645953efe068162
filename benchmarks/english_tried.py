"""Other ways to make the English word table, compared on training texts that teach none of them.

``python -m benchmarks.english_tried`` needs what ``make weights`` keeps in ``runs/weights``, and
writes ``benchmarks/results/english.md``. Interrupted, it goes on where it stopped. Few labelled
texts of each class are drawn from those that teach, others are judged on. No test split is read.
Many ways are judged by ridge regression on three simple forms of a text; the best by models.
"""

import functools
import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

import zoo
from benchmarks.english import (
    CORPORA,
    SIZE,
    STATES,
    combined,
    corpus_texts,
    data_folder,
    read_states,
    teaching_rows,
)
from benchmarks.report import machine
from zoo import datasets
from zoo.datasets.text.tokens import split_words
from zoo.progress import progress

BEDS = (
    *("agnews", "trec", "opener", "banking77", "tweeteval_emotion", "tweeteval_irony"),
    "sst_binary",
)
LABELS = (16, 100)  # a class; of banking77, whose rarest class has 35 texts, 16
DRAWS, JUDGED = 3, 600  # texts judged on, in each draw
FILTERS = 300  # of the random convolution over three words
SIZES = {"the table, numbers of size 0.05": 0.05, "the table, numbers of size 0.25": 0.25}
MODELS = ("attcnn", "cnn_kim")
RESULTS = Path(__file__).parent / "results" / "english.md"
KEPT = STATES / "tried.jsonl"


def principal(states: np.ndarray, dim: int = 256) -> np.ndarray:
    """The principal components of states, ``[words, width]`` to ``[words, dim]``."""
    return PCA(dim, svd_solver="covariance_eigh").fit_transform(states)


def sized(matrix: np.ndarray, power: float) -> np.ndarray:
    """Columns divided by a power of their sizes."""
    return matrix / np.sqrt(np.mean(np.square(matrix), axis=0)) ** power


def packed(matrix: np.ndarray, step: float) -> np.ndarray:
    """What packing leaves."""
    scales = step * np.sqrt(np.mean(np.square(matrix), axis=1, keepdims=True))
    return np.rint(matrix / scales) * scales


PROTOTYPE = "each word alone, last layer"
OURS = "in sentences, layers 0, 2, 4, 6, and word2vec: the table"
WAYS: dict[str, Callable[[dict], np.ndarray]] = {
    PROTOTYPE: lambda states: principal(states["alone"][3]),
    "each word alone, layer 4": lambda states: principal(states["alone"][2]),
    "each word alone, layer 2": lambda states: principal(states["alone"][1]),
    "each word alone, layer 0 (pieces)": lambda states: principal(states["alone"][0]),
    "in sentences, layer 6": lambda states: combined(states, (6,), word2vec=0),
    "in sentences, layer 4": lambda states: combined(states, (4,), word2vec=0),
    "in sentences, layer 2": lambda states: combined(states, (2,), word2vec=0),
    "in sentences, layers 0 and 6": lambda states: combined(states, (0, 6), word2vec=0),
    "in sentences, layers 0 and 4": lambda states: combined(states, (0, 4), word2vec=0),
    "in sentences, layers 0, 2, 4, 6": lambda states: combined(states, word2vec=0),
    "word2vec alone": lambda states: states["word2vec"],
    OURS: combined,
    "the same, word2vec's counted twice as much": lambda states: combined(states, word2vec=1),
    "the same, 128 numbers": lambda states: combined(states, dim=128),
    "the same, 192 numbers": lambda states: combined(states, dim=192),
    "the same, 384 numbers": lambda states: combined(states, dim=384),
    "the same, columns by the root of their sizes": lambda states: sized(combined(states), 0.5),
    "the same, columns of one size": lambda states: sized(combined(states), 1),
    "the same, rows of one size": lambda states: sized(combined(states).T, 1).T,
    "the same, packed in steps of 0.35": lambda states: packed(combined(states), 0.35),
    "the same, packed in steps of 0.6": lambda states: packed(combined(states), 0.6),
}


@functools.cache
def bed(name: str) -> tuple[list[str], np.ndarray]:
    """Training texts and class numbers of a corpus."""
    source = CORPORA[name]
    path = data_folder() / source
    if source in datasets.CATALOGUE:
        labels = datasets.load(source).train.numbers
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


def trials() -> Iterator[tuple[str, int, int]]:
    """A corpus, a number of labels and a draw."""
    for labels in LABELS:
        for draw in range(DRAWS):
            for name in BEDS:
                if name != "banking77" or labels == LABELS[0]:
                    yield name, labels, draw


def forms(name: str, numbers: dict[str, int], matrix: np.ndarray) -> list[np.ndarray]:
    """Three forms of texts: mean; mean, largest and least; and largest of a convolution.

    Only those of trials; others are zeros.
    """
    own = [drawn(*trial) for trial in trials() if trial[0] == name]
    needed = {int(row) for pair in own for rows in pair for row in rows}
    rng = np.random.default_rng(0)
    filters = rng.normal(size=(3, matrix.shape[1], FILTERS)) / np.sqrt(3 * matrix.shape[1])
    found = {}
    for text in needed:
        words = _words(name)[text]
        rows = matrix[[numbers[word] for word in words if word in numbers] or [0]]
        around = np.pad(rows, ((1, 1), (0, 0)))
        read = sum(around[i : i + len(rows)] @ filters[i] for i in range(3)).max(axis=0)
        mean = rows.mean(axis=0)
        found[text] = mean, np.concatenate([mean, rows.max(axis=0), rows.min(axis=0)]), read
    parts = []
    for form in zip(*found.values(), strict=True):
        part = np.zeros((len(_words(name)), len(form[0])), "float32")
        part[list(found)] = form
        parts.append(part)
    return parts


@functools.cache
def _words(name):
    words = split_words([text.encode() for text in bed(name)[0]]).to_list()
    return [[word.decode() for word in text[:80]] for text in words]


def by_ridge(matrix: np.ndarray, words: list[str]) -> Iterator[dict]:
    """The accuracy of ridge regression on each form of the texts, in each trial."""
    numbers = {word: number for number, word in enumerate(words)}
    for name in BEDS:
        found, classes = forms(name, numbers, matrix), bed(name)[1]
        for _, labels, draw in (trial for trial in trials() if trial[0] == name):
            learnt, judged = drawn(name, labels, draw)
            targets = np.eye(classes.max() + 1)[classes[learnt]]
            for form in found:
                form = form - form[learnt].mean(axis=0)
                form /= np.sqrt(np.mean(np.sum(np.square(form[learnt]), axis=1)))
                answers = Ridge(0.3).fit(form[learnt], targets).predict(form[judged]).argmax(1)
                right = 100 * np.mean(answers == classes[judged])
                yield {"corpus": name, "labels": labels, "draw": draw, "accuracy": right}


def by_model(model: str, weights: str, trial: tuple[str, int, int]) -> dict:
    """The accuracy of a model that zoo.train makes with its defaults, in a trial."""
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
        run = zoo.train(model, str(paths[0]), weights=weights, **told)
        right = 100 * json.loads((run / "metrics.json").read_text("utf-8"))["accuracy"]
    return {"corpus": name, "labels": labels, "draw": draw, "accuracy": right}


def kept() -> pd.DataFrame:
    """What was measured before: by, way, corpus, labels, draw, accuracy."""
    columns = ["by", "way", "corpus", "labels", "draw", "accuracy"]
    if not KEPT.exists():
        return pd.DataFrame(columns=columns)
    return pd.read_json(KEPT, lines=True)


def keep(by: str, way: str, rows: list[dict]) -> None:
    """Adds to what was measured."""
    with KEPT.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"by": by, "way": way} | row) + "\n" for row in rows)


def measure() -> None:
    """Measures what was not measured before."""
    states, known = read_states(STATES), kept()
    words = states["words"].tolist()
    for way, make in progress(WAYS.items(), "Ways", len(WAYS), "ways"):
        if not ((known["by"] == "ridge") & (known["way"] == way)).any():
            keep("ridge", way, list(by_ridge(make(states).astype("float32"), words)))
    starts = {"random vectors": "none", "the table": "english"}
    for way in (PROTOTYPE, *SIZES):
        path = STATES / f"{way}.bin"
        starts[way] = str(path)
        if not path.exists():
            matrix = SIZES[way] / SIZE * combined(states) if way in SIZES else WAYS[way](states)
            vectors = KeyedVectors(matrix.shape[1])
            vectors.add_vectors(words, matrix.astype("float32"))
            vectors.save_word2vec_format(str(path), binary=True)
    todo = [(model, *trial) for trial in trials() for model in MODELS]
    for model, *trial in progress(todo, "Models", len(todo), "trials"):
        for way, weights in starts.items():
            same = (known["by"] == model) & (known["way"] == way)
            for column, value in zip(("corpus", "labels", "draw"), trial, strict=True):
                same &= known[column] == value
            if not same.any():
                keep(model, way, [by_model(model, weights, tuple(trial))])


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


def report() -> None:
    """Writes the tables."""
    rows = kept()
    rows = rows.groupby(["by", "way", "corpus", "labels", "draw"], sort=False, as_index=False)
    rows = rows["accuracy"].mean()  # of the forms of a text
    lines = ["# English word tables, compared on training texts", ""]
    for by, first in (("ridge", PROTOTYPE), *((model, "the table") for model in MODELS)):
        part = rows[rows["by"] == by]
        if part.empty:
            continue
        against = "the prototype" if by == "ridge" else "the table"
        lines += [f"## {'Ridge regression' if by == 'ridge' else f'`{by}`'}", ""]
        lines += [f"| way | {' | '.join(BEDS)} | mean | trials | beside {against} |"]
        lines += ["|---|" + "--:|" * (len(BEDS) + 2) + "---|"]
        for labels in LABELS:
            these = part[part["labels"] == labels]
            for way, own in these.groupby("way", sort=False):
                means = own.groupby("corpus")["accuracy"].mean()
                cells = [f"{means[name]:.1f}" if name in means else "" for name in BEDS]
                whole = len(means) == these["corpus"].nunique()  # else it is of other corpora
                mean = f"{means.mean():.1f}" if whole else ""
                base = these[these["way"] == first]
                beside = "" if way == first else interval(own, base)
                cells += [mean, str(len(own)), beside]
                lines += [f"| {way}, {labels} a class | {' | '.join(cells)} |"]
        lines += [""]
    lines += [
        f"Written by `python -m benchmarks.english_tried` on {machine()}: accuracy in percent, "
        f"mean of at most {DRAWS} draws; trials tell of how many. Few texts of each class are "
        f"drawn from training texts that may teach tables, and {JUDGED} of the others are judged; "
        "no test split is read. The table was chosen by these numbers, so that those of ridge "
        "regression flatter it a little. Differences are of the trials that both have, with "
        "intervals of 95 % by redrawing trials. Ridge regression reads three forms of a text: the "
        "mean of its words' vectors; the mean, largest and least; the largest of a random "
        "convolution over three words. Models are trained with their defaults. All but the words "
        "alone have learnt from unlabelled texts of these very corpora: elsewhere they may gain "
        "less, which was not measured.",
        "",
    ]
    RESULTS.write_text("\n".join(lines), "utf-8")
    print(f"Written to {RESULTS}.")


def main():
    logging.basicConfig(format="%(message)s")
    logging.getLogger("zoo").setLevel(logging.INFO)
    measure()
    report()


if __name__ == "__main__":
    main()
