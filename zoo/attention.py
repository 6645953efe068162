"""Attention as one weight a word, whatever a model's attention is."""

import inspect

import numpy as np


def word_weights(model, ids) -> np.ndarray | None:
    """How much each word weighs in a model's attention.

    Heads and layers are averaged. Of attention between pairs of words, a word's weight is the mean
    of what all words give it; of a hierarchical model, it is its weight in its sentence times the
    square root of the sentence's (Yang et al. 2016, Section 3.5).

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.

    Returns:
        ``[batch, (sentences,) words]`` float64, 0 at padding; None where the model has none.
    """
    if "return_attention_scores" not in inspect.signature(model.call).parameters:
        return None
    ids = np.asarray(ids)
    _, scores = model(ids, training=False, return_attention_scores=True)
    scores = {name: one for name, one in scores.items() if one is not None}
    if not scores:
        return None
    scores = {name: np.asarray(one, "float64") for name, one in scores.items()}
    if "pairs" in scores:
        pairs = scores["pairs"]
        pairs = pairs.mean(axis=tuple(range(1, pairs.ndim - 2)))
        real = ids != 0
        weights = np.einsum("bi,bij->bj", real, pairs) / np.maximum(real.sum(1, keepdims=True), 1)
    else:
        weights = _mean_of_heads(scores["words"], ids.ndim)
        if "sentences" in scores:
            weights = weights * np.sqrt(_mean_of_heads(scores["sentences"], 2))[..., None]
    return np.where(ids != 0, weights, 0)


def _mean_of_heads(scores, rank):
    return scores.mean(axis=-2) if scores.ndim > rank else scores


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
