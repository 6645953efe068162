"""Texts to batches of ids: each text once, alike ones together."""

import itertools
from unittest import mock

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kinds import long_unless
from zoo.datasets import Preprocessor
from zoo.datasets.batches import Share, least_padding, pack, share_of_words


def dataset(*columns):
    return tf.data.Dataset.from_tensor_slices(columns if len(columns) > 1 else columns[0])


def documents(ids):
    """Ids of any kind of batch, as lists of the words of each text, padding gone."""
    if isinstance(ids, dict):
        groups = map(np.asarray, ids["sentences"])
        sentences = [[], *(row for group in groups for row in group.tolist())]
        places = np.asarray(ids["places"])
        ids = [[w for i in row for w in sentences[i]] for row in places]
    else:
        ids = np.asarray(ids).reshape(len(ids), -1).tolist()
    return [[word for word in text if word] for text in ids]


@settings(max_examples=40)
@given(lengths=st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=9))
def test_packed_documents_are_all_there(lengths):
    numbers = iter(range(1, 10_000))
    ids = [[[next(numbers) for _ in range(n)] for n in text] for text in lengths]
    packed = pack(tf.ragged.constant(ids, ragged_rank=2, dtype="int64"))
    assert documents(packed) == [[word for sentence in text for word in sentence] for text in ids]
    assert all(min(group.shape) >= 1 for group in packed["sentences"])
    assert packed["places"].shape[1] >= 1
    empty = sum(len(text) == 0 for text in lengths)
    assert (packed["places"].numpy() == 0).all(axis=1).sum() == empty


def test_seeds_give_other_orders():
    preprocessor = Preprocessor(list("abcdefgh"), 3)
    texts = dataset(list("abcdefgh") * 8)

    def order(seed):
        batches = preprocessor.batches(texts, 4, True, seed, first=0).take(16)
        return np.concatenate([batch.numpy() for batch in batches]).tolist()

    assert order(3) == order(3) != order(4)


@settings(max_examples=40)
@given(lengths=st.lists(st.integers(1, 40), max_size=9), groups=st.integers(1, 4))
def test_no_other_groups_have_less_padding(lengths, groups):
    in_order = sorted(lengths)

    def positions(ends):
        pairs = itertools.pairwise(map(int, ends))
        return sum((end - start) * in_order[end - 1] for start, end in pairs if end > start)

    inner = itertools.combinations_with_replacement(range(len(lengths) + 1), groups - 1)
    least = min(positions([0, *ends, len(lengths)]) for ends in inner)
    ends = least_padding(tf.constant(lengths, "int64"), groups)
    assert (ends[0], ends[-1], len(ends)) == (0, len(lengths), groups + 1)
    assert positions(ends) == least


@pytest.mark.parametrize(
    ("max_sentences", "cache"),
    [
        (None, "file"),
        (9, "memory"),
        *(
            long_unless(False, *more)
            for more in [(None, "memory"), (None, "none"), (9, "none"), (9, "file")]
        ),
    ],
)
def test_batches_hold_every_text_once_and_with_its_target(max_sentences, cache, tmp_path):
    cache = str(tmp_path / "ids") if cache == "file" else cache
    texts = ["a. " * (i % 7) + f"w{i}" for i in range(101)]
    preprocessor = Preprocessor([f"w{i}" for i in range(101)], max_sentences=max_sentences)
    rows = dataset(texts, np.arange(101))
    data = preprocessor.batches(rows, batch_size=4, shuffle=True, seed=3, cache=cache)
    epochs = []
    for _ in range(2):
        seen = []
        batches = list(data)
        assert len(batches) == data.cardinality() == 26
        for ids, targets in batches:
            for words, target in zip(documents(ids), targets.numpy(), strict=True):
                assert max(words) == target + 2
            seen += targets.numpy().tolist()
        assert sorted(seen) == list(range(101))
        epochs.append(seen)
    assert epochs[0] != epochs[1]
    if cache == "none":  # which these do not ask for
        same = preprocessor.batches(rows, batch_size=4, shuffle=True, seed=3, reshuffle=False)
        orders = [[n for _, targets in same for n in targets.numpy()] for _ in range(2)]
        assert orders[0] == orders[1]
    again = preprocessor.batches(rows, batch_size=4, shuffle=True, seed=3)
    assert [n for _, targets in again for n in targets.numpy()] == epochs[0]


