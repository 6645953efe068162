"""SSAN: development accuracy over the training, beside the recurrent network."""

import pandas as pd

from benchmarks.figures import trained
from zoo.evaluation.report import figure_of

TITLE = "SSAN: development accuracy over the training"
TEXT = (
    "Ambartsoumian and Popowich give tables alone. Development accuracy on SST with two classes, "
    "by zoo's default recipe with the paper's sizes and zoo's English words, against the time of "
    "the training, on two cores that did other work, too."
)
MODELS = ("ssan", "ssan_none", "bilstm", "transformer")
SETTINGS = {"preset": "ambartsoumian2018", "weights": "english", "clean_up": "tokens"}


def measure() -> pd.DataFrame:
    """``model``, ``seconds`` and development ``accuracy`` after each evaluation."""
    parts = []
    for model in MODELS:
        history = pd.read_csv(trained(model, "sst_binary", **SETTINGS) / "history.csv")
        own = {"model": model, "seconds": history["seconds"], "accuracy": history["val_accuracy"]}
        parts.append(pd.DataFrame(own))
    return pd.concat(parts, ignore_index=True)


def draw(table: pd.DataFrame):
    """A curve for each model."""
    figure, axis = figure_of(1, 1, (6, 3.5))
    for model, own in table.groupby("model", sort=False):
        axis.plot(own["seconds"] / 60, 100 * own["accuracy"], marker=".", label=model)
    axis.set(xlabel="minutes of training", ylabel="development accuracy, %")
    axis.legend()
    return figure
