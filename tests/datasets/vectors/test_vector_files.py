"""Word vectors: one matrix whatever the format, no pickle, and training that is done once."""

import functools
import gzip
import logging
import os
import pickle
import platform
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import zoo
from zoo.datasets.text.tokens import split_words
from zoo.datasets.vectors import word2vec
from zoo.datasets.vectors.vector_files import embedding_matrix, read_vectors
from zoo.datasets.vectors.word2vec import train_word2vec

WORDS = ["the", "Paris", "naïve", "3.5", "!"]
MATRIX = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
ROWS = "".join(
    f"{word} {' '.join(map(repr, row.tolist()))}\n" for word, row in zip(WORDS, MATRIX, strict=True)
).encode()
BINARY = b"5 3\n" + b"".join(
    word.encode() + b" " + row.tobytes() for word, row in zip(WORDS, MATRIX, strict=True)
)
FORMATS = {
    "word2vec.txt": b"5 3\n" + ROWS,
    "word2vec.bin": BINARY,
    "with line ends of word2vec's own program.bin": b"5 3\n"
    + b"".join(
        word.encode() + b" " + row.tobytes() + b"\n"
        for word, row in zip(WORDS, MATRIX, strict=True)
    ),
    "glove.txt": ROWS,
    "glove of windows.txt": ROWS.replace(b"\n", b"\r\n"),
    "fasttext.vec": b"5 3\n" + ROWS.replace(b"\n", b" \n"),
}


def vectors_of(words, matrix):
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(words, matrix)
    return vectors


def write(path, content):
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read_to_the_same_vectors(tmp_path, name, packed):
    path = write(tmp_path / (name + packed), FORMATS[name])
    vectors = read_vectors(path)
    assert vectors.index_to_key == WORDS
    assert np.array_equal(vectors.vectors, MATRIX)
    some = read_vectors(path, words=["paris", "3.5", "elsewhere"])
    assert some.index_to_key == ["Paris", "3.5"]
    assert np.array_equal(some.vectors, MATRIX[[1, 3]])
    other = tmp_path / "cases.vec"
    other.write_text("the 1 2\nApple 3 4\nBanana 5 6\napple 7 8\n")
    found = read_vectors(other, words=["the"], further=1)
    assert found.index_to_key == ["the", "Apple", "apple"]  # one word, whose own vector counts
    further = read_vectors(path, words=["3.5"], further=1)
    assert further.index_to_key == [WORDS[0], "3.5"]
    assert np.array_equal(further.vectors, MATRIX[[0, 3]])


@pytest.mark.parametrize("binary", [True, False])
def test_what_gensim_writes_is_read(tmp_path, binary):
    path = tmp_path / ("gensim.bin" if binary else "gensim.txt")
    vectors_of(WORDS, MATRIX).save_word2vec_format(str(path), binary=binary)
    ours, gensims = (
        read_vectors(path),
        KeyedVectors.load_word2vec_format(str(path), binary=binary),
    )
    assert ours.index_to_key == gensims.index_to_key
    assert np.array_equal(ours.vectors, gensims.vectors)


def test_the_empty_word_is_passed_over(tmp_path):
    """Which gensim writes of texts that are split at each blank."""
    path = tmp_path / "empty.txt"
    path.write_text("2 3\n 1 2 3\ngood 4 5 6\n")
    assert read_vectors(path).index_to_key == ["good"]


@pytest.mark.parametrize("header", [b"", b"2 2\n"])
def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path, header):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + header + b"a 1 2\nb 3 4\n")
    assert read_vectors(path).index_to_key == ["a", "b"]


