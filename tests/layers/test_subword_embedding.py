"""Word vectors with those of their character n-grams, against NumPy, and what they bring."""

import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from tests.reference import as_float64
from zoo.datasets import Preprocessor
from zoo.datasets.text.character_ngrams import character_ngrams
from zoo.layers import SubwordEmbedding
from zoo.runs.model_file import in_float32

ROWS, MOST = 50, 6
IDS = np.array([[2, 3, 1, 0], [4, 4, 5, 6]])
WORDS = ["caused", "causes", "a", "ünïcode", "decode"]


def layer_of(words):
    layer = SubwordEmbedding(len(words) + 2, 4, ROWS, MOST)
    layer(IDS)
    layer.members.assign(character_ngrams(words, ROWS, MOST))
    return layer


def test_each_word_is_its_own_vector_and_its_ngrams(precision):
    layer = layer_of(WORDS)
    own, ngrams = as_float64(layer.embeddings), as_float64(layer.ngrams)
    members = np.asarray(layer.members)
    expected = own.copy()
    for word, rows in enumerate(members):
        found = [ngrams[row] for row in rows if row > 0]
        if found:
            expected[word] += np.sum(found, axis=0) / np.sqrt(len(found))
    changed = np.abs(expected - own).max(-1) > 0  # neither padding, the unknown word nor "a"
    np.testing.assert_array_equal(changed, [0, 0, 1, 1, 0, 1, 1])
    np.testing.assert_allclose(as_float64(layer(IDS)), expected[IDS], atol=precision)
    assert keras.backend.standardize_dtype(layer(IDS).dtype) == layer.compute_dtype
    collapsed = layer.collapsed()
    assert keras.backend.standardize_dtype(collapsed.dtype) == "float32"
    np.testing.assert_allclose(as_float64(collapsed), expected, atol=1e-6)


def test_it_serializes_with_the_words_ngrams(tmp_path):
    layer = layer_of(WORDS)
    inputs = keras.Input([None], dtype="int32")
    keras.Model(inputs, layer(inputs)).save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras")  # safe mode
    assert loaded.layers[-1].get_config() == layer.get_config()
    np.testing.assert_array_equal(as_float64(loaded(IDS)), as_float64(layer(IDS)))


def ngrams_of(word):
    word = f" {word} "
    return {word[i : i + n] for n in (3, 4, 5) for i in range(len(word) - n + 1)}


@given(st.lists(st.text("abc", min_size=1, max_size=7), max_size=8, unique=True))
def test_words_share_the_rows_of_the_ngrams_that_they_share(words):
    members = character_ngrams(words, 10_000, 99)
    assert members.shape == (len(words) + 2, 99) and members.min() == 0
    assert not members[:2].any()  # padding and the unknown word
    rows = [set(row[row > 0]) for row in members[2:]]
    for i, (one, word) in enumerate(zip(rows, words, strict=True)):
        others = [ngrams_of(other) for other in words[:i] + words[i + 1 :]]
        assert len(one) == len(ngrams_of(word) & set().union(*others))
        for other, letters in zip(rows[:i], words, strict=False):
            assert len(one & other) == len(ngrams_of(word) & ngrams_of(letters))


@given(st.lists(st.text(min_size=1, max_size=12), max_size=5), st.integers(2, 9))
def test_any_words_fill_the_rows_that_there_are(words, rows):
    members = character_ngrams(words, rows, MOST)
    assert members.shape == (len(words) + 2, MOST)
    assert members.min(initial=0) >= 0 and members.max(initial=0) < rows


def test_of_too_many_the_commonest_and_of_a_word_the_shortest_count():
    words = ["aabb", "aabc", "aabd", "xyz", "xyzz"]
    assert character_ngrams(words, 2, 9)[2:, 0].tolist() == [1, 1, 1, 0, 0]
    first = character_ngrams(words, 99, 2)[2:]
    assert (first[0] == first[1]).all() and len({*first[0]} & {*first[3]}) == 0


@pytest.mark.parametrize("name", ["act", "hcan", "leam"])
def test_they_become_part_of_the_words(name, precision):
    model = zoo.build(name, 3, vocabulary_size=len(WORDS) + 3, subwords=ROWS, embedding_dim=24)
    ids = IDS[:, None] if model.hierarchical else IDS
    without = np.asarray(model(ids, training=False))
    model.preprocessor = Preprocessor(WORDS, 9, 9 if model.hierarchical else None)
    expected = np.asarray(model(ids, training=False))
    assert np.abs(expected - without).max() > 0
    copy = in_float32(model)
    assert copy.subwords == 0 and copy.preprocessor is model.preprocessor
    assert copy.count_params() == model.count_params() - ROWS * 24 - 24 * (len(WORDS) + 3)
    np.testing.assert_allclose(copy(ids, training=False), expected, atol=precision)


def test_its_tables_start_apart():
    layer = SubwordEmbedding(30, 4, 20)
    layer.build()
    assert not np.isin(layer.ngrams, layer.embeddings).any()


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_ids_of_any_type_are_the_same_words(dtype, precision):
    layer, ids = SubwordEmbedding(3000, 4, 9), np.array([[2999, 2998, 1]])
    np.testing.assert_array_equal(layer(ids.astype(dtype)), layer(ids))


def test_a_word_learns_from_words_of_like_letters():
    def moved(subwords):
        keras.utils.set_random_seed(0)
        model = zoo.build("cnn_kim", 2, vocabulary_size=len(WORDS) + 2, subwords=subwords)
        model.preprocessor = Preprocessor(WORDS)
        before = np.asarray(model.embed(np.arange(7)))
        model.compile(keras.optimizers.SGD(1.0), "sparse_categorical_crossentropy")
        model.train_on_batch(np.array([[2, 4], [4, 4]]), np.array([0, 1]))  # caused a, a a
        return np.abs(np.asarray(model.embed(np.arange(7))) - before).max(-1) > 0

    assert moved(0).tolist() == [False, False, True, False, True, False, False]
    assert moved(1000).tolist() == [False, False, True, True, True, False, False]
