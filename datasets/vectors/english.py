"""Vectors of frequent English words, which come with zoo: see ``english.md`` beside them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

TABLE = Path(__file__).with_name("english.npz")
WIDTH, SIZE = 256, 0.1  # numbers in a vector, at most, and their root mean square
MOST = 16_000  # words that a model starts with, so that model.keras has less than 20 MB
ENOUGH = 0.8  # share of known running words: 0.94 and more in English texts, 0.7 in French ones
COUNTED = 10_000  # texts, at most, whose running words are counted


def english_words() -> list[str]:
    """The words of the table, in lower case, the most frequent first."""
    with np.load(TABLE) as table:
        return table["words"].tobytes().decode().split("\n")


def english_vectors(dim: int = WIDTH):
    """The table as gensim ``KeyedVectors``, ``[words, dim]`` float32, the most frequent word first.

    Args:
        dim: how many numbers of each vector to take. They are principal components, so the first
            ones say most; beyond 256 there are zeros.
    """
    from gensim.models import KeyedVectors

    with np.load(TABLE) as table:
        matrix = table["numbers"][:dim].T * table["scales"][:, None]
    matrix = np.pad(matrix, ((0, 0), (0, dim - matrix.shape[1])))
    vectors = KeyedVectors(dim)
    vectors.add_vectors(english_words(), matrix)
    return vectors


def english_share(counts: Mapping[str, int]) -> float:
    """The share of running words that the table knows, 0 to 1.

    Args:
        counts: how often each word occurs in the texts after a clean-up.
    """
    known = sum(counts.get(word, 0) for word in english_words())
    return known / max(1, sum(counts.values()))


def english_share_of(texts: Iterable[str], clean_up: str) -> float:
    """The same share, for the words that a clean-up makes of the first texts."""
    from zoo.datasets.text.text_tensors import text_dataset
    from zoo.datasets.text.tokens import split_words

    counts: Counter[bytes] = Counter()
    for chunk in text_dataset(list(islice(texts, COUNTED))).batch(1024):
        counts.update(split_words(chunk, clean_up).flat_values.numpy().tolist())
    return english_share({word.decode(): count for word, count in counts.items()})


def pack_vectors(path: Path, words: list[str], matrix: np.ndarray, step: float) -> None:
    """Writes a table, in which numbers are rounded to multiples of ``step`` times the row's size.

    The multiples are small whole numbers, which zip packs into about four bits. They are stored by
    column, as the numbers of a column are similar.

    Args:
        path: path of the file.
        words: the words in lower case, the most frequent first.
        matrix: ``[words, dim]``.
        step: the step in units of the root mean square of a row.
    """
    scales = (step * np.sqrt(np.mean(np.square(matrix), axis=1))).astype("float32")
    numbers = np.clip(np.rint(matrix / scales[:, None]), -127, 127).astype("int8")
    joined = np.frombuffer("\n".join(words).encode(), "uint8")
    np.savez_compressed(path, words=joined, numbers=numbers.T, scales=scales)
