"""Word vectors, with which the word table of a model starts."""

import functools
import itertools
from contextlib import suppress
from typing import TYPE_CHECKING

from keras import ops

from zoo import recipes
from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.vectors.byte_rows import rounded
from zoo.datasets.vectors.english import MOST, SIZE, english_vectors
from zoo.datasets.vectors.published import PUBLISHED, fetch, is_binary
from zoo.datasets.vectors.vector_files import embedding_matrix, read_vectors
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.errors import UsageError
from zoo.filesystem.paths import expanded
from zoo.settings import WEIGHTS
from zoo.weights.start import Start

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier


class WordVectors(Start):
    """Word vectors: zoo's English vectors, published ones, those of a file, or trained on texts.

    Args:
        weights, model, options: see :class:`Start`.
        corpus: the corpus whose training and unlabelled texts word2vec is trained on.
        training: arguments of :func:`zoo.datasets.vectors.word2vec.train_word2vec`.

    Raises:
        UsageError: for a model whose words have no vectors, and for a file that is not there.
    """

    def __init__(self, weights, model, options, corpus: Corpus | None = None, **training):
        super().__init__(weights, model, options)
        if weights not in WEIGHTS and not expanded(weights).exists():
            raise UsageError(
                f"cannot read {weights}: No such file or directory. Check the path, or fetch it "
                "again"
            )
        self.corpus, self.training = corpus, training
        self.apart = model.reads_vectors_apart
        self.dim = model.english_dim if self.apart else model.embedding_dim  # if any will do
        if weights == "english" and not self.apart:
            self.most = min(self.most, MOST)
            if "embedding_dim" not in options:
                wider = model.get_config() | {"embedding_dim": model.english_dim}
                with suppress(ValueError):  # it may not fit, such as for 5 heads
                    type(model).from_config(wider)
                    self.dim = model.english_dim
        few = corpus is not None and len(corpus.train) < recipes.FEW
        if few and weights == "english" and not self.apart:
            # Those of the few words that are trained would leave their neighbours.
            self.options = {"train_embeddings": False} | self.options
        by_character = CLEAN_UPS[model.clean_up].by_character and weights == "english"
        if by_character or not (model.reads_word_vectors or self.apart):
            raise UsageError(
                f"{model.name} has no word vectors: weights must be none (--weights none)"
            )

    def words(self, preprocessor, room):
        known = () if preprocessor is None else preprocessor.vocabulary
        self.vectors = self._read(preprocessor, known, room)
        if self.apart:
            return self.vectors.index_to_key[:MOST]
        width = self.vectors.vector_size
        if (told := self.options.get("embedding_dim", width)) != width:
            raise UsageError(
                f"embedding_dim is {told}, but the vectors of {self.weights} are {width} wide: "
                "leave it out"
            )
        self.options = self.options | {"embedding_dim": width}
        return self.vectors.index_to_key

    def _read(self, preprocessor, known, room):
        """gensim ``KeyedVectors``, ``[words, dim]`` float32."""
        if self.weights == "word2vec":
            texts = itertools.chain(self.corpus.train, self.corpus.unlabelled or ())
            return train_word2vec(texts, preprocessor.all_words, self.dim, **self.training)
        return _named(self.weights, self.dim, known, room)

    def fill(self, model):
        if self.apart:  # which reads them when it needs them; those of its texts are nowhere else
            model.word_vectors = functools.partial(_named, self.weights, self.dim)
            if self.weights == "word2vec":
                model.word_vectors = functools.partial(_given, self.vectors)
            return
        drawn = {"seed": self.training.get("seed", 0)}
        if self.weights == "english":
            drawn["largest"] = 3**0.5 * SIZE  # of the same deviation
        table = embedding_matrix(self.vectors, model.preprocessor.vocabulary, **drawn)
        if self.weights == "english":
            table = rounded(table)  # also drawn rows, so that the table is stored in bytes
        model.embed.embeddings.assign(table)


def round_words(model: "TextClassifier") -> None:
    """Rounds a word table that has been trained, as zoo's English vectors are rounded.

    All files of the run then store it in bytes and answer as the run does, see
    :mod:`zoo.datasets.vectors.byte_rows`.

    Args:
        model: which started with these vectors.
    """
    if not model.subwords:
        table = ops.convert_to_numpy(model.embed.embeddings)
        model.embed.embeddings.assign(rounded(table))


def _named(weights, dim, known, room):
    """English, published or a file's word vectors, of the known words and some others."""
    if weights == "english":
        return english_vectors(dim)
    if weights in PUBLISHED:
        return read_vectors(fetch(weights), known, room, is_binary(weights))
    return read_vectors(weights, known, room)


def _given(vectors, known, room):
    return vectors
