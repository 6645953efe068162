"""What users look at after a training: learning curves, confusion matrix, worst mistakes."""

import csv
import logging
from pathlib import Path

import numpy as np
import pandas as pd

from zoo.answers import answers_of
from zoo.datasets.own_files.spreadsheet_cells import LONGEST_CELL, original_cell, write_csv
from zoo.errors import UsageError
from zoo.explanation.explain import explain
from zoo.filesystem.atomic_files import whole
from zoo.runs.run_config import read_config

MISTAKES = 50
MISTAKE = ["label", "predicted", "probability", "words", "text"]
MOST_COUNTED, MOST_NAMED = 30, 100  # with more classes there is no room for counts, or for names

logger = logging.getLogger("zoo")


def draw_learning_curves(folder: Path) -> None:
    """Draws ``learning_curves.png`` from ``history.csv``."""
    from matplotlib.ticker import MaxNLocator

    history = pd.read_csv(folder / "history.csv")
    figure, axes = figure_of(1, 2, (9, 3.5))
    measures = [name for name in history if f"val_{name}" in history and name != "loss"]
    for axis, quantity in zip(axes, ("loss", *measures[:1]), strict=True):
        for column, style in ((quantity, "--"), (f"val_{quantity}", "-")):
            if history[column].isna().all():  # there was no validation split
                continue
            label = "validation" if column.startswith("val_") else "training"
            axis.plot(history["epoch"] + 1, history[column], style, marker=".", label=label)
        axis.set(xlabel="evaluation", title=quantity)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axis.legend()
    save_figure(figure, folder / "learning_curves.png")


def draw_confusion_matrix(folder: Path, targets, answers, labels) -> None:
    """Draws ``confusion_matrix.png``: how often each true class (row) is taken for each other.

    With more than 30 classes it shows shares of the true class, without numbers, as the largest
    class would dominate the colours of counts. With more than 100 classes it shows counts for the
    30 classes with most mistakes: of texts that belong to these, or are taken for these.
    """
    from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix

    shown, names, title = range(len(labels)), labels, ""
    if len(labels) > MOST_NAMED:
        worst = _most_mistaken(targets, answers, len(labels))
        title = f"texts of the {len(worst)} of {len(labels):,} classes with most mistakes"
        places = np.full(len(labels), len(worst))  # the place of all other classes
        places[worst] = range(len(worst))
        targets, answers = places[targets], places[answers]
        of_shown = (targets < len(worst)) | (answers < len(worst))
        targets, answers = targets[of_shown], answers[of_shown]
        shown, names = range(len(worst) + 1), [*(labels[i] for i in worst), "all others"]
    few = bool(title) or len(shown) <= MOST_COUNTED
    shares = None if few else "true"
    matrix = confusion_matrix(targets, answers, labels=shown, normalize=shares)
    size = 3 + (0.45 if few else 0.2) * len(shown)  # inches
    figure, axis = figure_of(1, 1, (size + 1, size))
    names = [name if len(name) <= 20 else f"{name[:19]}…" for name in names]
    names = [name.replace("$", r"\$") for name in names]  # matplotlib sets $...$ as a formula
    if not _drawable("".join(names)):
        logger.info("The font of confusion_matrix.png lacks letters of labels: it numbers classes")
        names = shown
    ConfusionMatrixDisplay(matrix, display_labels=names).plot(
        ax=axis, cmap="Blues", include_values=few, xticks_rotation="vertical", values_format="d"
    )
    if not few:
        axis.set_title("share of the texts of a true label")
    if title:
        axis.set_title(title)
    save_figure(figure, folder / "confusion_matrix.png")


def _most_mistaken(targets, answers, classes):
    """The numbers of the 30 classes with most mistakes, counted by true class and by answer."""
    targets, answers = np.asarray(targets), np.asarray(answers)
    wrong = targets != answers
    mistakes, texts = (
        sum(np.bincount(which[rows], minlength=classes) for which in (targets, answers))
        for rows in (wrong, slice(None))
    )
    order = np.lexsort((-texts, -mistakes))  # with equally many mistakes, most texts come first
    return np.sort(order[:MOST_COUNTED])


