"""Texts that are not English: German tweets and Chinese hotel reviews.

``python -m benchmarks.other_languages`` reads ``$ZOO_DATA_DIR/germeval2018`` and
``$ZOO_DATA_DIR/chnsenticorp``, with the files as they are published, keeps each training as a row
of ``benchmarks/results/other_languages.csv``, and writes ``other_languages.md`` of the rows that
are there. Run again, it goes on where the CSV stops.
"""

import argparse
import csv
import logging
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

import zoo
from benchmarks.folds import data_folder
from benchmarks.labels_goals import COUNTED
from benchmarks.labels_systems import SYSTEMS
from benchmarks.report import machine
from zoo.backend import quiet_tensorflow
from zoo.datasets.vectors import english
from zoo.evaluation.resampling import margin_of_mean
from zoo.filesystem.atomic_files import whole
from zoo.progress import progress

CORPORA = {"germeval2018": "German tweets", "chnsenticorp": "Chinese hotel reviews"}
TESTED = 0.2  # of the Chinese reviews, which have no test split; drawn once
CHARACTERS = " --clean-up characters"
MODELS = ("svm_characters", "svm_bigrams", "cnn_kim", "attcnn")
BY_CHARACTER = ("cnn_kim", "attcnn")  # also with each character a word
RIVALS = dict(SYSTEMS[name] for name in COUNTED)  # by title
RESULTS = Path(__file__).parent / "results" / "other_languages.csv"
KEY = ["by", "corpus", "seed"]
MEASURED = ["accuracy", "macro_f1", "seconds"]


def read_corpus(name: str) -> list[list[str]]:
    """Training texts and their labels, test texts and theirs."""
    folder = data_folder(name)
    if name == "germeval2018":
        told = {"sep": "\t", "header": None, "quoting": csv.QUOTE_NONE, "usecols": [0, 1]}
        told["keep_default_na"] = False
        parts = [
            pd.read_csv(folder / f"{name}.{part}.txt", **told) for part in ("training", "test")
        ]
        train, test = (part.set_axis(["text", "label"], axis=1) for part in parts)
    else:
        rows = pd.read_csv(folder / "ChnSentiCorp_htl_all.csv").dropna()  # one has no text
        rows = rows.rename(columns={"review": "text"}).astype({"label": str})
        train, test = train_test_split(
            rows, test_size=TESTED, random_state=0, stratify=rows["label"]
        )
    return [list(part[column]) for part in (train, test) for column in ("text", "label")]


def answers_of(by: str, seed: int, train: list[str], labels: list[str], test: list[str]):
    """The answers to test texts of a system that has learnt training texts."""
    if by in RIVALS:
        rival = RIVALS[by]()
        rival.fit(train, labels, seed, None)
        return rival.answer(test)
    model, characters, _ = by.partition(CHARACTERS)
    learner = zoo.Classifier(model, seed=seed, clean_up="characters" if characters else None)
    return learner.fit(train, labels).predict(test)


def systems(corpus: str) -> list[str]:
    """The systems that are measured on a corpus."""
    spaced = corpus != "chnsenticorp"
    return [*MODELS, *(() if spaced else (one + CHARACTERS for one in BY_CHARACTER)), *RIVALS]


def measure(corpora: list[str], seeds: int) -> None:
    """Measures what was not measured before."""
    known = set(kept()[KEY].itertuples(index=False, name=None))
    todo = [
        (by, corpus, seed)
        for seed in range(seeds)
        for corpus in corpora
        for by in systems(corpus)
        if (by, corpus, seed) not in known
    ]
    for by, corpus, seed in progress(todo, "Trainings", len(todo), "trainings"):
        train, labels, test, expected = read_corpus(corpus)
        began = time.process_time()
        answers = answers_of(by, seed, train, labels, test)
        row = dict(zip(KEY, (by, corpus, seed), strict=True))
        row["seconds"] = time.process_time() - began
        row["accuracy"] = float(np.mean(np.array(expected) == answers))
        row["macro_f1"] = f1_score(expected, answers, average="macro")
        rows = pd.concat([kept(), pd.DataFrame([row])]).sort_values(KEY)
        with whole(RESULTS) as partial:
            rows.to_csv(partial, columns=[*KEY, *MEASURED], index=False, float_format="%.4g")


def kept() -> pd.DataFrame:
    """What was measured before."""
    return pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=[*KEY, *MEASURED])


def report() -> None:
    """Writes the tables."""
    rows, lines = kept(), ["# Texts that are not English"]
    for corpus, title in CORPORA.items():
        own = rows[rows["corpus"] == corpus]
        if own.empty:
            continue
        train, _, test, _ = read_corpus(corpus)
        share = english.english_share_of(train, "hcan")
        lines += ["", f"## {title}", "", "| by | accuracy | macro F1 | trainings | seconds |"]
        lines.append("|---|--:|--:|--:|--:|")
        for by in systems(corpus):
            found = own[own["by"] == by]
            if found.empty:
                continue
            cells = []
            for score in ("accuracy", "macro_f1"):
                margin = 100 * margin_of_mean(found[score])
                told = "" if np.isnan(margin) else f" ± {margin:.1f}"
                cells.append(f"{100 * found[score].mean():.1f}{told}")
            name = by if by in RIVALS else f"`{by}`"
            seconds = found["seconds"].median()
            cells += [str(len(found)), f"{seconds:.0f}" if seconds >= 1 else f"{seconds:.2f}"]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        start = "without them, as with `--weights none`" if share < english.ENOUGH else "with them"
        lines += [
            "",
            f"{len(train):,} training and {len(test):,} test texts. The English word vectors know "
            f"{share:.0%} of the running words: models start {start}.",
        ]
    lines += [
        "",
        f"Written by `python -m benchmarks.other_languages` on {machine()}: in percent of test "
        "texts, the mean of trainings with other seeds, with half its interval of 95 % (Student's "
        "t). Models of zoo are trained by the defaults, by which `cnn_kim` and `attcnn` give a "
        "tenth of the training texts to validation. Seconds are the processor's, of a training and "
        "its answers. German tweets: "
        "GermEval 2018, coarse labels, the published splits. Chinese hotel reviews: ChnSentiCorp, "
        f"of which {TESTED:.0%} are for the test, drawn once.",
        "",
    ]
    page = RESULTS.with_suffix(".md")
    page.write_text("\n".join(lines), "utf-8")
    print(f"Written to {page}.")


def main():
    logging.basicConfig(format="%(message)s")
    quiet_tensorflow()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each system")
    told = parser.parse_args()
    measure(told.corpora, told.seeds)
    report()


if __name__ == "__main__":
    main()
