"""Tables of what a model looks at in a corpus."""

import numpy as np

from zoo.explanation.corpus_tables import attended_ngrams, weights_by_class
from zoo.explanation.explanation import Explanation, Word


def explanation(text, weights, label, target=None, sentences=None):
    words, end = [], 0
    places = sentences or [0] * len(weights)
    for one, weight, sentence in zip(text.split(), weights, places, strict=True):
        start = text.index(one, end)
        end = start + len(one)
        words.append(Word(one, start, end, sentence, True, weight, (weight,)))
    return Explanation(text, label, 1.0, {label: 1.0}, tuple(words), (), None, target)


CORPUS = [
    explanation("Good room", [0.75, 0.25], "yes", "yes"),
    explanation("not good room", [0.5, 0.25, 0.25], "no", "no"),
    explanation("good room here", [0.5, 0.25, 0.25], "yes", "no", [0, 0, 1]),
]


def test_weights_of_a_word_by_true_class():
    found = weights_by_class(CORPUS, "GOOD")
    assert found.values.tolist() == [["yes", 0.75], ["no", 0.25], ["no", 0.5]]
    assert weights_by_class(CORPUS, "missing").empty
    without = [explanation("good", [None], "yes", "yes")]
    assert weights_by_class(without, "good").empty and attended_ngrams(without).empty


def test_attended_ngrams_of_an_answer():
    found = attended_ngrams(CORPUS, size=1)
    assert found.values.tolist() == [["yes", "good", 0.625, 2], ["yes", "room", 0.25, 2]]
    found = attended_ngrams(CORPUS, size=2, min_count=1)
    assert found["ngram"].tolist() == ["not good", "good room", "good room"]  # no, no, yes
    assert found["class"].tolist() == ["no", "no", "yes"]
    np.testing.assert_allclose(found["weight"], [0.375, 0.25, (0.5 + 0.375) / 2])
    assert attended_ngrams(CORPUS, min_count=1, most=1)["ngram"].tolist() == ["not", "good"]
