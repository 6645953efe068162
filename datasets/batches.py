"""Batches of word ids: texts of like length together, sentences of like length too."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from zoo.backend import compiles_each_shape, leave_gpus_to_jax
from zoo.datasets.text_streams import check_some, columns
from zoo.datasets.text_streams import rows as rows_of

leave_gpus_to_jax()

BLOCK = 20_000  # texts that are shuffled together
LEAST, MOST = 32, 128  # texts of a batch that one core answers
FILLING = 1_536  # words: products of more rows are hardly faster, and leave the processor's cache
WINDOW = 64  # batches whose texts are sorted by length together
SHUFFLED = 50_000  # texts whose chunks are shuffled together first
CACHED = 200_000  # texts whose ids are kept in memory, by default


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """The dataset without tf.data's search for its numbers of threads.

    Nothing here needs it, and its thread sleeps for ever longer: at the end of a reading it is
    waited for, up to as long again as the reading took.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def pad(ids: tf.Tensor) -> tf.Tensor:
    """Makes each axis at least one id long, also of a text without a word."""
    return tf.pad(ids, [[0, tf.maximum(0, 1 - tf.shape(ids)[i])] for i in range(ids.shape.rank)])


def pack(ids: tf.RaggedTensor, groups: int = 9) -> dict[str, tf.Tensor | tuple[tf.Tensor, ...]]:
    """Documents as the sentences that exist, in groups of like length.

    ``[batch, sentences, words]`` padded to the longest sentence of all is mostly padding. Here
    each group is as wide as its own longest sentence, and the groups are those of least padding.

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
    parts, places, before = [], [], 1
    for start, end in itertools.pairwise(least_padding(lengths, groups)):
        parts.append(pad(tf.gather(sentences, order[start:end]).to_tensor()))
        places.append(before + tf.range(end - start))
        before += tf.shape(parts[-1])[0]
    place = tf.gather(tf.concat(places, 0), tf.argsort(order))
    return {"sentences": tuple(parts), "places": pad(ids.with_values(place).to_tensor())}


def least_padding(lengths: tf.Tensor, groups: int) -> list[tf.Tensor]:
    """Where to part sequences, sorted by length, into the groups of least padding.

    A dynamic program over the lengths: the best groups of all up to a length are the best of all
    up to a shorter one, and one group more. IMDB's sentences, in twelve groups, are 93 % words so;
    in groups of as many words each, 87 %, and a step of HCAN's takes 4 % longer.

    Args:
        lengths: ``[sequences]`` integers, in any order.
        groups: how many, some of which may be empty.

    Returns:
        ``groups + 1`` scalars, from 0 to the number of sequences.
    """
    longest, _, counts = tf.unique_with_counts(tf.sort(tf.cast(lengths, "int32")))
    longest = tf.pad(longest, [[1, 0]])  # the different lengths, after a 0
    counts = tf.cumsum(tf.pad(counts, [[1, 0]]))  # sequences that are no longer than each
    # Positions of a group of the sequences above one length and up to another.
    positions = (counts[None, :] - counts[:, None]) * longest
    positions = tf.where(longest[:, None] <= longest, positions, positions.dtype.max // 2)
    least, shorter = positions[0], []
    for _ in range(groups - 1):
        least = least[:, None] + positions
        shorter.append(tf.argmin(least, axis=0, output_type="int32"))
        least = tf.reduce_min(least, axis=0)
    ends = [tf.size(counts) - 1]
    for choice in reversed(shorter):
        ends.insert(0, choice[ends[0]])
    return [tf.constant(0), *(counts[end] for end in ends)]


class Share(NamedTuple):
    """How each batch is divided among devices, into parts of the same size.

    Attributes:
        parts: how many.
        part: the number of the one wanted, for a process among others; None for all of them, one
            after the other, for the devices of one process.
        devices: of all processes together; a batch is a multiple of them.
    """

    parts: int
    part: int | None = None
    devices: int = 1


def batches(
    preprocessor,
    dataset: tf.data.Dataset,
    batch_size: int = 32,
    shuffle: bool = False,
    seed: int = 0,
    cache: str = "auto",
    first: int | None = None,
    share: Share | None = None,
    reshuffle: bool = True,
    groups: int = 12,
) -> tf.data.Dataset:
    """Turns texts into batches of ids.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        dataset: texts, (texts, targets) or (texts, targets, weights), of any length. It may be
            batched or not; its batches are not kept.
        batch_size: texts in a batch.
        shuffle: True gives a random order each epoch, with texts of similar length in a batch, so
            that there is less padding; False keeps the order. 20,000 texts are shuffled together:
            shuffle a sorted file before.
        seed: the seed of the order.
        cache: "memory" keeps the ids, "none" computes them anew each epoch, "auto" keeps those of
            up to 200,000 texts, if their number is known; else the path of a new file that keeps
            them.
        first: None gives one epoch. A number gives endless epochs, starting with the batch of that
            number: what a training that had gone so far would read next. Needs a dataset of known
            length, as ``share`` does.
        share: divides batches of pairs among devices; elements are triples of ids, targets and
            weights. Endless epochs leave out the texts after the last whole batch, other texts each
            epoch; a single epoch fills the last batch up with empty texts of weight 0.
        reshuffle: whether the order changes each time that a dataset that is not endless is read.
        groups: the most groups of sentences of similar length; 0 for no groups.

    Returns:
        A dataset of ids, or of tuples of ids and targets (and weights). Its cardinality is known if
        that of the texts is, and if it is not endless. Ids are ``[batch, words]`` int64 for flat
        models, and as :func:`pack` makes them for hierarchical models. Without groups, and on JAX,
        which compiles each shape, they are ``[batch, sentences, words]``; on JAX these sizes are
        padded to powers of two.

    Raises:
        UsageError: if the dataset is empty, or its elements have another form.
        ValueError: if its length is unknown and has to be known, or it has no end to keep.
    """
    alone = not isinstance(dataset.element_spec, tuple)
    dataset = rows_of(dataset)
    count = int(dataset.cardinality())  # below 0 where it is unknown, or there is no end
    check_some(count)
    if count < 0 and (first is not None or share is not None):
        raise ValueError(
            "first and share need a dataset of known length: "
            "dataset.apply(tf.data.experimental.assert_cardinality(n)) tells it"
        )
    if count == tf.data.INFINITE_CARDINALITY and cache not in ("auto", "none"):
        raise ValueError(f"cache must be 'none' for a dataset without end: got {cache!r}")
    if cache == "auto":
        cache = "memory" if 0 <= count <= CACHED else "none"
    packed = _is_packed(preprocessor, groups)
    if packed and count < 0:
        groups = 1  # a sample may be gone once it is read
    elif packed:
        sample = preprocessor.encode(next(iter(dataset.batch(256)))[0])
        groups = min(groups, groups_worth(sample, batch_size, count))
    chunk = -(-512 // batch_size) * batch_size  # so that a block is whole batches
    block = -(-BLOCK // chunk) if shuffle else 1  # chunks
    chunks = dataset.batch(chunk).map(
        lambda texts, *others: (preprocessor.encode(texts), others), tf.data.AUTOTUNE
    )
    if cache != "none":
        chunks = chunks.cache("" if cache == "memory" else cache)

    full = first is not None and share is not None
    steps = count // batch_size if full else -(-count // batch_size)

    def epoch(number):
        number = number * 1_000_003 + seed
        # For this graph only: shuffle takes a tensor as its seed unless the global seed is 0.
        tf.compat.v1.set_random_seed(1)

        def arrange(place, ids, others):
            """A block of chunks to its batches."""
            ids = ids.merge_dims(0, 1)
            others = tf.nest.map_structure(lambda one: one.merge_dims(0, 1), others)
            rows = tf.range(ids.nrows())
            if shuffle:
                rows = _order(ids, batch_size, [number, place], full)
            rows = tf.data.Dataset.from_tensor_slices(rows).batch(batch_size, full)
            if shuffle:
                rows = rows.shuffle(block * chunk // batch_size, number, False)
            return rows.map(
                lambda rows: tf.nest.map_structure(lambda one: tf.gather(one, rows), (ids, others))
            )

        data = chunks
        if shuffle:
            most = SHUFFLED if count < 0 else min(count, SHUFFLED)
            data = data.shuffle(most // chunk + 1, number, False)
        data = data.ragged_batch(block).enumerate()
        return data.flat_map(lambda place, pair: arrange(place, *pair))

    if first is None:
        numbers = tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=reshuffle).take(1)
        data = numbers.flat_map(epoch)
    else:
        numbers = tf.data.Dataset.counter(first // steps)
        data = numbers.flat_map(epoch).skip(first % steps)

    def lay_out(ids, others):
        ids = pack(ids, groups) if packed else preprocessor.pad(ids)
        return ids if alone else (ids, *others)

    filled = 1.0 if first is not None else steps * batch_size / count
    data = data.map(lay_out) if share is None else _shared(data, lay_out, batch_size, filled, share)
    if first is None and count >= 0:
        elements = steps if share is None or share.part is not None else steps * share.parts
        data = data.apply(tf.data.experimental.assert_cardinality(elements))
    return untuned(data.prefetch(2))


def batches_in_order(
    preprocessor, dataset: tf.data.Dataset, batch_size: int | None = None, groups: int = 0
) -> tf.data.Dataset:
    """A dataset of texts as one of ids: its own batches, in its order, as long as it is.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        dataset: of texts, (texts, targets) or (texts, targets, weights), in batches or not.
        batch_size: how many single texts make a batch; by default 32. Batches stay as they are.
        groups: 0 where the model reads no packed documents; else they come in one group.

    Returns:
        A dataset of ids as of :func:`batches`, or of tuples of ids and targets (and weights).

    Raises:
        UsageError: if the dataset is empty, or its elements have another form.
    """
    alone = not isinstance(dataset.element_spec, tuple)
    dataset, batched = columns(dataset)
    check_some(int(dataset.cardinality()))
    dataset = dataset if batched else dataset.batch(batch_size or 32)
    packed = _is_packed(preprocessor, groups)

    def lay_out(texts, *others):
        ids = preprocessor.encode(texts)
        ids = pack(ids, 1) if packed else preprocessor.pad(ids)
        return ids if alone else (ids, *others)

    return dataset.map(lay_out, tf.data.AUTOTUNE, deterministic=True).prefetch(2)


def batches_by_length(
    preprocessor,
    chunks: Iterator[tf.Tensor],
    count: int,
    batch_size: int | None = None,
    groups: int = 12,
) -> Iterator[tuple[np.ndarray, np.ndarray | dict]]:
    """Each text once, for answers: batches of texts of like length, computed as they are asked for.

    Unlike :func:`batches`, nothing is traced anew at each call, which takes half a second and, call
    after call, memory: a stream of texts comes as a call for every thousand.

    Args:
        preprocessor: a :class:`zoo.datasets.Preprocessor`.
        chunks: of a thousand texts or fewer.
        count: texts of all chunks.
        batch_size: texts of a batch; None for as many as fill a core, 32 to 128, the more the
            shorter they are.
        groups: the most groups of sentences of like length; 0 for none.

    Yields:
        the rows of a batch, ``[batch]`` places among the texts; and its ids, as of :func:`batches`,
        but NumPy's.
    """
    before, packed = 0, _is_packed(preprocessor, groups)
    while window := list(itertools.islice(chunks, -(-WINDOW * (batch_size or MOST) // 1024))):
        ids = tf.concat([preprocessor.traced_encode(texts) for texts in window], axis=0)
        if packed and not before:
            groups = min(groups, groups_worth(ids, batch_size or LEAST, count))
        *_, words = sizes = [size.numpy() for size in _sizes(ids)]
        left = np.lexsort(sizes[::-1])
        while len(left):
            size = batch_size or _filling(words[left[:MOST]])
            rows, left = left[:size], left[size:]
            some = tf.gather(ids, rows)
            laid_out = pack(some, groups) if packed else preprocessor.pad(some)
            yield before + rows, keras.tree.map_structure(lambda ids: ids.numpy(), laid_out)
        before += len(words)


def _filling(words: np.ndarray) -> int:
    """How many of the next texts fill a core, by their words, ``[texts]``.

    It is a power of 2, as each other shape of a batch takes memory, or is compiled.
    """
    size = MOST
    while size > LEAST and size * words[:size].max() > FILLING:
        size //= 2
    return size


def _shared(data, lay_out, batch_size, filled, share):
    """The part of each batch, or all its parts one after the other: triples with weights.

    Weights are 0 of rows that fill a batch up, and ``filled``, rows by texts, of all others: so
    Keras' mean over the rows is that over the texts.
    """
    parts, part, _ = share
    size = batch_size // parts

    def full(ids, others):
        (targets,) = others
        texts = tf.shape(targets)[0]
        missing = batch_size - texts
        splits = tf.concat([ids.row_splits, tf.repeat(ids.row_splits[-1:], missing)], 0)
        weights = tf.pad(tf.fill([texts], filled), [[0, missing]])
        rows = [[0, missing], *[[0, 0]] * (targets.shape.rank - 1)]
        return ids.from_row_splits(ids.values, splits), tf.pad(targets, rows), weights

    def one_part(ids, targets, weights):
        ids, targets = lay_out(ids, (targets,))  # before it is divided: all parts have one shape
        return tuple(one[part * size : (part + 1) * size] for one in (ids, targets, weights))

    def all_parts(ids, targets, weights):
        starts = tf.data.Dataset.range(0, batch_size, size)
        return starts.map(
            lambda i: (
                *lay_out(ids[i : i + size], (targets[i : i + size],)),
                weights[i : i + size],
            )
        )

    data = data.map(full)
    return data.flat_map(all_parts) if part is None else data.map(one_part)


def _order(ids, batch_size, seed, full):
    """Rows in a random order, but those of like length within a window together.

    Those that make no whole batch are left out if batches must be full: any, not the longest.
    """
    order = tf.argsort(tf.random.stateless_uniform([ids.nrows()], seed))
    if full:
        order = order[: ids.nrows() // batch_size * batch_size]
    key = tf.range(tf.size(order, tf.int64)) // (WINDOW * batch_size)
    for size in _sizes(ids):
        key = key * (tf.reduce_max(size) + 1) + tf.gather(size, order)
    return tf.gather(order, tf.argsort(key))


def groups_worth(sample: tf.RaggedTensor, batch_size: int, count: int) -> int:
    """In how many groups sentences are worth their compilation: a few seconds for each group.

    Args:
        sample: the ids of some texts.
        batch_size: texts of a batch.
        count: texts of all batches.
    """
    texts = int(sample.nrows())
    if int(tf.size(sample.flat_values)) / texts * count < 250_000:
        return 1
    return 12 if int(tf.size(sample.values.row_lengths())) / texts * batch_size >= 200 else 9


def _is_packed(preprocessor, groups):
    """Whether batches are as of :func:`pack`."""
    return groups > 0 and preprocessor.max_sentences is not None and not compiles_each_shape()


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
