"""How to train on few labels, compared on training texts.

``python -m benchmarks.few_labels`` writes ``benchmarks/results/few_labels.md``; ``--models``,
``--labels`` and ``--draws`` choose. Interrupted, it goes on where it stopped. No test split is
read.
"""

import argparse
import json
import logging
from pathlib import Path

import pandas as pd

from benchmarks.folds import BEDS, JUDGED, by_model, way_head, way_rows
from benchmarks.report import machine
from zoo.progress import progress

WAYS = {  # settings of a training
    "the defaults: all texts, last weights": {},
    "a validation split chooses": {"keep": "best"},
    "random word vectors": {"weights": "none"},
    "word vectors stay fixed": {"options": {"train_embeddings": False}},
    "60 epochs": {"epochs": 60},
}
FIRST = next(iter(WAYS))
MODELS = ("cnn_kim", "attcnn")
KEYS = ("by", "way", "corpus", "labels", "draw")
KEPT = Path("runs/few_labels/tried.jsonl")
RESULTS = Path(__file__).parent / "results" / "few_labels.md"


def measure(models: list[str], labels: list[int], draws: int) -> None:
    """Measures what was not measured before."""
    known = {tuple(row[name] for name in KEYS) for row in kept().to_dict("records")}
    todo = [
        (model, way, corpus, count, draw)
        for draw in range(draws)
        for model in models
        for count in labels
        for corpus in BEDS
        for way in WAYS
        if corpus != "banking77" or count <= 16  # whose rarest class has 35 texts
    ]
    todo = [one for one in todo if one not in known]
    for model, way, *trial in progress(todo, "Trainings", len(todo), "trainings"):
        found = {"by": model, "way": way} | by_model(model, tuple(trial), **WAYS[way])
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


def kept() -> pd.DataFrame:
    """What was measured before."""
    if not KEPT.exists():
        return pd.DataFrame(columns=[*KEYS, "accuracy"])
    return pd.read_json(KEPT, lines=True)


def report() -> None:
    """Writes the tables."""
    rows, lines = kept(), ["# Few labels: how to train", ""]
    for model, part in rows.groupby("by", sort=False):
        lines += [f"## `{model}`", "", *way_head(BEDS, "the defaults")]
        lines += [*way_rows(part, BEDS, FIRST), ""]
    lines += [
        f"Written by `python -m benchmarks.few_labels` on {machine()}: accuracy in percent. Of "
        f"each class so many texts are drawn from training texts, and {JUDGED} others are judged; "
        "no test split is read. Differences are of the trials that both have, with intervals of "
        "95 % by redrawing trials where there are five.",
        "",
    ]
    RESULTS.write_text("\n".join(lines), "utf-8")
    print(f"Written to {RESULTS}.")


def main():
    logging.basicConfig(format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", default=MODELS, help="names of zoo list")
    parser.add_argument("--labels", nargs="+", type=int, default=[16, 100], help="of each class")
    parser.add_argument("--draws", type=int, default=3, help="of texts")
    told = parser.parse_args()
    measure(told.models, told.labels, told.draws)
    report()


if __name__ == "__main__":
    main()
