"""Numbers of classes, one for each text, that a user gives to ``fit`` as targets.

TensorFlow ends in a stack trace where a number is of no class, and JAX goes on in silence.
"""

import logging
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from zoo.answers.class_labels import number_of
from zoo.errors import unknown
from zoo.letters import composed

SPARSE = "sparse_categorical_crossentropy"
AS_TEXTS = "give labels as texts, [str(target) for target in targets]"

logger = logging.getLogger("zoo")


def is_sparse(loss: Any) -> bool:
    """Whether a loss, as in ``compile``, wants the number of a class for each text."""
    kinds = [] if isinstance(loss, str) else [one.__name__ for one in type(loss).__mro__]
    names = (loss, getattr(loss, "__name__", None), *kinds)
    return SPARSE in names or "SparseCategoricalCrossentropy" in names


def ignored_class(loss: Any) -> int | None:
    """The number of no class that a loss, as in ``compile``, passes over; None for none."""
    return getattr(loss, "ignore_class", None)


def check_targets(
    targets: Any, num_classes: int, loss: Any, labels: Sequence[str] | None = None
) -> Any:
    """Numbers of classes, where the loss wants one for each text; labels become theirs.

    A whole number is the number of a class, as Keras has it, and not a label, even where labels
    look like numbers. Where they do, and the targets may be either, a warning tells how they are
    taken; but where the labels are 0 to one less than the classes in another order, as in runs
    that ordered "10" before "2", targets that may be either are refused.

    Args:
        targets: an array, list or column; None, where a dataset has them, is let through.
        num_classes: numbers are 0 to one less.
        loss: as in ``compile``; another than Keras' sparse categorical cross-entropy lets all
            through.
        labels: names of the classes, which targets of text are; None where they have none.

    Returns:
        The targets as they are; of labels, ``[n]`` int32.

    Raises:
        UsageError: for a text that is no label.
        ValueError: with the first target that is no class, and its place, from 0; and for those
            that may be either.

    Example:
        >>> check_targets(["good", "bad"], 2, "sparse_categorical_crossentropy", ["bad", "good"])
        array([1, 0], dtype=int32)
    """
    if targets is None or not is_sparse(loss):
        return targets
    given, targets = targets, np.asarray(targets)
    wanted = wanted_targets(num_classes)
    if targets.ndim != 1 and targets.shape[1:] != (1,):
        raise ValueError(f"targets of the shape {targets.shape}: {wanted}")
    targets = targets.reshape(-1)
    if targets.dtype.kind == "O" and all(isinstance(one, Real) for one in targets):
        targets = targets.astype("float64")
    if targets.dtype.kind not in "biuf":
        found = targets.tolist()
        if labels is not None and all(isinstance(one, str) for one in found):
            return _numbers_of(found, labels)
        first = next((i for i, one in enumerate(found) if not isinstance(one, Real)), 0)
        or_labels = "" if labels is None else ", or its label as a text"
        raise ValueError(f"target {first} is {found[first]!r}: {wanted}{or_labels}")
    wrong = ~((targets >= 0) & (targets < num_classes) & (targets == np.floor(targets)))
    counted = targets != ignored_class(loss)
    wrong &= counted
    may_be_labels = labels is not None and _are_labels(targets[counted], labels)
    if wrong.any():
        first = wrong.argmax()
        hint = ""
        if may_be_labels:
            hint = f"; the labels are numbers, too: {AS_TEXTS}, or model.labels.index(text) of each"
        elif targets.min() == 1 and targets.max() == num_classes:
            hint = "; do they start at 1?"
        raise ValueError(f"target {first} is {targets[first]}: {wanted}{hint}")
    if may_be_labels:
        _check_unclear(np.unique(targets[counted]), labels)
    return given


