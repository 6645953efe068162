"""Probabilities that are as often right as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from zoo.answers import probabilities_of
from zoo.datasets import Preprocessor
from zoo.datasets.corpus import Split
from zoo.evaluation.calibration import (
    calibrate,
    expected_calibration_error,
    fit_temperature,
    with_temperature,
)


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_the_temperature_of_texts_drawn_with_it_is_found(temperature):
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 4)) * 2
    said = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    true = with_temperature(said, temperature)
    targets = (true.cumsum(1) > rng.random((20_000, 1))).argmax(1)
    assert fit_temperature(said, targets) == pytest.approx(temperature, rel=0.05)
    before, after = (expected_calibration_error(p, targets) for p in (said, true))
    assert after < 0.02
    assert temperature == 1 or before > 0.05


def test_a_temperature_stays_within_bounds():
    """Where every answer is wrong, none would be unsure enough."""
    said = np.array([[0.8, 0.2], [0.3, 0.7]] * 10)
    assert fit_temperature(said, said.argmin(1)) == pytest.approx(np.exp(7), rel=1e-3)


def test_answers_that_hardly_differ_become_as_sure_as_they_are_right():
    """As those of little data and few steps are."""
    said = np.tile([0.52, 0.48], (200, 1))
    sure = with_temperature(said, fit_temperature(said, np.zeros(200, int)))
    np.testing.assert_allclose(sure[:, 0], 201 / 202, atol=1e-3)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("texts", [10, 100, 1000])
def test_of_right_answers_none_is_surer_than_their_number_allows(texts, classes):
    """Of n right answers, the next is right with probability (n + 1) / (n + 2) (Laplace)."""
    said = np.full((texts, classes), 0.1 / (classes - 1))
    said[:, 0] = 0.9
    temperature = fit_temperature(said, np.zeros(texts, int))
    sure = with_temperature(said, temperature)[0, 0]
    assert sure == pytest.approx((texts + 1) / (texts + 2), abs=1e-4)


def test_afterwards_nothing_is_left_to_calibrate():
    """The weights of the last layer hold the temperature, so that answers do."""
    model = zoo.build("cnn_kim", 2, vocabulary_size=12, embedding_dim=8)
    model.preprocessor = Preprocessor([f"w{i}" for i in range(10)])
    model.classify.set_weights([300 * one for one in model.classify.get_weights()])
    texts = [f"w{i % 10} w{i % 7}" for i in range(400)]
    said = model.predict(texts, verbose=0).argmax(-1)
    split = Split(texts, np.where(np.arange(400) % 4, said, 1 - said))  # a quarter is wrong
    assert calibrate(model, split) > 2
    left = fit_temperature(probabilities_of(model, split), split.targets)
    assert left == pytest.approx(1, rel=0.02)


def test_probabilities_that_would_get_worse_stay(caplog, monkeypatch):
    """As a few surely and rightly answered texts would, of which fit_temperature is not so sure."""
    caplog.set_level("INFO", "zoo")
    model = zoo.build("cnn_kim", 2, vocabulary_size=12, embedding_dim=8)
    model.preprocessor = Preprocessor([f"w{i}" for i in range(10)])
    model.classify.set_weights([3000 * one for one in model.classify.get_weights()])
    before = [one.copy() for one in model.classify.get_weights()]
    texts = [f"w{i} w{i + 1}" for i in range(9)]
    said = model.predict(texts, verbose=0)
    split = Split(texts, said.argmax(-1))
    assert said.max(-1).mean() > 0.99
    assert calibrate(model, split) == 1
    assert "Probabilities stay as they are" in caplog.text
    for one, other in zip(before, model.classify.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    module = "zoo.evaluation.calibration"  # and where they would be worse by little
    monkeypatch.setattr(f"{module}.probabilities_of", lambda *_: np.tile([0.9, 0.1], (9, 1)))
    monkeypatch.setattr(f"{module}.fit_temperature", lambda *_: 1.2)
    assert calibrate(model, Split(texts, np.zeros(9, int))) == 1


def test_the_error_by_hand():
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
    # 0.9: one of two is right, off by 0.4; 0.6: right, off by 0.4; 0.7: wrong, off by 0.7
    expected = (2 * 0.4 + 0.4 + 0.7) / 4
    found = expected_calibration_error(probabilities, np.array([0, 1, 0, 0]))
    assert found == pytest.approx(expected)


def test_the_error_of_fifteen_bins():
    """Gaps of a right and of a wrong answer make up for each other in one bin only."""
    targets = np.array([0, 1])
    for right, wrong, together in ((0.61, 0.65, True), (0.61, 0.69, False), (0.97, 0.93, False)):
        probabilities = np.array([[right, 1 - right], [wrong, 1 - wrong]])
        expected = (abs(1 - right - wrong) if together else 1 - right + wrong) / 2
        found = expected_calibration_error(probabilities, targets)
        assert found == pytest.approx(expected)


@given(st.floats(0.2, 9), st.integers(2, 5))
def test_no_answer_changes(temperature, classes):
    probabilities = np.random.default_rng(0).dirichlet(np.ones(classes), 50)
    scaled = with_temperature(probabilities, temperature)
    np.testing.assert_allclose(scaled.sum(1), 1)
    np.testing.assert_array_equal(scaled.argmax(1), probabilities.argmax(1))


def test_a_model_that_ends_in_another_layer_stays_as_it_is(caplog):
    model = zoo.TextClassifier(2, vocabulary_size=5)  # which never calls it
    assert calibrate(model, None) is None
    assert "does not end in a Dense self.classify" in caplog.text
