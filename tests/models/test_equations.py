"""Whole models against NumPy in float64, or Keras' plain layers, from their papers."""

import functools

import keras
import numpy as np
import pytest

import zoo
from tests.reference import gelu, relu, sigmoid, softmax
from zoo.classifier import dtype_policy
from zoo.models.barnes import BarnesCNN
from zoo.models.grnn import GatedCell

RANDOM = np.random.default_rng(0)
TEXT = np.array([[2, 3, 4, 5, 6, 3]])


def build(name, **options):
    """A model with weights that leave no non-linearity nearly linear."""
    model = zoo.build(name, 3, vocabulary_size=9, embedding_dim=6, **options)
    model.build()
    model.set_weights(
        [RANDOM.normal(size=one.shape) * 2 / len(one) ** 0.5 for one in model.get_weights()]
    )
    return model


def array(x):
    return keras.ops.convert_to_numpy(x).astype("float64")


def dense(layer, x):
    return x @ array(layer.kernel) + array(layer.bias)


def close(model, expected, ids=TEXT):
    np.testing.assert_allclose(array(model(ids))[0], expected, atol=1e-4)


def test_leam():
    """Wang et al. 2018, Equations 2-6."""
    model = build("leam", radius=1, hidden_dim=4)
    words, classes = array(model.embed(TEXT))[0], array(model.class_vectors)
    cosines = [[w @ c / np.linalg.norm(w) / np.linalg.norm(c) for c in classes] for w in words]
    around = np.pad(cosines, [(1, 1), (0, 0)])
    scores = [dense(model.likeness, around[i : i + 3].reshape(-1)) for i in range(len(words))]
    document = softmax(relu(np.array(scores)).max(-1)) @ words
    close(model, softmax(dense(model.classify, relu(dense(model.hidden, document)))))


def test_leams_second_loss():
    """Equation 9: the vector of a class is of that class."""
    model = build("leam", hidden_dim=4, dropout=0.0, class_penalty=0.5)
    model(TEXT, training=False)
    assert model.losses == []
    model(TEXT, training=True)
    (loss,) = model.losses
    hidden = relu(dense(model.hidden, array(model.class_vectors)))
    right = np.diag(softmax(dense(model.classify, hidden)))
    np.testing.assert_allclose(array(loss), -0.5 * np.log(right).mean(), rtol=1e-4)


def test_ssan():
    """Ambartsoumian and Popowich 2018, Section 3, without positions."""
    model = build("ssan_none")
    (attention,) = model.attentions
    words = array(model.embed(TEXT))[0]
    query, key, value = np.split(relu(dense(attention.projection, words)), 3, axis=-1)
    summed = softmax(query @ key.T / np.sqrt(6)) @ value
    sentence = relu(dense(attention.output_projection, summed)).mean(0)
    close(model, softmax(relu(dense(model.hidden, sentence)) @ array(model.classify.kernel)))


def layer_norm(layer, x):
    scaled = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + layer.epsilon)
    return scaled * array(layer.gamma) + array(layer.beta)


def act_answer(model, words, overall):
    """Li et al. 2021, Section 2.3, Equation 6: global attention over words, and the classes."""
    attention, positions = model.attention, array(model.positions.embeddings)[: len(words)]
    hidden = words @ array(attention.local_kernel) + positions @ array(attention.position_kernel)
    scores = (gelu(hidden) @ array(attention.context))[:, 0] + words @ overall / np.sqrt(6)
    document = softmax(scores) @ words
    return softmax(dense(model.classify, gelu(dense(model.hidden, document))))


def test_act():
    """Li et al. 2021, Equations 1-6: the global representation is that of the top layer."""
    model = build("act", num_layers=2, num_heads=2, filters=4, position_dim=4)
    words = array(model.embed(TEXT))[0]
    for layer, norm in zip(model.convolutions, model.norms, strict=True):
        queries = np.pad(words @ array(layer.query_kernel), [(0, 2), (0, 0)])
        local, overall = np.zeros_like(words), np.zeros(6)
        for head, own in enumerate(np.split(queries, 2, axis=-1)):
            ngrams = np.stack([own[i : i + 3].reshape(-1) for i in range(len(words))])
            filters, bias = (array(x) for x in (layer.filter_kernel, layer.bias))
            matches = gelu(ngrams @ filters[head] + np.split(bias, 2)[head])
            values = filters[head].T @ array(layer.output_kernel)[head]
            local, overall = local + matches @ values, overall + matches.max(0) @ values
        words = layer_norm(norm, words + local)
    close(model, act_answer(model, words, overall))


