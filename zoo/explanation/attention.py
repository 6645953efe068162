"""The attention of all models in one form."""

import inspect
from typing import Any, NamedTuple

import numpy as np
from keras import ops
from keras.tree import map_structure

from zoo.backend.gradients import kept_graph


class Attention(NamedTuple):
    """Where a model looked: what its ``call`` returns with ``return_attention_scores``.

    The axes are the same for all models: in a flat model the text is one sentence, and attention
    without heads counts as one head. What a model does not have is None. Named tuples pass through
    ``tf.function``, ``jax.jit`` and ``keras.tree``.

    Attributes:
        words: the weights with which words are summed up, ``[batch, heads, sentences, words]``.
        pairs: how much each word (the last axis but one) attends to each word of its sentence,
            ``[batch, heads, sentences, words, words]``; the heads of all layers follow one another.
        sentences: the weights with which sentences are summed up, ``[batch, heads, sentences]``.
    """

    words: Any = None
    pairs: Any = None
    sentences: Any = None


AXES = Attention(words=4, pairs=5, sentences=3)  # the number of axes of each


def attention_of(model, ids) -> Attention:
    """A model's attention in float32, all None if it has no attention; also works in a graph.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Raises:
        ValueError: if a user's model returns its attention in another form.
    """
    return answered(model, ids)[1] if _has_attention(model) else Attention()


def _has_attention(model):
    return "return_attention_scores" in inspect.signature(model.call).parameters


def answered(model, ids) -> tuple[Any, Attention]:
    """A model's output, ``[batch, classes]``, and its :func:`attention_of`; also in a graph."""
    if not _has_attention(model):
        return model(ids, training=False), Attention()
    outputs, attention = model(ids, training=False, return_attention_scores=True)
    axes = map_structure(lambda one: len(one.shape), attention, none_is_leaf=False)
    if [own or known for own, known in zip(axes, AXES, strict=False)] != list(AXES):
        name = type(model).__name__
        raise ValueError(f"{name} must give a zoo.classifier.Attention, of axes {AXES}: got {axes}")
    attention = map_structure(lambda one: ops.cast(one, "float32"), attention, none_is_leaf=False)
    return outputs, attention


def weights_of_heads(attention: Attention, ids):
    """How much each word weighs in each head; also works in a graph.

    Where attention sums words up, this is the word's weight in the sum. In a hierarchical model, it
    is the word's weight in its sentence times the square root of the sentence's weight (Yang et al.
    2016, Section 3.6). Where words only attend to words, it is the mean of the weights that the
    words of its sentence give it.

    Args:
        attention: what :func:`attention_of` returns.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Returns:
        ``[batch, heads, sentences, words]``, 0 at padding; None if the model has no attention.
    """
    batch, *sentences, words = ops.shape(ids)
    real = ops.cast(ops.not_equal(ids, 0), "float32")
    real = ops.reshape(real, (batch, 1, *(sentences or [1]), words))
    if attention.words is not None:
        weights = attention.words
        if attention.sentences is not None:
            weights = weights * ops.expand_dims(ops.sqrt(attention.sentences), -1)
    elif attention.pairs is not None:
        weights = ops.sum(ops.expand_dims(real, -1) * attention.pairs, axis=-2)
        weights = weights / ops.maximum(ops.sum(real, axis=-1, keepdims=True), 1)
    else:
        return None
    return weights * real


def computed(model, ids: np.ndarray) -> tuple[np.ndarray, Attention, np.ndarray | None]:
    """A model's output, its attention and the :func:`weights_of_heads`, as arrays from an array.

    The model keeps the traced graph for later calls.
    """

    def all_of(ids):
        outputs, attention = answered(model, ids)
        return outputs, attention, weights_of_heads(attention, ids)

    graph = kept_graph(model, "attention_graph", all_of, 3 if model.hierarchical else 2)
    found = graph(np.asarray(ids, "int64"))
    return map_structure(ops.convert_to_numpy, found, none_is_leaf=False)


def word_weights(model, ids):
    """The mean of :func:`weights_of_heads` over the heads, in the shape of the ids, or None."""
    weights = weights_of_heads(attention_of(model, ids), ids)
    return None if weights is None else ops.reshape(ops.mean(weights, axis=1), ops.shape(ids))