def check_class_names(dataset: Any, labels: Sequence[str] | None) -> None:
    """Refuses a dataset of the labels' classes in another order, where it tells its class names.

    ``keras.utils.text_dataset_from_directory`` does, and orders numbers as text.

    Raises:
        ValueError: with what orders them as the labels are.
    """
    names = getattr(dataset, "class_names", None)
    if names and labels and list(names) != labels and sorted(names) == sorted(labels):
        at = next(i for i, name in enumerate(names) if name != labels[i])
        raise ValueError(
            f"class {at} of the dataset is {names[at]!r}, of the model {labels[at]!r}: make the "
            "dataset with class_names=model.labels"
        )


def _numbers_of(targets, labels):
    """Class numbers of labels, ``[n]`` int32."""
    numbers = {composed(label): number for number, label in enumerate(labels)}
    targets = [composed(one) for one in targets]
    for first, one in enumerate(targets):
        if one not in numbers:
            raise unknown(f"label, of target {first},", one, labels)
    return np.array([numbers[one] for one in targets], "int32")


def _are_labels(targets, labels):
    """Whether all labels are numbers, and all targets are among these."""
    numbers = {number_of(label) for label in labels}
    return None not in numbers and all(one in numbers for one in np.unique(targets).tolist())


def _check_unclear(targets, labels):
    """Refuses or tells numbers, each once, that are of other classes as labels than as places."""
    numbers = [number_of(label) for label in labels]
    other = next((int(one) for one in targets if numbers[int(one)] != int(one)), None)
    if other is None:
        return
    unclear = (
        f"target {other} may be the label {labels[numbers.index(other)]!r}, or the number of the "
        f"class {labels[other]!r}"
    )
    if sorted(numbers) == list(range(len(labels))):
        as_numbers = (
            "where they are numbers of classes [model.labels[target] for target in targets]"
        )
        raise ValueError(f"{unclear}: {AS_TEXTS}, or {as_numbers}")
    logger.warning("%s, which it is taken for: if it is the label, %s", unclear, AS_TEXTS)


def check_target_spec(spec: Any, num_classes: int) -> None:
    """Refuses batches of targets whose type or shape shows that they are no numbers of classes.

    Args:
        spec: a ``tf.TensorSpec`` ``[batch]``.
        num_classes: as for :func:`check_targets`.

    Raises:
        ValueError: with the type or the shape.
    """
    if spec.shape.rank is None:
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
    return f"{SPARSE} takes the number of a class for each text, 0 to {num_classes - 1}"


def with_classes(dataset: Any, wanted: str, classes: int, ignored: int | None) -> Any:
    """Tuples with targets, made ``[batch]``, which stop at one that is no number of a class.

    Whoever reads it does so within :func:`zoo.datasets.text_streams.told_in_a_line`.

    Args:
        dataset: of tuples.
        wanted: what a target must be, in words.
        classes: they are 0 to one less.
        ignored: another number that is allowed; None for none.
    """

    import tensorflow as tf

    def check(inputs, targets, *weights):
        numbers = tf.reshape(tf.cast(targets, "float64"), [-1])
        right = (numbers >= 0) & (numbers < classes) & (numbers == tf.floor(numbers))
        if ignored is not None:
            right |= numbers == ignored
        wrong = tf.boolean_mask(numbers, ~right)[:1]
        check = tf.debugging.Assert(
            tf.reduce_all(right), [f"a target is no class: {wanted}", wrong]
        )
        with tf.control_dependencies([check]):
            return inputs, tf.reshape(targets, [-1]), *weights

    return dataset.map(check)


def numbered_stream(dataset: Any, labels: Sequence[str]) -> Any:
    """Tuples whose targets are labels, as tuples with the numbers of these; it stops at another."""
    import tensorflow as tf

    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(list(labels), tf.range(len(labels))), -1
    )

    def numbered(inputs, targets, *weights):
        numbers = table[targets]
        wrong = tf.boolean_mask(targets, numbers < 0)[:1] if targets.shape.rank else [targets]
        told = ["a target is no class: it must be among model.labels", wrong]
        check = tf.debugging.Assert(tf.reduce_all(numbers >= 0), told)
        with tf.control_dependencies([check]):
            return inputs, tf.identity(numbers), *weights

    return dataset.map(numbered)
