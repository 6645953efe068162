"""How much each word speaks for a class, or against it: gradients integrated along two paths.

This is integrated gradients, but for its straight path, and one of the path methods of the same
paper (Sundararajan et al. 2017, Sections 3 and 4): the vectors of words grow from that of padding
to what they are, and a word contributes what its growing adds to the score. Where several words say
the same, the one that grows first gets the credit. So words grow twice: on one path those that
speak most for the class come late, on the other early, and the contribution is the mean. Which ones
these are, a rough integral along the straight path tells.

The score is the logarithm of the odds of a class: 0 where it is as probable as all others together,
or, where a text may have several labels, as not.
Of a model that is linear in counts it is the count times the weight, less those for other classes.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from zoo.backend.gradients import kept_graph, with_gradient

LEAST = 1e-7  # probability
STEPS = 5  # points on each path
BEND = 4  # of the paths: shares grow by powers from 1 to 5
STRAIGHT = (0, 1, (4 - 6**0.5) / 10, (4 + 6**0.5) / 10)  # the start, and Radau's three points
RADAU = (0, 1 / 9, (16 - 6**0.5) / 36, (16 + 6**0.5) / 36)  # their weights
CHANGING = threading.RLock()  # of a thread that changes a model, or its layers for a while


class Contributions(NamedTuple):
    """Of some texts, in float32.

    Attributes:
        words: what each word adds to the score of a class, ``[batch, (sentences,) words]``, with
            its share of the n-grams that it is in; 0 at padding. They sum up to
            ``score - start``.
        score: the logarithm of the odds of the class, ``[batch]``.
        start: the score with the vector of padding for each word, ``[batch]``.
        rest: what the points on the paths missed of ``score - start``, ``[batch]``; it is part of
            the words, each of which has as large a share of it as of all contributions.
    """

    words: Any
    score: Any
    start: Any
    rest: Any


def contributions(model, ids, classes, steps: int = STEPS) -> Contributions:
    """Gradients of a class's score, integrated over the vectors of words; also in a graph.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.
        classes: numbers of classes, ``[batch]``.
        steps: points on each of the two paths; the gradient is computed at these and at four more.
    """
    given, weighed = np.polynomial.legendre.leggauss(steps)
    points = [*STRAIGHT, *np.repeat((given + 1) / 2, 2)]  # on both paths the same ones
    weights = [*RADAU, *np.repeat(weighed / 4, 2)]
    points, weights = (ops.reshape(ops.cast(of, "float32"), (-1, 2)) for of in (points, weights))
    real = ops.cast(ops.not_equal(ids, 0), "float32")
    batch, one = ops.shape(ids)[0], (2, -1, *[1] * (len(ids.shape) - 1))
    both, of_both = (ops.concatenate([of, of]) for of in map(ops.convert_to_tensor, (ids, classes)))
    score = with_gradient(lambda shares: score_of(model, both, of_both, shares))
    late = ops.reshape(ops.convert_to_tensor([1.0, -1.0]), one)  # those for the class, or against

    def step(number, sums):  # two points a step, all in one loop: the model is traced once
        rough, total, speeds, ends = sums
        point, weight = (ops.reshape(of[number], one) for of in (points, weights))
        shares, speed = grown(late * strength(rough, real), point)
        straight = number < 2
        shares, speed = ops.where(straight, point, shares), ops.where(straight, 1.0, speed)
        values, gradients = score(ops.reshape(real * shares, ops.shape(both)))
        gradients = ops.reshape(gradients, (2, *ops.shape(ids)))
        added = ops.sum(ops.where(weight > 0, weight * speed * gradients, 0.0), axis=0)
        return (
            rough + ops.where(straight, added, 0.0),
            total + ops.where(straight, 0.0, added),
            speeds + ops.where(straight, 0.0, ops.sum(weight * speed, axis=0)),
            ops.where(number == 0, values, ends),
        )

    nothing = ops.zeros_like(real)
    sums = nothing, nothing, nothing, ops.zeros((2 * batch,), "float32")
    _, total, speeds, ends = ops.fori_loop(0, steps + 2, step, sums)
    total = real * total / speeds
    start, end = ends[:batch], ends[batch:]
    rest = end - start - of_text(total)
    sizes = ops.abs(total)
    total = total + sizes * spread(ops.divide_no_nan(rest, of_text(sizes)), real)
    if model.ngrams > 1:
        total = of_words(total, ids, model.ngrams)
    return Contributions(total, end, start, rest)


def strength(values, real):
    """How much each word speaks for the class, -1 to 1: 0.5 is the mean size of a text's words."""
    mean = of_text(ops.abs(values)) / ops.maximum(of_text(real), 1.0)
    return ops.divide_no_nan(values, ops.abs(values) + spread(mean, real))


def grown(late, point):
    """Shares of vectors at a point of a path, and how fast they grow there.

    Args:
        late: how late each word grows, -1 to 1; 0 grows at an even pace.
        point: where on the path, 0 to 1.
    """
    power = 1 + BEND * ops.abs(late)
    place = ops.where(late > 0, point, 1 - point)
    share, speed = place**power, power * place ** (power - 1)
    return ops.where(late > 0, share, 1 - share), speed


def of_text(values):
    """Sums of texts, ``[batch]``, of values of words."""
    return ops.sum(values, axis=tuple(range(1, len(values.shape))))


def spread(values, words):
    """Values of texts, ``[batch]``, for each of their words."""
    return ops.reshape(values, (-1, *[1] * (len(words.shape) - 1)))


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
    axes = (3 if model.hierarchical else 2), 1
    graph = kept_graph(
        model, "contributions_graph", lambda *given: contributions(model, *given), *axes
    )
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
    if not (model.logits or model.classify.built):  # a user's model with another head
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
