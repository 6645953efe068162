"""How much each word speaks for a class, or against it: gradients integrated along two paths.

This is integrated gradients without its straight path, one of the path methods of the same paper
(Sundararajan et al. 2017, Sections 3 and 4): the vectors of words grow from the vector of padding
to their full values, and a word contributes what its growth adds to the score. Where several words
say the same, the word that grows first gets the credit. So words grow twice: on one path the words
that speak most for the class grow late, on the other early, and the contribution is the mean. A
rough integral along the straight path tells which words these are.

The score is the logarithm of the odds of a class. It is 0 if the class is as probable as all others
together or, where a text may have several labels, as probable as its absence.
In a model that is linear in counts, a contribution is the count times the weight, minus those for
the other classes.
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
BEND = 4  # how much the paths bend: shares grow with powers from 1 to 5
STRAIGHT = (0, 1, (4 - 6**0.5) / 10, (4 + 6**0.5) / 10)  # the start, and Radau's three points
RADAU = (0, 1 / 9, (16 - 6**0.5) / 36, (16 + 6**0.5) / 36)  # their weights
CHANGING = threading.RLock()  # held by a thread while it replaces functions of a model's layers


class Contributions(NamedTuple):
    """The contributions of the words of some texts, in float32.

    Attributes:
        words: what each word adds to the score of a class, ``[batch, (sentences,) words]``, with
            its share of the n-grams that contain it; 0 at padding. They sum up to
            ``score - start``.
        score: the logarithm of the odds of the class, ``[batch]``.
        start: the score if each word has the vector of padding, ``[batch]``.
        rest: the part of ``score - start`` that the points on the paths missed, ``[batch]``. It is
            already distributed over the words, in proportion to the sizes of their contributions.
    """

    words: Any
    score: Any
    start: Any
    rest: Any


def contributions(model, ids, classes, steps: int = STEPS) -> Contributions:
    """Gradients of a class's score, integrated over the word vectors; also works in a graph.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.
        classes: numbers of classes, ``[batch]``.
        steps: points on each of the two paths; the gradient is computed at these and at four more.
    """
    given, weighed = np.polynomial.legendre.leggauss(steps)
    points = [*STRAIGHT, *np.repeat((given + 1) / 2, 2)]  # the same points on both paths
    weights = [*RADAU, *np.repeat(weighed / 4, 2)]
    points, weights = (ops.reshape(ops.cast(of, "float32"), (-1, 2)) for of in (points, weights))
    real = ops.cast(ops.not_equal(ids, 0), "float32")
    batch, one = ops.shape(ids)[0], (2, -1, *[1] * (len(ids.shape) - 1))
    both, of_both = (ops.concatenate([of, of]) for of in map(ops.convert_to_tensor, (ids, classes)))
    score = with_gradient(lambda shares: score_of(model, both, of_both, shares))
    late = ops.reshape(ops.convert_to_tensor([1.0, -1.0]), one)  # words for, or against, are late

    def step(number, sums):  # two points per step in a single loop, so the model is traced once
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
    """How much each word speaks for the class, -1 to 1; 0.5 is the mean size in its text."""
    mean = of_text(ops.abs(values)) / ops.maximum(of_text(real), 1.0)
    return ops.divide_no_nan(values, ops.abs(values) + spread(mean, real))


def grown(late, point):
    """The shares of vectors at a point of a path, and how fast they grow there.

    Args:
        late: how late each word grows, -1 to 1; with 0 it grows at an even pace.
        point: the point on the path, 0 to 1.
    """
    power = 1 + BEND * ops.abs(late)
    place = ops.where(late > 0, point, 1 - point)
    share, speed = place**power, power * place ** (power - 1)
    return ops.where(late > 0, share, 1 - share), speed


def of_text(values):
    """The sum of the words' values for each text, ``[batch]``."""
    return ops.sum(values, axis=tuple(range(1, len(values.shape))))


def spread(values, words):
    """Values of texts, ``[batch]``, in a shape that broadcasts to their words."""
    return ops.reshape(values, (-1, *[1] * (len(words.shape) - 1)))


def of_words(values, ids, longest: int):
    """Values of words, ``[batch, words]``, where each n-gram's value is split evenly on its words.

    Args:
        values: values of what :func:`zoo.datasets.text.tokens.with_ngrams` returns: words, then
            pairs, and so on.
        ids: the ids of the same, padded with 0.
        longest: number of words in the longest n-gram.

    Returns:
        An array of the same shape, with 0 after the words.
    """
    size, total = ops.shape(ids)[1], ops.zeros_like(values)
    read = ops.sum(ops.cast(ops.not_equal(ids, 0), "float32"), axis=1, keepdims=True)
    # There are n times as many n-grams as words, less n (n - 1) / 2; short texts have only those
    # of up to all their words.
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
    """:func:`contributions` of arrays, as arrays; the model keeps the graph for later calls."""
    axes = (3 if model.hierarchical else 2), 1
    graph = kept_graph(
        model, "contributions_graph", lambda *given: contributions(model, *given), *axes
    )
    found = graph(np.asarray(ids, "int64"), np.asarray(classes, "int64"))
    return keras.tree.map_structure(ops.convert_to_numpy, found)


def score_of(model, ids, classes, shares):
    """The logarithm of the odds of classes, ``[batch]``, with shares of the words' vectors.

    Args:
        model: a classifier.
        ids: ``[batch, words]``, or ``[batch, sentences, words]``.
        classes: numbers of classes, ``[batch]``.
        shares: the share of each word's vector, 0 to 1, in the shape of the ids.
    """
    with scaled_vectors(model, shares), plain_logits(model):
        logits = ops.cast(model(ids, training=False), "float32")
    if not (model.logits or model.classify.built):  # a user's model with another head
        logits = ops.log(ops.maximum(logits, LEAST))
    return model.kind.odds(logits, classes)


@contextmanager
def scaled_vectors(model, shares) -> Iterator[None]:
    """Within this context, the model reads only a share of each word's vector, in this thread.

    The rest of the vector is that of padding.

    Args:
        model: a classifier.
        shares: the share of each word's vector, 0 to 1, in the shape of the ids.
    """
    name = "call" if getattr(model.embed, "quantization_mode", None) is None else "quantized_call"

    def scaled(plain, ids):
        vectors = plain(ids)
        if len(ids.shape) != len(shares.shape):
            return vectors  # ids of another shape, such as those of the whole table
        padding = plain(ops.zeros_like(ids[..., :1]))
        more = ops.shape(ids)[-1] - ops.shape(shares)[-1]  # a model may pad ids to full blocks
        share = ops.pad(shares, [(0, 0)] * (len(ids.shape) - 1) + [(0, more)])
        share = ops.cast(ops.expand_dims(share, -1), vectors.dtype)
        return padding + share * (vectors - padding)

    with _in_this_thread(model.embed, name, scaled):
        yield


@contextmanager
def plain_logits(model) -> Iterator[None]:
    """Within this context, the model returns logits in this thread."""
    with _in_this_thread(model.classify, "activation", lambda plain, logits: logits):
        yield


@contextmanager
def _in_this_thread(layer, name, function):
    """Within this context, ``function`` replaces a layer's function in this thread.

    Its first argument is the replaced function.
    """
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