def test_words_of_several_parts_bad_utf8_and_repeated_words(tmp_path):
    content = b"\xff 3 4\n. . . 1 2\nat name@domain.com 5 6\n\xc2\xa0 7 8\n. . . 9 9\n\n"
    vectors = read_vectors(write(tmp_path / "glove.txt", content))
    assert vectors.index_to_key == ["�", ". . .", "at name@domain.com", "\xa0"]
    assert vectors.vectors.tolist() == [[3, 4], [1, 2], [5, 6], [7, 8]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"a 1 2\nb 3\n", "a.txt, line 2: 1 numbers after the word, where line 1 has 2"),
        ("a.txt", b"a 1 2\nb 3 4 5\n", "a.txt, line 2: 3 numbers after the word, where line 1"),
        ("a.txt", b"2 3\na 1 2 3\nb 1 2\n", "line 3: 2 numbers .* where the header says 3"),
        ("a.txt", b"a 1 2\nb 3 four\n", "a.txt, line 2: 'four' is not a finite number"),
        ("a.txt", b"a 1 2\nb nan 4\n", "line 2: 'nan' is not a finite number"),
        ("a.txt", b"a 1 2\nb 3 1e39\n", "line 2: '1e39' is not a finite number"),
        ("a.txt", b"3 2\na 1 2\nb 3 4\n", "line 1: 3 vectors, says the header, but there are 2"),
        ("a.txt", b"1 2\na 1 2\nb 3 4\n", "line 1: 1 vectors, says the header, but there are 2"),
        ("a.txt", BINARY, "a.txt, line 2: .* a binary file is named .bin"),
        ("a.txt", b"hello\n", "a.txt, line 1: 0 numbers after the word"),
        ("a.txt", b"", "a.txt has no vectors"),
        ("a.txt", b"0 2\n", "a.txt has no vectors"),
        ("a.bin", b"", "a.bin, line 1: '' is not the number of vectors and their width"),
        ("a.bin", BINARY[:-1], "a.bin, vector 5 of 5: the file ends"),
        ("a.bin", BINARY[:-13], "a.bin, vector 5 of 5: the file ends"),
        ("a.bin", BINARY + BINARY[4:], "a.bin, line 1: 5 vectors, says the header, but there are"),
        ("a.bin", b"9999999999999 300\na ", "a.bin, vector 1 of 9,999,999,999,999: the file ends"),
        ("a.bin", b"3 1000000000000\na ", "a.bin, line 1: vectors as wide as it says"),
        ("a.bin", b"3 99999999999999999999\na ", "a.bin, line 1: vectors as wide as it says"),
        ("a.bin", FORMATS["word2vec.txt"], "a.bin, .*if it is text, name it .txt"),
        ("a.bin", ROWS, "a.bin, line 1: 'the .* Text is named .txt"),
        ("a.bin", b"\xba\x16\x4f\x2f\x0c\0\0\0", "a.bin, line 1: .* of fastText give the .vec"),
        (
            "a.bin",
            b"1 2\na " + struct.pack("<2f", 1, float("inf")),
            "a.bin, vector 1 of 1: inf is not",
        ),
        ("a.zip", b"PK\x03\x04....", "a.zip is a zip archive: unpack it"),
        ("a.txt.gz", None, "cannot read .*a.txt.gz: Compressed file ended"),
        ("b.txt.gz", b"no gz", "cannot read .*b.txt.gz: Not a gzipped file"),
        ("c.txt.gz", b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 9, "cannot read .*c.txt.gz: "),
        (".", None, "cannot read .*: Is a directory"),
        ("missing.txt", None, "cannot read .*missing.txt: No such file"),
    ],
)
def test_a_malformed_file_gives_one_line(tmp_path, name, content, message):
    path = tmp_path / name
    if name == "a.txt.gz":
        content = gzip.compress(ROWS)[:-12]
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(zoo.UsageError, match=message) as caught:
        read_vectors(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


class Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    "name", ["a.model", "a.kv", "a.npy", "a.pkl.gz", "a.txt", "a.bin", "a.vec.gz", "a"]
)
def test_a_pickle_is_refused_and_not_run(tmp_path, name, protocol):
    trap = tmp_path / "it ran"
    content = pickle.dumps(Trap(trap), protocol)
    with pytest.raises(zoo.UsageError) as caught:
        read_vectors(write(tmp_path / name, content))
    assert not trap.exists()
    if protocol > 1 or name in ("a.model", "a.kv", "a.npy", "a.pkl.gz"):
        assert "write it with gensim's save_word2vec_format" in str(caught.value)
    pickle.loads(content)  # the trap would have worked
    assert trap.exists()


@pytest.mark.parametrize("further", [0, 9])
def test_no_wanted_word_is_refused(tmp_path, further):
    path = write(tmp_path / "glove.txt", ROWS)
    with pytest.raises(zoo.UsageError, match=r"glove.txt has no vectors of the 2 words"):
        read_vectors(path, words=["hund", "katze"], further=further)


