"""Layers against slow float64 NumPy, transcribed from the papers' equations one loop at a time."""

import keras
import numpy as np
import pytest

from tests.reference import elu, gelu, relu, sigmoid, softmax
from zoo import layers
from zoo.models.han import HANLevel
from zoo.models.hcan import HCANLevel

rng = np.random.default_rng(0)


def layer_norm(x, gamma, beta):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-3) * gamma + beta


def convolution(x, kernel, bias):
    """Conv1D with zeros around: the window of word i is words i-1, i, i+1."""
    padded = np.vstack([np.zeros(x.shape[1]), x, np.zeros(x.shape[1])])
    windows = [padded[i : i + 3].reshape(-1) for i in range(len(x))]
    return np.array([window @ kernel + bias for window in windows])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_projections_are_keras_convolutions(size):
    """Of windows of even sizes too, which stand one word further to the right."""
    x = rng.normal(size=(2, 6, 4)).astype("float32")
    for layer in (
        layers.ConvMultiHeadAttention(1, filters=5, kernel_size=size),
        layers.TargetAttention(1, filters=5, kernel_size=size),
    ):
        layer.build(x.shape)
        seen = []
        dense = layer.projection
        dense.call = lambda windows, call=dense.call, seen=seen: (
            seen.append(call(windows)) or seen[0]
        )
        layer(x)
        kernel, bias = dense.get_weights()
        plain = keras.layers.Conv1D(dense.units, size, padding="same", activation=dense.activation)
        plain.build(x.shape)
        plain.set_weights([kernel.reshape(size, 4, -1), bias])
        close(np.asarray(seen[0]), np.asarray(plain(x)))


def test_half_precision_neither_overflows_nor_merges_places():
    """Sums of many words, and sines of late positions, are of float32."""
    many = np.full((1, 2000, 2), 50, "float16")
    pooled = layers.MaskedAveragePooling(dtype="mixed_float16")(many)
    np.testing.assert_allclose(np.asarray(pooled), 50, rtol=1e-3)
    zeros = np.zeros((1, 400, 8), "float32")
    exact = np.asarray(layers.SinusoidalPositions(8)(zeros))
    rounded = layers.SinusoidalPositions(8, dtype="mixed_bfloat16")(zeros)
    np.testing.assert_allclose(np.asarray(keras.ops.cast(rounded, "float32")), exact, atol=0.01)


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


def named_weights(layer):
    """The same, by name; a name that comes twice counts up."""
    named = {}
    for weight, value in zip(layer.weights, randomise(layer), strict=True):
        number = sum(name.split(":")[0] == weight.name for name in named)
        named[f"{weight.name}:{number}" if number else weight.name] = value
    return named


def run(layer, *inputs, mask, **kwargs):
    inputs = [None if x is None else x.astype("float32") for x in inputs]
    kwargs |= {} if mask is None else {"mask": mask}
    return keras.tree.map_structure(np.asarray, layer(*inputs, **kwargs))


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
    named = named_weights(layer)
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        inputs = x[i] * real[:, None]
        projected = elu(convolution(inputs, named["kernel"], named["bias"]))
        value = projected[:, 6:] if project_values else inputs
        want, weights = attend(named["target"][0], projected[:, :6], value, np.flatnonzero(real), 2)
        close(got[i], want[0])
        close(scores[i], weights[:, 0])


@pytest.mark.parametrize("attentive", [True, False])
def test_attentive_conv(attentive):
    """ACT, Equations 2 to 5, in their plain form; and with the feature maps as they are."""
    x, mask = case(length=7, dim=6)
    heads, filters, n, dim = 3, 4, 3, 6
    layer = layers.AttentiveConv(heads, filters, kernel_size=n, attentive=attentive)
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
            values = filter_kernel[head] if attentive else np.eye(filters)
            outputs.append(feature_map @ values.T)  # O = F M
            outputs_overall.append(values @ feature_map[real].max(axis=0))  # F max(M)
        projection = output_kernel.reshape(-1, dim)  # W^O
        close(local[i][real], (np.hstack(outputs) @ projection)[real])
        close(overall[i], np.hstack(outputs_overall) @ projection)