def test_acts_transformer():
    """Vaswani et al. 2017, Sections 3.4 and 3.5: sqrt(d) times a word, plus where it stands."""
    model = build("act_transformer", num_layers=1, num_heads=2, feed_forward_dim=5)
    (layer,) = model.encoder
    words = array(model.embed(TEXT))[0] * 6**0.5
    words = words + array(model.encoding(words[None]))
    found = layer(words[None].astype("float32"))
    close(model, act_answer(model, array(found)[0], np.zeros(6)))


@pytest.mark.parametrize("start", [False, True])
def test_bert(start):
    """Devlin et al. 2019, Figure 2; Vaswani et al. 2017, Sections 3.1 to 3.3, with GELU."""
    model = build("bert", num_heads=2, feed_forward_dim=5, start_vector=start)
    assert len(model.encoder) == 2 and model.norm.epsilon == 1e-12
    words = array(model.embed(TEXT))[0]
    if start:
        words = np.concatenate([array(model.start.embeddings), words])
    words = layer_norm(model.norm, words + array(model.positions.embeddings)[: len(words)])
    pairs = []
    for layer in model.encoder:
        projected = np.split(dense(layer.attention.projection, words), 3, axis=-1)
        heads = zip(*(np.split(one, 2, axis=-1) for one in projected), strict=True)
        heads = [(softmax(q @ k.T / np.sqrt(3)), v) for q, k, v in heads]
        summed = [weights @ v for weights, v in heads]
        pairs += [weights[start:, start:] for weights, _ in heads]
        attended = dense(layer.attention.output_projection, np.concatenate(summed, axis=-1))
        words = layer_norm(layer.attention_norm, words + attended)
        inner = dense(layer.output_projection, gelu(dense(layer.hidden, words)))
        words = layer_norm(layer.output_norm, words + inner)
        assert layer.attention_norm.epsilon == layer.output_norm.epsilon == 1e-12
    expected = softmax(dense(model.classify, words.mean(0)))
    close(model, expected)
    padded = np.pad(TEXT, [(0, 0), (0, 2)])
    close(model, expected, padded)
    _, attention = model(padded, return_attention_scores=True)
    shares = [weights / weights.sum(axis=-1, keepdims=True) for weights in pairs]
    np.testing.assert_allclose(array(attention.pairs)[0, :, 0, :6, :6], shares, atol=1e-4)
    assert not array(attention.pairs)[..., 6:].any()


@pytest.mark.parametrize("padding", [0, 2])
def test_pa_lstm(padding):
    """Zhang et al. 2017, Section 2: the summary is the last state."""
    model = build("pa_lstm", units=4, attention_dim=5)
    states = array(model.encoders[0](model.embed(TEXT)))
    attended = model.attention(states, states[:, -1])
    ids = np.pad(TEXT, [(0, 0), (0, padding)])
    close(model, softmax(dense(model.classify, array(attended)[0])), ids)


def test_pa_lstms_last_state_is_that_of_the_last_word():
    """Also of ids with a hole, which counts for nothing."""
    model = build("pa_lstm", units=5, attention_dim=4)
    close(model, array(model(np.array([[5, 7]])))[0], np.array([[5, 0, 7]]))


