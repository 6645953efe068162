"""What words add to the score of a class: sums, masks, and weights times counts."""

import threading

import keras
import numpy as np
import pytest
from keras import ops

import zoo
from tests.explanation.small_models import TEXTS, built
from zoo.classifier import TextClassifier
from zoo.datasets import Preprocessor
from zoo.explanation.contributions import (
    STEPS,
    computed,
    contributions,
    grown,
    of_words,
    score_of,
)


def test_of_a_linear_model_they_are_weights_times_counts():
    model = built("bow")
    random = np.random.default_rng(0)
    weights = random.normal(size=model.embed.embeddings.shape).astype("float32")
    weights[:2] = 0  # padding, and the unknown
    model.embed.embeddings.assign(weights)
    model.classify.kernel.assign(np.eye(2))
    ids = np.array([[2, 5, 2, 1, 0], [7, 0, 0, 0, 0]])
    found = computed(model, ids, np.array([1, 0]))
    expected = (weights[ids][..., 1] - weights[ids][..., 0]) * [[1], [-1]]
    np.testing.assert_allclose(found.words, expected, atol=1e-5)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("longest", [1, 2, 3, 5])
def test_an_n_gram_is_shared_by_its_words(count, longest):
    spans = [
        range(start, start + size)
        for size in range(1, longest + 1)
        for start in range(count - size + 1)
    ]
    values = np.random.default_rng(0).normal(size=len(spans))
    expected = np.zeros(len(spans) + 2)
    for value, span in zip(values, spans, strict=True):
        expected[list(span)] += value / len(span)
    ids = np.pad(np.ones((1, len(spans)), int), [(0, 0), (0, 2)])
    padded = np.pad(values, (0, 2))[None].astype("float32")
    np.testing.assert_allclose(of_words(padded, ids, longest)[0], expected, atol=1e-5)


def test_the_score_is_the_logarithm_of_the_odds():
    model = built("cnn_kim")
    ids = np.asarray(model.preprocessor(TEXTS))
    probabilities = np.asarray(model(ids))
    score = score_of(model, ids, np.ones(4, int), np.ones(ids.shape, "float32"))
    odds = probabilities[:, 1] / (1 - probabilities[:, 1])
    np.testing.assert_allclose(score, np.log(odds), atol=1e-5)
    np.testing.assert_array_equal(model(ids), probabilities)  # the model is as it was


def test_what_one_class_gets_of_two_the_other_loses():
    model = built("hcan")
    ids = np.asarray(model.preprocessor(TEXTS))
    of_both = [computed(model, ids, np.full(4, one)).words for one in range(2)]
    np.testing.assert_allclose(of_both[0], -of_both[1], atol=1e-5)


def test_weights_that_change_are_read_anew():
    model = built("cnn_kim")
    model.run_eagerly = False
    ids, ones = np.asarray(model.preprocessor(TEXTS)), np.ones(4, int)
    before = computed(model, ids, ones)
    model.set_weights([0.5 * one for one in model.get_weights()])
    after = computed(model, ids, ones)
    assert not np.allclose(before.words, after.words)
    np.testing.assert_allclose(after.words, contributions(model, ids, ones).words, atol=1e-6)


def test_more_steps_miss_less_and_what_is_missed_is_shared():
    model = built("ssan")
    model.embed.embeddings.assign(20 * np.asarray(model.embed.embeddings))
    ids = np.asarray(model.preprocessor(TEXTS))
    found = {steps: contributions(model, ids, np.ones(4, int), steps) for steps in (2, STEPS)}
    for own in found.values():
        sums = np.asarray(own.words).sum(1)
        np.testing.assert_allclose(sums, own.score - own.start, atol=1e-4)
    missed = {steps: np.abs(own.rest).max() for steps, own in found.items()}
    assert 0 < missed[STEPS] < missed[2]


def test_words_grow_all_the_way_and_never_shrink():
    late = np.array([-1, -0.3, 0, 0.5, 1])
    points = np.linspace(0, 1, 101)[:, None]
    shares, speed = map(np.asarray, grown(late, points))
    np.testing.assert_allclose(shares[[0, -1]], [[0] * 5, [1] * 5], atol=1e-6)
    np.testing.assert_allclose(np.gradient(shares, 0.01, axis=0)[1:-1], speed[1:-1], atol=1e-2)
    assert (speed >= 0).all() and (np.diff(shares[50]) < 0).all()


def test_a_model_in_16_bits():
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = zoo.build("cnn_kim", 2, vocabulary_size=11, embedding_dim=24)
    finally:
        keras.config.set_dtype_policy("float32")
    ids = np.array([[2, 3, 0]])
    assert computed(model, ids, np.array([1])).words.dtype == "float32"


class NoVectors(TextClassifier):
    """Counts a word, and has a head of its own."""

    def call(self, ids, training=None):
        found = ops.cast(ops.any(ops.equal(ids, 3), axis=-1, keepdims=True), "float32")
        return ops.concatenate([0.9 - 0.8 * found, 0.1 + 0.8 * found], axis=-1)


def test_of_a_model_without_word_vectors_words_are_left_out():
    model = NoVectors(2, vocabulary_size=5)
    model.preprocessor, model.labels, model.run_eagerly = (
        Preprocessor(["a", "b", "c"]),
        ["n", "y"],
        True,
    )
    one, other, empty = model.explain(["a b c", "c", ""])
    odds = np.log(9)
    np.testing.assert_allclose([w.contribution for w in one.words], [0, 2 * odds, 0], atol=1e-4)
    assert other.label == "n" and other.words[0].contribution == pytest.approx(0)
    assert one.score == pytest.approx(odds, abs=1e-4) and one.start == pytest.approx(
        -odds, abs=1e-4
    )
    assert empty.words == ()


def test_other_threads_get_answers_meanwhile():
    model = built("cnn_kim")
    answers = model.predict_on_batch(TEXTS)
    added = [word.contribution for word in model.explain(TEXTS)[0].words]
    wrong = []

    def predict():
        for _ in range(10):
            wrong.append(not np.allclose(model.predict_on_batch(TEXTS), answers, atol=1e-5))

    def explain():
        found = [word.contribution for word in model.explain(TEXTS)[0].words]
        wrong.append(not np.allclose(found, added, atol=1e-5))

    threads = [threading.Thread(target=one) for one in (predict, explain, predict, explain)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(wrong) == 22 and not any(wrong)
    np.testing.assert_allclose(model.predict_on_batch(TEXTS), answers, atol=1e-5)
