"""What holds of every model whatever the texts: batch-mates, padding, order, attention."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from tests.models.check_model import check_attention
from zoo.datasets.batches import pack
from zoo.explanation.attention import attention_of, weights_of_heads
from zoo.layers.entity_positions import join_roles
from zoo.models.bag import BagOfNgrams
from zoo.registry import import_model

SAME = 3e-5  # of a probability
DIFFERENT = 3e-6  # far above rounding
WORDS = 50  # of the vocabulary
NAMES = zoo.list_models()
HIERARCHICAL = [name for name in NAMES if zoo.describe(name).hierarchical]
BAGS = [name for name in NAMES if issubclass(import_model(name)[0], BagOfNgrams)]
UNORDERED = {  # models to which the order of words is nothing, with options that make them so
    **{name: {} for name in BAGS},
    "paragraph_vector": {},
    "ssan_none": {},
    "transformer": {"position": "none"},
    "leam": {"radius": 0},
    "hcan_flat": {"kernel_size": 1},
    "hcan_flat_one_max": {"kernel_size": 1},
    "attcnn": {"decay": 0.0, "windows": (1,)},
    "cnn_kim": {"windows": (1,)},
    "act_no_positions": {"kernel_size": 1},
    "act_transformer": {"position_dim": None},
}
seeds = st.integers(0, 10**6)
every_model = pytest.mark.parametrize("name", NAMES)


@functools.cache
def built(name, **options):
    """A model whose words and biases are large enough for what they do to be seen."""
    keras.utils.set_random_seed(0)
    options = {"vocabulary_size": WORDS, "embedding_dim": 12} | options
    if name.startswith("vdcnn"):
        options["max_words"] = 64
    model = zoo.build(name, 3, **options)
    rng = np.random.default_rng(0)
    for weight in {id(w): w for w in (model.embed.embeddings, *model.trainable_weights)}.values():
        if weight is model.embed.embeddings or len(weight.shape) == 1:
            weight.assign(weight + rng.normal(0, 0.5, weight.shape))
    return model


def document(model, draw):
    """Ids of a batch of any shape: texts of any length, some empty, or with empty sentences."""
    batch, sentences, words = (draw(st.integers(1, most)) for most in (5, 4, 9))
    rng = np.random.default_rng(draw(seeds))
    shape = (batch, sentences, words) if model.hierarchical else (batch, words)
    ids = rng.integers(1, WORDS, shape)
    if model.entities:
        ids = join_roles(ids, rng.integers(0, 4, shape))
    ids = np.where(np.arange(words) < rng.integers(0, words + 1, (*shape[:-1], 1)), ids, 0)
    if model.hierarchical:  # empty sentences stand at the end
        order = np.argsort(~ids.any(-1), axis=1, kind="stable")
        ids = np.take_along_axis(ids, order[..., None], axis=1)
    return ids, rng


def probabilities(model, ids):
    return keras.ops.convert_to_numpy(model(ids, training=False))


@every_model
@settings(max_examples=12)
@given(data=st.data())
def test_batch_mates_order_and_padding_never_matter(name, data, cases):
    model = built(name)
    ids, rng = document(model, data.draw)
    more = data.draw(st.integers(1, 9))
    cases("batch-mates, order and padding")
    together = probabilities(model, ids)
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together.sum(-1), 1, atol=SAME)
    order = rng.permutation(len(ids))
    words = [(0, 0)] * (ids.ndim - 1) + [(0, more)]
    np.testing.assert_allclose(
        probabilities(model, np.pad(ids, words)[order]), together[order], atol=SAME
    )
    one = data.draw(st.integers(0, len(ids) - 1))
    alone = probabilities(model, ids[one : one + 1])
    np.testing.assert_allclose(alone, together[one : one + 1], atol=SAME)
    if model.hierarchical:
        padded = np.pad(ids, [(0, 2), (0, more), (0, 0)])
        np.testing.assert_allclose(probabilities(model, padded)[: len(ids)], together, atol=SAME)


@pytest.mark.parametrize("name", HIERARCHICAL)
@settings(max_examples=12)
@given(data=st.data(), groups=st.integers(1, 12))
def test_packed_documents_get_the_same_answer(name, data, groups, cases):
    model = built(name)
    ids, _ = document(model, data.draw)
    cases("documents as their sentences")
    texts = [[row[row > 0] for row in text if row.any()] for text in ids]
    lengths = [np.array([len(row) for row in text], "int64") for text in texts]
    flat = np.concatenate([np.zeros(0, "int64"), *(row for text in texts for row in text)])
    sentences = tf.RaggedTensor.from_row_lengths(flat, np.concatenate(lengths))
    ragged = tf.RaggedTensor.from_row_lengths(sentences, [len(text) for text in texts])
    packed = probabilities(model, pack(ragged, groups))
    np.testing.assert_allclose(packed, probabilities(model, ids), atol=SAME)


@every_model
@settings(max_examples=12)
@given(data=st.data())
def test_attention_is_weights_of_real_words(name, data, cases):
    model = built(name)
    ids, _ = document(model, data.draw)
    attention = attention_of(model, ids)
    weights = weights_of_heads(attention, ids)
    if weights is None:
        return
    cases("attention")
    real = ids.reshape(len(ids), 1, -1, ids.shape[-1]) != 0  # of all heads, in sentences
    weights = np.asarray(weights)
    assert weights.shape[2:] == real.shape[2:]
    assert (weights >= 0).all() and (weights <= 1 + SAME).all()
    assert not weights[np.broadcast_to(~real, weights.shape)].any()
    check_attention(model, ids, attention)


def shuffled(ids, rng):
    """Each text's words in another order."""
    return np.array([[*rng.permutation(row[row != 0]), *row[row == 0]] for row in ids])