def test_gated_cell():
    """Tang et al. 2015, Section 2.2."""
    cell = GatedCell(4)
    cell.build((None, 3))
    cell.set_weights([RANDOM.normal(size=one.shape) for one in cell.get_weights()])
    inputs, state = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(2, 4))
    take, keep, new = np.split(dense(cell.gates, np.hstack([state, inputs])), 3, axis=-1)
    expected = np.tanh(sigmoid(take) * np.tanh(new) + sigmoid(keep) * state)
    found, _ = cell(keras.ops.cast(inputs, "float32"), [keras.ops.cast(state, "float32")])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def convolution(dense, size, dim):
    """Keras' own, with the weights of a Dense layer of windows."""
    layer = keras.layers.Conv1D(dense.units, size, activation="relu")
    layer.build((None, None, dim))
    layer.set_weights([array(dense.kernel).reshape(size, dim, -1), dense.bias])
    return layer


def test_char_cnn():
    """Zhang et al. 2015, Tables 1 and 2."""
    model = build("char_cnn", filters=4, hidden_dim=5, max_words=250)
    x = np.pad(array(model.embed(TEXT)), [(0, 0), (0, 244), (0, 0)])
    shapes = zip(model.convolutions, (7, 7, 3, 3, 3, 3), (3, 3, 1, 1, 1, 3), strict=True)
    for layer, size, pool in shapes:
        x = keras.layers.MaxPooling1D(pool)(convolution(layer, size, x.shape[-1])(x))
    x = array(x).reshape(-1)
    for layer in model.hidden:
        x = relu(dense(layer, x))
    close(model, softmax(dense(model.classify, x)))


def test_cnn_of_barnes():
    """Ambartsoumian and Popowich 2018, Section 4.3: ReLU, the larger of each two neighbours."""
    model = build("cnn_barnes", filters=2, hidden_dim=4, max_words=9)
    assert isinstance(model, BarnesCNN)
    x = np.pad(array(model.embed(TEXT)), [(0, 0), (0, 3), (0, 0)])
    pooled = [
        array(keras.layers.MaxPooling1D(2)(convolution(layer, size, 6)(x))).reshape(-1)
        for layer, size in zip(model.convolutions, (2, 3, 4), strict=True)
    ]
    hidden = relu(dense(model.hidden, np.concatenate(pooled)))
    close(model, softmax(dense(model.classify, hidden)))


def last_matches(model, ids):
    """What the last block of VDCNN finds."""
    found, last = [], model.blocks[-1][-1]
    last.call = lambda x, call=last.call, **how: found.append(call(x, **how)) or found[-1]
    model(ids)
    return array(found[-1])


def test_vdcnn():
    """Conneau et al. 2017, Section 3.1: the eight largest matches of a filter, in their order."""
    model = zoo.build("vdcnn", 3, vocabulary_size=9, filters=2, hidden_dim=5, max_words=128)
    ids = RANDOM.integers(1, 9, (1, 128))
    read = []
    model.hidden[0].call = lambda x, call=model.hidden[0].call: read.append(x) or call(x)
    kept = []
    for row in last_matches(model, ids)[0].T:  # of each filter, after the last block
        places = sorted(np.argsort(-row, kind="stable")[:8])
        kept.append(row[places])
    np.testing.assert_allclose(array(read[-1])[0], np.concatenate(kept), atol=1e-6)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_conv_grnn(bidirectional):
    """Tang et al. 2015: sentences by filters of one to three words, documents by their states.

    Yang et al. 2016, Section 4: a second network reads the sentences backward.
    """
    model = build("conv_grnn", units=4, bidirectional=bidirectional)
    document = np.array([[2, 3, 4, 5], [6, 3, 2, 8]])
    sentences = []
    for words in array(model.embed(document)):
        vectors = []
        for size, filters in enumerate(model.words.layer.convolutions, start=1):
            padded = np.pad(words, [(0, size - 1), (0, 0)])
            windows = np.array([padded[i : i + size].reshape(-1) for i in range(len(words))])
            vectors.append(np.tanh(dense(filters, windows).mean(0)))
        sentences.append(np.mean(vectors, 0))
    encoder = model.sentences.encoder
    both = [encoder.forward_layer, encoder.backward_layer] if bidirectional else [encoder]
    means = []
    for network, read in zip(both, (sentences, sentences[::-1]), strict=False):
        states = [np.zeros(4)]
        for vector in read:
            gates = dense(network.cell.gates, np.hstack([states[-1], vector]))
            take, keep, new = np.split(gates, 3)
            states.append(np.tanh(sigmoid(take) * np.tanh(new) + sigmoid(keep) * states[-1]))
        means.append(np.mean(states[1:], 0))
    close(model, softmax(dense(model.classify, np.hstack(means))), document[None])


