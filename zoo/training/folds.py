"""Folds: answers to training texts, by models that were trained without them."""

import dataclasses
from collections.abc import Iterator

import numpy as np

from zoo.datasets.corpus import MOST_VALIDATION_TEXTS, Corpus, Split
from zoo.progress import quiet_log
from zoo.settings import TrainSettings
from zoo.training.learning import learnt

PARTS = 3


def part_of_each(split: Split, seed: int) -> np.ndarray:
    """The number of a part for each text, ``[texts]``; parts have equal shares of each class.

    If texts have several labels, or shares of labels, the parts are drawn at random.
    """
    from sklearn.model_selection import StratifiedKFold

    targets = np.asarray(split.targets)
    if targets.ndim > 1 or np.bincount(targets).max(initial=0) < PARTS:
        return np.random.default_rng(seed).permutation(len(split)) % PARTS
    folds = StratifiedKFold(PARTS, shuffle=True, random_state=seed)
    part = np.empty(len(split), int)
    for number, (_, outside) in enumerate(folds.split(targets, targets)):
        part[outside] = number
    return part


def a_tenth(corpus: Corpus, seed: int) -> np.ndarray:
    """0 for a tenth of the training texts, as a validation split would have, and -1 for others."""
    part = np.full(len(corpus.train), -1)
    classes, targets = len(corpus.labels), corpus.train.targets
    part[corpus.kind.taken(targets, classes, 0.1, MOST_VALIDATION_TEXTS, seed)] = 0
    return part


def answers_of_folds(
    corpus: Corpus, settings: TrainSettings, part: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Answers to each part of the training texts, by a model that was trained without it.

    Args:
        corpus: a corpus in splits.
        settings: the settings of the trainings.
        part: the part of each training text, ``[texts]``, see :func:`part_of_each`; texts of a
            negative one are in every training.

    Yields:
        The texts of a part, ``[texts]`` booleans, and their probabilities, ``[of these, classes]``.
    """
    from zoo.answers import probabilities_of

    train, settings = corpus.train, dataclasses.replace(settings, verbose=0)
    nothing = train.take(np.zeros(len(train), bool))
    for number in range(PARTS):
        outside = part == number
        if not outside.any():
            continue
        own = dataclasses.replace(
            corpus, train=train.take(~outside), validation=nothing, test=nothing
        )
        with quiet_log():
            found = probabilities_of(learnt(own, settings), train.take(outside))
        yield outside, found
