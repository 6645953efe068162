"""One weight a word, whatever a model's attention is; and one temperature."""

import keras
import numpy as np

import zoo
from tests.kinds import every_kind
from zoo.datasets import Preprocessor
from zoo.evaluation.calibration import with_temperature
from zoo.explanation.attention import attended_words, word_weights
from zoo.registry import import_model

FILES = ("act", "attcnn", "bert", "bi_blosan", "han", "hcan", "leam", "pa_lstm", "ssan")
ATTENTIVE = {f"zoo.models.{file}" for file in FILES}
WITHOUT = {"cnn_kim", "cnn_pe", "han_ave", "han_max"} | {
    name for name in zoo.list_models() if import_model(name)[0].__module__ not in ATTENTIVE
}


@every_kind
def test_weights_are_of_words_alone_and_the_last_layer_takes_a_temperature(name):
    model = zoo.build(name, 3, vocabulary_size=20, max_words=12, embedding_dim=24)
    ids = np.array([[[2, 3, 4, 5], [6, 7, 0, 0], [0] * 4], [[2, 0, 0, 0], [0] * 4, [0] * 4]])
    if not model.hierarchical:
        ids = np.array([[2, 3, 4, 5, 6], [2, 3, 0, 0, 0], [0, 0, 0, 0, 0]])
    before = keras.ops.convert_to_numpy(model(ids, training=False))
    model.classify.set_weights([one / 3 for one in model.classify.get_weights()])
    after = keras.ops.convert_to_numpy(model(ids, training=False))
    np.testing.assert_allclose(after, with_temperature(before, 3), atol=1e-5)
    weights = word_weights(model, ids)
    if name in WITHOUT:
        assert weights is None
        return
    assert weights.shape == ids.shape
    assert np.isfinite(weights).all() and (weights >= 0).all() and not weights[ids == 0].any()
    sums = weights.reshape(len(ids), -1).sum(1)
    if model.hierarchical:  # shares of sentences under a square root
        assert (sums[:2] >= 1 - 1e-5).all()
    else:
        np.testing.assert_allclose(sums[:2], 1, atol=1e-5)


def test_the_heaviest_words_come_first():
    model = zoo.build("act", 2, vocabulary_size=6)
    model.preprocessor = Preprocessor(["a", "b", "c", "d"])
    weights = word_weights(model, np.array([[2, 1, 4]]))[0]
    words = np.array(["a", "x", "c"])[np.argsort(-weights)]
    assert attended_words(model, []) == []
    found = attended_words(model, ["", *["a x c"] * 9, "a"])  # more than are computed at a time
    assert set(found[1].split()) == set(words)
    assert found == ["", *[found[1]] * 9, "a"]
    assert attended_words(model, ["a x c"], 2)[0].split() == words[:2].tolist()
    without = zoo.build("cnn_kim", 2, vocabulary_size=6)
    without.preprocessor = model.preprocessor
    assert attended_words(without, ["a"]) == [""]


def test_words_of_a_document_weigh_by_the_root_of_their_sentence():
    """Yang et al. 2016, Section 3.6."""
    model = zoo.build("han", 2, vocabulary_size=9, embedding_range=1.0)
    ids = np.array([[[2, 3, 4], [5, 6, 0]]])
    _, scores = model(ids, return_attention_scores=True)
    words, sentences = (np.asarray(scores[name])[0] for name in ("words", "sentences"))
    expected = words.reshape(2, 3) * np.sqrt(sentences).reshape(2, 1)
    np.testing.assert_allclose(word_weights(model, ids)[0], expected, rtol=1e-5)