def _drawable(text):
    """Whether matplotlib's font has all letters."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties()))
    return all(font.get_char_index(ord(letter)) for letter in text)


def write_predictions(
    folder: Path, model, targets: np.ndarray, probabilities: np.ndarray, safe: bool = False
) -> None:
    """Writes ``predictions.csv``: each text's label, answer and its probability, in their order.

    Args:
        folder: the run folder.
        model: a classifier with ``labels``.
        targets: ``[texts, ..]``, in the form of the model's kind of answers.
        probabilities: ``[texts, classes]``, the model's probabilities.
        safe: whether cells that look like formulas are made safe.
    """
    answers = answers_of(model, probabilities)
    rows = _told(model, targets, answers, probabilities)
    _write_csv(pd.DataFrame(rows), folder / "predictions.csv", safe)


def write_mistakes(folder: Path, model, split, probabilities, safe: bool = False) -> None:
    """Writes ``mistakes.csv``: at most 50 texts, those with the surest wrong answers.

    The columns are ``label``, ``predicted``, ``probability``, the ``words`` that speak most for the
    predicted label and against it, and ``text``.

    Args:
        folder: the run folder.
        model: a classifier with ``preprocessor`` and ``labels``.
        split: the labelled texts.
        probabilities: ``[texts, classes]``, the model's probabilities.
        safe: whether cells that look like formulas are made safe.
    """
    answers, targets = answers_of(model, probabilities), split.targets
    wrong = np.flatnonzero(~model.kind.right(targets, answers))
    sure = model.kind.sureness(answers, probabilities)
    worst = wrong[np.argsort(-sure[wrong], kind="stable")][:MISTAKES]
    chosen = np.zeros(len(targets), bool)
    chosen[worst] = True
    texts = dict(zip(np.flatnonzero(chosen), split.take(chosen), strict=True))
    texts = [texts[i] for i in worst]
    told = _told(model, targets[worst], answers[worst], probabilities[worst])
    words = [one.strongest() for one in explain(model, texts, pairs=False)]
    rows = pd.DataFrame(told | {"words": words, "text": texts})
    _write_csv(rows, folder / "mistakes.csv", safe)


def _told(model, targets, answers, probabilities):
    """The columns of labels, answers and their probabilities."""
    label, predicted = (
        [model.kind.written(one) for one in model.kind.named(which, model.labels)]
        for which in (targets, answers)
    )
    sure = model.kind.sureness(answers, probabilities).round(4)
    return {"label": label, "predicted": predicted, "probability": sure}


def read_mistakes(run: Path) -> list[dict[str, str]]:
    """The rows of ``mistakes.csv``, with the original texts.

    Raises:
        UsageError: if the file is missing or damaged.
    """
    safe, path = read_config(run).settings.safe_csv, run / "mistakes.csv"
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows = list(reader)
        if reader.fieldnames != MISTAKE or any(None in row.values() for row in rows):
            raise ValueError("its columns are not those that were written")
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"{path} is missing or damaged: {error}") from None
    if safe:
        rows = [{name: original_cell(cell) for name, cell in row.items()} for row in rows]
    return rows


def _write_csv(frame, path, safe):
    rows = frame.itertuples(index=False, name=None)
    with whole(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, list(frame), rows, safe)


def figure_of(rows: int, columns: int, size: tuple[float, float]):
    """A figure of the size in inches, and its axes."""
    from matplotlib.figure import Figure  # pyplot would open windows and keep figures

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns)


def save_figure(figure, path: Path) -> None:
    """Writes a figure as a picture."""
    with whole(path) as partial:
        figure.savefig(partial, dpi=120)
