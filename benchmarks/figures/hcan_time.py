"""HCAN, Figure 3: validation accuracy against the time of the training."""

import pandas as pd

from benchmarks.figures import trained
from zoo.evaluation.report import figure_of

TITLE = "HCAN, Figure 3: validation accuracy against time"
TEXT = (
    "Gao et al. show that HCAN is ahead of HAN after any time, on a GPU with one document at a "
    "time. Ours are zoo's default sizes and recipe on 5,000 of IMDB's reviews with eight ratings, "
    "on two cores that did other work, too: compare the order of the curves, not their seconds."
)
MODELS = ("cnn_kim", "han", "hcan")
SETTINGS = {"weights": "word2vec", "epochs": 10}


def measure() -> pd.DataFrame:
    """``model``, ``seconds`` and validation ``accuracy`` after each evaluation."""
    parts = []
    for model in MODELS:
        history = pd.read_csv(trained(model, "imdb_rating", **SETTINGS) / "history.csv")
        parts.append(
            pd.DataFrame(
                {
                    "model": model,
                    "seconds": history["seconds"],
                    "accuracy": history["val_accuracy"],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def draw(table: pd.DataFrame):
    """A curve for each model."""
    figure, axis = figure_of(1, 1, (6, 3.5))
    for model, own in table.groupby("model"):
        axis.plot(own["seconds"] / 60, 100 * own["accuracy"], marker=".", label=model)
    axis.set(xlabel="minutes of training", ylabel="validation accuracy, %")
    axis.legend()
    return figure
