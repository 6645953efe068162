"""Several labels a text: NLU++ banking, by its paper's protocols of few texts.

``python -m benchmarks.several_labels`` keeps each fold as a row of
``benchmarks/results/several_labels.csv``, and writes ``several_labels.md`` of the rows that are
there. Casanueva et al. 2022 train on one of 20 folds and test on the others ("20-fold"), or on two
("10-fold"). ``--models`` and ``--folds`` choose; run again, it goes on where the CSV stops.
Thresholds are chosen on texts of the training fold alone: three parts of it are answered by models
of the other two.
"""

import argparse
import itertools
import json
import logging
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import zoo
from benchmarks.folds import data_folder
from benchmarks.report import machine
from zoo.answers import SEVERAL
from zoo.filesystem.atomic_files import whole
from zoo.progress import progress

FOLDS = 20
PROTOCOLS = {"20-fold": 1, "10-fold": 2}  # folds to train on
LINEAR = "TF-IDF of words and pairs + LinearSVC, one against the rest"
MODELS = ("svm_bigrams", "svm_vectors", "attcnn")
RESULTS = Path(__file__).parent / "results" / "several_labels.csv"
KEY = ["by", "protocol", "fold"]
MEASURED = ["texts", "micro_f1", "at_half"]


def read_folds() -> list[tuple[list[str], list[list[str]]]]:
    """Texts, and the labels of each, of every fold."""
    folder, found = data_folder("nlupp_banking"), []
    for number in range(FOLDS):
        rows = json.loads((folder / f"fold{number}.json").read_text("utf-8"))
        found.append(([row["text"] for row in rows], [row.get("intents", []) for row in rows]))
    return found


def parts_of(folds, protocol: str, number: int):
    """Training texts and labels, and those to judge on."""
    size = PROTOCOLS[protocol]
    inside = range(number * size, (number + 1) * size)
    splits = [], []
    for fold, (texts, labels) in enumerate(folds):
        splits[fold not in inside].append((texts, labels))
    return [
        [list(itertools.chain.from_iterable(part)) for part in zip(*split, strict=True)]
        for split in splits
    ]


def linear(train, test, labels) -> dict[str, float]:
    """Micro F1 of what one would pick first."""
    numbers = {label: number for number, label in enumerate(labels)}
    table, judged = (SEVERAL.encoded(own, numbers) for _, own in (train, test))
    there = table.any(axis=0)  # scikit-learn wants both answers of a class
    system = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), OneVsRestClassifier(LinearSVC())
    )
    answers = np.zeros_like(judged)
    answers[:, there] = system.fit(train[0], table[:, there]).predict(test[0])
    return {"micro_f1": micro(judged, answers)}


def by_model(model: str, train, test, labels) -> dict[str, float]:
    """Micro F1 of a model, at the thresholds that its training chose and at 0.5."""
    numbers = {label: number for number, label in enumerate(labels)}
    table, judged = (SEVERAL.encoded(own, numbers) for _, own in (train, test))
    there = table.any(axis=0)
    classifier = zoo.Classifier(model).fit(train[0], table[:, there])
    probabilities, found = classifier.predict_proba(test[0]), {}
    for name, chosen in (("micro_f1", classifier.model_.thresholds), ("at_half", None)):
        answers = np.zeros_like(judged)
        answers[:, there] = SEVERAL.decide(probabilities, chosen)
        found[name] = micro(judged, answers)
    return found


def micro(judged, answers) -> float:
    return float(f1_score(judged, answers, average="micro", zero_division=0))


def measure(models: list[str], count: int) -> None:
    """Measures what was not measured before."""
    folds = read_folds()
    labels = sorted({label for _, lists in folds for own in lists for label in own})
    known = set(kept()[KEY].itertuples(index=False, name=None))
    todo = [
        (model, protocol, fold)
        for model in (LINEAR, *models)
        for fold in range(count)
        for protocol, size in PROTOCOLS.items()
        if fold < FOLDS // size and (model, protocol, fold) not in known
    ]
    for model, protocol, fold in progress(todo, "Folds", len(todo), "folds"):
        train, test = parts_of(folds, protocol, fold)
        if model == LINEAR:
            found = linear(train, test, labels)
        else:
            found = by_model(model, train, test, labels)
        row = dict(zip(KEY, (model, protocol, fold), strict=True)) | {"texts": len(train[0])}
        rows = pd.concat([kept(), pd.DataFrame([row | found])]).sort_values(KEY)
        with whole(RESULTS) as partial:
            rows.to_csv(partial, columns=[*KEY, *MEASURED], index=False, float_format="%.4g")


def kept() -> pd.DataFrame:
    """What was measured before."""
    return pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=[*KEY, *MEASURED])


def report() -> None:
    """Writes the table."""
    rows = kept()
    lines = [
        "# Several labels: NLU++ banking",
        "",
        "| by | protocol | folds | texts | micro F1 | at 0.5 | the first row, same folds |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for (by, protocol), own in rows.groupby(["by", "protocol"], sort=False):
        first = rows[(rows["by"] == LINEAR) & (rows["protocol"] == protocol)]
        beside = first[first["fold"].isin(own["fold"])]["micro_f1"]
        half = own["at_half"].mean() if "at_half" in own else float("nan")
        cells = (own["micro_f1"].mean(), half, beside.mean())
        cells = ("" if np.isnan(one) else f"{100 * one:.1f}" for one in cells)
        name = by if by == LINEAR else f"`{by}`"
        size = f"{len(own)} | {own['texts'].mean():.0f}"
        lines.append(f"| {name} | {protocol} | {size} | {' | '.join(cells)} |")
    lines += [
        "",
        f"Written by `python -m benchmarks.several_labels` on {machine()}: micro F1 in percent, "
        "the mean of the folds. A row is trained on one fold, or on two, and judged on all others "
        "(Casanueva et al. 2022). Models of zoo are trained by the defaults, once each. Their "
        "thresholds are chosen on the training texts alone, a threshold a class: three parts are "
        "answered by models of the other two. Labels that no training text has are never given, "
        "and count as missed.",
        "",
    ]
    page = RESULTS.with_suffix(".md")
    page.write_text("\n".join(lines), "utf-8")
    print(f"Written to {page}.")


def main():
    logging.basicConfig(format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", default=MODELS, help="names of zoo list")
    parser.add_argument("--folds", type=int, default=FOLDS, help="the first of them")
    told = parser.parse_args()
    measure(told.models, told.folds)
    report()


if __name__ == "__main__":
    main()
