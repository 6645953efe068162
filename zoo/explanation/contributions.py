"""How much each word speaks for a class, or against it: integrated gradients.

Sundararajan et al. 2017, Equation 3, over the vectors of words: these grow from that of padding to
what they are, all at the same pace, and a word contributes what its growing adds to the score. The
score is the logarithm of the odds of a class: 0 where it is as probable as all others together, or,
where a text may have several labels, as not.
Of a model that is linear in counts it is the count times the weight, less those for other classes.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from zoo.backend.gradients import in_graph, with_gradient

LEAST = 1e-7  # probability
STEPS = 12  # points of the Gauss-Legendre quadrature
CHANGING = threading.RLock()  # of a thread that changes a model, or its layers for a while


class Contributions(NamedTuple):
    """Of some texts, in float32.

    Attributes:
        words: what each word adds to the score of a class, ``[batch, (sentences,) words]``, with
            its share of the n-grams that it is in; 0 at padding.
        score: the logarithm of the odds of the class, ``[batch]``.
        start: the score with the vector of padding for each word, ``[batch]``. The words' sum is
            about ``score - start``; the difference is the error of the quadrature.
    """

    words: Any
    score: Any
    start: Any


def contributions(model, ids, classes, steps: int = STEPS) -> Contributions:
    """Integrated gradients of a class's score over the vectors of words; also in a graph.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.
        classes: numbers of classes, ``[batch]``.
        steps: how often the gradient is computed.
    """
    points, weights = np.polynomial.legendre.leggauss(steps)
    points = ops.convert_to_tensor(np.concatenate([[0], (points + 1) / 2, [1]]), "float32")
    weights = ops.convert_to_tensor(np.concatenate([[0], weights / 2, [0]]), "float32")
    real = ops.cast(ops.not_equal(ids, 0), "float32")
    score = with_gradient(lambda shares: score_of(model, ids, classes, shares))

    def step(number, sums):  # of the ends the scores count: in one loop the model is traced once
        total, start, _ = sums
        value, gradient = score(real * points[number])
        gradient = ops.where(weights[number] > 0, weights[number] * gradient, 0.0)
        return total + gradient, ops.where(number == 0, value, start), value

    nothing = ops.zeros_like(real), *[ops.zeros(ops.shape(ids)[:1], "float32")] * 2
    total, start, end = ops.fori_loop(0, steps + 2, step, nothing)
    total = real * total
    if model.ngrams > 1:
        total = of_words(total, ids, model.ngrams)
    return Contributions(total, end, start)


def of_words(values, ids, longest: int):
    """Values of words and n-grams, ``[batch, words]``: those of an n-gram go to its words, evenly.

    Args:
        values: of what :func:`zoo.datasets.text.tokens.with_ngrams` gives: words, then pairs, ...
        ids: of the same, padded with 0.
        longest: words of the longest n-gram.

    Returns:
        Of the same shape, with 0 behind the words.
    """
    size, total = ops.shape(ids)[1], ops.zeros_like(values)
    read = ops.sum(ops.cast(ops.not_equal(ids, 0), "float32"), axis=1, keepdims=True)
    # n (n - 1) / 2 fewer n-grams than n times the words; all of them of a text of few words.
    few = longest * (longest - 1) / 2
    words = ops.where(read > few, (read + few) / longest, (ops.sqrt(8 * read + 1) - 1) / 2)
    words, places = ops.cast(ops.round(words), "int32"), ops.expand_dims(ops.arange(size), 0)
    before = ops.zeros_like(words)
    for length in range(1, longest + 1):
        for back in range(length):
            first = places - back
            there = ops.logical_and(first >= 0, first <= words - length)
            own = ops.take_along_axis(values, ops.clip(before + first, 0, size - 1), axis=1)
            total = total + ops.where(there, own / length, 0.0)
        before = before + ops.maximum(words - length + 1, 0)
    return total


def computed(model, ids: np.ndarray, classes: np.ndarray) -> Contributions:
    """The same of arrays, to arrays, in a graph that the model keeps for the next ones."""
    with CHANGING:
        if (graph := vars(model).get("contributions_graph")) is None:
            axes = (3 if model.hierarchical else 2), 1
            graph = in_graph(model, lambda *given: contributions(model, *given), *axes)
            object.__setattr__(model, "contributions_graph", graph)  # which Keras would track
    found = graph(np.asarray(ids, "int64"), np.asarray(classes, "int64"))
    return keras.tree.map_structure(ops.convert_to_numpy, found)


def score_of(model, ids, classes, shares):
    """The logarithm of the odds of classes, ``[batch]``, with shares of words' vectors.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.
        classes: numbers of classes, ``[batch]``.
        shares: of the vectors, of the shape of the ids, 0 to 1.
    """
    with scaled_vectors(model, shares), plain_logits(model):
        logits = ops.cast(model(ids, training=False), "float32")
    if not (model.logits or model.classify.built):  # a model of one's own with another head
        logits = ops.log(ops.maximum(logits, LEAST))
    return model.kind.odds(logits, classes)


@contextmanager
def scaled_vectors(model, shares) -> Iterator[None]:
    """Within it this thread's calls of the model read shares of words' vectors, the rest padding's.

    Args:
        model: a classifier.
        shares: of the shape of the ids, 0 to 1.
    """
    name = "call" if getattr(model.embed, "quantization_mode", None) is None else "quantized_call"

    def scaled(plain, ids):
        vectors = plain(ids)
        if len(ids.shape) != len(shares.shape):
            return vectors  # as of the whole table
        padding = plain(ops.zeros_like(ids[..., :1]))
        more = ops.shape(ids)[-1] - ops.shape(shares)[-1]  # a model may fill up its blocks
        share = ops.pad(shares, [(0, 0)] * (len(ids.shape) - 1) + [(0, more)])
        share = ops.cast(ops.expand_dims(share, -1), vectors.dtype)
        return padding + share * (vectors - padding)

    with _in_this_thread(model.embed, name, scaled):
        yield


@contextmanager
def plain_logits(model) -> Iterator[None]:
    """Within it this thread's calls of the model give logits."""
    with _in_this_thread(model.classify, "activation", lambda plain, logits: logits):
        yield


@contextmanager
def _in_this_thread(layer, name, function):
    """Within it another function stands for a layer's, and is given that one; of one thread."""
    with CHANGING:
        plain, own, thread = getattr(layer, name), vars(layer).get(name), threading.get_ident()

        def chosen(inputs):
            if threading.get_ident() != thread:
                return plain(inputs)
            return function(plain, inputs)

        setattr(layer, name, chosen)
        try:
            yield
        finally:
            delattr(layer, name)
            if own is not None:
                setattr(layer, name, own)
