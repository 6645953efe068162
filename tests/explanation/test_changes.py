"""The fewest words whose deletion changes the answer."""

import numpy as np

from zoo.answers import ONE, SEVERAL
from zoo.datasets import Preprocessor
from zoo.explanation.changes import with_changes
from zoo.explanation.explanation import Change, Explanation, Word

WORDS = ["good", "great", "bad", "so"]
WORTH = {"good": 2.0, "great": 3.0, "bad": -2.5, "so": 0.0}


class Sums:
    """Says "yes" where the words' worth is above 0."""

    preprocessor, logits, num_classes, labels = Preprocessor(WORDS), False, 2, ["no", "yes"]
    kind, thresholds = ONE, None
    hierarchical, run_eagerly = False, True

    def __call__(self, ids, training):
        worth = np.array([0, 0, *(WORTH[word] for word in WORDS)])[np.asarray(ids)].sum(-1)
        yes = 1 / (1 + np.exp(-worth))
        return np.stack([1 - yes, yes], 1)


def explained(text):
    """Of words between spaces, with their worth for the answer."""
    answer = "yes" if sum(WORTH[word] for word in text.split()) > 0 else "no"
    sign, words, end = (1 if answer == "yes" else -1), [], 0
    for one in text.split():
        start = text.index(one, end)
        end = start + len(one)
        words.append(Word(one, start, end, 0, True, None, (), contribution=sign * WORTH[one]))
    sure = {"no": 0.9, "yes": 0.1} if answer == "no" else {"no": 0.1, "yes": 0.9}
    return Explanation(text, answer, 0.9, sure, tuple(words), (), None, explained=answer)


def changes(*texts):
    return [one.change for one in with_changes(Sums(), list(map(explained, texts)))]


def test_one_word_is_enough():
    assert changes("so good bad great") == [Change((3,), "no")]
    assert changes("bad so") == [None]  # without "bad" it is as likely as not, and "no" comes first


def test_several_words_of_which_none_is_left_out():
    (found,) = changes("great good bad bad good good")
    assert found.label == "no" and len(found.words) == 2 and 0 in found.words


def test_a_word_that_is_not_needed_comes_back():
    """The strongest goes first, but the second alone would do where it is enough."""

    class Odd(Sums):
        def __call__(self, ids, training):
            both = [{2, 4} <= set(row) or 3 in row for row in np.asarray(ids).tolist()]
            yes = np.where(both, 0.9, 0.1)
            return np.stack([1 - yes, yes], 1)

    one = explained("good great bad so")
    (found,) = with_changes(Odd(), [one])
    assert found.change.label == "no"
    kept = [word.text for i, word in enumerate(one.words) if i not in found.change.words]
    assert not ({"good", "bad"} <= {*kept} or "great" in kept) and len(kept) == 2


def test_texts_without_words_and_without_a_change():
    assert changes("", "so so") == [None, None]
    assert with_changes(Sums(), []) == []


def test_of_several_labels_one_goes():
    class Labels(Sums):
        labels, kind = ["bad", "good"], SEVERAL

        def __call__(self, ids, training):
            return (
                np.stack(
                    [(np.asarray(ids) == WORDS.index(one) + 2).any(-1) for one in self.labels], -1
                )
                * 0.9
            )

    words = [Word("good", 0, 4, 0, True, None, (), contribution=3.0)]
    words += [Word("bad", 5, 8, 0, True, None, (), contribution=-0.5)]
    sure = {"bad": 0.9, "good": 0.9}
    given = Explanation(
        "good bad", "bad; good", 0.8, sure, tuple(words), (), None, explained="good"
    )
    (found,) = with_changes(Labels(), [given])
    assert found.change == Change((0,), "bad")
