"""Attention in one form, whatever a model's own is."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from keras import ops

FEW = 8  # texts


def attention_of(model, ids) -> dict[str, Any]:
    """A model's attention scores, with an axis for heads in each; also in a graph.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Returns:
        What there is of: ``words``, the weights by which words are summed up,
        ``[batch, heads, (sentences,) words]``; ``sentences``, the same of sentences,
        ``[batch, heads, sentences]``; and ``pairs``, how much each word (the last axis but one)
        attends to each of its text or sentence, ``[batch, heads, (sentences,) words, words]``, the
        heads of all layers one after the other. Float32.
    """
    if "return_attention_scores" not in inspect.signature(model.call).parameters:
        return {}
    _, scores = model(ids, training=False, return_attention_scores=True)
    depth = len(ids.shape)
    ranks = {"words": depth + 1, "sentences": 3, "pairs": depth + 2}
    return {
        name: _with_heads(ops.cast(one, "float32"), ranks[name], depth)
        for name, one in scores.items()
        if one is not None
    }


def _with_heads(scores, rank, depth):
    """Heads on axis 1; scores have none, those of one layer, or of several."""
    shape = ops.shape(scores)
    if len(shape) < rank:
        return ops.expand_dims(scores, 1)
    if len(shape) > rank:  # layers of heads
        return ops.reshape(scores, (shape[0], shape[1] * shape[2], *shape[3:]))
    inside = depth == 3 and rank > 3  # heads stand after the sentences
    return ops.moveaxis(scores, 2, 1) if inside else scores


def weights_of_heads(scores: dict[str, Any], ids):
    """How much each word weighs in each head of :func:`attention_of`; also in a graph.

    Where attention sums words up, it is a word's weight in that; of a hierarchical model, its
    weight in its sentence times the square root of the sentence's (Yang et al. 2016, Section 3.6).
    Else, where words attend to words, it is the mean of what those of its text or sentence give
    it.

    Args:
        scores: of :func:`attention_of`.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Returns:
        ``[batch, heads, (sentences,) words]``, 0 at padding; None where the model has none.
    """
    real = ops.expand_dims(ops.cast(ops.not_equal(ids, 0), "float32"), 1)
    if "words" in scores:
        weights = scores["words"]
        if "sentences" in scores:
            weights = weights * ops.expand_dims(ops.sqrt(scores["sentences"]), -1)
    elif "pairs" in scores:
        weights = ops.sum(ops.expand_dims(real, -1) * scores["pairs"], axis=-2)
        weights = weights / ops.maximum(ops.sum(real, axis=-1, keepdims=True), 1)
    else:
        return None
    return weights * real


def word_weights(model, ids) -> np.ndarray | None:
    """The mean over the heads of :func:`weights_of_heads`, ``[batch, (sentences,) words]``."""
    weights = weights_of_heads(attention_of(model, ids), ids)
    return None if weights is None else ops.convert_to_numpy(ops.mean(weights, axis=1))


def weights_of_texts(model, texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """The ids of each text and their :func:`word_weights`, padded to the longest text beside it.

    Computed a few texts at a time, as weights of all pairs of words may be among them.

    Args:
        model: a classifier with a ``preprocessor``.
        texts: the texts.
    """
    for start in range(0, len(texts), FEW):
        ids = np.asarray(model.preprocessor(list(texts[start : start + FEW])))
        weights = word_weights(model, ids)
        yield from zip(ids, [None] * len(ids) if weights is None else weights, strict=True)


def attended_words(model, texts: Sequence[str], most: int = 5) -> list[str]:
    """The words of each text that weigh most, the heaviest first; "" where there is no attention.

    Args:
        model: a classifier with a ``preprocessor``.
        texts: the texts.
        most: how many words.
    """
    words, found = model.preprocessor.words(list(texts)), []
    for row, (ids, weights) in enumerate(weights_of_texts(model, texts)):
        if weights is None:
            return [""] * len(texts)
        order = np.argsort(-weights[ids != 0], kind="stable")
        inside = getattr(words[row], "flat_values", words[row]).numpy()
        named = dict.fromkeys(inside[order].tolist())
        found.append(" ".join(word.decode() for word in list(named)[:most]))
    return found
