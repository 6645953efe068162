"""Keras' fit of a model whose weights are found at once: one epoch, which reads all texts."""

import logging
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.answers import with_shares
from zoo.datasets.text_streams import rows
from zoo.errors import UsageError
from zoo.text_inputs import is_text

IDLE = {"epochs": 1, "batch_size": None, "initial_epoch": 0, "steps_per_epoch": None}
IDLE |= {"validation_freq": 1}  # arguments of Keras' fit that change nothing, by their defaults

logger = logging.getLogger("zoo")


def fit_at_once(
    model,
    x: Any,
    y: Any,
    weights: Any,
    validation_data: tuple[Any, Any, Any] | None,
    *,
    validation_split: float = 0.0,
    class_weight: Any = None,
    callbacks: Any = None,
    verbose: int | str = "auto",
    validation_steps: int | None = None,
    validation_batch_size: int | None = None,
    **idle: Any,
) -> keras.callbacks.History:
    """Finds the weights of a model, judges it, and tells callbacks of the one epoch that this is.

    Args:
        model: a classifier that ``solves``; compiled.
        x: texts, or a tf.data.Dataset of texts, targets and, if any, weights.
        y, weights: of the texts, where ``x`` does not give them.
        validation_data: texts, targets and weights to judge by, as ``model.evaluate`` takes them;
            or None.
        validation_split: what was not split off, as ``x`` is no list; refused.
        class_weight: refused, too.
        callbacks, verbose, validation_steps, validation_batch_size: of Keras' fit.
        idle: those of :data:`IDLE`; a line tells of the ones that have another value.

    Returns:
        Keras' history of one epoch: loss and metrics of the texts, and as ``val_..`` of others.

    Raises:
        UsageError: for texts without end or targets, and what is refused.
    """
    if class_weight:
        raise UsageError("a model that is solved at once takes sample_weight, and no class_weight")
    if validation_split and validation_data is None:
        raise UsageError(
            "validation_split is of lists and arrays: beside a dataset give validation_data"
        )
    if others := idle.keys() - IDLE:
        raise TypeError(f"fit() got an unexpected keyword argument {min(others)!r}")
    if used := [name for name, value in idle.items() if value != IDLE[name]]:
        logger.warning("%s is solved at once and does not use %s", model.name, " or ".join(used))
    if not isinstance(callbacks, keras.callbacks.CallbackList):
        shown = {"verbose": verbose, "epochs": 1, "steps": 1}
        callbacks = keras.callbacks.CallbackList(callbacks, True, verbose != 0, model, **shown)
    callbacks.on_train_begin()
    callbacks.on_epoch_begin(0)
    callbacks.on_train_batch_begin(0)
    x, y, weights = _solve(model, x, y, weights)
    told = {"verbose": 0, "return_dict": True}
    logs = model.evaluate(x, y, sample_weight=weights, **told)
    callbacks.on_train_batch_end(0, logs)
    if validation_data is not None:
        steps = {"batch_size": validation_batch_size, "steps": validation_steps}
        x, y, weights = validation_data
        judged = model.evaluate(x, y, sample_weight=weights, **steps, **told)
        logs |= {f"val_{name}": value for name, value in judged.items()}
    callbacks.on_epoch_end(0, logs)
    callbacks.on_train_end(logs)
    return model.history


def _solve(model, x, y, weights):
    """Finds the weights; gives all texts, with what goes with them."""
    from zoo.datasets.corpus import Split

    if not is_text(x):
        if x.cardinality() == tf.data.INFINITE_CARDINALITY:
            raise UsageError(
                "a model that is solved at once needs all texts: give a tf.data.Dataset that ends"
            )
        found = list(rows(x).as_numpy_iterator())
        if not found or len(found[0]) < 2:
            raise UsageError("a dataset to learn from gives (texts, targets)")
        x, y, *others = zip(*found, strict=True)
        x, y = ([_decoded(one) for one in part] for part in (x, y))
        y = np.asarray(model.kind.checked(y, model.num_classes, model.loss, model.labels))
        weights = np.asarray(others[0]) if others else weights
    shares = np.shape(y)[1:] == (model.num_classes,)  # of classes, as some losses want them
    hard = with_shares(model.kind).hard(np.asarray(y)) if shares else y
    model.solve(Split(np.asarray(x, dtype=object), hard, weights))
    return x, y, weights


def _decoded(one):
    return one.decode("utf-8", "replace") if isinstance(one, bytes) else one
