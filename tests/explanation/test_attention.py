"""One weight a word, whatever a model's attention is."""

import numpy as np
import pytest
import tensorflow as tf

from tests.explanation.small_models import built
from zoo.classifier import TextClassifier
from zoo.explanation.attention import (
    Attention,
    attention_of,
    weights_of_heads,
    word_weights,
)

TEXT = np.array([[5, 6, 7, 0]])
DOCUMENT = np.array([[[5, 6, 7], [8, 0, 0]]])


def test_where_words_are_summed_up_they_weigh_as_much_as_there():
    words = np.array([[0.5, 0.25, 0.25, 0.0], [0.0, 1.0, 0.0, 0.0]], "float32")
    weights = weights_of_heads(Attention(words[None, :, None]), TEXT)
    np.testing.assert_array_equal(weights, words[None, :, None])


def test_words_of_a_document_weigh_by_the_root_of_their_sentence():
    """Yang et al. 2016, Section 3.6."""
    words = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]], "float32")
    attention = Attention(words[None, None], sentences=np.array([[[0.36, 0.64]]], "float32"))
    expected = [[0.6 * 0.5, 0.6 * 0.25, 0.6 * 0.25], [0.8, 0, 0]]
    np.testing.assert_allclose(weights_of_heads(attention, DOCUMENT)[0, 0], expected, rtol=1e-6)


def test_where_words_attend_to_words_they_weigh_the_mean_of_what_they_get():
    """From real words alone; what padding attends to is nothing."""
    pairs = np.random.default_rng(0).random((1, 2, 2, 3, 3)).astype("float32")
    pairs[:, :, 0] /= pairs[:, :, 0].sum(-1, keepdims=True)
    weights = np.asarray(weights_of_heads(Attention(pairs=pairs), DOCUMENT))[0]
    np.testing.assert_allclose(weights[:, 0], pairs[0, :, 0].mean(1), rtol=1e-6)
    np.testing.assert_allclose(weights[:, 1, 0], pairs[0, :, 1, 0, 0], rtol=1e-6)
    assert not weights[:, 1, 1:].any()


def test_where_words_are_summed_up_what_they_attend_to_before_does_not_count():
    words, pairs = np.ones((1, 1, 1, 4), "float32"), np.ones((1, 2, 1, 4, 4), "float32")
    weights = weights_of_heads(Attention(words, pairs), TEXT)
    np.testing.assert_array_equal(weights, [[[[1, 1, 1, 0]]]])  # not of padding, though it was told


def test_without_attention_there_are_no_weights():
    assert weights_of_heads(Attention(), TEXT) is None
    assert word_weights(built("cnn_kim"), TEXT) is None
    assert attention_of(built("bow"), TEXT) == Attention()
    assert attention_of(built("han_ave"), DOCUMENT) == Attention()


@pytest.mark.parametrize(
    "given",
    [{"words": np.ones((2, 3))}, Attention(words=np.ones((2, 3)))],
    ids=["a dictionary", "no axes of heads and sentences"],
)
def test_attention_of_another_form_is_refused(given):
    class Own(TextClassifier):
        def call(self, ids, training=None, return_attention_scores=False):
            return None, given

    with pytest.raises(ValueError, match="Own must give a zoo.classifier.Attention.*words.*2"):
        word_weights(Own(2), np.ones((2, 3), int))


def test_attention_comes_out_of_a_graph():
    model = built("leam")

    @tf.function
    def traced(ids):
        return attention_of(model, ids)

    found = traced(TEXT)
    np.testing.assert_allclose(found.words, attention_of(model, TEXT).words, atol=1e-6)
    assert found.pairs is None and found.sentences is None