def test_rows_stand_in_the_order_of_ids_and_others_are_drawn(caplog):
    caplog.set_level(logging.INFO, "zoo")
    vectors = vectors_of(WORDS, MATRIX)
    matrix = embedding_matrix(vectors, ["the", "cat", "3.5"], seed=1)
    assert matrix.shape == (5, 3) and matrix.dtype == "float32"
    assert not matrix[0].any()
    assert np.array_equal(matrix[[2, 4]], MATRIX[[0, 3]])
    assert caplog.messages == ["word vectors: 66.7% of 3 words have one"]
    assert np.array_equal(matrix, embedding_matrix(vectors, ["the", "cat", "3.5"], seed=1))
    other = embedding_matrix(vectors, ["the", "cat", "3.5"], seed=2)
    assert (matrix != other).any(axis=1).tolist() == [False, False, False, True, False]
    np.testing.assert_allclose(matrix[1], MATRIX.mean(axis=0))  # what is unknown says nothing


def test_words_without_a_vector_are_drawn_as_kim_draws_them():
    """From U[-0.25, 0.25]: both ends are reached, and the middle is 0."""
    vocabulary = [f"new{number}" for number in range(500)]
    drawn = embedding_matrix(vectors_of(WORDS, MATRIX), vocabulary)[2:]
    assert -0.25 <= drawn.min() < -0.24 and 0.24 < drawn.max() <= 0.25
    assert abs(drawn.mean()) < 0.02


def test_a_word_takes_the_exact_form_or_else_the_first_of_another_case():
    vectors = vectors_of(["US", "us", "Paris", "PARIS"], np.eye(4, dtype="float32"))
    matrix = embedding_matrix(vectors, ["us", "paris", "Us"])
    assert matrix[2:].argmax(axis=1).tolist() == [1, 2, 0]


words = st.text("abAB", min_size=1, max_size=3)


@given(
    st.lists(words, unique=True),
    st.lists(words, unique=True, min_size=1).flatmap(
        lambda forms: st.tuples(
            st.just(forms),
            hnp.arrays("float32", (len(forms), 2), elements=st.floats(-9, 9, width=32)),
        )
    ),
    st.integers(0, 2**32),
)
def test_each_row_is_the_files_or_in_range(vocabulary, file, seed):
    forms, numbers = file
    matrix = embedding_matrix(vectors_of(forms, numbers), vocabulary, seed)
    assert matrix.shape == (len(vocabulary) + 2, 2)
    assert not matrix[0].any()
    np.testing.assert_allclose(matrix[1], numbers.mean(axis=0), atol=1e-5)
    drawn = []
    for word, row in zip(vocabulary, matrix[2:], strict=True):
        same = [form for form in forms if form.lower() == word.lower()]
        form = word if word in forms else (same or [None])[0]
        if form is None:
            drawn.append(row)
        else:
            assert np.array_equal(row, numbers[forms.index(form)])
    assert (np.abs(np.array(drawn)) <= 0.25).all()


# "tea" and "coffee" stand in the same places, and so do "car" and "bus".
TEXTS = [
    f"{place} we {verb} {thing} {time}."
    for verb, things in {"drink": ["tea", "Coffee"], "drive": ["car", "bus"]}.items()
    for thing in things
    for place in ("at home", "in town", "over there")
    for time in ("today", "every day", "at night", "now")
]
SMALL = {"min_count": 2, "epochs": 3}


def test_words_of_the_same_places_become_neighbours(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    vectors = train_word2vec(TEXTS * 10, split_words, 16, epochs=30, cache=tmp_path)
    assert vectors.most_similar("tea")[0][0] == "coffee"
    assert vectors.most_similar("car")[0][0] == "bus"
    assert vectors.index_to_key[0] == "." or vectors.index_to_key[0] == "we"
    lines = [record.message for record in caplog.records if record.name == "zoo"]
    assert lines[0] == "word2vec: training on 3,600 words of 480 texts, 19 different ones"
    assert lines[1].startswith("word2vec: epoch 1 of 30, ") and len(lines) == 32
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING], caplog.text


