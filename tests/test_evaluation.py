"""Scores of answers."""

import numpy as np
import pytest

import zoo
from zoo import prediction
from zoo.calibration import expected_calibration_error, fit_temperature
from zoo.evaluation import probabilities_of, score


def test_macro_f1_is_over_the_classes_that_occur():
    perfect = score(np.array([0, 0, 1]), np.eye(3)[[0, 0, 1]], ["a", "b", "c"])
    assert perfect["accuracy"] == perfect["macro_f1"] == 1
    assert perfect["classes"]["c"]["support"] == 0
    answered = score(np.array([0, 0, 1]), np.eye(3)[[0, 2, 1]], ["a", "b", "c"])
    assert answered["macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_answers_that_are_no_numbers_are_refused():
    """Their largest would be the first class."""
    targets = np.array([0, 1])
    for wrong in (np.nan, np.inf):
        said = np.array([[wrong, 0.1], [0.5, 0.5]])
        for of in (
            lambda said: score(targets, said, ["a", "b"]),
            lambda said: fit_temperature(said, targets),
            lambda said: expected_calibration_error(said, targets),
        ):
            with pytest.raises(zoo.UsageError, match="answers 1 of 2 texts with NaN or infinity"):
                of(said)


def test_a_model_of_damaged_weights_is_refused():
    model = zoo.build("ave", 2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor, model.labels = zoo.datasets.Preprocessor(["a", "b"]), ["x", "y"]
    model.classify.bias.assign([float("nan"), 0])
    for of in (
        lambda: probabilities_of(model, ["a", "b"]),
        lambda: list(prediction.predict(model, ["a", "b"])),
        lambda: model.explain(["a", "b"]),
    ):
        with pytest.raises(zoo.UsageError, match="answers 2 of 2 texts with NaN or infinity"):
            of()
