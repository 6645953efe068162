"""How good a trained model is."""

import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.calibration import expected_calibration_error
from zoo.datasets.corpus import Split, class_numbers
from zoo.datasets.files import matching_files
from zoo.datasets.folders import find_splits
from zoo.errors import UsageError
from zoo.relation_scores import relation_f1

logger = logging.getLogger("zoo")

COLUMNS = ("text_column", "label_column")


def probabilities_of(model, texts: Split | Sequence[str]) -> np.ndarray:
    """``[texts, classes]`` float64 probabilities that sum to 1, in the order of the texts."""
    return as_probabilities(model, model.predict_texts(texts))


def as_probabilities(model, outputs: np.ndarray) -> np.ndarray:
    """A model's outputs, also logits: ``[texts, classes]`` in float64 that sum to 1."""
    from scipy.special import softmax

    outputs = np.asarray(outputs, "float64")
    return softmax(outputs, axis=-1) if model.logits else outputs / outputs.sum(-1, keepdims=True)


def score(targets: np.ndarray, probabilities: np.ndarray, labels: list[str]) -> dict[str, Any]:
    """Accuracy, macro F1, mean cross-entropy and the scores of each class.

    Macro F1 is the mean over the classes that are among the targets or the answers.
    Of the relations of SemEval-2010 task 8 or TACRED, also their official score.

    Args:
        targets: ``[texts]`` class numbers.
        probabilities: ``[texts, classes]``.
        labels: names of the classes.
    """
    from sklearn.metrics import classification_report, f1_score, log_loss

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


def read_test_split(config: dict[str, Any], most: int | None = None) -> Split:
    """The test split that a run's settings tell, read again; its first texts, or all.

    Raises:
        UsageError: if the data cannot be read, or their classes or rows are not what they were:
            the split would have texts that the model was trained on.
    """
    from zoo import datasets

    if config["data"] is None:
        raise UsageError(
            "zoo.save wrote this run, so that it has no test split: give other texts, "
            "zoo evaluate --data or zoo explain --file"
        )
    corpus = datasets.load(config["data"], **config["files"]).split(config["seed"])
    if config.get("targets") not in (None, corpus.digest()):
        raise UsageError(
            f"{config['data']} has changed since the training, so that texts trained on may be in "
            "the test split: give other texts, zoo evaluate --data or zoo explain --file"
        )
    test = corpus.test
    return test if most is None else test.take(np.arange(len(test)) < most)


def _is_known(data: str, config: dict[str, Any]) -> bool:
    """Whether a run learnt from a file among these, or chose its weights by it."""
    own = Path(config["data"] or "")
    if not own.is_absolute():  # the name of a corpus, or nothing
        return False
    found = {}
    with contextlib.suppress(UsageError):  # which is which has become unclear since
        found = find_splits(own)
    splits = {"train": own} | found | config["files"]
    learnt = [splits[name] for name in ("train", "validation") if name in splits]
    known = [path for split in learnt for path in _paths(split)]
    return any(path.is_relative_to(other) for path in _paths(data) for other in known)


def _paths(path: str | Path) -> list[Path]:
    """What a path or a glob stands for; nothing where the files of a glob are gone."""
    with contextlib.suppress(UsageError):
        return [file.resolve() for file in matching_files(Path(path))]
    return []


def evaluate(run: str | Path, data: str | None = None, **columns: str) -> dict[str, Any]:
    """Scores the model of a run folder.

    Args:
        run: the run folder.
        data: a table, folder or glob to score on; by default the test split of the run's own
            data, read again.
        columns: ``text_column`` and ``label_column`` of it, by default the run's; and
            ``on_bad_row``.

    Returns:
        ``accuracy``, ``macro_f1``, ``loss``, ``calibration_error``, ``texts``, the official score
        of relations (:func:`zoo.relation_scores.relation_f1`) and, for each class, precision,
        recall, F1 and support.

    Raises:
        UsageError: if the run or the data cannot be read, or a label is not one of the model's.
    """
    from zoo import datasets
    from zoo.runs import load, read_config

    if data is None and columns:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in columns)
        raise UsageError(f"{names}: give --data, too")
    config = read_config(run)
    if data is None:
        test = read_test_split(config)
    else:
        own = {key: datasets.column_of(data, config["files"].get(key)) for key in COLUMNS}
        frame = datasets.read_labelled(data, **own | columns)
        if _is_known(data, config):
            logger.warning(
                "%s is what %s was trained on, so that most of these texts are known: without "
                "--data its test split is scored",
                *(data, run),
            )
    model = load(run)
    if data is not None:
        test = Split(frame["text"], class_numbers(frame, model.labels))
    return score(test.numbers, probabilities_of(model, test), model.labels)