def test_the_same_words_and_settings_are_trained_once(tmp_path, caplog):
    caplog.set_level(logging.INFO, "zoo")

    def trained(texts=TEXTS, dim=4, **settings):
        caplog.clear()
        vectors = train_word2vec(texts, split_words, dim, cache=tmp_path, **SMALL | settings)
        return vectors, "trained before on the same words" not in caplog.text

    first, new = trained()
    assert new
    again, new = trained(iter(TEXTS))
    assert not new
    assert again.index_to_key == first.index_to_key
    assert np.array_equal(again.vectors, first.vectors)
    changes = [{"texts": TEXTS[1:]}, {"texts": TEXTS[::-1]}, {"dim": 5}]
    changes += [{"min_count": 3}, {"epochs": 4}, {"seed": 1}]
    assert all(trained(**change)[1] for change in changes)
    files = list(tmp_path.iterdir())
    assert len(files) == 1 + len(changes) and {file.suffix for file in files} == {".gz"}
    for file in files:  # damaged: trained again, to the same vectors
        file.write_bytes(file.read_bytes()[:-1])
    repeated, new = trained()
    assert new
    for file in tmp_path.iterdir():  # or another number than was written
        content = bytearray(file.read_bytes())
        content[-12] ^= 1
        file.write_bytes(content)
    repeated, new = trained()
    assert new
    assert np.array_equal(repeated.vectors, first.vectors)


def test_what_several_threads_trained_does_not_stand_in_for_what_can_be_repeated(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(word2vec, "WORKER", 1)  # as few words are worth a thread
    for workers, trainings in ((1, 1), (2, 2), (1, 2), (3, 2)):
        train_word2vec(TEXTS, split_words, 4, workers=workers, cache=tmp_path, **SMALL)
        assert len(list(tmp_path.iterdir())) == trainings


def test_the_cache_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("ZOO_CACHE_DIR", raising=False)
    assert word2vec.cache_folder() == tmp_path / ".cache/zoo/word2vec"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert word2vec.cache_folder() == tmp_path / "xdg/zoo/word2vec"
    monkeypatch.setenv("ZOO_CACHE_DIR", str(tmp_path / "own"))
    train_word2vec(TEXTS, split_words, 4, **SMALL)
    assert len(list((tmp_path / "own/word2vec").iterdir())) == 1


def test_texts_longer_than_gensims_lines_are_learnt_from(tmp_path):
    """The words after the 10,000th of a line, and odd texts, are there."""
    long = "a b " * 20_000 + "last last last"
    vectors = train_word2vec([long, "", "\ud800 a \n b"], split_words, 4, **SMALL, cache=tmp_path)
    assert set(vectors.index_to_key) == {"a", "b", "last"}
    corpus = word2vec._write_words([long], split_words, tmp_path / "words.txt")
    lines = (tmp_path / "words.txt").read_text("utf-8").splitlines()
    assert max(len(line.split()) for line in lines) == 1_000
    assert " ".join(lines).split() == long.split()
    assert (corpus.texts, corpus.lines, corpus.words) == (1, len(lines), 40_003)


@pytest.mark.parametrize("clean_up", ["tokens", "characters"])
def test_what_is_no_word_to_the_files_format_has_no_vector(tmp_path, clean_up):
    """A space, which ends a word there, and one of more letters than words have."""
    texts = [*TEXTS, *["a" * 10_001] * 2]
    split = functools.partial(split_words, clean_up=clean_up)
    vectors = train_word2vec(texts, split, 4, **SMALL, cache=tmp_path)
    counts = Counter(word.decode() for word in split(tf.constant(texts)).flat_values.numpy())
    wanted = {word for word, n in counts.items() if n > 1 and word != " " and len(word) < 10_001}
    assert set(vectors.index_to_key) == wanted


def test_what_cannot_be_trained_is_refused(tmp_path):
    for name in ("dim", "min_count", "epochs", "workers"):
        settings = {"dim": 4, **SMALL, name: 0}
        with pytest.raises(zoo.UsageError, match=f"{name} of word2vec must be at least 1: got 0"):
            train_word2vec(TEXTS, split_words, cache=tmp_path, **settings)
    for texts in ([], ["all of them once"]):
        with pytest.raises(zoo.UsageError, match=f"no word of the {len(texts)} texts"):
            train_word2vec(texts, split_words, 4, **SMALL, cache=tmp_path)
    assert not list(tmp_path.iterdir())
    file = write(tmp_path / "file", b"")
    with pytest.raises(zoo.UsageError, match=r"word2vec cannot be trained in .*Set ZOO_CACHE_DIR"):
        train_word2vec(TEXTS, split_words, 4, cache=file / "below")


def test_words_of_trainings_that_run_are_left_alone(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, used = (
        tmp_path / f".training-{platform.node()}-{number}-x" for number in (ended.pid, os.getppid())
    )
    left.mkdir()
    used.mkdir()
    train_word2vec(TEXTS, split_words, 4, **SMALL, cache=tmp_path)
    assert used.exists() and not left.exists()