def without_positions(model):
    for layer in model._flatten_layers():
        if isinstance(layer, zoo.layers.PositionEmbedding):
            layer.embeddings.assign(0 * layer.embeddings)
        if isinstance(layer, zoo.layers.SinusoidalPositions):
            layer.call = lambda inputs: keras.ops.zeros(inputs.shape[1:])
    return model


@pytest.mark.parametrize("name", UNORDERED)
@settings(max_examples=8)
@given(data=st.data())
def test_some_models_do_not_read_the_order_of_words(name, data, cases):
    model = without_positions(built(name, **UNORDERED[name]))
    ids, rng = document(model, data.draw)
    cases("order of words")
    np.testing.assert_allclose(
        probabilities(model, shuffled(ids, rng)), probabilities(model, ids), atol=SAME
    )


@pytest.mark.parametrize("name", [name for name in HIERARCHICAL if name.startswith("hcan")])
@settings(max_examples=8)
@given(data=st.data())
def test_without_positions_and_windows_hcan_does_not_read_any_order(name, data, cases):
    """Attention alone has no order: neither of words nor of sentences."""
    model = without_positions(built(name, kernel_size=1))
    ids, rng = document(model, data.draw)
    cases("order of sentences")
    other = np.array([shuffled(rng.permutation(text), rng) for text in ids])
    np.testing.assert_allclose(probabilities(model, other), probabilities(model, ids), atol=SAME)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {*BAGS, *UNORDERED}])
def test_all_others_read_the_order(name, cases):
    """Of words; and of sentences, where positions or a recurrent layer read them."""
    model, rng = built(name), np.random.default_rng(0)
    cases("order of words")
    ids = rng.permuted(np.tile(np.arange(1, 13), (2, 1)), axis=1)
    ids = join_roles(ids, 0) if model.entities else ids
    if model.hierarchical:
        sentences = ids.reshape(2, 4, 3)
        assert different(model, sentences, sentences[:, ::-1])
        cases("order of sentences")
        ids = ids[:, None]
    assert different(model, ids, ids[..., ::-1])


def different(model, one, other):
    return np.abs(probabilities(model, one) - probabilities(model, other)).max() > DIFFERENT
