"""What a person looks at after a training: learning curves, confusion matrix, worst mistakes."""

from pathlib import Path

import numpy as np
import pandas as pd

from zoo.attention import attended_words
from zoo.runs import whole

MISTAKES = 50
MOST_NAMED = 30  # classes, beyond which names and counts would be too small to read


def draw_learning_curves(folder: Path) -> None:
    """``learning_curves.png``, of ``history.csv``."""
    history = pd.read_csv(folder / "history.csv")
    figure, axes = _figure(1, 2, (9, 3.5))
    for axis, quantity in zip(axes, ("loss", "accuracy"), strict=True):
        for column, style in ((quantity, "--"), (f"val_{quantity}", "-")):
            label = "validation" if column.startswith("val_") else "training"
            axis.plot(history["epoch"] + 1, history[column], style, marker=".", label=label)
        axis.set(xlabel="evaluation", title=quantity)
        axis.legend()
    _save(figure, folder / "learning_curves.png")


def draw_confusion_matrix(folder: Path, targets, answers, labels) -> None:
    """``confusion_matrix.png``: how often each true class (row) is taken for each other."""
    from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix

    few = len(labels) <= MOST_NAMED
    matrix = confusion_matrix(targets, answers, labels=range(len(labels)))
    size = 3 + 0.45 * min(len(labels), MOST_NAMED)
    figure, axis = _figure(1, 1, (size + 1, size))
    names = [label if len(label) <= 20 else f"{label[:19]}…" for label in labels]
    ConfusionMatrixDisplay(matrix, display_labels=names if few else None).plot(
        ax=axis, cmap="Blues", include_values=few, xticks_rotation="vertical", values_format="d"
    )
    if not few:
        axis.set(xticks=[], yticks=[])
    _save(figure, folder / "confusion_matrix.png")


def write_predictions(folder: Path, targets, probabilities, labels) -> None:
    """``predictions.csv``: label, answer and its probability of each text, in their order."""
    answers = probabilities.argmax(axis=-1)
    names = np.asarray(labels, dtype=object)
    sure = probabilities.max(axis=-1).round(4)
    rows = {"label": names[targets], "predicted": names[answers], "probability": sure}
    with whole(folder / "predictions.csv") as path:
        pd.DataFrame(rows).to_csv(path, index=False)


def write_mistakes(folder: Path, model, split, probabilities) -> pd.DataFrame:
    """``mistakes.csv``: the texts that are most surely put into a wrong class.

    Args:
        folder: the run folder.
        model: a classifier with ``preprocessor`` and ``labels``.
        split: the labelled texts.
        probabilities: ``[texts, classes]``, the model's.

    Returns:
        At most 50 rows: ``label``, ``predicted``, ``probability``, the most attended ``words``
        where the model has attention, and ``text``.
    """
    answers, targets = probabilities.argmax(axis=-1), split.numbers
    wrong = np.flatnonzero(answers != targets)
    worst = wrong[np.argsort(-probabilities[wrong].max(axis=-1), kind="stable")][:MISTAKES]
    chosen = np.zeros(len(targets), bool)
    chosen[worst] = True
    texts = dict(zip(np.flatnonzero(chosen), split.take(chosen), strict=True))
    rows = pd.DataFrame(
        {
            "label": [model.labels[targets[i]] for i in worst],
            "predicted": [model.labels[answers[i]] for i in worst],
            "probability": probabilities[worst].max(axis=-1).round(4),
            "words": attended_words(model, [texts[i] for i in worst]),
            "text": [texts[i] for i in worst],
        }
    )
    with whole(folder / "mistakes.csv") as path:
        rows.to_csv(path, index=False)
    return rows


def _figure(rows, columns, size):
    from matplotlib.figure import Figure  # without pyplot: no window, nothing kept

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns)


def _save(figure, path):
    with whole(path) as partial:
        figure.savefig(partial, dpi=120)
