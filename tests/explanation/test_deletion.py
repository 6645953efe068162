"""Texts without some of their words are read as if they had been written so."""

import numpy as np
import pytest

from tests.explanation.small_models import built
from zoo.explanation import deletion
from zoo.explanation.deletion import READ_AT_ONCE, answers_without, read_texts, some_words

TEXTS = ["bad room was fine", "", "bad", "fine the room go bad bad"]


@pytest.mark.parametrize("name", ["hcan", "cnn_kim", "svm_bigrams", "ngrams", "act"])
def test_they_get_the_answers_of_shorter_texts(name):
    model = built(name)
    texts = read_texts(model, TEXTS)
    assert [one.words.tolist() for one in texts] == [text.encode().split() for text in TEXTS]
    kept = [~np.eye(max(1, len(one.words)), dtype=bool)[:, : len(one.words)] for one in texts]
    found = answers_without(model, texts, kept)
    for text, choices, rows in zip(TEXTS, kept, found, strict=True):
        words = np.array(text.split(), object)
        shorter = [" ".join(words[choice]) for choice in choices]
        expected = np.asarray(model(model.preprocessor(shorter)))
        np.testing.assert_allclose(rows, expected, atol=1e-5)
    assert answers_without(model, [], []) == []


def test_sentences_that_are_empty_do_not_stand_between_others():
    model = built("hcan")
    (text,) = read_texts(model, ["bad room. fine. go there"])
    kept = np.array([[True, True, True, False, False, True, True], [False] * 7])
    ids = some_words(model, text, kept)
    assert (ids[0] != 0).sum(axis=-1).tolist() == [3, 2] and not ids[1].any()


def test_more_choices_than_are_read_at_once(monkeypatch):
    monkeypatch.setattr(deletion, "SORTED_AT_ONCE", READ_AT_ONCE)
    model = built("cnn_kim")
    (text,) = read_texts(model, ["bad room"])
    kept = np.tile([[True, True], [True, False]], (READ_AT_ONCE, 1))
    (rows,) = answers_without(model, [text], [kept])
    assert len(rows) == len(kept)
    np.testing.assert_allclose(rows[::2], np.tile(rows[0], (READ_AT_ONCE, 1)), atol=1e-6)
    np.testing.assert_allclose(rows[1::2], np.tile(rows[1], (READ_AT_ONCE, 1)), atol=1e-6)


@pytest.mark.parametrize("name", ["hcan", "cnn_kim"])
def test_batches_are_of_like_lengths_without_needless_padding(name):
    model = built(name)
    (text,) = read_texts(model, ["bad room. fine. go there" if name == "hcan" else "bad room go"])
    count = len(text.words)
    kept = np.repeat([[False] * count, [True] * count], READ_AT_ONCE, axis=0)
    ids = some_words(model, text, np.random.default_rng(0).permutation(kept))
    (first, short), (second, long) = deletion._like_lengths(ids, 1000)
    assert sorted([*first, *second]) == list(range(1000, 1000 + 2 * READ_AT_ONCE))
    assert short.shape[1:] == (1,) * (ids.ndim - 1) and not short.any()
    np.testing.assert_array_equal(long, ids[second - 1000])
