"""Skim-LSTM against float64 NumPy, transcribed from Section 3."""

import keras
import numpy as np
import pytest

import zoo
from tests.reference import sigmoid, softmax
from zoo.models.skim_rnn import SkimCell

UNITS, SMALL, WORDS = 5, 2, 3
rng = np.random.default_rng(0)


def lstm(x, h, c, kernel, bias):
    """A step; c may be the first few of as many as h."""
    i, f, g, o = np.split(np.concatenate([x, h]) @ kernel + bias, 4)
    c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def step(x, h, c, weights, noise=None, temperature=None):
    """The new h, c and log p(skim): the likelier of both, or where there is noise their mixture."""
    policy, policy_bias, read, read_bias, skim, skim_bias = weights
    p = softmax(np.concatenate([x, h]) @ policy + policy_bias)
    r = np.eye(2)[p.argmax()] if noise is None else softmax((np.log(p) + noise) / temperature)
    h_read, c_read = lstm(x, h, c, read, read_bias)
    h_skim, c_skim = lstm(x, h, c[:SMALL], skim, skim_bias)
    h_skim, c_skim = np.append(h_skim, h[SMALL:]), np.append(c_skim, c[SMALL:])
    return r[0] * h_read + r[1] * h_skim, r[0] * c_read + r[1] * c_skim, np.log(p[1])


def cell_and_weights(temperature=0.5):
    cell = SkimCell(UNITS, SMALL, temperature)
    cell.build((None, WORDS + 2))
    weights = [rng.normal(size=weight.shape) for weight in cell.weights]
    cell.set_weights(weights)
    return cell, weights


@pytest.mark.parametrize("training", [False, True])
def test_a_step(training):
    cell, weights = cell_and_weights()
    x, noise = rng.normal(size=(20, WORDS)), rng.gumbel(size=(20, 2))
    h, c = np.tanh(rng.normal(size=(2, 20, UNITS)))
    inputs = np.concatenate([x, noise], axis=-1).astype("float32")
    states = [np.pad(h, [(0, 0), (0, 1)]).astype("float32"), c.astype("float32")]
    outputs, (new_h, new_c) = cell(inputs, states, training=training)
    skimmed = 0
    for i in range(20):
        chance = (noise[i], 0.5) if training else ()
        want_h, want_c, log_skim = step(x[i], h[i], c[i], weights, *chance)
        np.testing.assert_allclose(new_c[i], want_c, atol=1e-5)
        np.testing.assert_allclose(outputs[i], np.append(want_h, log_skim), atol=1e-5)
        np.testing.assert_array_equal(outputs[i], new_h[i])
        skimmed += np.array_equal(outputs[i, SMALL:-1], states[0][i, SMALL:-1])
    assert skimmed == 0 if training else 0 < skimmed < 20


def test_the_last_word_that_is_real_has_the_last_state():
    model = zoo.build("skim_lstm", 3, vocabulary_size=9, embedding_dim=3, units=5, small_units=2)
    weights = [rng.normal(size=weight.shape) for weight in model.encoder.weights]
    model.encoder.set_weights(weights)
    table = np.asarray(model.embed.embeddings, "float64")
    ids = np.array([[3, 5, 2, 8, 0, 0], [0, 4, 0, 7, 2, 6], [0] * 6])
    answers = model.predict(ids, verbose=0)
    kernel, bias = model.classify.get_weights()
    for text, answer in zip(ids, answers, strict=True):
        h = c = np.zeros(UNITS)
        for word in text[text != 0]:
            h, c, _ = step(table[word], h, c, weights)
        np.testing.assert_allclose(answer, softmax(h @ kernel + bias), atol=1e-5)


@pytest.mark.parametrize("precision", ["float32", "mixed_bfloat16"], indirect=True)
def test_the_loss_wants_words_skimmed_in_training_alone(precision):
    """gamma times the mean of -log p(skim) over a text's words, and that over texts."""
    model = zoo.build("skim_lstm", 3, vocabulary_size=9, gamma=0.1, dropout=0.0)
    model.encoder.cell.policy.kernel.assign(0 * model.encoder.cell.policy.kernel)
    model.encoder.cell.policy.bias.assign([1.0, -1.0])
    log_skim = np.log(softmax(np.array([1.0, -1.0]))[1])
    ids = np.array([[3, 5, 2, 8], [4, 0, 0, 0], [0] * 4])
    model(ids, training=False)
    assert model.losses == []
    model(ids, training=True)
    (loss,) = model.losses
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    np.testing.assert_allclose(loss, -0.1 * log_skim * 2 / 3, rtol=precision)  # none where empty
    model.compile(keras.optimizers.SGD(0.0), "sparse_categorical_crossentropy")
    plain = model.evaluate(ids, np.arange(3), verbose=0)
    fitted = model.fit(ids, np.arange(3), verbose=0).history["loss"][0]
    np.testing.assert_allclose(fitted, plain - 0.1 * log_skim * 2 / 3, atol=0.02)


def test_noise_is_in_training_alone():
    model = zoo.build("skim_lstm", 3, vocabulary_size=9, dropout=0.0)
    ids = np.arange(1, 9).reshape(2, 4)
    first, second = (np.asarray(model(ids, training=True)) for _ in range(2))
    assert np.isfinite(first).all() and not np.array_equal(first, second)
    first, second = (np.asarray(model(ids, training=False)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_the_small_one_is_no_larger():
    with pytest.raises(zoo.UsageError, match=r"small_units must be 1 to 4 \(units\): got 5"):
        zoo.build("skim_lstm", 2, units=4, small_units=5)
