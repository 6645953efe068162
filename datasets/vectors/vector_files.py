"""Reads word vectors from a file, and makes the word table from them."""

import codecs
import gzip
import io
import itertools
import logging
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from zoo.datasets.own_files.text_files import unpacked
from zoo.errors import UsageError
from zoo.filesystem.paths import expanded

PICKLES = {".model", ".kv", ".npy", ".npz", ".pkl", ".pickle", ".joblib", ".pt", ".pth"}
LONGEST_WORD = 10_000  # bytes; anything longer is not a word
LARGEST = float(np.finfo("float32").max)

logger = logging.getLogger("zoo")


def read_vectors(
    path: str | Path,
    words: Iterable[str] | None = None,
    further: int = 0,
    binary: bool | None = None,
):
    """Reads word vectors of word2vec (text, or binary: ``.bin``), GloVe or fastText (``.vec``).

    Each may also be a ``.gz``. Files are never unpickled, as pickle would run code from the file.

    The file is streamed, and only the requested vectors are kept. gensim's reader keeps all vectors
    in memory (gigabytes), fails at GloVe's words that contain a space, and does not name the line.

    Args:
        path: the file. Unless it is ``.bin``, it is text: each line has a word and its numbers;
            word2vec's and fastText's files begin with a line with the number of vectors and their
            width.
        words: the words to keep, regardless of case ("paris" keeps "Paris"); None for all.
        further: how many other words to keep, regardless of case: the first in the file, which are
            mostly the most frequent.
        binary: whether the file is in word2vec's binary format; by default its name decides.

    Returns:
        gensim ``KeyedVectors``, ``[words, dim]`` float32, in the order of the file. If a word
        occurs twice, its first vector is used.

    Raises:
        UsageError: for a missing, pickled or malformed file, naming the line or the vector; or if
            the file has none of the ``words``.
    """
    path = expanded(path)
    if binary is None:
        binary = unpacked(path).suffix.lower() == ".bin"
    rows = _binary_rows if binary else _text_rows
    wanted = None if words is None else {word.lower() for word in words}
    index: dict[str, int] = {}
    others: set[str] = set()  # further words, in lower case
    buffer, found = bytearray(), False
    try:
        with _open(path) as file:
            for where, word, row in rows(file, path):
                if word in index:
                    continue
                if wanted is None or word.lower() in wanted:
                    found = True
                elif word.lower() not in others:
                    if len(others) == further:
                        continue
                    others.add(word.lower())
                buffer += _vector(row, where)
                index[word] = len(index)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot read {path}: {reason}. Check the path, or fetch it again"
        ) from None
    except (MemoryError, OverflowError):
        raise UsageError(
            f"{path}, line 1: vectors as wide as it says have no room in memory. Fetch the file "
            "again, or correct the header"
        ) from None
    if not (found or (others and not wanted)):
        what = "vectors" if wanted is None else f"vectors of the {len(wanted):,} words"
        raise UsageError(f"{path} has no {what}: is it of another language, or empty?")

    from gensim.models import KeyedVectors

    matrix = np.frombuffer(buffer, "float32").reshape(len(index), -1)
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(list(index), matrix)
    return vectors


@contextmanager
def _open(path):
    """The unpacked bytes of the file; raises for files that would have to be unpickled."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rb") as opened:
        file = io.BufferedReader(opened)
        start = file.peek(4)
        if unpacked(path).suffix.lower() in PICKLES or start.startswith((b"\x80", b"\x93NUMPY")):
            raise UsageError(
                f"{path} is a pickle or an array of one, which can run any program when read: load "
                "it where you trust it, and write it with gensim's save_word2vec_format"
            )
        if start.startswith(b"PK\x03\x04"):
            raise UsageError(f"{path} is a zip archive: unpack it, and give the file in it")
        yield file


def _header(line):
    """The number and width of the vectors, or None if the line is not a header."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields) and int(fields[1]):
        return int(fields[0]), int(fields[1])
    return None


def _text_rows(file, path) -> Iterator[tuple[str, str, list[bytes]]]:
    """The place, the word and the numbers of each vector in a text file."""
    first = file.readline().removeprefix(codecs.BOM_UTF8)
    header = _header(first)
    count, dim = header or (None, len(first.split()) - 1)
    origin = "the header says" if header else "line 1 has"
    lines = enumerate(file if header else itertools.chain([first], file), 2 if header else 1)
    found = 0
    for number, line in lines:
        where = f"{path}, line {number}"
        fields = line.rsplit(None, dim)
        if not fields:
            continue
        if line.startswith(b" ") and len(fields) == dim:  # the empty word, as gensim writes it
            found += 1
            continue
        further = fields[0].split()[1:]  # GloVe has words with several parts, such as ". . ."
        if dim < 1 or len(fields) <= dim or (further and _is_number(further[-1])):
            raise UsageError(
                f"{where}: {len(line.split()) - 1} numbers after the word, where {origin} "
                f"{max(dim, 0)}. A line must be a word and its numbers; a binary file is named .bin"
            )
        yield where, fields[0].decode("utf-8", "replace"), fields[1:]
        found += 1
    if header and found != count:
        raise UsageError(
            f"{path}, line 1: {count:,} vectors, says the header, but there are {found:,}: the "
            "file is cut off or damaged. Fetch it again, or correct the header"
        )


