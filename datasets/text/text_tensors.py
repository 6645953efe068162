"""Texts of any Python type as TensorFlow's strings."""

from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf

from zoo.datasets.corpus import Split
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.given_texts import check_texts


def text_tensor(texts: tf.Tensor | Sequence[str | bytes]) -> tf.Tensor:
    """``[batch]`` strings as a tensor, each :func:`well_formed`."""
    if tf.is_tensor(texts):
        return texts
    check_texts(texts)
    texts = [text if isinstance(text, bytes) else well_formed(text) for text in texts]
    return tf.constant(np.array(texts, dtype=object), tf.string)


def text_dataset(texts: Split | Sequence[str]) -> tf.data.Dataset:
    """A dataset of texts, of known cardinality."""
    if isinstance(texts, Split):
        return texts.dataset().map(lambda text, *_: text)
    return tf.data.Dataset.from_tensor_slices(text_tensor(texts))


def text_chunks(texts: Split | Sequence[str]) -> Iterator[tf.Tensor]:
    """Texts in chunks of at most 1024 strings."""
    if isinstance(texts, Split):
        yield from text_dataset(texts).batch(1024)
        return
    texts = text_tensor(texts)  # a dataset of one text takes as long as its classification
    for start in range(0, len(texts), 1024):
        yield texts[start : start + 1024]
