"""Word vectors, which the word table of a model starts with."""

import itertools
from collections.abc import Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.vectors.english import SIZE, english_vectors
from zoo.datasets.vectors.published import PUBLISHED, fetch, is_binary
from zoo.datasets.vectors.vector_files import embedding_matrix, read_vectors
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.errors import UsageError

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

MOST_ENGLISH = 16_000  # words: model.keras has less than 20 MB


def most_words(model: "TextClassifier | type[TextClassifier]", weights: str | Path) -> int:
    """How many words a model knows, unless told otherwise."""
    own = model.max_vocabulary
    return min(own, MOST_ENGLISH) if weights == "english" else own


def check_reads_vectors(model: "TextClassifier", weights: str | Path) -> None:
    """Refuses word vectors for models whose words have none, or that read characters.

    Raises:
        UsageError: naming the model.
    """
    by_character = CLEAN_UPS[model.clean_up].by_character and weights == "english"
    if by_character or not model.reads_word_vectors:
        raise UsageError(f"{model.name} has no word vectors: weights must be none (--weights none)")


def check_width(vectors, weights: str | Path, options: dict[str, Any]) -> None:
    """Refuses vectors of another width than that which the options tell.

    Raises:
        UsageError: with both.
    """
    told = options.get("embedding_dim", vectors.vector_size)
    if told != vectors.vector_size:
        raise UsageError(
            f"embedding_dim is {told}, but the vectors of {weights} are {vectors.vector_size} "
            "wide: leave it out"
        )


def width_of(model: "TextClassifier", weights: str | Path, told: Container[str]) -> int:
    """How wide word vectors are to be that may have any width.

    Args:
        model: with its options.
        weights: where they are from.
        told: the names of options that were given.
    """
    by_itself = weights == "english" and "embedding_dim" not in told
    return model.english_dim if by_itself else model.embedding_dim


def read_word_vectors(weights: str | Path, known: Sequence[str], room: int, dim: int):
    """Word vectors that need no texts.

    Args:
        weights: "english", a name of gensim's downloader, or a file.
        known: words whose vectors are wanted; English ones are given whole.
        room: for how many others.
        dim: the width of English ones.

    Returns:
        gensim ``KeyedVectors``, ``[words, dim]`` float32, mostly the most frequent first.

    Raises:
        UsageError: if there are none.
    """
    if weights == "english":
        return english_vectors(dim)
    if weights in PUBLISHED:
        return read_vectors(fetch(weights), known, room, is_binary(weights))
    return read_vectors(weights, known, room)


def word_vectors_for(
    weights: str | Path, corpus: Corpus, preprocessor, dim: int, room: int, **training
):
    """Word vectors for the words of a corpus, and further ones.

    Args:
        weights: "word2vec", which is trained on the training and the unlabelled texts; or as for
            :func:`read_word_vectors`.
        corpus: in splits.
        preprocessor: fitted to its training split.
        dim: the width of trained and of English ones.
        room: for how many words that are not of the training texts.
        training: as of :func:`zoo.datasets.vectors.word2vec.train_word2vec`.
    """
    if weights != "word2vec":
        return read_word_vectors(weights, preprocessor.vocabulary, room, dim)
    texts = itertools.chain(corpus.train, corpus.unlabelled or ())
    return train_word2vec(texts, preprocessor.all_words, dim, **training)


def fill_word_table(classifier, vectors, weights: str | Path, seed: int = 0) -> None:
    """Gives a model, whose preprocessor is set, the vectors of its words."""
    drawn = {"largest": 3**0.5 * SIZE} if weights == "english" else {}  # of the same deviation
    table = embedding_matrix(vectors, classifier.preprocessor.vocabulary, seed, **drawn)
    classifier.embed.embeddings.assign(table)
