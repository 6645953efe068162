"""The English word table: small, read soon, the same each time; words that are alike are near."""

import numpy as np
import pytest

import zoo
from zoo.datasets.vectors.english import (
    TABLE,
    english_share,
    english_vectors,
    english_words,
    pack_vectors,
)
from zoo.datasets.vectors.vector_files import embedding_matrix
from zoo.runs.run_config import read_config

MOST_BYTES = 8_000_000


@pytest.fixture(scope="module")
def vectors():
    return english_vectors()


def test_it_is_small():
    assert TABLE.stat().st_size <= MOST_BYTES


def test_its_words_are_many_and_stand_once_each_in_lower_case(vectors):
    words = english_words()
    assert vectors.index_to_key == words
    assert 40_000 <= len(words) == len(set(words)) <= 60_000
    assert all(word == word.lower() and word.split() == [word] for word in words)
    assert {"the", "good", ".", "n't", "'s", "dont", "don't", ":)", "1999"} <= set(words)


def test_its_numbers_are_finite_and_the_same_each_time(vectors):
    assert vectors.vectors.dtype == "float32"
    assert np.isfinite(vectors.vectors).all() and vectors.vectors.any(axis=1).all()
    np.testing.assert_array_equal(vectors.vectors, english_vectors().vectors)


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("good", "great", "tuesday"),
        ("paris", "london", "cheap"),
        ("who", "whom", "seven"),
        ("n't", "not", "hotel"),
        ("dont", "don't", "football"),
        ("dog", "puppy", "invoice"),
    ],
)
def test_words_that_mean_alike_are_near(vectors, word, near, far):
    assert vectors.similarity(word, near) > vectors.similarity(word, far) + 0.1


def test_words_that_it_lacks_are_drawn(vectors):
    known, other, again = (
        embedding_matrix(vectors, ["good", "blorptag"], seed)[2:] for seed in (1, 2, 2)
    )
    np.testing.assert_array_equal(known[0], vectors["good"])
    np.testing.assert_array_equal(other, again)
    assert known[1].any() and (known[1] != other[1]).all()


def test_the_share_of_running_words_that_it_knows():
    assert english_share({"good": 2, "the": 1, "blorptag": 1}) == 0.75
    assert english_share({"unverständlich": 5}) == 0
    assert english_share({}) == 0


def test_packed_vectors_are_near_those_given(tmp_path, monkeypatch):
    matrix = np.random.default_rng(0).normal(size=(50, 256)) * np.geomspace(0.01, 9, 50)[:, None]
    words = [f"wörd{number}" for number in range(50)]
    path = tmp_path / "table.npz"
    pack_vectors(path, words, matrix, step=0.3)
    monkeypatch.setattr("zoo.datasets.vectors.english.TABLE", path)
    found = english_vectors()
    assert found.index_to_key == words
    size = np.sqrt(np.mean(np.square(matrix), axis=1, keepdims=True))
    assert np.abs(found.vectors - matrix).max(axis=1, keepdims=True).max() <= 0.3 * size.max()
    assert (np.abs(found.vectors - matrix) <= 0.151 * size).all()


def test_a_model_starts_with_it_and_keeps_its_name(csv_file, tmp_path, vectors):
    options = {"filters": 4}
    run = zoo.train(
        "cnn_kim", str(csv_file), options=options, epochs=1, weights="english", output=tmp_path
    )
    model = zoo.load(run)
    assert model.embedding_dim == vectors.vector_size
    assert read_config(run).settings.weights == "english"
    row = model.preprocessor.vocabulary.index("dog") + 2  # which no training text has
    np.testing.assert_allclose(model.embed.embeddings[row], vectors["dog"], atol=0.05)