def _binary_rows(file, path) -> Iterator[tuple[str, str, np.ndarray]]:
    """The place, the word and the numbers of each vector in word2vec's binary format."""
    first = file.readline(100)
    header = _header(first)
    if not header:
        raise UsageError(
            f"{path}, line 1: {_shown(first)} is not the number of vectors and their width, so "
            "this is not word2vec's binary format. Text is named .txt; of fastText give the .vec"
        )
    count, dim = header
    for number in range(1, count + 1):
        where = f"{path}, vector {number:,} of {count:,}"
        word = bytearray()
        while (byte := file.read(1)) not in (b" ", b"") and len(word) < LONGEST_WORD:
            word += byte
        row = file.read(4 * dim)
        if byte != b" " or len(row) < 4 * dim:
            raise UsageError(
                f"{where}: the file ends, or has no word, where a vector of {dim} numbers should "
                "be. Fetch it again; if it is text, name it .txt"
            )
        yield where, word.lstrip(b"\n").decode("utf-8", "replace"), np.frombuffer(row, "<f4")
    if file.read(2).strip():
        raise UsageError(
            f"{path}, line 1: {count:,} vectors, says the header, but there are more: the file is "
            "damaged. Fetch it again, or correct the header; if it is text, name it .txt"
        )


def _is_number(field):
    with suppress(ValueError):
        float(field)
        return True
    return False


def _shown(field):
    """Bytes of a file, cut so that they fit into a message."""
    return repr(field[:40].decode("utf-8", "replace").strip())


def _vector(row, where):
    """The numbers as float32 bytes."""
    vector = None
    with suppress(ValueError), np.errstate(over="ignore"):
        vector = np.asarray(row, "float32")
    if vector is None or not np.isfinite(vector).all():
        bad = next(x for x in row if not _is_number(x) or not abs(float(x)) <= LARGEST)
        shown = _shown(bad) if isinstance(bad, bytes) else bad
        raise UsageError(
            f"{where}: {shown} is not a finite number of float32. Fetch the file again, or remove "
            "that word; a binary file is named .bin"
        )
    return vector.tobytes()


def embedding_matrix(
    vectors, vocabulary: Sequence[str], seed: int = 0, largest: float = 0.25
) -> np.ndarray:
    """The first weights of a word table, in the order of the preprocessor's ids.

    A word without a vector gets the first vector in the file whose word differs only in case
    ("paris" gets that of "Paris", as the clean-up made the same word of both). If there is none,
    its vector is drawn from U[-largest, largest]. The unknown word gets the mean of all vectors: if
    all training words are known, its vector is never trained, and a random vector would look
    meaningful. Logs how many words have a vector.

    Args:
        vectors: gensim ``KeyedVectors``, ``[words, dim]``.
        vocabulary: the words, without padding and the unknown word.
        seed: seed of the drawn rows.
        largest: the largest drawn number; Kim's 0.25 fits the vectors of Google News.

    Returns:
        ``[len(vocabulary) + 2, dim]`` float32: zeros for padding, the unknown word, then the
        vocabulary.

    Source:
        Kim 2014, "Convolutional Neural Networks for Sentence Classification", 3.2.
    """
    shape = (len(vocabulary) + 2, vectors.vector_size)
    matrix = np.random.default_rng(seed).uniform(-largest, largest, shape).astype("float32")
    matrix[0] = 0
    matrix[1] = vectors.vectors.mean(axis=0)
    sources = _sources(vectors, vocabulary)
    known = sources >= 0
    matrix[2:][known] = vectors.vectors[sources[known]]
    logger.info(
        "word vectors: %.1f%% of %s words have one",
        *(100 * known.sum() / max(1, len(sources)), f"{len(sources):,}"),
    )
    return matrix


def vectors_of(vectors, vocabulary: Sequence[str]) -> np.ndarray:
    """The vector of each word, ``[len(vocabulary), dim]`` float32; zeros for words without one.

    Args:
        vectors, vocabulary: see :func:`embedding_matrix`.
    """
    sources = _sources(vectors, vocabulary)
    return np.where((sources >= 0)[:, None], vectors.vectors[sources], 0)


def _sources(vectors, vocabulary):
    """The row of each word's vector, ``[len(vocabulary)]``; -1 for words without one."""
    forms: dict[str, int] = {}
    for row, form in enumerate(vectors.index_to_key):
        forms.setdefault(form.lower(), row)
    rows = (vectors.key_to_index.get(word, forms.get(word.lower(), -1)) for word in vocabulary)
    return np.fromiter(rows, int, len(vocabulary))
