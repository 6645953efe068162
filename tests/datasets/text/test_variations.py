"""Variations of texts."""

from itertools import pairwise

import numpy as np
from gensim.models import KeyedVectors

from zoo.datasets.text.variations import TOKEN, Variations, neighbours, words_in

TEXTS = ["What river runs through Cairo ?", "Who wrote Hamlet ?", "It runs, doesn't it?"]
NEAR = {"river": ["creek", "lake"], "wrote": ["painted"]}


def drawn(count, texts=TEXTS, **given):
    return list(Variations(texts, **given).draw(count))


def test_variations_are_other_texts_drawn_by_the_seed():
    found = drawn(50, near=NEAR)
    assert len(found) == len({*found} - {*TEXTS}) == 50
    assert found == drawn(50, near=NEAR) != drawn(50, near=NEAR, seed=1)
    assert drawn(0) == drawn(5, texts=[]) == drawn(5, texts=["", "  "]) == []


def test_few_texts_have_few_variations():
    assert {*drawn(1000, texts=["Fine."])} <= {"Fine", ".", "Fine. Fine.", "Fine Fine.", "Fine.."}


def test_words_give_way_to_near_ones_and_keep_what_is_around_them():
    found = set()
    varied = Variations(TEXTS[:1], near=NEAR)
    varied.kinds = [varied._replaced]
    found.update(varied.draw(50))
    assert found == {"What creek runs through Cairo ?", "What lake runs through Cairo ?"}


def test_other_kinds_have_the_words_of_texts_alone_in_an_order_that_they_have():
    texts = [*TEXTS, "They said that Mozart wrote it in a week."]
    pairs = {
        (first.strip().lower(), second.strip().lower())
        for text in texts
        for first, second in pairwise(TOKEN.findall(text))
    }
    varied = Variations(texts)
    varied.kinds = [varied._continued]
    for text in set(varied.draw(100)):
        words = [word.strip().lower() for word in TOKEN.findall(text)]
        strange = [pair for pair in pairwise(words) if pair not in pairs]
        assert len(strange) <= 1, text  # where a text has no other to go on as, two are joined
    assert "Who wrote it in" in set(varied.draw(100)) | set(drawn(500, texts=texts))
    varied.kinds = [varied._shortened]
    assert "Who Hamlet ?" in set(varied.draw(200))


def test_chinese_has_a_character_a_word_and_an_apostrophe_is_within_one():
    assert TOKEN.findall("很好 don't") == ["很", "好", " don't"]
    assert words_in(["A cat, a dog"]) == {"a": 2, "cat": 1, ",": 1, "dog": 1}


def test_neighbours_are_the_nearest_by_cosine():
    vectors = KeyedVectors(2)
    names = ["good", "fine", "bad", "poor"]
    vectors.add_vectors(names, np.array([[1, 0.1], [3, 0], [-1, 0], [-2, 0.2]]))
    assert neighbours(["good", "poor", "unknown", "?"], vectors, 1) == {
        "good": ["fine"],
        "poor": ["bad"],
    }
