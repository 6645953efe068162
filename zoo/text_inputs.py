"""What ``fit``, ``evaluate`` and ``predict`` are given, as Keras reads it: texts become ids."""

import math
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.answers.class_numbers import check_class_names
from zoo.datasets.batches import batches_in_order
from zoo.datasets.text.given_texts import check_texts, is_texts
from zoo.datasets.text.text_tensors import text_dataset, text_tensor
from zoo.datasets.text_streams import as_dataset, holds_texts
from zoo.errors import UsageError
from zoo.input_checks import check_batch_size, check_lengths


def is_text(x: Any) -> bool:
    """Whether ``x`` is an array, list or column of strings, and not of ids; an empty list is.

    Raises:
        UsageError: for one text, or a table of texts.
    """
    if not is_texts(x):
        return isinstance(x, list | tuple) and not x
    check_texts(x)
    return True


def preprocessor_of(model):
    """A model's preprocessor.

    Raises:
        UsageError: if it has none.
    """
    if model.preprocessor is None:
        raise UsageError("texts need a preprocessor: set model.preprocessor, or give ids")
    return model.preprocessor


def as_keras_reads(
    model, x, y=None, weights=None, batch_size=None, learns=True, shuffle=False
) -> tuple:
    """Texts in any form as a dataset of ids, with their targets and weights; all else as it is.

    Args:
        model: a classifier.
        x: a list, array or column of texts; a dataset, generator or PyDataset; or ids.
        y, weights: of each text, where ``x`` does not give them; None for none.
        batch_size: texts of a batch, where they come one by one.
        learns: whether targets are needed.
        shuffle: whether the order is to be another one each epoch, where it can be.

    Returns:
        ``x``, ``y`` and ``weights``; the latter None where ``x`` gives them.
    """
    check_batch_size(batch_size)
    if is_text(x):
        return _of_list(model, x, y, weights, batch_size, shuffle), None, None
    return _of_stream(model, x, batch_size, learns, shuffle) if y is None else x, y, weights


def split_off(share: float, texts, *others) -> tuple[tuple, tuple]:
    """Texts, and what goes with them, without the last of them, and these, as Keras has it."""
    texts = text_tensor(texts)
    number = math.floor(len(texts) * (1 - share))
    if not 0 < number < len(texts):
        raise ValueError(
            f"validation_split must leave some of the {len(texts)} texts on both sides: got {share}"
        )
    parts = [texts, *(None if one is None else np.asarray(one) for one in others)]
    first = tuple(None if one is None else one[:number] for one in parts)
    return first, tuple(None if one is None else one[number:] for one in parts)


def _of_list(model, texts, targets, weights, batch_size, shuffle):
    """Batches of like length."""
    if not len(texts):
        raise ValueError("there are no texts: the list is empty")
    check_lengths(len(texts), targets, weights)
    others = [np.asarray(one) for one in (targets, weights) if one is not None]
    data = tf.data.Dataset.zip(
        text_dataset(texts), *map(tf.data.Dataset.from_tensor_slices, others)
    )
    if shuffle:  # all, as they may be sorted by class
        data = data.shuffle(len(data), seed=0, reshuffle_each_iteration=False)
    size, groups = batch_size or 32, model.sentence_groups
    return preprocessor_of(model).batches(data, size, shuffle=shuffle, groups=groups)


def _of_stream(model, data, batch_size, learns, shuffle):
    """Batches as they come; what gives no texts stays as it is."""
    if learns:
        check_class_names(data, model.labels)
    data = as_dataset(data, shuffle)
    if not holds_texts(data):
        return data
    data = batches_in_order(preprocessor_of(model), data, batch_size, model.sentence_groups)
    spec = data.element_spec
    if learns and not (isinstance(spec, tuple) and len(spec) > 1):
        raise UsageError("a dataset to learn from gives (texts, targets): got texts alone")
    if not learns:
        return data
    loss = getattr(model, "loss", None)
    return model.kind.checked_stream(data, model.num_classes, loss, model.labels)
