"""How good a trained model is."""

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from zoo.answers import ONE, check_finite, of_form, probabilities_of
from zoo.datasets.corpus import Corpus, Split, targets_of
from zoo.datasets.own_files.class_folders import find_splits
from zoo.datasets.own_files.in_memory import as_table
from zoo.datasets.own_files.reading import FRAME, check_data, matching_files, without_rare
from zoo.errors import UsageError, unknown
from zoo.evaluation.calibration import expected_calibration_error
from zoo.evaluation.relation_f1 import relation_f1
from zoo.evaluation.sureness import right_of_surest
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import RunConfig, read_config
from zoo.settings import TrainSettings

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

logger = logging.getLogger("zoo")

SHOWN_CLASSES = 20
COLUMNS = ("text_column", "label_column")
OPTIONS = (*COLUMNS, "on_bad_row", "encoding", "label_separator")
RARE = ("min_class_size", "rare_classes")


def score(
    targets: np.ndarray,
    probabilities: np.ndarray,
    labels: list[str],
    kind=ONE,
    thresholds: list[float] | None = None,
) -> dict[str, Any]:
    """The scores of a kind of answers, of all classes together and of each.

    Of the relations of SemEval-2010 task 8 or TACRED, also their official score.

    Args:
        targets: ``[texts, ..]``.
        probabilities: ``[texts, classes]``.
        labels: names of the classes.
        kind: of the answers.
        thresholds: as of a model.

    Raises:
        UsageError: if a probability is not finite.
    """
    check_finite(probabilities)
    answers = kind.decide(probabilities, thresholds)
    found = kind.scores(targets, answers, probabilities, labels)
    classes = found.pop("classes")
    return {
        "texts": len(targets),
        **found,
        **relation_f1(targets, answers, labels),
        "calibration_error": expected_calibration_error(probabilities, targets, kind),
        "right_of_surest": right_of_surest(
            kind.sureness(answers, probabilities), kind.right(targets, answers)
        ),
        "classes": classes,
    }


def score_model(model, split: Split, probabilities: np.ndarray | None = None) -> dict[str, Any]:
    """The scores of a model on a split; ``probabilities`` are its own, where they are known."""
    if probabilities is None:
        probabilities = probabilities_of(model, split)
    return score(split.targets, probabilities, model.labels, model.kind, model.thresholds)


def worst_classes(classes: dict[str, dict[str, float]]) -> tuple[dict[str, dict[str, float]], str]:
    """The classes that a table shows, and a line on that, "" where it shows all.

    Args:
        classes: the scores of each, as :func:`score` gives.

    Returns:
        All of up to 20 classes; else the 20 with the lowest F1, or among equals those with the
        most texts. Classes without any text are then left out.
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
    """The corpus of a run, read again and split as in its training.

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
    """The test split of a run, read again: its first ``most`` texts, or all.

    Raises:
        UsageError: if the data cannot be read, or has changed since the training, because the
            split could then have texts that the model was trained on.
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
    """Whether a run learnt from any of these files, or chose its weights by one of them."""
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
    run: "str | Path | TextClassifier", data: Any | None = None, **columns: str
) -> dict[str, Any]:
    """Scores the model of a run folder, or a model.

    Args:
        run: the run folder, or a model that reads texts and has labels.
        data: a table, folder, glob, DataFrame, ``(texts, labels)`` or ``tf.data.Dataset`` to score
            on; or the name of a corpus, whose test split is scored. By default the test split of
            the data that the run was trained on.
        columns: ``text_column`` and ``label_column`` of the data, by default the run's;
            ``on_bad_row``; and ``encoding``, by default UTF-8. Texts of rare classes are dropped or
            merged as in the run's training.

    Returns:
        ``texts``, their number; ``accuracy``, ``macro_f1``, ``loss`` and ``calibration_error``;
        ``right_of_surest``, the shares of right answers among the surest ones; for relations their
        official score (see :mod:`zoo.evaluation.relation_f1`); and ``classes``: for each class
        precision, recall, F1 and support.

    Raises:
        UsageError: if the run or the data cannot be read, or a label is not one of the model's.

    Example:
        >>> import zoo
        >>> scores = zoo.evaluate(run, "reviews.csv")
        >>> scores["texts"], scores["accuracy"] > 0.8
        (60, True)
    """
    return score_model(*model_and_test(run, data, "zoo.evaluate", **columns))


def model_and_test(
    run: "str | Path | TextClassifier", data: Any | None, function: str, **columns: str
) -> "tuple[TextClassifier, Split]":
    """The model of a run folder, or a model, and the labelled texts that it is scored on.

    Args:
        run, data, columns: see :func:`evaluate`, which also lists the errors.
        function: the name of the caller, for messages.
    """
    from zoo import datasets
    from zoo.runs.run_folder import load

    if data is None and columns:
        names = " and ".join(f"{name} (--{name.replace('_', '-')})" for name in columns)
        raise UsageError(f"{names}: give data (--data), too")
    for name in columns:
        if name not in OPTIONS:
            raise unknown(f"argument of {function}", name, ("run", "data", *OPTIONS))
    if data is not None:
        data = as_table(data)
        check_data(data)
    model: Any = run
    config, files = None, {}
    if isinstance(run, str | Path):
        config = read_config(run)
        files = config.settings.files
    if data is None and config is None:
        raise UsageError("a model has no test split: give data")
    if data is None:
        test = read_test_split(config)
    elif datasets.is_corpus(data):
        corpus = datasets.load(data).split()
        frame = corpus.frame("test").assign(file=Path(data), place=range(1, len(corpus.test) + 1))
        frame.attrs["form"] = corpus.kind.form
    else:
        encoding = columns.get("encoding")
        own: dict[str, Any] = {
            key: datasets.column_of(data, files.get(key), encoding) for key in COLUMNS
        }
        own |= {name: files[name] for name in ("label_separator",) if name in files}
        kind = model.kind if config is None else config.kind
        frame = datasets.read_labelled(data, **own | columns, form=kind.form)
        known = config is not None and not isinstance(data, pd.DataFrame)
        if known and _is_known(data, config.settings):
            logger.warning(
                "%s is what %s was trained on, so that most of these texts are known: without data "
                "(--data) its test split is scored",
                *(data, run),
            )
    if config is not None:
        model = load(run)
    if data is not None:
        rare: dict[str, Any] = {name: files[name] for name in RARE if name in files}
        source = FRAME if isinstance(data, pd.DataFrame) else data
        kind = of_form(frame.attrs["form"])
        frame = without_rare(frame, source, model.labels, **rare, kind=kind)
        targets = targets_of(frame, model.labels, kind)
        test = Split(frame["text"], kind.hard(targets))
    return model, test
