"""Texts to word ids, as a TensorFlow graph that training, prediction and export share."""

import functools
import inspect
import itertools
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.backend import compiles_each_shape
from zoo.datasets.batches import batches, batches_by_length, pad, untuned
from zoo.datasets.corpus import Split
from zoo.datasets.text.clean_ups import CLEAN_UPS, RULES, VERSION
from zoo.datasets.text.text_tensors import text_chunks, text_dataset
from zoo.datasets.text.tokens import Tokens, split_sentences, split_words, with_ngrams
from zoo.errors import UsageError, unknown
from zoo.layers.checks import check_sizes
from zoo.progress import progress

UNKNOWN_WORD = "[UNK]"
EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
MOST_COUNTED = 500_000  # different words; beyond, the rarest so far are forgotten

logger = logging.getLogger("zoo")


class Preprocessor:
    """Cleans texts, splits them into words (and sentences), and looks the words up.

    Ids are 0 for padding, 1 for an unknown word, and from 2 on for the vocabulary's words.
    Texts are cut after ``max_sentences`` sentences and ``max_words`` words (of each sentence, if
    hierarchical).

    Args:
        vocabulary: the words, without padding and the unknown word.
        max_words: the most words of a text, or of a sentence if hierarchical.
        max_sentences: the most sentences of a text; None for flat models.
        clean_up: a name in :data:`zoo.datasets.text.clean_ups.CLEAN_UPS`, mostly that of a paper.
        ngrams: words of the longest n-gram. Above 1, the words of a text are followed by its
            n-grams, which are in the vocabulary, too; for flat models.
        entities: whether ids also tell which words are in a marked entity; see
            :func:`zoo.layers.entity_positions.join_roles`. Needs the clean-up "relations".
        version: the version of the rules, which a model keeps from its training. Version 2 ends
            sentences at each sentence terminal of Unicode and decodes references of HTML such as
            ``&amp;``. Version 1, of older runs, does not decode, and ends sentences at ``. ! ?``.

    Raises:
        ValueError: for a limit below 1, a word that occurs twice, an unknown version, and settings
            that exclude each other.

    Example:
        >>> from zoo.datasets import Preprocessor
        >>> Preprocessor(["good", "bad"], max_sentences=9)(["Good! Not bad &amp; cheap"]).numpy()
        array([[[2, 1, 0],
                [1, 3, 1]]])
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        max_words: int = 500,
        max_sentences: int | None = None,
        clean_up: str = "hcan",
        ngrams: int = 1,
        entities: bool = False,
        version: int = VERSION,
    ) -> None:
        _check(max_words, max_sentences, clean_up, ngrams, entities, version)
        self.vocabulary = list(vocabulary)
        self.max_words = max_words
        self.max_sentences = max_sentences
        self.clean_up = clean_up
        self.ngrams = ngrams
        self.entities = entities
        self.version = version
        self.lookup = keras.layers.StringLookup(
            vocabulary=self.vocabulary, mask_token="", oov_token=UNKNOWN_WORD, dtype="int64"
        )

    def get_config(self) -> dict[str, Any]:
        """All settings but the vocabulary, by the names that the constructor gives them."""
        names = list(inspect.signature(Preprocessor).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def __reduce__(self):
        return Preprocessor, (self.vocabulary, *self.get_config().values())

    @classmethod
    def fit(
        cls,
        texts: Split | Sequence[str],
        max_words: int = 500,
        max_sentences: int | None = None,
        clean_up: str = "hcan",
        min_count: int = 2,
        max_vocabulary: int = 30_000,
        percentile: float | None = None,
        ngrams: int = 1,
        entities: bool = False,
        version: int = VERSION,
    ) -> "Preprocessor":
        """Counts the words of the training split, and of nothing else.

        Logs how many of the texts are cut, and why; and what helps where most texts are one word,
        or most words are unknown.

        Args:
            texts: the training split's, read once, as a stream; numbers, names and typing errors
                make ever new words, so beyond 500,000 different ones, or four times the most
                words, the rarer half is forgotten.
            max_words, max_sentences, clean_up, ngrams, entities, version: see the class.
            min_count: rarer words stay unknown.
            max_vocabulary: the most words; the most frequent stay.
            percentile: lowers the limits so that this percentage of the texts, above 0 and at
                most 100, has no more sentences, and as many no longer sentence.

        Raises:
            UsageError: if no word is frequent enough, or for an unknown clean-up.
            ValueError: for a limit below 1, or n-grams of sentences.
        """
        _check(max_words, max_sentences, clean_up, ngrams, entities, version)
        hierarchical = max_sentences is not None
        counts: Counter[bytes] = Counter()
        most = max(MOST_COUNTED, 4 * max_vocabulary)
        longest, sentences = [], []  # of each text: words of its longest sentence, sentences
        total, single = 0, 0  # words; texts of a single one
        split = split_sentences if hierarchical else split_words
        for words in _chunks(texts, lambda chunk: split(chunk, clean_up, version)):
            counts.update(with_ngrams(words, ngrams).flat_values.numpy().tolist())
            if len(counts) > most:
                counts = Counter(dict(counts.most_common(most // 2)))
            total += words.flat_values.shape[0]
            sentences.append(words.row_lengths().numpy().astype("int32"))
            lengths = words.row_lengths(axis=2) if hierarchical else words.row_lengths()[:, None]
            longest.append(tf.reduce_max(lengths, axis=1).numpy().astype("int32"))
            single += int(np.sum(tf.reduce_sum(lengths, axis=1) == 1))
        vocabulary = [
            word.decode() for word, n in counts.most_common(max_vocabulary) if n >= min_count
        ]
        if not counts:
            raise UsageError(
                f"the clean-up {clean_up!r} leaves no word of the training texts: choose another "
                f"with --clean-up; {', '.join(CLEAN_UPS)} are allowed"
            )
        if not vocabulary:
            raise UsageError(
                f"no word of the training texts stands there {min_count} times: nothing to learn "
                "from; give more texts or a lower --min-count. Where words have no blanks between "
                "them, --clean-up characters reads characters, in models without sentences, such "
                "as char_cnn"
            )
        _report_emojis(texts, counts, clean_up)
        longest = np.maximum(np.concatenate(longest), 0)
        if percentile is not None:
            max_words = min(max_words, _percentile(longest, percentile))
        if hierarchical:
            sentences = np.concatenate(sentences)
            if percentile is not None:
                max_sentences = min(max_sentences, _percentile(sentences, percentile))
        _report_cut(longest, max_words, sentences, max_sentences)
        if not CLEAN_UPS[clean_up].by_character:
            _report_unread(single, len(longest), total, counts, vocabulary, clean_up)
        return cls(vocabulary, max_words, max_sentences, clean_up, ngrams, entities, version)

    def extended(self, words: Iterable[str], max_vocabulary: int) -> "Preprocessor":
        """One that also knows words outside the vocabulary, the first ones of ``words``.

        As in Kim 2014's code, whose words are those of the test texts, too; these words have word
        vectors, but are not trained.

        Args:
            words: in any case; those that the clean-up does not leave as they are, are passed over.
            max_vocabulary: the most words in all.
        """
        known = set(self.vocabulary)
        words = (word for word in words if word.lower() not in known)
        further = whole_words(words, self.clean_up, self.version)
        further = further[: max(0, max_vocabulary - len(known))]
        return Preprocessor(self.vocabulary + further, **self.get_config())

    @property
    def vocabulary_size(self) -> int:
        """Rows of a word table: the vocabulary, padding and the unknown word."""
        return len(self.vocabulary) + 2

    def tokens(self, texts: tf.Tensor | Sequence[str]) -> Tokens:
        """``[batch]`` strings to words and ids; bytes that are not UTF-8 are replaced."""
        return Tokens(self, texts)

    def all_words(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """``[batch]`` strings to their words, ragged ``[batch, (sentences,) words]`` strings."""
        split = split_words if self.max_sentences is None else split_sentences
        return split(texts, self.clean_up, self.version)

    def words(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """``[batch]`` strings to the words that a model reads."""
        return self.tokens(texts).words

    def encode(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """``[batch]`` strings to what a model reads, ragged ``[batch, (sentences,) words]``."""
        return self.tokens(texts).inputs

    @functools.cached_property
    def traced_encode(self) -> Callable[[tf.Tensor], tf.Tensor]:
        """:meth:`encode` as one graph, which is faster than its steps one by one."""
        return tf.function(self.encode, [tf.TensorSpec([None], tf.string)])

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        """``[batch]`` strings to ``[batch, (sentences,) words]`` int64 ids, padded with 0.

        At least one word (and one sentence) long, also where all texts are empty.
        """
        return self.pad(self.encode(texts))

    def pad(self, ids: tf.RaggedTensor) -> tf.Tensor:
        """What :meth:`encode` gives, padded with 0; on JAX to powers of two.

        JAX compiles for each shape, for seconds.
        """
        ids = pad(ids.to_tensor())[: ids.nrows()]
        if not compiles_each_shape():
            return ids
        paddings = [[0, 0]]
        words = self.ngrams * self.max_words  # n-grams stand behind the words
        limits = [limit for limit in (self.max_sentences, words) if limit is not None]
        for axis, limit in enumerate(limits, start=1):
            size = tf.shape(ids)[axis]
            power = 2 ** tf.math.ceil(tf.math.log(tf.cast(size, "float64")) / np.log(2.0))
            paddings.append([0, tf.minimum(tf.cast(power, "int32"), max(limit, 1)) - size])
        return tf.pad(ids, paddings)

    def batches(self, dataset: tf.data.Dataset, *args: Any, **kwargs: Any) -> tf.data.Dataset:
        """Batches of ids (and targets); see :func:`zoo.datasets.batches.batches`."""
        return batches(self, dataset, *args, **kwargs)

    def batches_by_length(
        self, texts: Split | Sequence[str], *args: Any, **kwargs: Any
    ) -> Iterator[tuple[np.ndarray, Any]]:
        """Rows and ids of each batch; see :func:`zoo.datasets.batches.batches_by_length`."""
        return batches_by_length(self, text_chunks(texts), len(texts), *args, **kwargs)


def whole_words(words: Iterable[str], clean_up: str, version: int = VERSION) -> list[str]:
    """Words, in lower case and each once, but those that a clean-up does not leave as they are."""
    words = list(dict.fromkeys(map(str.lower, words)))
    split = split_words(words, clean_up, version).to_list() if words else []
    return [word for word, parts in zip(words, split, strict=True) if parts == [word.encode()]]


def _check(max_words, max_sentences, clean_up, ngrams, entities, version):
    if clean_up not in CLEAN_UPS:
        raise unknown("clean-up", clean_up, CLEAN_UPS)
    if CLEAN_UPS[clean_up].by_character and max_sentences is not None:
        raise UsageError(
            f'the clean-up "{clean_up}" is for models without sentences, such as char_cnn'
        )
    if entities and not CLEAN_UPS[clean_up].marks_entities:
        raise UsageError(
            f"entities are read with the clean-up 'relations', from texts that mark them: got "
            f"{clean_up!r}"
        )
    if type(version) is not int or version not in RULES:
        raise ValueError(f"version must be {' or '.join(map(str, RULES))}: got {version!r}")
    check_sizes(max_words=max_words, ngrams=ngrams)
    if max_sentences is not None:
        check_sizes(max_sentences=max_sentences)
    if max_sentences is not None and ngrams > 1:
        raise ValueError(f"ngrams must be 1 where there are sentences: got {ngrams}")
    if entities and (max_sentences is not None or ngrams > 1):
        raise ValueError("entities are read in texts without sentences and n-grams")


def _report_emojis(texts, counts, clean_up):
    """Tells of emojis that a clean-up leaves out, where one text in a hundred has some."""
    some = list(itertools.islice(texts.numpy() if tf.is_tensor(texts) else texts, 10_000))
    some = [one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in some]
    number = sum(1 for text in some if EMOJI.search(text))
    if number > len(some) / 100 and not any(EMOJI.search(word.decode()) for word in counts):
        logger.warning(
            "%d of the first %d training texts have emojis, which the clean-up %r leaves out: "
            "--clean-up han keeps them",
            *(number, len(some), clean_up),
        )


def _report_cut(longest, max_words, sentences, max_sentences):
    """Tells how many texts are cut, and by which limit: of words, or also of sentences."""
    cut = long = longest > max_words
    more = f"more than {max_words} words (the longest {longest.max()})"
    if max_sentences is None:
        reasons = f"they have {more}"
    else:
        many = sentences > max_sentences
        cut = long | many
        reasons = (
            f"{long.sum()} have a sentence of {more}, {many.sum()} have more than "
            f"{max_sentences} sentences (the most {sentences.max()})"
        )
    if cut.any():
        told = f"{cut.sum():,} of {len(cut):,} training texts"
        logger.warning("%s are cut: %s", told, reasons)


def _report_unread(single, texts, total, counts, vocabulary, clean_up):
    """Tells where most texts are one word, or most words are unknown, and what helps."""
    known, marks = 0, 0
    for word in vocabulary:
        if " " not in word:  # no n-gram
            is_mark = not any(map(str.isalnum, word))
            known, marks = known + counts[word.encode()], marks + is_mark * counts[word.encode()]
    unknown = 1 - (known - marks) / max(total - marks, 1)
    if single > texts / 2:
        reason = f"{single} of {texts} training texts are one word"
    elif unknown > 0.5:
        reason = f"{unknown:.0%} of the words in the training texts are unknown"
    else:
        return
    logger.warning(
        "%s to the clean-up %r: where words have no blanks between them, the clean-up 'characters' "
        '(--clean-up characters, in Python clean_up="characters") reads each character, in models '
        "without sentences, such as svm_bigrams, cnn_kim or char_cnn%s",
        *(reason, clean_up),
        "" if single > texts / 2 else "; where they have, give more texts or a lower min_count",
    )


def _chunks(texts, split):
    """The words of the texts, a thousand texts at a time; it tells where that takes long."""
    dataset = text_dataset(texts)
    count = int(dataset.cardinality())
    chunks = dataset.batch(1024).map(split, tf.data.AUTOTUNE)
    rows = {"total": count if count >= 0 else None, "size": lambda chunk: int(chunk.nrows())}
    return progress(untuned(chunks), "Counting words", **rows, shown=True)


def _percentile(lengths, percentile):
    return max(1, int(np.percentile(lengths, percentile, method="inverted_cdf")))
