"""Texts to ids."""

import logging

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets import Preprocessor
from zoo.datasets.preprocessor import split_sentences, split_words


def decoded(ragged):
    return [[word.decode() for word in text] for text in ragged.to_list()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It DOESN'T work; it’s a (bad) mixer!", "it doesnt work its a bad mixer !"),
        ("Rated 3.5 of 5. Wow!!", "rated 3.5 of 5 . wow ! !"),
        ("Wait... really?Yes", "wait ... really ? yes"),
        ("CAFÉ Ünïted Ελλάδα 日本", "café ünïted ελλάδα 日本"),
        ("a|b\tc\u00a0d\ne <br/>", "a b c d e br"),
        ("", ""),
        ("🙂 --", ""),
    ],
)
def test_clean_up_keeps_letters_digits_and_marks(text, words):
    assert decoded(split_words(tf.constant([text]))) == [words.split()]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["one .", "two !", "three ?", "four"]),
        ("So good!!! Really . . . yes", ["so good ! ! !", "really . . .", "yes"]),
        ("Title\n\nbody of\nthe text", ["title", "body of the text"]),
        ("It is 3.5 miles. Fine", ["it is 3.5 miles .", "fine"]),
        ("| .. |", [".."]),
        ("", []),
    ],
)
def test_sentences_end_at_marks_and_empty_lines(text, sentences):
    assert decoded(split_sentences(tf.constant([text]))[0]) == [s.split() for s in sentences]


def test_bytes_that_are_not_utf8_are_replaced():
    assert decoded(split_words(tf.constant([b"good \xff\xfe bad"]))) == [["good", "bad"]]


def test_vocabulary_has_the_frequent_words_only():
    texts = ["a a a b b c", "a b d"]
    assert Preprocessor.fit(texts, min_count=2).vocabulary == ["a", "b"]
    assert Preprocessor.fit(texts, min_count=2, max_vocabulary=1).vocabulary == ["a"]
    with pytest.raises(zoo.UsageError, match="no word of the training texts stands there 9 times"):
        Preprocessor.fit(texts, min_count=9)


def test_ids_of_padding_unknown_and_known_words():
    flat = Preprocessor(["good", "bad"])
    ids = flat(tf.constant(["good bad new", "bad"]))
    np.testing.assert_array_equal(ids, [[2, 3, 1], [3, 0, 0]])
    sentences = Preprocessor(["good", "bad"], max_sentences=9)(tf.constant(["good! bad"]))
    np.testing.assert_array_equal(sentences, [[[2, 1], [3, 0]]])


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(), min_size=1, max_size=3), hierarchical=st.booleans())
def test_any_text_gives_ids_of_at_least_one_word(texts, hierarchical):
    preprocessor = Preprocessor(["a"], 5, 3 if hierarchical else None)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ids = preprocessor(tf.constant(encoded)).numpy()
    assert ids.shape[0] == len(texts)
    assert all(1 <= size <= limit for size, limit in zip(ids.shape[:0:-1], (5, 3), strict=False))
    assert ids.min() >= 0
    assert ids.max() <= 2


@pytest.mark.parametrize("max_sentences", [None, 2])
def test_cut_texts_are_reported(max_sentences, caplog):
    preprocessor = Preprocessor(["a"], 3, max_sentences)
    with caplog.at_level(logging.WARNING, "zoo"):
        preprocessor.batches(["a a a", "a a", "a a a a"])
    limit = "3 words" if max_sentences is None else "2 sentences or 3 words a sentence"
    assert caplog.messages == [f"1 of 3 texts are longer than {limit} and are cut"]


@pytest.mark.parametrize("max_sentences", [None, 9])
def test_batches_hold_every_text_once_and_with_its_target(max_sentences):
    texts = ["a. " * (i % 7) + f"w{i}" for i in range(101)]
    words = [f"w{i}" for i in range(101)]
    preprocessor = Preprocessor(words, max_sentences=max_sentences)
    data = preprocessor.batches(texts, np.arange(101), batch_size=4, shuffle=True, seed=3)
    epochs = []
    for _ in range(2):
        seen = []
        batches = list(data)
        assert len(batches) == data.cardinality()
        for ids, targets in batches:
            assert len(ids) <= 4
            for row, target in zip(ids.numpy(), targets.numpy(), strict=True):
                assert row.max() == target + 2
            seen += targets.numpy().tolist()
        assert sorted(seen) == list(range(101))
        epochs.append(seen)
    assert epochs[0] != epochs[1]


@settings(max_examples=25, deadline=None)
@given(lengths=st.lists(st.integers(0, 12), min_size=1, max_size=60), batch_size=st.integers(1, 4))
def test_batches_of_any_lengths_number_as_announced(lengths, batch_size):
    texts = ["a " * length for length in lengths]
    data = Preprocessor(["a"]).batches(texts, lengths, batch_size, shuffle=True)
    batches = list(data)
    assert len(batches) == data.cardinality()
    assert sorted(int(n) for _, targets in batches for n in targets) == sorted(lengths)


def test_batches_without_shuffling_keep_the_order():
    preprocessor = Preprocessor(["a", "b", "c"])
    rows = [row for ids in preprocessor.batches(["c", "", "a b", "b"], batch_size=3) for row in ids]
    assert [row.numpy()[0] for row in rows] == [4, 0, 2, 3]


def test_batches_of_like_length_are_mostly_words():
    rng = np.random.default_rng(0)
    texts = ["a " * n for n in rng.integers(1, 80, 2000)]
    batches = Preprocessor(["a"]).batches(texts, np.zeros(2000), shuffle=True)
    ids = [ids.numpy() for ids, _ in batches]
    assert sum((x > 0).sum() for x in ids) / sum(x.size for x in ids) > 0.85
