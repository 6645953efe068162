"""Any labels: numbers in their order whatever file they come from, rare classes in training."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.own_files.reading import load_files
from zoo.evaluation.scores import score

SHAPES = {  # how files have whole numbers
    "plain": str,
    "of pandas, beside a missing one": lambda number: f"{number}.0",
    "with zeros before": lambda number: f"{number:+05d}",
    "with blanks": lambda number: f" {number} ",
    "with a sign": lambda number: f"{number:+d}",
}
LINES = {"orient": "records", "lines": True}
NUMBERS = st.lists(st.integers(-120, 120) | st.integers(), min_size=2, max_size=30, unique=True)


def csv(frame, path, **how):
    frame.to_csv(path, index=False, **how)
    return path


def jsonl(frame, path):
    frame.to_json(path, **LINES)
    return path


def parquet(frame, path):
    frame.to_parquet(path)
    return path


def folders(frame, path):
    for number, (text, label) in enumerate(frame.itertuples(index=False)):
        folder = path / str(label).strip()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(text)
    return path


def table_of_each(frame, path):
    path.mkdir()
    for number in range(len(frame)):
        frame[number : number + 1].to_csv(path / f"{number}.csv", index=False)
    return path / "*.csv"


READERS = {
    "a.csv": csv,
    "b.csv.gz": lambda frame, path: csv(frame, path, sep=";"),
    "c.tsv": lambda frame, path: csv(frame, path, sep="\t"),
    "d.jsonl": jsonl,
    "e.parquet": parquet,
    "f.parquet": lambda frame, path: parquet(frame.astype({"label": "category"}), path),
    "g": folders,
    "h": table_of_each,
}


def check_order(path, numbers):
    """The labels are those numbers in their order, and each text has its own."""
    corpus = load_files(path)
    assert [Decimal(label) for label in corpus.labels] == sorted(numbers)
    for text, label in corpus.frame("train").itertuples(index=False):
        assert Decimal(text.removeprefix("text ")) == Decimal(label)


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=25)
@given(numbers=NUMBERS, shape=st.sampled_from([*SHAPES]))
def test_numbers_are_in_their_order(reader, numbers, shape, tmp_path_factory, cases):
    cases("labels: numbers, in each kind of file")
    frame = pd.DataFrame(
        {
            "text": [f"text {number}" for number in numbers],
            "label": [SHAPES[shape](number) for number in numbers],
        }
    )
    check_order(READERS[reader](frame, tmp_path_factory.mktemp("labels") / reader), numbers)


@pytest.mark.parametrize("reader", ["d.jsonl", "e.parquet"])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32", "float64", "Int64"])
def test_numbers_that_are_no_texts_are_in_their_order(reader, dtype, tmp_path, cases):
    cases("labels: numbers, in each kind of file")
    numbers = [
        number for number in (100, 9, 10, 0, 1, 2, -1, -10) if number >= 0 or "u" not in dtype
    ]
    frame = pd.DataFrame({"text": [f"text {number}" for number in numbers], "label": numbers})
    check_order(READERS[reader](frame.astype({"label": dtype}), tmp_path / reader), numbers)


@settings(max_examples=200)
@given(
    counts=st.lists(st.integers(1, 12) | st.integers(1, 300), min_size=2, max_size=200),
    seed=st.integers(0, 2**32 - 1),
)
def test_rare_classes_stay_in_training(counts, seed, cases):
    cases("labels: rare classes in splits")
    numbers = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    labels = [f"c{i}" for i in range(len(counts))]
    texts = [f"text {i}" for i in range(len(numbers))]
    corpus = Corpus("own", labels, Split(texts, numbers))
    try:
        corpus.split(seed)
    except zoo.UsageError:
        assert len(numbers) < len(counts) + 2
        return
    assert set(corpus.train.numbers) == set(range(len(counts)))
    splits = (corpus.train, corpus.validation, corpus.test)
    assert sorted(text for split in splits for text in split) == sorted(texts)
    assert corpus.digest() == Corpus("own", labels, Split(texts, numbers)).split(seed).digest()
    for split in splits[1:]:
        share = np.bincount(split.numbers, minlength=len(counts)) / np.array(counts)
        large = np.array(counts) >= 50  # about a tenth of each
        assert (share[large] < 0.2).all() and 0 < len(split) <= np.ceil(len(numbers) / 10)
    rows = np.random.default_rng(seed).dirichlet(np.ones(len(counts)), len(corpus.test))
    scores = score(corpus.test.numbers, rows, labels)
    assert all(np.isfinite(scores[name]) for name in ("accuracy", "macro_f1", "loss"))
