"""Bi-BloSAN's mechanisms against slow float64 NumPy, transcribed from Sections 2 and 3."""

import keras
import numpy as np
import pytest

import zoo
from tests.reference import elu, sigmoid
from zoo.models.bi_blosan import MaskedBlockSelfAttention, MaskedSelfAttention, Source2Token

C = 5


def attend(x, real, backward, w1, w2, b):
    """mSA, for each word j and each feature k apart."""
    output = np.zeros_like(x)
    for j in range(len(x)):
        earlier = [i for i in np.flatnonzero(real) if (i > j if backward else i < j)]
        for k in range(x.shape[1]):
            scores = [C * np.tanh(((x[i] @ w1 + x[j] @ w2 + b) / C)[k]) for i in earlier]
            odds = np.exp(scores)
            output[j, k] = sum(odds / odds.sum() * x[earlier, k]) if earlier else 0
    return output


def summarize(x, real, w1, b1, w):
    """Source2token: a vector, and the weights of each word and feature."""
    weights = np.zeros_like(x)
    if real.any():
        odds = np.exp(elu(x[real] @ w1 + b1) @ w)
        weights[real] = odds / odds.sum(axis=0)
    return (weights * x).sum(axis=0), weights


def block_attend(x, real, backward, size, intra, source2token, inter, gate, fusion, fusion_gate):
    """mBloSA."""
    blocks = [slice(start, start + size) for start in range(0, len(x), size)]
    h = np.concatenate([attend(x[block], real[block], backward, *intra) for block in blocks])
    v = np.stack([summarize(h[block], real[block], *source2token)[0] for block in blocks])
    o = attend(v, np.array([real[block].any() for block in blocks]), backward, *inter)
    g = sigmoid(np.hstack([o, v]) @ gate[0] + gate[1])
    e = g * o + (1 - g) * v
    all_three = np.hstack([x, h, np.repeat(e, size, axis=0)])
    g = sigmoid(all_three @ fusion_gate[0] + fusion_gate[1])
    return g * elu(all_three @ fusion[0] + fusion[1]) + (1 - g) * x


def case(layer, length=12, dim=4):
    """Random texts, the last one empty; and weights for the layer, also in float64."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, length, dim))
    mask = rng.random((4, length)) < 0.7
    mask[0] = np.arange(length) < length / 2
    mask[-1] = False
    layer.build(x.shape)
    weights = [rng.normal(size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)
    return x, mask, weights


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("backward", [False, True])
def test_masked_self_attention(backward):
    layer = MaskedSelfAttention(4, backward)
    x, mask, weights = case(layer)
    got = layer(x.astype("float32"), mask=mask)
    for i, real in enumerate(mask):
        close(got[i], attend(x[i], real, backward, *weights))


def test_source2token():
    layer = Source2Token(4)
    x, mask, weights = case(layer)
    vectors, shares = layer(x.astype("float32"), mask=mask)
    for i, real in enumerate(mask):
        vector, share = summarize(x[i], real, *weights)
        close(vectors[i], vector)
        close(shares[i], share.T)


@pytest.mark.parametrize("backward", [False, True])
def test_masked_block_self_attention(backward):
    layer = MaskedBlockSelfAttention(4, 3, backward)
    x, mask, weights = case(layer)
    parts = (layer.intra, layer.source2token, layer.inter)
    parts += (layer.gate, layer.fusion, layer.fusion_gate)
    numbers = {id(weight): i for i, weight in enumerate(layer.weights)}
    named = [[weights[numbers[id(weight)]] for weight in part.weights] for part in parts]
    got = layer(x.astype("float32"), mask=mask)
    for i, real in enumerate(mask):
        want = block_attend(x[i], real, backward, 3, *named)
        close(got[i][real], want[real])


def test_many_blocks_of_padding_never_matter():
    model = zoo.build("bi_blosan", 3, vocabulary_size=50, embedding_dim=8, block_words=3)
    ids = np.random.default_rng(0).integers(1, 50, (2, 20))
    ids[1, 4:] = 0
    answers, attention = model(ids, training=False, return_attention_scores=True)
    padded = np.pad(ids, [(0, 0), (0, 17)])
    again, more = model(padded, training=False, return_attention_scores=True)
    close(again, keras.ops.convert_to_numpy(answers))
    close(more.words[..., :20], keras.ops.convert_to_numpy(attention.words))
    assert not np.any(more.words[..., 20:])


def test_a_later_block_reaches_the_first_words_backward_alone():
    """Words of other blocks reach a word through the vectors of their blocks."""
    x = np.random.default_rng(0).normal(size=(1, 9, 4)).astype("float32")
    changed = x.copy()
    changed[:, 7] += 1
    mask = np.ones((1, 9), bool)
    for backward in (False, True):
        layer = MaskedBlockSelfAttention(4, 3, backward)
        before, after = (np.asarray(layer(one, mask=mask)) for one in (x, changed))
        assert np.array_equal(before[:, :3], after[:, :3]) != backward


def test_blocks_need_words():
    with pytest.raises(zoo.UsageError, match="block_words must be .*: got 0"):
        zoo.build("bi_blosan", 2, block_words=0)
