"""What a target is, and all that follows of it: loss, decision, metrics, how answers are written.

A kind of answers is a class in a file of its own. A model has the option ``answers``, its name;
nothing else in zoo asks whether a text has one label or several.
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
    """A model's outputs, also logits: ``[texts, classes]`` probabilities in float64.

    Raises:
        UsageError: if any is not finite.
    """
    outputs = np.asarray(outputs, "float64")
    check_finite(outputs)
    return model.kind.probabilities(outputs, model.logits)


def answers_of(model, probabilities: np.ndarray) -> np.ndarray:
    """What a model decides for: answers in the form of targets, ``[texts, ..]``."""
    return model.kind.decide(probabilities, model.thresholds)


def foremost(outputs):
    """The class of each text that is explained where none is named, ``[texts]``.

    It is the most probable one of a model's outputs, ``[texts, classes]``: an array, or a tensor
    of TensorFlow.
    """
    if isinstance(outputs, np.ndarray):
        return outputs.argmax(axis=-1)
    import tensorflow as tf

    return tf.argmax(outputs, axis=-1)  # Keras' has a constant that is 0 in 16 bits


def told(model, text: str, row: np.ndarray, written: bool = False) -> dict[str, Any]:
    """What is told of a text with these probabilities, ``[classes]``.

    Several labels are a list, or ``written`` one after the other.
    """
    found = answer(model.kind, text, model.labels, row, model.thresholds)
    return found | ({"label": model.kind.written(found["label"])} if written else {})


def answer(kind, text: str, labels: Sequence[str], row: np.ndarray, thresholds=None):
    """The same, of a model that is not at hand."""
    chosen = kind.decide(row[None], thresholds)
    return {
        "text": text,
        "label": kind.named(chosen, labels)[0],
        "probability": float(kind.sureness(chosen, row[None])[0]),
        "probabilities": dict(zip(labels, map(float, row), strict=True)),
    }


def of_form(form: str):
    """The kind of answers whose labels have a form in the cells of a table."""
    return FORMS[form]


def with_shares(kind):
    """The kind of targets from 0 to 1 for each class, in place of targets of a kind."""
    return FORMS[SoftLabels.form] if kind.name == ONE.name else kind


def softened(targets: np.ndarray, classes: int) -> np.ndarray:
    """Targets of any kind as ones of :func:`with_shares`, ``[texts, classes]`` float32."""
    return np.eye(classes, dtype="float32")[targets] if targets.ndim == 1 else targets


def kind_of_scores(scores: dict[str, Any]):
    """The kind of answers that scores are of."""
    return KINDS[scores.get("answers", ONE.name)]


def check_finite(probabilities: np.ndarray) -> None:
    """Refuses answers that are no numbers: their largest would be the first class, in silence.

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
