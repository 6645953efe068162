"""Recurrent models on a GPU, as far as that can be tested without one."""

import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.kinds import slow_unless
from zoo.datasets.batches import pack

RECURRENT = ("lstm", "bilstm", "d_lstm", "pa_lstm", "lstm_grnn", "han", "han_max")
EMPTY = {
    False: np.array([[5, 6, 7], [8, 0, 0], [0, 0, 0]]),
    True: np.array([[[5, 6], [7, 0]], [[8, 9], [0, 0]], [[0, 0], [0, 0]]]),
}


def build(name):
    model = zoo.build(name, num_classes=3, vocabulary_size=20)
    return model, EMPTY[model.hierarchical]


@pytest.fixture
def on_gpu(monkeypatch):
    """Keras asks cuDNN, which refuses masks as it does, and leaves the rest to the CPU."""
    asked, rnn = [], sys.modules["keras.src.backend.tensorflow.rnn"]

    def cudnn(*inputs):
        mask = next(x for x in inputs if getattr(x, "dtype", None) == tf.bool)
        asked.append(mask)
        rnn._assert_valid_mask(mask)
        raise NotImplementedError

    monkeypatch.setattr(rnn, "_is_gpu_available", lambda: True)
    monkeypatch.setattr(rnn, "_cudnn_lstm", cudnn)
    monkeypatch.setattr(rnn, "_cudnn_gru", cudnn)
    return asked


@pytest.mark.parametrize(
    "name", [slow_unless(n not in ("bilstm", "d_lstm", "han", "han_max"), n) for n in RECURRENT]
)
def test_cudnn_computes_in_training_only_and_reads_empty_texts(name, on_gpu):
    model, ids = build(name)
    want = model.predict_on_batch(ids)
    assert not on_gpu  # what is exported runs where there is no GPU
    model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
    model.fit(ids, np.array([0, 1, 2]), verbose=0)
    if model.hierarchical:
        sentences = tf.ragged.constant([[[5, 6], [7]], [[8]]], ragged_rank=2, dtype="int64")
        batch = tf.data.Dataset.from_tensors((pack(sentences), np.array([0, 1])))
        model.fit(batch, verbose=0)
    assert on_gpu
    assert np.isfinite(want).all()


@pytest.mark.parametrize("name", RECURRENT)
def test_training_and_prediction_read_the_same(name, on_gpu):
    model, ids = build(name)
    for layer in model._flatten_layers():
        if isinstance(layer, keras.layers.Dropout):
            layer.rate = 0.0
    np.testing.assert_allclose(model(ids, training=True), model(ids, training=False), atol=1e-6)


def test_pa_lstm_needs_nothing_of_padding():
    """At masked positions cuDNN gives zeros, and Keras' loop the last word's state again."""
    model, _ = build("pa_lstm")
    ids = np.array([[5, 6, 7, 0, 0], [8, 0, 0, 0, 0]])
    want = model.predict_on_batch(ids)
    for encoder in model.encoders:
        encoder.zero_output_for_mask = True
    np.testing.assert_allclose(model(ids), want, atol=1e-6)
