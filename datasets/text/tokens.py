"""Tokens: the words of texts, by sentence, and the ids that a model reads."""

import functools
from collections.abc import Sequence

import tensorflow as tf

from zoo.datasets.text.clean_ups import CLEAN_UPS, CONTROL, END, HAN, MARKS, RULES, VERSION
from zoo.datasets.text.html_entities import decode
from zoo.datasets.text.text_tensors import text_tensor
from zoo.layers.entity_positions import join_roles

UTF8 = r"[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*"  # what is well-formed, of any number of lines


class Tokens:
    """The words and ids of texts. Texts are split once; all else is computed on demand.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        texts: ``[batch]`` strings.

    Attributes:
        all_words: ragged ``[batch, (sentences,) words]`` strings, also those beyond the limits.
        roles: int64 of the same shape: 1 in the first entity, 2 in the second, 3 in both, else 0.
            None unless the preprocessor reads entities.
    """

    def __init__(self, preprocessor, texts: tf.Tensor | Sequence[str]):
        self.preprocessor, self.texts = preprocessor, texts
        if preprocessor.entities:
            self.all_words, self.roles = split_roles(texts, preprocessor.version)
        else:
            self.all_words, self.roles = preprocessor.all_words(texts), None

    @functools.cached_property
    def single_words(self) -> tf.RaggedTensor:
        """The words within the model's limits."""
        return self._cut(self.all_words)

    @functools.cached_property
    def words(self) -> tf.RaggedTensor:
        """The words that a model reads: those within the limits, followed by their n-grams."""
        return with_ngrams(self.single_words, self.preprocessor.ngrams)

    @property
    def inputs(self) -> tf.RaggedTensor:
        """The int64 ids that a model reads, joined with the roles of words if there are any."""
        words = self.words
        ids = words.with_flat_values(self.preprocessor.lookup(words.flat_values))
        return ids if self.roles is None else join_roles(ids, self._cut(self.roles))

    def _cut(self, parts):
        sentences, words = self.preprocessor.max_sentences, self.preprocessor.max_words
        return parts[:, :words] if sentences is None else parts[:, :sentences, :words]


def clean(
    texts: tf.Tensor | Sequence[str], clean_up: str = "hcan", version: int = VERSION
) -> tf.Tensor:
    """Cleans up ``[batch]`` strings, so that spaces separate their words."""
    return _replace(_lowered(texts, RULES[version]), CLEAN_UPS[clean_up].replacements[version])


def _lowered(texts, rules):
    texts = _well_formed(text_tensor(texts))
    # TensorFlow's lower case would cut a text at a NUL, and under a Turkish or Azeri locale makes
    # other letters of I and \u0130.
    if rules.references:
        texts = decode(texts, rules.blanks)
    else:
        texts = tf.strings.regex_replace(texts, rules.blanks, " ")
    texts = _replace(texts, [("I", "i"), ("\u0130", "i\u0307")])
    return tf.strings.lower(texts, "utf-8")


def _well_formed(texts):
    """Replaces bytes that are not UTF-8 by U+FFFD, after a fast check whether a text has any."""
    others = tf.where(tf.logical_not(tf.strings.regex_full_match(texts, UTF8)))

    def replaced():
        some = tf.gather_nd(texts, others)
        some = tf.strings.unicode_transcode(some, "UTF-8", "UTF-8", errors="replace")
        return tf.tensor_scatter_nd_update(texts, others, some)

    return tf.cond(tf.size(others) > 0, replaced, lambda: texts)


def split_words(
    texts: tf.Tensor, clean_up: str = "hcan", version: int = VERSION
) -> tf.RaggedTensor:
    """Splits ``[batch]`` strings into words, ragged ``[batch, words]`` strings."""
    texts = clean(texts, clean_up, version)
    if CLEAN_UPS[clean_up].by_character:
        return tf.strings.unicode_split(texts, "UTF-8")
    return tf.strings.split(texts)


def split_sentences(
    texts: tf.Tensor, clean_up: str = "hcan", version: int = VERSION
) -> tf.RaggedTensor:
    """Splits ``[batch]`` strings into sentences of words, ``[batch, sentences, words]``."""
    texts = _replace(clean(texts, clean_up, version), RULES[version].sentence_ends)
    sentences = tf.strings.split(texts, sep=END)
    words = sentences.with_flat_values(tf.strings.split(sentences.flat_values))
    return tf.ragged.boolean_mask(words, words.row_lengths(axis=2) > 0)


def split_roles(
    texts: tf.Tensor, version: int = VERSION
) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
    """Splits ``[batch]`` strings with marked entities into words and the role of each word.

    Returns:
        ragged ``[batch, words]`` strings, and int64: 1 in the first entity, 2 in the second, 3 in
        both, else 0. An entity begins after its first mark and ends at the next end mark, or at
        the end of the text.
    """
    marks = [(mark, f" {character} ") for mark, character in MARKS.items()]
    texts = _replace(_lowered(texts, RULES[version]), [(CONTROL, " "), *marks, *HAN[version]])
    words = tf.strings.split(texts).to_tensor()
    found = [tf.cast(tf.equal(words, mark), "int64") for mark in MARKS.values()]

    def inside(start, end):
        begun = tf.cumsum(start, axis=1) > 0
        over = tf.cumsum(tf.where(begun, end, 0), axis=1) > 0
        return tf.cast(tf.logical_and(begun, tf.logical_not(over)), "int64")

    first, second = inside(*found[:2]), inside(*found[2:])
    real = tf.logical_and(tf.not_equal(words, ""), tf.equal(tf.add_n(found), 0))
    return tuple(tf.ragged.boolean_mask(part, real) for part in (words, first + 2 * second))


def with_ngrams(words: tf.RaggedTensor, longest: int) -> tf.RaggedTensor:
    """The words of each text, then its pairs, and so on; ragged ``[batch, words]`` strings."""
    if longest == 1:
        return words
    return tf.strings.ngrams(words, tuple(range(1, longest + 1)), separator=" ")


def _replace(texts, rules):
    for pattern, replacement in rules:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    return texts
