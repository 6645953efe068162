"""What a model answers when some words of a text are left out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.answers import as_probabilities
from zoo.backend import in_threads, prediction_threads
from zoo.backend.gradients import kept_graph
from zoo.datasets.text.tokens import with_ngrams
from zoo.progress import progress

READ_AT_ONCE = 256  # texts without words
SORTED_AT_ONCE = 4096  # texts, of which those of similar length are read together


class ReadText(NamedTuple):
    """What a model reads of a text.

    Attributes:
        ids: ``[(sentences,) words]``, padded with 0.
        words: the words within the model's limits, in order, as bytes, without n-grams.
    """

    ids: np.ndarray
    words: np.ndarray


def read_texts(model, texts: Sequence[str]) -> list[ReadText]:
    """What the model reads of each text; all ids are padded together, so give it few texts."""
    tokens = model.preprocessor.tokens(list(texts))
    ids, single = np.asarray(model.preprocessor.pad(tokens.inputs)), tokens.single_words
    return [
        ReadText(own, getattr(words, "flat_values", words).numpy())
        for own, words in zip(ids, single, strict=True)
    ]


def answers_without(
    model, texts: Sequence[ReadText], kept: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """What the model answers when only some words of a text are kept.

    Args:
        model: a classifier with ``preprocessor``.
        texts: the texts.
        kept: for each text, which words are kept, ``[choices, words]`` booleans.

    Returns:
        For each text the probabilities, ``[choices, classes]``.
    """
    sizes = list(map(len, kept))
    if not sum(sizes):
        return [np.zeros((0, model.num_classes)) for _ in texts]
    found = np.zeros((sum(sizes), model.num_classes), "float32")

    def batches():
        done, waiting = 0, []
        for text, choices in zip(texts, kept, strict=True):
            for start in range(0, len(choices), READ_AT_ONCE):
                waiting.append(some_words(model, text, choices[start : start + READ_AT_ONCE]))
                if sum(map(len, waiting)) >= SORTED_AT_ONCE:
                    yield from _like_lengths(_padded(waiting), done)
                    done, waiting = done + sum(map(len, waiting)), []
        if waiting:
            yield from _like_lengths(_padded(waiting), done)

    graph = kept_graph(  # traced once, while Keras' predict would trace each of the first shapes
        model,
        "answers_graph",
        lambda ids: model(ids, training=False),
        3 if model.hierarchical else 2,
    )

    def answered(batch):
        rows, ids = batch
        found[rows] = ops.convert_to_numpy(graph(np.asarray(ids, "int64")))
        return rows

    answers = in_threads(answered, batches(), prediction_threads())
    for _ in progress(answers, "Leaving out words", sum(sizes), size=len, shown=True):
        pass
    return np.split(as_probabilities(model, found), np.cumsum(sizes)[:-1])


def _like_lengths(ids, first):
    """Batches of ids without needless padding, and their rows, counted from ``first``."""
    lengths = np.count_nonzero(ids, axis=tuple(range(1, ids.ndim)))
    order = np.argsort(lengths, kind="stable")
    for start in range(0, len(ids), READ_AT_ONCE):
        rows = order[start : start + READ_AT_ONCE]
        own = ids[rows]
        for axis in range(1, ids.ndim):
            others = tuple(other for other in range(ids.ndim) if other != axis)
            used = np.flatnonzero(own.any(axis=others))
            own = own.take(range(used.max(initial=0) + 1), axis=axis)
        yield first + rows, own


def some_words(model, text: ReadText, kept: np.ndarray) -> np.ndarray:
    """The ids of a text with some of its words, ``[choices, (sentences,) words]``.

    Args:
        model: a classifier with ``preprocessor``.
        text: the text.
        kept: ``[choices, words]`` booleans, in reading order.
    """
    own = model.preprocessor
    if own.ngrams > 1:  # without some words there are other n-grams
        flat, lengths = np.tile(text.words, (len(kept), 1))[kept], kept.sum(axis=1)
        words = tf.RaggedTensor.from_row_lengths(tf.constant(flat, tf.string), lengths)
        read = with_ngrams(words, own.ngrams)
        return np.asarray(own.pad(read.with_flat_values(own.lookup(read.flat_values))))
    ids = np.broadcast_to(text.ids, (len(kept), *text.ids.shape))
    inside = ids != 0
    inside[inside] = kept.ravel()
    return _together(ids, inside)


def _together(ids, inside):
    """The ids where ``inside`` is true, without gaps and without empty sentences between others."""
    order = np.argsort(~inside, axis=-1, kind="stable")
    ids = np.take_along_axis(np.where(inside, ids, 0), order, axis=-1)
    if ids.ndim == 3:
        order = np.argsort(~inside.any(axis=-1), axis=-1, kind="stable")
        ids = np.take_along_axis(ids, order[..., None], axis=1)
        ids = ids[:, : max(1, inside.any(axis=-1).sum(axis=1).max(initial=0))]
    return ids[..., : max(1, inside.sum(axis=-1).max(initial=0))]


def _padded(parts):
    """Arrays of ids as a single array, padded to the longest."""
    longest = np.max([part.shape[1:] for part in parts], axis=0)
    more = [[(0, 0), *((0, n) for n in longest - part.shape[1:])] for part in parts]
    return np.concatenate([np.pad(part, by) for part, by in zip(parts, more, strict=True)])
