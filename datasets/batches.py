"""Batches of word ids as tf.data: texts of like length together, sentences of like length too."""

import itertools

import keras
import numpy as np
import tensorflow as tf

BLOCK = 20_000  # texts that are shuffled together
WINDOW = 64  # batches whose texts are sorted by length together
SHUFFLED = 50_000  # texts whose chunks are shuffled together first
CACHED = 200_000  # texts of which the ids are kept in memory, unless told otherwise


def pad(ids: tf.Tensor) -> tf.Tensor:
    """Makes each axis at least one id long, also of a text without a word."""
    return tf.pad(ids, [[0, tf.maximum(0, 1 - tf.shape(ids)[i])] for i in range(ids.shape.rank)])


def pack(ids: tf.RaggedTensor, groups: int = 9) -> dict[str, tf.Tensor | tuple[tf.Tensor, ...]]:
    """Documents as the sentences that exist, in groups of like length.

    ``[batch, sentences, words]`` padded to the longest sentence of all is mostly padding. Here
    each group is as wide as its own longest sentence, and has about as many words as any other.

    Args:
        ids: ragged ``[batch, sentences, words]``, at least one word in each sentence.
        groups: how many; more of them are less padding, but more steps of computation.

    Returns:
        ``sentences``: tuple of groups ``[sentences of the group, words]``, and ``places``
        ``[batch, sentences]``: the place of each sentence in all groups together, counted from
        1; 0 for padding.
    """
    sentences = ids.values
    lengths = sentences.row_lengths()
    order = tf.argsort(lengths)
    words = tf.cumsum(tf.gather(lengths, order))
    total = tf.reduce_sum(lengths)
    ends = [tf.searchsorted(words, [total * i // groups], side="right")[0] for i in range(groups)]
    ends = [tf.constant(0), *ends[1:], tf.size(order)]
    parts, places, before = [], [], 1
    for start, end in itertools.pairwise(ends):
        parts.append(pad(tf.gather(sentences, order[start:end]).to_tensor()))
        places.append(before + tf.range(end - start))
        before += tf.shape(parts[-1])[0]
    place = tf.gather(tf.concat(places, 0), tf.argsort(order))
    return {"sentences": tuple(parts), "places": pad(ids.with_values(place).to_tensor())}


def batches(
    preprocessor,
    dataset: tf.data.Dataset,
    batch_size: int = 32,
    shuffle: bool = False,
    seed: int = 0,
    cache: str = "auto",
) -> tf.data.Dataset:
    """Texts to batches of ids.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        dataset: of texts, or of pairs of a text and a target, of known cardinality.
        batch_size: texts of a batch.
        shuffle: a new order each epoch, and texts of similar length in a batch, so that less of
            it is padding; else the order stays. 20,000 texts are shuffled together: what is
            sorted on disk should be shuffled there.
        seed: of the order.
        cache: "memory" keeps the ids, "none" computes them anew each epoch, "auto" keeps those of
            up to 200,000 texts; else the path of a new file to keep them in.

    Returns:
        A dataset of known cardinality of ids, or of pairs of ids and targets. Ids are
        ``[batch, words]`` int64 for flat models, and as of :func:`pack` for hierarchical ones
        (on JAX, which compiles for each shape, ``[batch, sentences, words]``).
    """
    count = int(dataset.cardinality())
    if cache == "auto":
        cache = "memory" if count <= CACHED else "none"
    paired = isinstance(dataset.element_spec, tuple)
    if not paired:
        dataset = dataset.map(lambda texts: (texts, 0))
    packed = preprocessor.max_sentences is not None and keras.backend.backend() == "tensorflow"
    groups = _groups(preprocessor, dataset, count, batch_size) if packed else None

    def encode(texts, targets):
        return preprocessor.encode(texts), targets

    def gather(ids, targets, rows):
        ids = tf.gather(ids, rows)
        ids = pack(ids, groups) if packed else pad(ids.to_tensor())
        return (ids, tf.gather(targets, rows)) if paired else ids

    def arrange(block, number):
        """A block of chunks to its batches."""
        ids, targets = (part.merge_dims(0, 1) for part in block)
        order = tf.range(ids.nrows())
        if shuffle:
            order = tf.argsort(tf.random.stateless_uniform(tf.shape(order), [seed, number]))
            key = tf.range(ids.nrows()) // (WINDOW * batch_size)
            for size in _sizes(ids):  # texts of like length within a window
                key = key * (tf.reduce_max(size) + 1) + tf.gather(size, order)
            order = tf.gather(order, tf.argsort(key))
        rows = tf.data.Dataset.from_tensor_slices(order).batch(batch_size)
        return rows.map(lambda rows: gather(ids, targets, rows))

    chunk = -(-512 // batch_size) * batch_size  # so that a block is whole batches
    data = dataset.batch(chunk).map(encode, tf.data.AUTOTUNE)
    if cache != "none":
        data = data.cache("" if cache == "memory" else cache)
    blocks = 1
    if shuffle:
        data = data.shuffle(min(count, SHUFFLED) // chunk + 1, seed=seed)
        blocks = -(-BLOCK // chunk)
    data = data.ragged_batch(blocks)
    numbers = tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=True)
    data = tf.data.Dataset.zip(data, numbers).flat_map(arrange)
    if shuffle:
        data = data.shuffle(WINDOW, seed=seed)
    data = data.apply(tf.data.experimental.assert_cardinality(-(-count // batch_size)))
    return data.prefetch(tf.data.AUTOTUNE)


def _groups(preprocessor, dataset, count, batch_size):
    """In how many groups sentences are worth their compilation: a few seconds for each group."""
    first = preprocessor.encode(next(iter(dataset.batch(256)))[0])
    texts = int(first.nrows())
    if int(tf.size(first.flat_values)) / texts * count < 250_000:
        return 1
    return 12 if int(tf.size(first.values.row_lengths())) / texts * batch_size >= 200 else 9


def _sizes(ids):
    """The number of sentences of each text, if it has any, and that of its words."""
    yield ids.row_lengths()
    if ids.ragged_rank == 2:
        yield tf.reduce_sum(ids.with_values(ids.values.row_lengths()), axis=1)


def share_of_words(data: tf.data.Dataset, steps: int = 200) -> float:
    """The share of computed positions that are words and not padding, in the first batches."""
    words = positions = 0
    for batch in data.take(steps):
        ids = batch[0] if isinstance(batch, tuple) else batch
        for part in ids["sentences"] if isinstance(ids, dict) else [ids]:
            words += np.count_nonzero(part)
            positions += np.size(part)
    return words / max(positions, 1)