@settings(max_examples=12)
@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=60),
    batch_size=st.integers(1, 4),
    shuffle=st.booleans(),
)
def test_batches_of_any_lengths_number_as_announced(lengths, batch_size, shuffle):
    texts = ["a " * length for length in lengths]
    data = Preprocessor(["a"]).batches(dataset(texts, lengths), batch_size, shuffle)
    batches = list(data)
    assert len(batches) == data.cardinality()
    seen = [int(n) for _, targets in batches for n in targets]
    assert (sorted(seen) if shuffle else seen) == (sorted(lengths) if shuffle else lengths)


def test_batches_without_targets_and_shuffling_keep_the_order():
    preprocessor = Preprocessor(["a", "b", "c"])
    data = preprocessor.batches(dataset(["c", "", "a b", "b"]), batch_size=3)
    assert [text for ids in data for text in documents(ids)] == [[4], [], [2, 3], [3]]


@settings(max_examples=25)
@given(
    lengths=st.lists(st.integers(0, 12), max_size=60),
    batch_size=st.none() | st.integers(1, 20),
    max_sentences=st.sampled_from([None, 12]),
)
def test_batches_by_length_hold_every_text_once(lengths, batch_size, max_sentences):
    texts = ["a. " * length for length in lengths]
    preprocessor = Preprocessor(["a", "."], max_sentences=max_sentences)
    seen = {}
    for rows, ids in preprocessor.batches_by_length(texts, batch_size):
        assert len(rows) <= (batch_size or 128)
        seen |= dict(zip(rows.tolist(), documents(ids), strict=True))
    assert list(seen) == sorted(seen, key=lambda row: lengths[row])
    assert [len(seen[row]) for row in range(len(texts))] == [2 * length for length in lengths]


def test_targets_of_any_shape_pass_through():
    targets = np.eye(3)[[0, 1, 2, 1]]
    ((_, result),) = Preprocessor(["a"]).batches(dataset(list("abcd"), targets), batch_size=4)
    np.testing.assert_array_equal(result, targets)


@pytest.mark.parametrize("max_sentences", [None, 50])
def test_batches_are_mostly_words(max_sentences):
    rng = np.random.default_rng(0)
    texts = ["a. " + ". ".join("a " * n for n in rng.integers(1, 40, rng.integers(1, 20)))
             for _ in range(2000)]  # fmt: skip
    preprocessor = Preprocessor(["a"], max_sentences=max_sentences)
    data = preprocessor.batches(dataset(texts, np.zeros(2000)), shuffle=True)
    assert share_of_words(data, 20) > 0.85


@pytest.mark.parametrize(
    ("max_sentences", "cache"),
    [
        (9, "memory"),
        *(long_unless(False, *more) for more in [(None, "memory"), (None, "none"), (9, "none")]),
    ],
)
def test_endless_batches_start_anywhere(max_sentences, cache):
    """What a training would have read after so many batches, epochs later too."""
    texts = ["a. " * (i % 7) + f"w{i}" for i in range(101)]
    preprocessor = Preprocessor([f"w{i}" for i in range(101)], max_sentences=max_sentences)

    def targets(first, batches):
        data = preprocessor.batches(dataset(texts, np.arange(101)), 4, True, 3, cache, first=first)
        return [targets.numpy().tolist() for _, targets in data.take(batches)]

    whole = targets(0, 60)
    for epoch in (whole[:26], whole[26:52]):
        assert sorted(itertools.chain(*epoch)) == list(range(101))
    assert whole[:26] != whole[26:52]
    for first in (1, 26, 50):
        assert targets(first, 9) == whole[first : first + 9]


@pytest.mark.parametrize("max_sentences", [long_unless(False, None), 9])
def test_parts_of_a_batch_are_the_batch(max_sentences):
    texts = ["a. " * (i % 7) + f"w{i}" for i in range(45)]
    preprocessor = Preprocessor([f"w{i}" for i in range(45)], max_sentences=max_sentences)
    rows = dataset(texts, np.arange(45))

    def seen(first, **share):
        data = preprocessor.batches(rows, 8, True, 3, first=first, **share)
        return [
            (documents(ids), targets.numpy(), *(weight.numpy() for weight in weights))
            for ids, targets, *weights in (data.take(12) if first is not None else data)
        ]

    whole, parts = seen(None), seen(None, share=Share(2))
    assert len(parts) == 2 * len(whole) == 12
    for i, (ids, targets) in enumerate(whole):
        both = parts[2 * i][0] + parts[2 * i + 1][0]
        assert both[: len(ids)] == ids and not any(both[len(ids) :])
        weights = np.concatenate([parts[2 * i][2], parts[2 * i + 1][2]])
        np.testing.assert_allclose(weights, [48 / 45] * len(ids) + [0] * (8 - len(ids)))
        both = np.concatenate([parts[2 * i][1], parts[2 * i + 1][1]])
        np.testing.assert_array_equal(both[: len(targets)], targets)
    full = seen(0, share=Share(2))  # without the one of 5 texts
    assert all(len(ids) == 4 and (weights == 1).all() for ids, _, weights in full)
    if max_sentences is None:
        for part in (0, 1):
            (ids, targets, weights), *_ = seen(None, share=Share(2, part))
            assert ids == parts[part][0]
            np.testing.assert_array_equal(targets, parts[part][1])
            np.testing.assert_array_equal(weights, parts[part][2])


