"""Other ways to make the English word table, compared on training texts that teach none of them.

``python -m benchmarks.english_tried`` needs what ``make weights`` keeps in ``runs/weights``, and
writes ``benchmarks/results/english.md``. Interrupted, it goes on where it stopped. Few labelled
texts of each class are drawn from those that teach, others are judged on. No test split is read.
Many ways are judged by ridge regression on three simple forms of a text; the best by models.
"""

import functools
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from benchmarks.english import SIZE, STATES, combined, read_states
from benchmarks.folds import BEDS, JUDGED, bed, by_model, drawn, way_head, way_rows
from benchmarks.report import machine
from zoo.datasets.text.tokens import split_words
from zoo.progress import progress

LABELS = (16, 100)  # a class; of banking77, whose rarest class has 35 texts, 16
DRAWS = 3
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
OURS = "in sentences, layers 0, 2, 4, 6, word2vec, and valence: the table"
plain = functools.partial(combined, valence=0)
WAYS: dict[str, Callable[[dict], np.ndarray]] = {
    PROTOTYPE: lambda states: principal(states["alone"][3]),
    "each word alone, layer 4": lambda states: principal(states["alone"][2]),
    "each word alone, layer 2": lambda states: principal(states["alone"][1]),
    "each word alone, layer 0 (pieces)": lambda states: principal(states["alone"][0]),
    "in sentences, layer 6": lambda states: plain(states, (6,), word2vec=0),
    "in sentences, layer 4": lambda states: plain(states, (4,), word2vec=0),
    "in sentences, layer 2": lambda states: plain(states, (2,), word2vec=0),
    "in sentences, layers 0 and 6": lambda states: plain(states, (0, 6), word2vec=0),
    "in sentences, layers 0 and 4": lambda states: plain(states, (0, 4), word2vec=0),
    "in sentences, layers 0, 2, 4, 6": lambda states: plain(states, word2vec=0),
    "word2vec alone": lambda states: states["word2vec"],
    OURS: combined,
    "the same, without valence": plain,
    "the same, valence as large as the largest component": lambda states: combined(
        states, valence=1
    ),
    "the same, valence four times as large": lambda states: combined(states, valence=4),
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
                keep(model, way, [by_model(model, tuple(trial), weights=weights)])


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
        lines += way_head(BEDS, against)
        lines += way_rows(part, BEDS, first)
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
