"""Layers against slow float64 NumPy, transcribed from the papers' equations one loop at a time."""

import keras
import numpy as np
import pytest
from scipy.special import erf

from zoo import layers

rng = np.random.default_rng(0)


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def convolution(x, kernel, bias):
    """Conv1D with zeros around: the window of word i is words i-1, i, i+1."""
    padded = np.vstack([np.zeros(x.shape[1]), x, np.zeros(x.shape[1])])
    windows = [padded[i : i + 3].reshape(-1) for i in range(len(x))]
    return np.array([window @ kernel + bias for window in windows])


def attend(query, key, value, real, heads):
    """HCAN, Equations 1 and 3, over the real words only."""
    dim = query.shape[1] // heads
    output = np.zeros((len(query), heads * dim))
    weights = np.zeros((heads, len(query), len(key)))
    for head in range(heads):
        part = slice(head * dim, (head + 1) * dim)
        for i in range(len(query)):
            scores = np.array([query[i, part] @ key[j, part] for j in real]) / np.sqrt(dim)
            weights[head, i, real] = softmax(scores)
            for j in real:
                output[i, part] += weights[head, i, j] * value[j, part]
    return output, weights


def case(batch=3, length=6, dim=4):
    """Random inputs; masks with holes too, as an empty sentence in a document makes them."""
    x = rng.normal(size=(batch, length, dim))
    mask = rng.random((batch, length)) < 0.7
    mask[:, 0] = True
    return x, mask


def randomise(layer):
    """Random float64 weights for a built layer, biases too; the layer gets them in float32."""
    weights = [rng.normal(size=weight.shape) * 0.5 for weight in layer.weights]
    layer.set_weights(weights)
    return weights


def run(layer, *inputs, mask, **kwargs):
    inputs = [None if x is None else x.astype("float32") for x in inputs]
    return keras.tree.map_structure(np.asarray, layer(*inputs, mask=mask, **kwargs))


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("activation", ["elu", "tanh"])
def test_conv_multi_head_attention(activation):
    """HCAN, Equations 2 to 4."""
    x, mask = case()
    layer = layers.ConvMultiHeadAttention(2, filters=6, value_activation=activation)
    layer.build(x.shape)
    kernel, bias = randomise(layer)
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        projected = convolution(x[i] * real[:, None], kernel, bias)
        query, key, value = projected[:, :6], projected[:, 6:12], projected[:, 12:]
        value = np.tanh(value) if activation == "tanh" else elu(value)
        want, weights = attend(elu(query), elu(key), value, np.flatnonzero(real), 2)
        close(got[i][real], want[real])
        close(scores[i][:, real], weights[:, real])


@pytest.mark.parametrize("project_values", [True, False])
def test_target_attention(project_values):
    """HCAN, Equation 5."""
    x, mask = case(dim=6)
    layer = layers.TargetAttention(2, filters=6, project_values=project_values)
    layer.build(x.shape)
    named = dict(zip([weight.name for weight in layer.weights], randomise(layer), strict=True))
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        inputs = x[i] * real[:, None]
        projected = elu(convolution(inputs, named["kernel"], named["bias"]))
        value = projected[:, 6:] if project_values else inputs
        want, weights = attend(named["target"][0], projected[:, :6], value, np.flatnonzero(real), 2)
        close(got[i], want[0])
        close(scores[i], weights[:, 0])


def test_attentive_conv():
    """ACT, Equations 2 to 5, in their plain form."""
    x, mask = case(length=7, dim=6)
    heads, filters, n, dim = 3, 4, 3, 6
    layer = layers.AttentiveConv(heads, filters, kernel_size=n)
    layer.build(x.shape)
    query_kernel, filter_kernel, bias, output_kernel = randomise(layer)
    bias = bias.reshape(heads, filters)
    local, overall, matches = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        inputs = x[i] * real[:, None]
        outputs, outputs_overall = [], []
        for head in range(heads):
            columns = slice(head * dim // heads, (head + 1) * dim // heads)
            query = inputs @ query_kernel[:, columns]  # W_i^Q Q
            query = np.vstack([query, np.zeros((n - 1, dim // heads))])
            feature_map = np.zeros((len(x[i]), filters))
            for j in range(len(x[i])):
                ngram = query[j : j + n].reshape(-1)  # Cat(q_j, .., q_(j+n-1))
                for m in range(filters):
                    value = filter_kernel[head][:, m] @ ngram + bias[head, m]
                    feature_map[j, m] = gelu(value)
            close(matches[i][real, head], feature_map[real])
            outputs.append(feature_map @ filter_kernel[head].T)  # O = F M
            outputs_overall.append(filter_kernel[head] @ feature_map[real].max(axis=0))  # F max(M)
        projection = output_kernel.reshape(-1, dim)  # W^O
        close(local[i][real], (np.hstack(outputs) @ projection)[real])
        close(overall[i], np.hstack(outputs_overall) @ projection)


@pytest.mark.parametrize("with_overall", [True, False])
@pytest.mark.parametrize("with_positions", [True, False])
def test_global_attention(with_overall, with_positions):
    """ACT, Equation 6, and without its terms as in Table 3."""
    x, mask = case(dim=6)
    overall = rng.normal(size=(3, 6)) if with_overall else None
    positions = rng.normal(size=(6, 4)) if with_positions else None
    layer = layers.GlobalAttention(attention_dim=5)
    layer.build(x.shape, (3, 6) if with_overall else None, (6, 4) if with_positions else None)
    named = dict(zip([weight.name for weight in layer.weights], randomise(layer), strict=True))
    got, scores = run(layer, x, overall, positions, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        want = []
        for j in np.flatnonzero(real):
            hidden = named["local_kernel"].T @ x[i, j]
            if with_positions:
                hidden = hidden + named["position_kernel"].T @ positions[j]
            score = gelu(hidden) @ named["context"][:, 0]
            if with_overall:
                score += x[i, j] @ overall[i] / np.sqrt(6)
            want.append(score)
        weights = softmax(np.array(want))
        close(scores[i][real], weights)
        close(got[i], weights @ x[i][real])


def test_pooling():
    x, mask = case()
    mean = run(layers.MaskedAveragePooling(), x, mask=mask)
    largest = run(layers.MaskedMaxPooling(), x, mask=mask)
    for i, real in enumerate(mask):
        close(mean[i], x[i][real].mean(axis=0))
        close(largest[i], x[i][real].max(axis=0))


def test_sentence_encoder_encodes_each_sentence_alone():
    x = rng.normal(size=(2, 3, 5, 4)).astype("float32")
    mask = rng.random((2, 3, 5)) < 0.7
    encoder = layers.TargetAttention(2, filters=6)
    got, scores = run(layers.SentenceEncoder(encoder), x, mask=mask, return_attention_scores=True)
    for i in range(2):
        for j in range(3):
            want = encoder(x[i, j][None], mask=mask[i, j][None], return_attention_scores=True)
            close(got[i, j], np.asarray(want[0])[0])
            close(scores[i, j], np.asarray(want[1])[0])
