"""Kinds of answers: what a target is, and so the loss, the decision, metrics and how to write it.

Each kind of answers is a class in its own file, and a model's option ``answers`` is its name.
Nothing else in zoo asks whether a text has one label or several.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from zoo.answers.one_label import OneLabel
from zoo.answers.several_labels import SeveralLabels
from zoo.answers.soft_labels import SoftLabels
from zoo.errors import UsageError

ONE, SEVERAL = OneLabel(), SeveralLabels()
KINDS = {kind.name: kind for kind in (ONE, SEVERAL)}  # of models
FORMS = {kind.form: kind for kind in (ONE, SEVERAL, SoftLabels())}  # of corpora


def probabilities_of(model: Any, texts: Iterable[str]) -> np.ndarray:
    """``[texts, classes]`` float64 probabilities, in the order of texts or of a split of a corpus.

    Raises:
        UsageError: if any is not finite.
    """
    return as_probabilities(model, model.predict_texts(texts))


def as_probabilities(model, outputs: np.ndarray) -> np.ndarray:
    """Turns a model's outputs, also logits, into ``[texts, classes]`` float64 probabilities.

    Raises:
        UsageError: if any is not finite.
    """
    outputs = np.asarray(outputs, "float64")
    check_finite(outputs)
    return model.kind.probabilities(outputs, model.logits)


def answers_of(model, probabilities: np.ndarray) -> np.ndarray:
    """A model's decisions: answers in the form of targets, ``[texts, ..]``."""
    return model.kind.decide(probabilities, model.thresholds)


def foremost(outputs):
    """The most probable class of each text, ``[texts]``, which is explained unless one is named.

    The outputs of the model, ``[texts, classes]``, are an array or a tensor of TensorFlow.
    """
    if isinstance(outputs, np.ndarray):
        return outputs.argmax(axis=-1)
    import tensorflow as tf

    return tf.argmax(outputs, axis=-1)  # Keras' has a constant that is 0 in 16 bits


def told(model, text: str, row: np.ndarray, written: bool = False) -> dict[str, Any]:
    """The answer to a text as a dictionary, from its probabilities, ``[classes]``.

    Several labels are a list, or with ``written`` a string that joins them.
    """
    found = answer(model.kind, text, model.labels, row, model.thresholds)
    return found | ({"label": model.kind.written(found["label"])} if written else {})


def answer(kind, text: str, labels: Sequence[str], row: np.ndarray, thresholds=None):
    """The same as :func:`told`, without the model."""
    chosen = kind.decide(row[None], thresholds)
    return {
        "text": text,
        "label": kind.named(chosen, labels)[0],
        "probability": float(kind.sureness(chosen, row[None])[0]),
        "probabilities": dict(zip(labels, map(float, row), strict=True)),
    }


def of_form(form: str):
    """The kind of answers whose labels have this form in the cells of a table."""
    return FORMS[form]


def with_shares(kind):
    """The kind of answers that has shares of labels, from 0 to 1, in place of the given kind."""
    return FORMS[SoftLabels.form] if kind.name == ONE.name else kind


def softened(targets: np.ndarray, classes: int) -> np.ndarray:
    """Targets of any kind as shares, see :func:`with_shares`: ``[texts, classes]`` float32."""
    return np.eye(classes, dtype="float32")[targets] if targets.ndim == 1 else targets


def kind_of_scores(scores: dict[str, Any]):
    """The kind of answers that scores belong to."""
    return KINDS[scores.get("answers", ONE.name)]


def check_finite(probabilities: np.ndarray) -> None:
    """Refuses answers with NaN, because their largest would silently be the first class.

    Args:
        probabilities: ``[texts, classes]``.

    Raises:
        UsageError: if any is NaN or infinite.
    """
    wrong = np.count_nonzero(~np.isfinite(probabilities).all(axis=-1))
    if wrong:
        raise UsageError(
            f"the model answers {wrong:,} of {len(probabilities):,} texts with NaN or infinity, "
            "not with probabilities: its weights are damaged, or have grown out of all bounds; "
            "train it again, with a lower learning rate or in float32"
        )