@pytest.mark.parametrize("with_overall", [True, False])
@pytest.mark.parametrize("with_positions", [True, False])
def test_global_attention(with_overall, with_positions):
    """ACT, Equation 6, for each of its contexts, and without its terms as in Table 3."""
    x, mask = case(dim=6)
    overall = rng.normal(size=(3, 6)) if with_overall else None
    positions = rng.normal(size=(6, 4)) if with_positions else None
    layer = layers.GlobalAttention(attention_dim=5, num_contexts=2)
    layer.build(x.shape, (3, 6) if with_overall else None, (6, 4) if with_positions else None)
    named = named_weights(layer)
    got, scores = run(layer, x, overall, positions, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        want = []
        for j in np.flatnonzero(real):
            hidden = named["local_kernel"].T @ x[i, j]
            if with_positions:
                hidden = hidden + named["position_kernel"].T @ positions[j]
            score = gelu(hidden) @ named["context"]
            if with_overall:
                score += x[i, j] @ overall[i] / np.sqrt(6)
            want.append(score)
        for context, own in enumerate(np.transpose(want)):
            weights = softmax(own)
            close(scores[i, context][real], weights)
            close(got[i, 6 * context : 6 * (context + 1)], weights @ x[i][real])


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


def test_context_attention():
    """HAN, Equations 5 to 7."""
    x, mask = case()
    layer = layers.ContextAttention(attention_dim=5)
    layer.build(x.shape)
    named = named_weights(layer)
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        hidden = [np.tanh(named["kernel"].T @ h + named["bias"]) for h in x[i][real]]
        weights = softmax(np.array([u @ named["context"][:, 0] for u in hidden]))
        close(scores[i][real], weights)
        close(got[i], sum(weight * h for weight, h in zip(weights, x[i][real], strict=True)))


def gru(x, kernel, recurrent, bias):
    """HAN, Equations 1 to 4. Keras' update gate is 1 - z, so z has the opposite weights."""
    (w_z, w_r, w_h), (u_z, u_r, u_h) = np.split(kernel.T, 3), np.split(recurrent.T, 3)
    b_z, b_r, b_h = np.split(bias, 3)
    state, states = np.zeros(len(u_h)), []
    for x_t in x:
        z = sigmoid(-(w_z @ x_t + u_z @ state + b_z))
        r = sigmoid(w_r @ x_t + u_r @ state + b_r)
        candidate = np.tanh(w_h @ x_t + r * (u_h @ state) + b_h)
        state = (1 - z) * state + z * candidate
        states.append(state)
    return np.array(states)


@pytest.mark.parametrize("pooling", ["attention", "average", "max"])
def test_han_level(pooling):
    """HAN, Equations 1 to 7."""
    x, mask = case()
    layer = HANLevel(3, 5, pooling)
    layer.build(x.shape)
    randomise(layer)
    for direction in (layer.encoder.forward_layer, layer.encoder.backward_layer):
        bias = direction.cell.bias  # [2, 3 units]; the second row is Keras' own
        bias.assign(bias * np.array([[1.0], [0.0]]))
    kernel, recurrent, (bias, _), *backward = (
        np.asarray(weight, "float64") for weight in layer.encoder.weights
    )
    got = run(layer, x, mask=mask)
    for i, real in enumerate(mask):
        words = x[i][real]
        read_backward = gru(words[::-1], *backward[:2], backward[2][0])[::-1]
        h = np.hstack([gru(words, kernel, recurrent, bias), read_backward])
        if pooling == "attention":  # tested above
            want = run(layer.summary, h[None], mask=np.ones((1, len(h)), bool))[0]
            close(got[i], want)
        else:
            close(got[i], h.mean(axis=0) if pooling == "average" else h.max(axis=0))


def relative_attention(query, key, value, key_offsets, value_offsets, real, heads, k):
    """Shaw et al. 2018, Equations 1 to 4, one pair of words after the other."""
    dim = query.shape[1] // heads
    output, weights = np.zeros_like(query), np.zeros((heads, len(query), len(query)))
    for head in range(heads):
        part = slice(head * dim, (head + 1) * dim)
        for i in range(len(query)):
            row = [np.clip(j - i, -k, k) + k for j in range(len(query))]
            scores = [query[i, part] @ (key[j, part] + key_offsets[row[j]]) for j in real]
            weights[head, i, real] = softmax(np.array(scores) / np.sqrt(dim))
            for j in real:
                output[i, part] += weights[head, i, j] * (value[j, part] + value_offsets[row[j]])
    return output, weights


@pytest.mark.parametrize(("activation", "use_bias"), [("relu", True), (None, False)])
@pytest.mark.parametrize("k", [2, 10, 0])
def test_relative_position_attention(activation, use_bias, k):
    """SSAN, Sections 2.2 and 2.3.3, with its feed-forward layers; and as in a Transformer."""
    x, mask = case(length=7)
    layer = layers.RelativePositionAttention(2, 6, k, activation=activation, use_bias=use_bias)
    layer.build(x.shape)
    named = named_weights(layer)
    activate = relu if activation else lambda x: x
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for i, real in enumerate(mask):
        projected = activate(x[i] @ named["kernel"] + named.get("bias", 0))
        tables = named["key_offsets"], named["value_offsets"]
        parts = np.split(projected, 3, axis=1)
        attended, weights = relative_attention(*parts, *tables, np.flatnonzero(real), 2, k)
        want = activate(attended @ named["kernel:1"] + named.get("bias:1", 0))
        close(got[i][real], want[real])
        close(scores[i][:, real], weights[:, real])


def test_without_positions_it_is_keras_multi_head_attention():
    x, mask = case(dim=6)
    layer = layers.RelativePositionAttention(2, 6, max_distance=None)
    layer.build(x.shape)
    kernel, bias, output_kernel, output_bias = randomise(layer)
    theirs = keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    theirs.build(x.shape, x.shape)
    weights = []
    for part, shift in zip(np.split(kernel, 3, axis=1), np.split(bias, 3), strict=True):
        weights += [part.reshape(6, 2, 3), shift.reshape(2, 3)]
    theirs.set_weights([*weights, output_kernel.reshape(2, 3, 6), output_bias])
    got = run(layer, x, mask=mask)
    want = theirs(*[x.astype("float32")] * 2, attention_mask=mask[:, None, :])
    close(got[mask], np.asarray(want)[mask])


def test_transformer_layer():
    """Vaswani et al. 2017, Sections 3.1 to 3.3, over the attention tested above."""
    x, mask = case(dim=6)
    layer = layers.TransformerLayer(2, hidden_dim=5, max_distance=2)
    layer.build(x.shape)
    named = named_weights(layer)
    attended = run(layer.attention, x, mask=mask).astype("float64")
    dense = [name for name in named if name.startswith("kernel")][2:]  # the attention's before
    biases = [name for name in named if name.startswith("bias")][2:]
    got = run(layer, x, mask=mask)
    for i, real in enumerate(mask):
        for j in np.flatnonzero(real):
            y = layer_norm(x[i, j] + attended[i, j], named["gamma"], named["beta"])
            hidden = relu(y @ named[dense[0]] + named[biases[0]])
            z = y + hidden @ named[dense[1]] + named[biases[1]]
            close(got[i, j], layer_norm(z, named["gamma:1"], named["beta:1"]))


@pytest.mark.parametrize("decay", [0.0, 0.3, 1.0])
def test_pairwise_attention(decay):
    """ATT-CNN, Equations 3 to 6, in their plain form."""
    x, mask = case()
    layer = layers.PairwiseAttention(attention_dim=5, decay=decay)
    layer.build(x.shape)
    named = named_weights(layer)
    w = np.vstack([named["query_kernel"], named["key_kernel"]])  # W, transposed
    mask[0] = np.arange(6) == 2  # a single word: no j != i
    got, scores = run(layer, x, mask=mask, return_attention_scores=True)
    for b, real in enumerate(mask):
        for i in np.flatnonzero(real):
            others = [j for j in np.flatnonzero(real) if j != i]
            if not others:
                assert (got[b, i] == 0).all()
                continue
            pairs = [np.tanh(np.concatenate([x[b, i], x[b, j]]) @ w) for j in others]
            score = [pair @ named["context"][:, 0] for pair in pairs]
            decayed = [
                (1 - decay) ** (abs(j - i) - 1) * s for j, s in zip(others, score, strict=True)
            ]
            weights = softmax(np.array(decayed))
            close(scores[b, i, others], weights)
            close(got[b, i], weights @ x[b, others])


@pytest.mark.parametrize(("activation", "f"), [("relu", relu), ("tanh", np.tanh)])
def test_ngram_pooling(activation, f):
    """Kim 2014, Equations 1 to 3."""
    x, mask = case()
    layer = layers.NgramPooling(filters=4, windows=(2, 3), activation=activation)
    layer.build(x.shape)
    weights = randomise(layer)
    got = run(layer, x, mask=mask)
    for i, real in enumerate(mask):
        padded = np.vstack([x[i] * real[:, None], np.zeros((2, 4))])
        want = []
        for size, kernel, bias in ((2, *weights[:2]), (3, *weights[2:])):
            ngrams = [padded[j : j + size].reshape(-1) for j in np.flatnonzero(real)]
            want.append(np.max([f(ngram @ kernel + bias) for ngram in ngrams], axis=0))
        close(got[i], np.concatenate(want))


def test_ngrams_under_a_dense_layer_are_keras_convolution():
    x, _ = case()
    layer = layers.NgramPooling(filters=4, windows=(3,))
    layer.build(x.shape)
    kernel, bias = randomise(layer)
    convolution = keras.layers.Conv1D(4, 3, activation="relu")
    convolution.build(x.shape)
    convolution.set_weights([kernel.reshape(3, 4, 4), bias])
    longer = np.pad(x, [(0, 0), (0, 2), (0, 0)]).astype("float32")
    close(run(layer, x, mask=None), np.asarray(convolution(longer)).max(axis=1))


def test_position_embedding():
    """A vector of each place, whatever stands there; beyond the table, that of its last row."""
    layer = layers.PositionEmbedding(max_length=4, dim=3)
    got = run(layer, np.zeros((1, 6, 2)), mask=None)
    table = np.asarray(layer.embeddings)
    for position in range(6):
        np.testing.assert_array_equal(got[position], table[min(position, 3)])


def test_sinusoidal_positions():
    """Vaswani et al. 2017, Section 3.5."""
    got = run(layers.SinusoidalPositions(6), np.zeros((1, 9, 2)), mask=None)
    for position in range(9):
        for i in range(3):
            angle = position / 10_000 ** (2 * i / 6)
            np.testing.assert_allclose(got[position, 2 * i], np.sin(angle), atol=1e-6)
            np.testing.assert_allclose(got[position, 2 * i + 1], np.cos(angle), atol=1e-6)


@pytest.mark.parametrize("two_attentions", [True, False])
@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"num_layers": 3}, {"norm_words": True}, {"activation": "relu", "position": "none"}],
    ids=str,
)
def test_hcan_level(two_attentions, target, options):
    """HCAN, Sections 3.4 to 3.6 (Figure 1), over the layers tested above; and its options."""
    x, mask = case(dim=6)
    level = HCANLevel(
        *(6, 2, 9, 3, two_attentions, target),
        project_values=True,
        dropout=0.1,
        norm_epsilon=1e-3,
        **options,
    )
    level.build(x.shape)
    words = x
    if level.positions is not None:
        words = x + keras.ops.convert_to_numpy(level.positions.embeddings)[:6]
    for attention, parallel, norm in level.self_attentions:
        assert attention.activation is keras.activations.get(options.get("activation", "elu"))
        attended = run(attention, words, mask=mask).astype("float64")
        if two_attentions:
            attended *= run(parallel, words, mask=mask)
        gamma, beta = (keras.ops.convert_to_numpy(one) for one in (norm.gamma, norm.beta))
        words = np.array(
            [
                text_norm(text, inside, gamma, beta)
                if options.get("norm_words")
                else [layer_norm(word, gamma, beta) for word in text]
                for text, inside in zip(attended, mask, strict=True)
            ]
        )
    close(run(level, x, mask=mask), run(level.summary, words, mask=mask))


def text_norm(text, mask, gamma, beta):
    """A text's words and features normalised together, those of padding left out."""
    real = text[mask] if mask.any() else np.zeros((1, text.shape[1]))
    return gamma * (text - real.mean()) / np.sqrt(real.var() + 1e-3) + beta
