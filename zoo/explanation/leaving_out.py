"""How much each word speaks for a class, measured by what the score loses without the word.

This checks :mod:`zoo.explanation.contributions`, and replaces them where a model reads no word
vectors. It needs an answer of the model for each word.
"""

from collections.abc import Sequence

import numpy as np

from zoo.explanation.contributions import Contributions
from zoo.explanation.deletion import ReadText, answers_without

LEAST = 1e-7  # probability


def left_out(model, texts: Sequence[ReadText], classes: Sequence[int]) -> Contributions:
    """What the logarithm of a class's odds loses without each word.

    Args:
        model: a classifier with ``preprocessor``.
        texts: texts whose ids are of one shape.
        classes: the number of a class for each.

    Returns:
        Arrays; ``start`` is the score of a text without words, and ``rest`` is the part of
        ``score - start`` that the sum of the words misses, which is not distributed over them.
    """
    counts = [len(one.words) for one in texts]
    kept = [
        np.concatenate(
            [np.ones((1, count), bool), np.zeros((1, count), bool), ~np.eye(count, dtype=bool)]
        )
        for count in counts
    ]
    words = np.zeros((len(texts), *texts[0].ids.shape), "float32")
    ends = np.zeros((2, len(texts)), "float32")
    for row, answers in enumerate(answers_without(model, texts, kept)):
        own = np.clip(answers[:, classes[row]], LEAST, 1 - LEAST)
        odds = np.log(own) - np.log1p(-own)
        ends[:, row] = odds[:2]
        places = np.nonzero(texts[row].ids)  # in a bag of words, n-grams may follow the words
        words[row][tuple(place[: counts[row]] for place in places)] = odds[0] - odds[2:]
    sums = words.reshape(len(texts), -1).sum(axis=1)
    return Contributions(words, ends[0], ends[1], ends[0] - ends[1] - sums)
