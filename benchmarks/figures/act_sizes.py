"""ACT, Figure 3: layers, heads, kernel size and filters."""

import json

import pandas as pd

from benchmarks.figures import trained
from zoo.evaluation.report import figure_of

TITLE = "ACT, Figure 3: layers, heads, kernel size and filters"
TEXT = (
    "Li et al. vary one size at a time, on development texts of Yelp F. and TACRED. Ours is "
    "validation accuracy on 5,000 texts of AG News, with zoo's default sizes but the one that is "
    "varied, and one training each: two trainings of the same sizes differ by half a point."
)
SIZES = {
    "num_layers": (1, 2, 3, 4),
    "num_heads": (1, 2, 3, 6, 12),
    "kernel_size": (1, 2, 3, 5),
    "filters": (10, 20, 40, 80),
}


def measure() -> pd.DataFrame:
    """``size``, its ``value``, the best validation ``accuracy`` and the ``parameters``."""
    rows = []
    for size, values in SIZES.items():
        for value in values:
            run = trained("act", "agnews", weights="english", options={size: value})
            history = pd.read_csv(run / "history.csv")
            scores = json.loads((run / "metrics.json").read_text("utf-8"))
            rows.append((size, value, history["val_accuracy"].max(), scores["parameters"]))
    return pd.DataFrame(rows, columns=["size", "value", "accuracy", "parameters"])


def draw(table: pd.DataFrame):
    """A panel for each size."""
    figure, axes = figure_of(1, len(SIZES), (11, 3))
    for axis, (size, own) in zip(axes, table.groupby("size", sort=False), strict=True):
        axis.plot(own["value"].astype(str), 100 * own["accuracy"], marker="o")
        axis.set(xlabel=size.replace("_", " "))
    axes[0].set(ylabel="validation accuracy, %")
    low = 100 * table["accuracy"].min() - 1
    for axis in axes:
        axis.set_ylim(low, 100 * table["accuracy"].max() + 1)
    return figure
