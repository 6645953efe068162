"""Texts to word ids, as a TensorFlow graph that training, prediction and export share."""

from collections import Counter
from collections.abc import Sequence

import keras
import tensorflow as tf

from zoo.datasets.batches import batches, pad
from zoo.errors import UsageError

UNKNOWN = "[UNK]"

# The clean-up of HCAN's Section 4.3: lower case; letters, digits and . ! ? kept. Apostrophes go
# without a trace ("doesnt", as in its examples), all else becomes a space. A mark is a word of
# its own; a dot inside a word stays there (3.5, u.s).
CLEAN_UP = [
    (r"['\x{2019}]", ""),
    (r"[^\p{L}\p{M}\p{N}.!?\n]", " "),
    (r"[!?]|\.(?:\.+|\s|$)", r" \0 "),
]
# A sentence ends after its mark or marks, and at an empty line.
SENTENCE_ENDS = [
    (r"(?:^|\s)([.!?]+(?:\s+[.!?]+)*)(?:\s+|$)", r" \1|"),
    (r"\s*\n\s*\n\s*", "|"),
]


def clean(texts: tf.Tensor) -> tf.Tensor:
    """The clean-up, ``[batch]`` strings to ``[batch]`` strings of words between spaces."""
    texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")
    return _replace(tf.strings.lower(texts, "utf-8"), CLEAN_UP)


def split_words(texts: tf.Tensor) -> tf.RaggedTensor:
    """``[batch]`` strings to their words, ragged ``[batch, words]`` strings."""
    return tf.strings.split(clean(texts))


def split_sentences(texts: tf.Tensor) -> tf.RaggedTensor:
    """``[batch]`` strings to the words of their sentences, ``[batch, sentences, words]``."""
    sentences = tf.strings.split(_replace(clean(texts), SENTENCE_ENDS), sep="|")
    words = sentences.with_flat_values(tf.strings.split(sentences.flat_values))
    return tf.ragged.boolean_mask(words, words.row_lengths(axis=2) > 0)


def _replace(texts, rules):
    for pattern, replacement in rules:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    return texts


class Preprocessor:
    """Cleans texts, splits them into words (and sentences), and looks the words up.

    Ids are 0 for padding, 1 for an unknown word, and from 2 on for the vocabulary's words.
    Texts are cut after ``max_sentences`` sentences and ``max_words`` words (of each sentence, if
    hierarchical).

    Args:
        vocabulary: the words, without padding and the unknown word.
        max_words: the most words of a text, or of a sentence if hierarchical.
        max_sentences: the most sentences of a text; None for flat models.
    """

    def __init__(
        self, vocabulary: Sequence[str], max_words: int = 500, max_sentences: int | None = None
    ):
        self.vocabulary = list(vocabulary)
        self.max_words = max_words
        self.max_sentences = max_sentences
        self.lookup = keras.layers.StringLookup(
            vocabulary=self.vocabulary, mask_token="", oov_token=UNKNOWN, dtype="int64"
        )

    @classmethod
    def fit(
        cls,
        texts: Sequence[str],
        max_words: int = 500,
        max_sentences: int | None = None,
        min_count: int = 2,
        max_vocabulary: int = 30_000,
    ) -> "Preprocessor":
        """Counts the words of the training split, and of nothing else.

        Args:
            texts: the training split's.
            max_words, max_sentences: see the class.
            min_count: rarer words stay unknown.
            max_vocabulary: the most words; the most frequent stay.

        Raises:
            UsageError: if no word is frequent enough.
        """
        counts: Counter[bytes] = Counter()
        for chunk in tf.data.Dataset.from_tensor_slices(list(texts)).batch(1024):
            counts.update(split_words(chunk).flat_values.numpy())
        words = [word.decode() for word, n in counts.most_common(max_vocabulary) if n >= min_count]
        if not words:
            raise UsageError(
                f"no word of the training texts stands there {min_count} times: nothing to learn "
                "from; give more texts or a lower --min-count"
            )
        return cls(words, max_words, max_sentences)

    @property
    def vocabulary_size(self) -> int:
        """Rows of a word table: the vocabulary, padding and the unknown word."""
        return len(self.vocabulary) + 2

    def encode(self, texts: tf.Tensor) -> tuple[tf.RaggedTensor, tf.Tensor]:
        """Ids of texts, and which texts were cut.

        Args:
            texts: ``[batch]`` strings; bytes that are not UTF-8 are replaced.

        Returns:
            Ids, ragged ``[batch, (sentences,) words]`` int64, and ``[batch]`` booleans.
        """
        if self.max_sentences is None:
            words = split_words(texts)
            cut = words.row_lengths() > self.max_words
            return self.lookup(words[:, : self.max_words]), cut
        words = split_sentences(texts)
        longest = tf.reduce_max(words.row_lengths(axis=2), axis=1)
        cut = (words.row_lengths() > self.max_sentences) | (longest > self.max_words)
        words = words[:, : self.max_sentences, : self.max_words]
        ids = self.lookup(words.flat_values)
        return words.with_flat_values(ids), cut

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        """``[batch]`` strings to ``[batch, (sentences,) words]`` int64 ids, padded with 0.

        At least one word (and one sentence) long, also where all texts are empty.
        """
        return pad(self.encode(texts)[0].to_tensor())

    def batches(self, texts, targets=None, batch_size=32, shuffle=False, seed=0):
        """Batches of ids (and class numbers); see :func:`zoo.datasets.batches.batches`."""
        return batches(self, texts, targets, batch_size, shuffle, seed)
