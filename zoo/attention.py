"""Attention in one form, whatever a model's own is."""

import inspect

import numpy as np


def attention_of(model, ids) -> dict[str, np.ndarray]:
    """A model's attention scores, with an axis for heads in each.

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
    ids = np.asarray(ids)
    _, scores = model(ids, training=False, return_attention_scores=True)
    ranks = {"words": ids.ndim + 1, "sentences": 3, "pairs": ids.ndim + 2}
    return {
        name: _with_heads(np.asarray(one, "float32"), ranks[name], ids)
        for name, one in scores.items()
        if one is not None
    }


def _with_heads(scores, rank, ids):
    """Heads on axis 1; scores have none, those of one layer, or of several."""
    if scores.ndim < rank:
        return scores[:, None]
    if scores.ndim > rank:  # layers of heads
        return scores.reshape(len(scores), -1, *scores.shape[3:])
    inside = ids.ndim == 3 and rank > 3  # heads stand after the sentences
    return np.moveaxis(scores, 2, 1) if inside else scores


def weights_of_heads(model, ids) -> np.ndarray | None:
    """How much each word weighs in each head of a model's attention.

    Where attention sums words up, it is a word's weight in that; of a hierarchical model, its
    weight in its sentence times the square root of the sentence's (Yang et al. 2016, Section 3.5).
    Else, where words attend to words, it is the mean of what those of its text or sentence give
    it.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Returns:
        ``[batch, heads, (sentences,) words]``, 0 at padding; None where the model has none.
    """
    ids = np.asarray(ids)
    scores = attention_of(model, ids)
    if "words" in scores:
        weights = scores["words"]
        if "sentences" in scores:
            weights = weights * np.sqrt(scores["sentences"])[..., None]
    elif "pairs" in scores:
        real = (ids != 0)[:, None, ..., None]
        weights = (real * scores["pairs"]).sum(-2) / np.maximum(real.sum(-2), 1)
    else:
        return None
    return np.where(ids[:, None] != 0, weights, 0)


def word_weights(model, ids) -> np.ndarray | None:
    """The mean over the heads of :func:`weights_of_heads`, ``[batch, (sentences,) words]``."""
    weights = weights_of_heads(model, ids)
    return None if weights is None else weights.mean(axis=1)


def attended_words(model, text: str, most: int = 5) -> str:
    """The words of a text that weigh most, the heaviest first; "" for a model without attention.

    Args:
        model: a classifier with a ``preprocessor``.
        text: one text.
        most: how many words.
    """
    preprocessor = model.preprocessor
    ids = np.asarray(preprocessor([text]))
    weights = word_weights(model, ids)
    if weights is None:
        return ""
    words = preprocessor.words([text]).flat_values.numpy()
    weights = weights[ids != 0]
    order = dict.fromkeys(words[np.argsort(-weights, kind="stable")].tolist())
    return " ".join(word.decode() for word in list(order)[:most])
