"""What a user gives to ``fit``, checked before a backend sees it; targets by the kind of answers.

TensorFlow ends in a stack trace where a number is of no word, and JAX goes on in silence.
"""

from typing import Any

import numpy as np


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


def check_preprocessor(model, preprocessor) -> None:
    """Refuses a preprocessor whose ids a model cannot read.

    Raises:
        ValueError: with what differs.
    """
    if preprocessor.vocabulary_size > model.vocabulary_size:
        raise ValueError(
            f"the preprocessor has {preprocessor.vocabulary_size} ids, but the model a "
            f"vocabulary_size of {model.vocabulary_size}"
        )
    if (preprocessor.max_sentences is not None) != model.hierarchical:
        raise ValueError(
            f"the preprocessor has max_sentences={preprocessor.max_sentences}, the model "
            f"max_sentences={model.max_sentences}: both need a number, or both None"
        )
    for name in ("entities", "ngrams"):
        theirs, own = getattr(preprocessor, name), getattr(model, name)
        if theirs != own:
            raise ValueError(f"the preprocessor has {name}={theirs}, the model {name}={own}")


def check_batch_size(size: int | None) -> None:
    """Refuses a size below 1."""
    if size is not None and size < 1:
        raise ValueError(f"batch_size must be at least 1: got {size}")


def check_lengths(count: int, targets: Any, weights: Any = None) -> None:
    """Refuses texts to learn from without targets, or with more or fewer of them, or of weights."""
    if targets is None:
        raise ValueError("texts to learn from need targets: the number of a class for each")
    for name, one in (("targets", targets), ("weights", weights)):
        if one is not None and len(one) != count:
            raise ValueError(f"{count} texts need as many {name}: got {len(one)}")


def only_one(x: Any) -> Any:
    """The array of ``[array]``, which is Keras' way to give one input; else what it is."""
    listed = isinstance(x, list | tuple) and len(x) == 1 and isinstance(x[0], np.ndarray)
    return x[0] if listed else x
