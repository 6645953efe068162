"""Batches by length, as tf.data."""

import logging

import numpy as np
import tensorflow as tf

logger = logging.getLogger("zoo")


def pad(ids: tf.Tensor) -> tf.Tensor:
    """Makes each axis at least one id long, also of a text without a word."""
    return tf.pad(ids, [[0, tf.maximum(0, 1 - tf.shape(ids)[i])] for i in range(ids.shape.rank)])


def batches(preprocessor, texts, targets=None, batch_size=32, shuffle=False, seed=0):
    """Texts to padded batches of ids.

    Ids are computed once and kept in memory. When shuffling, texts of similar length share a
    batch, so that less of it is padding; else the order stays. Logs how many texts were cut.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        texts: ``[n]`` strings.
        targets: ``[n]`` class numbers, or None.
        batch_size: texts of a batch.
        shuffle: a new order each epoch, from ``seed``.

    Returns:
        A tf.data.Dataset of known cardinality of ids ``[batch, (sentences,) words]`` int64, or
        of pairs of ids and targets.
    """
    texts = np.asarray(texts, dtype=object)
    columns = (texts,) if targets is None else (texts, np.asarray(targets))

    def encode(texts, *targets):
        return (*preprocessor.encode(texts), *targets)

    def densify(ids, cut, *targets):
        return (pad(ids if isinstance(ids, tf.Tensor) else ids.to_tensor()), cut, *targets)

    data = tf.data.Dataset.from_tensor_slices(columns).batch(512)
    data = data.map(encode, tf.data.AUTOTUNE).unbatch().map(densify).cache()

    facts = data.map(lambda ids, cut, *_: (tf.size(ids), cut)).batch(4096).as_numpy_iterator()
    lengths, cut = (np.concatenate(column) for column in zip(*facts, strict=True))
    if cut.any():
        limits = f"{preprocessor.max_words} words"
        if preprocessor.max_sentences is not None:
            limits = f"{preprocessor.max_sentences} sentences or {limits} a sentence"
        logger.warning("%d of %d texts are longer than %s and are cut", cut.sum(), len(cut), limits)

    data = data.map(lambda ids, cut, *targets: (ids, *targets))
    if shuffle:
        data = data.shuffle(len(texts), seed=seed)
        buckets = np.clip(len(texts) // (4 * batch_size), 1, 16)
        quantiles = np.quantile(lengths, np.linspace(0, 1, buckets + 1)[1:-1])
        boundaries = np.unique(quantiles.astype(int) + 1)
        data = data.bucket_by_sequence_length(
            lambda ids, *_: tf.size(ids),
            bucket_boundaries=boundaries.tolist(),
            bucket_batch_sizes=[batch_size] * (len(boundaries) + 1),
        )
        sizes = np.bincount(np.searchsorted(boundaries, lengths, side="right"))
        steps = sum(-(-sizes // batch_size))
    else:
        data = data.padded_batch(batch_size)
        steps = -(-len(texts) // batch_size)
    if targets is None:
        data = data.map(lambda ids: ids)
    return data.apply(tf.data.experimental.assert_cardinality(steps)).prefetch(tf.data.AUTOTUNE)
