"""The papers' figures and analyses, drawn anew: a module for each.

A module has ``TITLE``; ``TEXT``, what the paper shows and how ours differs; ``measure()``, which
gives a table; and ``draw(table)``, which gives a figure of it. ``make figures`` writes both.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from benchmarks.table import Table, as_files
from zoo.explanation.attention import word_weights

RUNS = Path("runs/figures")
TEXTS = (5_000, 10_000)  # of training and of the test split: what two cores do in minutes
READ_AT_ONCE = 32
PARTS = Table("", {}, [], {}, [], [], texts=TEXTS)


def trained(model: str, data: str, **settings: Any) -> Path:
    """The run folder of a training on some texts of a corpus; trained where it has not been."""
    told = (f"{name}={value}" for name, value in settings.get("options", {}).items())
    folder = RUNS / "-".join([model, data, *told])
    if not folder.exists():
        parts = PARTS._part(data, seed=0)
        with tempfile.TemporaryDirectory() as texts:
            train, others = as_files(parts, Path(texts))
            run = zoo.train(
                model,
                train,
                files=others,
                output=RUNS / "new",
                verbose=2,
                calibrate=False,
                **settings,
            )
        run.rename(folder)
    return folder


def attended(model, data: str, count: int) -> Iterator[tuple[str, list[str], np.ndarray]]:
    """Of random test texts: the label, the words, and how much attention each of them has."""
    frame = PARTS._part(data, seed=0)["test"][:count]
    for start in range(0, len(frame), READ_AT_ONCE):
        part = frame[start : start + READ_AT_ONCE]
        read = attention_to(model, part["text"].tolist())
        for label, (words, weights) in zip(part["label"], read, strict=True):
            yield label, words, weights


def attention_to(model, texts: list[str]) -> Iterator[tuple[list[str], np.ndarray]]:
    """The words of each text, and how much attention each of them has."""
    tokens = model.preprocessor.tokens(texts)
    ids = model.preprocessor.pad(tokens.inputs)
    weights = np.asarray(word_weights(model, ids))
    words = tokens.words.merge_dims(1, 2) if model.hierarchical else tokens.words
    for own, text, row in zip(words.to_list(), np.asarray(ids), weights, strict=True):
        yield [word.decode() for word in own], row[text != 0]