def test_lstm_of_a_mean_and_a_hidden_layer():
    """The mean of the states; Barnes et al. 2017: a hidden layer with ReLU."""
    model = build("lstm", units=4, pooling="mean", hidden_dim=5)
    states = array(model.encoder(model.embed(TEXT)))[0]
    assert states.shape == (6, 4)
    close(model, softmax(dense(model.classify, relu(dense(model.hidden, states.mean(0))))))


def test_bi_blosan():
    """Shen et al. 2018, Section 3: both directions of a text, source2token, a hidden layer."""
    model = build("bi_blosan", units=4, block_words=3, hidden_dim=5)
    assert [one.backward for one in model.directions] == [False, True]
    words = array(model.embed(TEXT))
    mapped = [dense(one, words) for one in model.maps]
    elus = [np.where(x > 0, x, np.expm1(np.minimum(x, 0))) for x in mapped]
    mask = np.ones((1, 6), bool)
    both = [
        array(direction(x.astype("float32"), mask=mask))
        for direction, x in zip(model.directions, elus, strict=True)
    ]
    text, _ = model.source2token(np.concatenate(both, -1).astype("float32"), mask=mask)
    close(model, softmax(dense(model.classify, relu(dense(model.hidden, array(text)[0])))))


def test_convolutions_of_vdcnn():
    """Conneau et al. 2017, Section 3: 3 characters, temporal batch norm, ReLU, halves of texts."""
    model = build("vdcnn", filters=2, hidden_dim=5, max_words=128)
    for block in (block for blocks in model.blocks for block in blocks):
        for norm in block.norms:
            gamma, beta, mean, variance = norm.get_weights()
            norm.set_weights([gamma, beta, mean, variance**2 + 0.5])
    ids = RANDOM.integers(1, 9, (1, 128))
    matches = last_matches(model, ids)

    def plain(layer, x):
        same = keras.layers.Conv1D(layer.units, 3, padding="same", use_bias=layer.use_bias)
        same.build(x.shape)
        kernel, *bias = layer.get_weights()
        same.set_weights([kernel.reshape(3, x.shape[-1], -1), *bias])
        return same(x)

    x = plain(model.first, model.embed(ids))
    for level, blocks in enumerate(model.blocks):
        x = keras.layers.MaxPooling1D(3, 2, padding="same")(x) if level else x
        for block in blocks:
            for layer, norm in zip(block.convolutions, block.norms, strict=True):
                x = keras.ops.relu(norm(plain(layer, x), training=False))
    np.testing.assert_allclose(matches, array(x), rtol=1e-3, atol=1e-4)


def test_acts_transformer_has_gelus():
    """Li et al. 2021, Section 2.1, of all its layers."""
    for layer in build("act_transformer", num_heads=2).encoder:
        assert layer.activation is keras.activations.gelu


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16", "mixed_float16"])
@pytest.mark.parametrize("name", ["hcan", "hcan_one", "hcan_flat_max"])
def test_hcans_layer_normalisation_normalises(name, policy):
    """Gao et al. 2018, Section 3.8; two averages of small word vectors have a tiny product."""
    with dtype_policy(policy):
        model = zoo.build(name, 3, vocabulary_size=100)
    ids = np.random.default_rng(0).integers(2, 100, (2, 3, 20) if model.hierarchical else (2, 60))
    model(ids)
    found = {}
    for level in (getattr(model.words, "layer", model.words), getattr(model, "sentences", None)):
        if level is not None:
            level.norm.call = functools.partial(seen, found, level.norm.call)
    model(ids)
    assert len(found) == (2 if model.hierarchical else 1)
    for deviation in found.values():
        assert deviation == pytest.approx(1, abs=0.01)


def seen(found, call, inputs, **kwargs):
    outputs = call(inputs, **kwargs)
    found[len(found)] = array(keras.ops.cast(outputs, "float32")).std()
    return outputs
