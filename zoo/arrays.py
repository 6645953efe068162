"""Ids and targets that a user gives to ``fit``, checked before a backend sees them.

TensorFlow ends in a stack trace where a number is of no word or class, and JAX goes on in silence.
"""

from numbers import Real
from typing import Any

import keras
import numpy as np

SPARSE = keras.losses.SparseCategoricalCrossentropy


def check_ids(ids: np.ndarray, axes: int, words: int) -> None:
    """Refuses what is no number of a word.

    Args:
        ids: numbers.
        axes: of the array: 2, or 3 where there are sentences.
        words: numbers are 0, for padding, to one less.

    Raises:
        ValueError: for another shape, or with the first such number and its place, from 0.
    """
    if ids.ndim != axes:
        wanted = "[texts, words]" if axes == 2 else "[texts, sentences, words]"
        raise ValueError(f"ids of the shape {ids.shape}: this model reads {wanted}")
    if ids.size and not (ids.min() >= 0 and ids.max() < words):
        place = tuple(map(int, np.argwhere(~((ids >= 0) & (ids < words)))[0]))
        raise ValueError(f"id {place} is {ids[place]}: words have 1 to {words - 1}, padding 0")


def is_sparse(loss: Any) -> bool:
    """Whether a loss, as in ``compile``, wants the number of a class for each text."""
    names = (SPARSE().name, SPARSE.__name__)
    return isinstance(loss, SPARSE) or getattr(loss, "__name__", loss) in names


def ignored_class(loss: Any) -> int | None:
    """The number of no class that a loss, as in ``compile``, passes over; None for none."""
    return getattr(loss, "ignore_class", None)


def only_one(x: Any) -> Any:
    """The array of ``[array]``, which is Keras' way to give one input; else what it is."""
    listed = isinstance(x, list | tuple) and len(x) == 1 and isinstance(x[0], np.ndarray)
    return x[0] if listed else x


def check_targets(targets: Any, num_classes: int, loss: Any) -> None:
    """Refuses what is no number of a class, where the loss wants one for each text.

    Args:
        targets: an array, list or column; None, where a dataset has them, is let through.
        num_classes: they are 0 to one less.
        loss: as in ``compile``; another than Keras' sparse categorical cross-entropy lets all
            through.

    Raises:
        ValueError: with the first such target and its place, from 0.
    """
    if targets is None or not is_sparse(loss):
        return
    targets = np.asarray(targets)
    wanted = wanted_targets(num_classes)
    if targets.ndim != 1 and targets.shape[1:] != (1,):
        raise ValueError(f"targets of the shape {targets.shape}: {wanted}")
    targets = targets.reshape(-1)
    if targets.dtype.kind == "O" and all(isinstance(one, Real) for one in targets):
        targets = targets.astype("float64")
    if targets.dtype.kind not in "biuf":
        found = targets.tolist()
        first = next((i for i, one in enumerate(found) if not isinstance(one, Real)), 0)
        raise ValueError(f"target {first} is {found[first]!r}: {wanted}")
    wrong = ~((targets >= 0) & (targets < num_classes) & (targets == np.floor(targets)))
    wrong &= targets != ignored_class(loss)
    if wrong.any():
        first = wrong.argmax()
        from_one = targets.min() == 1 and targets.max() == num_classes
        hint = "; do they start at 1?" if from_one else ""
        raise ValueError(f"target {first} is {targets[first]}: {wanted}{hint}")


def check_target_spec(spec: Any, num_classes: int, loss: Any) -> None:
    """Refuses batches of targets whose type or shape shows that they are no numbers of classes.

    Args:
        spec: a ``tf.TensorSpec`` ``[batch]``.
        num_classes, loss: as for :func:`check_targets`.

    Raises:
        ValueError: with the type or the shape.
    """
    if not is_sparse(loss) or spec.shape.rank is None:
        return
    wanted = wanted_targets(num_classes)
    if spec.dtype == "string":
        raise ValueError(f"targets of the dataset are strings: {wanted}")
    if spec.shape.rank != 1 and not (spec.shape.rank == 2 and spec.shape[1] in (1, None)):
        raise ValueError(
            f"targets of the dataset have the shape {spec.shape}: {wanted}; "
            "categorical_crossentropy takes a column for each class"
        )


def wanted_targets(num_classes: int) -> str:
    """What Keras' sparse categorical cross-entropy takes, in words."""
    return f"{SPARSE().name} takes the number of a class for each text, 0 to {num_classes - 1}"
