"""How good a trained model is."""

import contextlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo.answers import check_finite, probabilities_of
from zoo.datasets.corpus import Corpus, Split, class_numbers
from zoo.datasets.own_files.class_folders import find_splits
from zoo.datasets.own_files.reading import FRAME, check_data, matching_files, without_rare
from zoo.errors import UsageError, unknown
from zoo.evaluation.calibration import expected_calibration_error
from zoo.evaluation.relation_f1 import relation_f1
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import RunConfig, read_config
from zoo.settings import TrainSettings

logger = logging.getLogger("zoo")

SHOWN_CLASSES = 20
COLUMNS = ("text_column", "label_column")
OPTIONS = (*COLUMNS, "on_bad_row", "encoding")
RARE = ("min_class_size", "rare_classes")


def score(targets: np.ndarray, probabilities: np.ndarray, labels: list[str]) -> dict[str, Any]:
    """Accuracy, macro F1, mean cross-entropy and the scores of each class.

    Macro F1 is the mean over the classes that are among the targets or the answers.
    Of the relations of SemEval-2010 task 8 or TACRED, also their official score.

    Args:
        targets: ``[texts]`` class numbers.
        probabilities: ``[texts, classes]``.
        labels: names of the classes.

    Raises:
        UsageError: if a probability is not finite.
    """
    from sklearn.metrics import classification_report, f1_score, log_loss

    check_finite(probabilities)
    answers, classes = probabilities.argmax(axis=-1), range(len(labels))
    numbers = list(map(str, classes))  # a label may be "accuracy", which is a key of the report
    report = classification_report(
        targets, answers, labels=classes, target_names=numbers, output_dict=True, zero_division=0
    )
    return {
        "texts": len(targets),
        "accuracy": float((answers == targets).mean()),
        "macro_f1": f1_score(targets, answers, average="macro", zero_division=0),
        "loss": log_loss(targets, probabilities, labels=classes),
        **relation_f1(targets, answers, labels),
        "calibration_error": expected_calibration_error(probabilities, targets),
        "classes": dict(zip(labels, map(report.get, numbers), strict=True)),
    }


def worst_classes(classes: dict[str, dict[str, float]]) -> tuple[dict[str, dict[str, float]], str]:
    """The classes that a table shows, and a line on that, "" where it shows all.

    Args:
        classes: the scores of each, as :func:`score` gives.

    Returns:
        All of up to 20; else the 20 of lowest F1, of equals those of most texts, without those
        that no text is of.
    """
    if len(classes) <= SHOWN_CLASSES:
        return classes, ""
    there = [(label, row) for label, row in classes.items() if row["support"]]
    worst = sorted(there, key=lambda one: (one[1]["f1-score"], -one[1]["support"]))[:SHOWN_CLASSES]
    told = f"These are the {len(worst)} of {len(classes):,} classes with the lowest F1"
    if absent := len(classes) - len(there):
        told += f" ({absent:,} have no text here)"
    return dict(worst), told


def read_corpus(config: RunConfig) -> Corpus:
    """The corpus in splits that a run tells, read again.

    Raises:
        UsageError: if the data cannot be read.
    """
    from zoo import datasets

    settings = config.settings
    corpus = datasets.load(settings.data, **settings.files)
    if config.label_order == "as text" and not datasets.is_corpus(settings.data):
        corpus = corpus.in_order(sorted(corpus.labels))
    least = 0 if config.recipe is None else config.recipe.least_validation
    return corpus.split(settings.seed, least_validation=least)


def read_test_split(config: RunConfig, most: int | None = None) -> Split:
    """The test split that a run tells, read again; its first texts, or all.

    Raises:
        UsageError: if the data cannot be read, or their classes or rows are not what they were:
            the split would have texts that the model was trained on.
    """
    if config.settings.data is None:
        raise UsageError(
            "zoo.save wrote this run, so that it has no test split: give other texts, as data "
            "(zoo evaluate --data, zoo explain --file)"
        )
    corpus = read_corpus(config)
    if config.targets not in (None, corpus.digest()):
        raise UsageError(
            f"{config.settings.data} has changed since the training, so that texts trained on may "
            "be in the test split: give other texts, as data (zoo evaluate --data, zoo explain "
            "--file)"
        )
    test = corpus.test
    return test if most is None else test.take(np.arange(len(test)) < most)


def _is_known(data: str, settings: TrainSettings) -> bool:
    """Whether a run learnt from a file among these, or chose its weights by it."""
    own = Path(settings.data or "")
    if not own.is_absolute():  # the name of a corpus, or nothing
        return False
    found = {}
    with contextlib.suppress(UsageError):  # which is which has become unclear since
        found = find_splits(own)
    splits = {"train": own} | found | settings.files
    learnt = [splits[name] for name in ("train", "validation") if name in splits]
    known = [path for split in learnt for path in _paths(split)]
    return any(path.is_relative_to(other) for path in _paths(data) for other in known)


def _paths(path: str | Path) -> list[Path]:
    """What a path or a glob stands for; nothing where the files of a glob are gone."""
    with contextlib.suppress(UsageError):
        return [file.resolve() for file in matching_files(expanded(path))]
    return []


def evaluate(
    run: str | Path, data: str | Path | pd.DataFrame | None = None, **columns: str
) -> dict[str, Any]:
    """Scores the model of a run folder.

    Args:
        run: the run folder.
        data: a table, folder, glob or DataFrame to score on; by default the test split of the
            run's own data, read again.
        columns: ``text_column`` and ``label_column`` of it, by default the run's; ``on_bad_row``;
            and ``encoding``, by default UTF-8. What the run did with the texts of rare classes is
            done with these.

    Returns:
        ``accuracy``, ``macro_f1``, ``loss``, ``calibration_error``, ``texts``, the official score
        of relations (see :mod:`zoo.evaluation.relation_f1`) and, for each class, precision, recall,
        F1 and support.

    Raises:
        UsageError: if the run or the data cannot be read, or a label is not one of the model's.
    """
    from zoo import datasets
    from zoo.runs.run_folder import load

    if data is None and columns:
        names = " and ".join(f"{name} (--{name.replace('_', '-')})" for name in columns)
        raise UsageError(f"{names}: give data (--data), too")
    for name in columns:
        if name not in OPTIONS:
            raise unknown("argument of zoo.evaluate", name, ("run", "data", *OPTIONS))
    if data is not None:
        check_data(data)
    config = read_config(run)
    files = config.settings.files
    if data is None:
        test = read_test_split(config)
    else:
        encoding = columns.get("encoding")
        own = {key: datasets.column_of(data, files.get(key), encoding) for key in COLUMNS}
        frame = datasets.read_labelled(data, **own | columns)
        if not isinstance(data, pd.DataFrame) and _is_known(data, config.settings):
            logger.warning(
                "%s is what %s was trained on, so that most of these texts are known: without data "
                "(--data) its test split is scored",
                *(data, run),
            )
    model = load(run)
    if data is not None:
        rare = {name: files[name] for name in RARE if name in files}
        source = FRAME if isinstance(data, pd.DataFrame) else data
        frame = without_rare(frame, source, model.labels, **rare)
        test = Split(frame["text"], class_numbers(frame, model.labels))
    return score(test.numbers, probabilities_of(model, test), model.labels)
