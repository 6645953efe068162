"""What would change an answer: a few words without which the model answers otherwise."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from zoo.answers import answers_of
from zoo.explanation.deletion import answers_without, read_texts
from zoo.explanation.explanation import Change, Explanation

READ_TOGETHER = 32  # texts
SINGLES = 10  # words that are left out one at a time
TOGETHER = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30)  # numbers of words left out together


def with_changes(model, explanations: Sequence[Explanation]) -> list[Explanation]:
    """The explanations, each with its ``change``.

    The ten words that speak most for the answer are left out one at a time, then more and more of
    the words that speak for it are left out together, until the answer changes. Then each word that
    is not needed for the change is put back. So every word of a change is needed, but another
    choice of words might be smaller.

    Args:
        model: the classifier that was explained.
        explanations: explanations of its answers.

    Returns:
        The explanations in the same order; ``change`` is None where no such words were found.
    """
    texts = [
        one
        for start in range(0, len(explanations), READ_TOGETHER)
        for one in read_texts(model, [x.text for x in explanations[start : start + READ_TOGETHER]])
    ]
    classes = [model.labels.index(one.explained) for one in explanations]
    orders = [_order(one) for one in explanations]
    first = [_tried(order, len(one.words)) for order, one in zip(orders, explanations, strict=True)]
    found = {}
    for row, rows in enumerate(answers_without(model, texts, first)):
        given = np.array([list(explanations[row].probabilities.values())])
        if model.kind.includes(answers_of(model, given), classes[row])[0]:
            found |= _first_other(model, row, rows, classes[row], first[row])
    waiting = [row for row, (kept, _) in found.items() if np.count_nonzero(~kept) > 1]
    while waiting:
        less = []
        for row in waiting:  # try to put back each word of the change, the weakest first
            kept = found[row][0]
            places = [place for place in reversed(orders[row]) if not kept[place]]
            less.append(kept | np.eye(len(kept), dtype=bool)[places])
        shorter = answers_without(model, [texts[row] for row in waiting], less)
        left = []
        for row, choices, rows in zip(waiting, less, shorter, strict=True):
            if other := _first_other(model, row, rows, classes[row], choices):
                found |= other
                if np.count_nonzero(~found[row][0]) > 1:
                    left.append(row)
        waiting = left
    return [
        dataclasses.replace(one, change=_change(model, *found[row]) if row in found else None)
        for row, one in enumerate(explanations)
    ]


def _order(explanation):
    """The numbers of the words that speak for the class, the strongest first."""
    added = np.array([word.contribution for word in explanation.words])
    order = np.argsort(-added, kind="stable")
    return order[added[order] > 0].tolist()


def _tried(order, count):
    """Choices of words to keep: without one of the first, without the first two, and so on."""
    singles = ~np.eye(count, dtype=bool)[order[:SINGLES]]
    ranks = np.full(count, count)
    ranks[order] = np.arange(len(order))
    numbers = [number for number in TOGETHER if number <= len(order)]
    return np.concatenate([singles, ranks >= np.reshape(numbers, (-1, 1))])


def _first_other(model, row, probabilities, number, choices):
    """The first choice of kept words that changes the answer, and the new answer, by their row.

    The answer has changed if it no longer includes the class, as it does for the whole text.
    """
    answers = answers_of(model, probabilities)
    changed = np.flatnonzero(~model.kind.includes(answers, number))
    return {row: (choices[changed[0]], answers[changed[:1]])} if len(changed) else {}


def _change(model, kept, answer):
    (named,) = model.kind.named(answer, model.labels)
    return Change(tuple(np.flatnonzero(~kept).tolist()), model.kind.written(named))
