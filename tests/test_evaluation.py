"""Scores of answers."""

import numpy as np
import pytest

from zoo.evaluation import score


def test_macro_f1_is_over_the_classes_that_occur():
    perfect = score(np.array([0, 0, 1]), np.eye(3)[[0, 0, 1]], ["a", "b", "c"])
    assert perfect["accuracy"] == perfect["macro_f1"] == 1
    assert perfect["classes"]["c"]["support"] == 0
    answered = score(np.array([0, 0, 1]), np.eye(3)[[0, 2, 1]], ["a", "b", "c"])
    assert answered["macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)