def test_no_text_is_left_out_of_all_passes():
    """By devices that share batches: 40 texts make two batches of 16, 8 are left out of a pass."""
    rows = dataset(["a " * (i + 1) for i in range(40)], np.arange(40))
    data = Preprocessor(["a"]).batches(rows, 16, True, 0, first=0, share=Share(2))
    seen = [targets.numpy() for _, targets, _ in data.take(40 * 4)]
    for i in range(0, len(seen), 4):
        assert len(set(np.concatenate(seen[i : i + 4]))) == 32
    assert set(np.concatenate(seen)) == set(range(40))


@given(st.integers(1, 700), st.integers(1, 40))
def test_few_shapes_hold_what_there_is(words, sentences):
    preprocessor = Preprocessor(["word"], max_words=700, max_sentences=40)
    ids = tf.RaggedTensor.from_tensor(tf.ones([2, sentences, words], "int64"), ragged_rank=2)
    assert preprocessor.pad(ids).shape == ids.to_tensor().shape
    with mock.patch("keras.backend.backend", return_value="jax"):
        ids = preprocessor.pad(ids)
    assert ids.numpy().sum() == 2 * sentences * words
    for size, limit, whole in zip((sentences, words), (40, 700), ids.shape[1:], strict=True):
        assert size <= whole <= limit
        assert whole == limit or whole & (whole - 1) == 0


def test_shapes_of_ngrams():
    """They stand behind a text's words, of which there are at most so many."""
    preprocessor = Preprocessor(["a b", "b", "c d e"], max_words=5, ngrams=3)
    for texts in (["a b c d e"], ["a b c d e f g"], ["a"], [""]):
        ids = preprocessor.encode(tf.constant(texts))
        with mock.patch("keras.backend.backend", return_value="jax"):
            padded = preprocessor.pad(ids).numpy()
        size = max(1, int(ids.bounding_shape()[1]))
        assert size <= padded.shape[1] <= 15
        np.testing.assert_array_equal(padded[:, :size], preprocessor.pad(ids))
        assert not padded[:, size:].any()


def test_the_end_of_a_reading_waits_for_no_autotuner():
    """Its thread sleeps for ever longer: up to as long again as the reading took."""
    data = Preprocessor(["a"]).batches(dataset(["a", "a"], [0, 1]), batch_size=2)
    assert data.options().autotune.enabled is False


def test_the_shorter_the_more_texts_are_answered_together():
    texts = ["a " * length for length in [*[2] * 300, *[20] * 100, *[200] * 60]]
    shapes = [ids.shape for _, ids in Preprocessor(["a"]).batches_by_length(texts)]
    short = [(128, 2), (128, 2), (64, 20), (64, 20), (32, 200)]
    assert shapes == [*short, (32, 200), (12, 200)]


def test_batches_by_length_of_many_texts():
    """Which are read some thousands at a time."""
    preprocessor, seen = Preprocessor([f"w{i}" for i in range(50)]), {}
    texts = [f"w{i % 50}" for i in range(3000)]
    for rows, ids in preprocessor.batches_by_length(texts, 16):
        seen |= dict(zip(rows.tolist(), ids[:, 0].tolist(), strict=True))
    assert seen == {i: 2 + i % 50 for i in range(3000)}


def test_epochs_mix_texts_otherwise():
    """Other texts stand together in each epoch, of small data too, and not from short to long."""
    texts = ["a " * (1 + i % 7) for i in range(64)]
    data = Preprocessor(["a"], max_words=9).batches(
        dataset(texts, np.arange(64)), batch_size=8, shuffle=True, seed=3
    )
    first, second = (
        [set(targets.tolist()) for _, targets in data.as_numpy_iterator()] for _ in "ab"
    )
    assert set().union(*first) == set(range(64))
    assert {frozenset(one) for one in first} != {frozenset(one) for one in second}
    lengths = [ids.shape[1] for ids, _ in data.as_numpy_iterator()]
    assert lengths != sorted(lengths)
