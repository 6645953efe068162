"""Targets that are no numbers of classes are refused by name, whatever the backend does."""

import keras
import numpy as np
import pandas as pd
import pytest

import zoo

IDS = np.array([[2, 3], [4, 5], [6, 7], [8, 9]])


@pytest.fixture
def model():
    model = zoo.build("fasttext", 3, vocabulary_size=10)
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, 1, 2, 3], "^target 3 is 3: .* takes the number of a class for each text, 0 to 2$"),
        ([0, -1, 2, 0], "target 1 is -1"),
        ([1, 2, 3, 1], "target 2 is 3: .*; do they start at 1?"),
        ([0, 1.5, 2, 0], "target 1 is 1.5"),
        ([0, 1, 2, float("nan")], "target 3 is nan"),
        (["a", "b", "c", "a"], "target 0 is 'a'"),
        (np.eye(3)[[0, 1, 2, 0]], r"targets of the shape \(4, 3\)"),
    ],
)
def test_wrong_targets_are_refused(model, targets, message):
    before = model.get_weights()
    for method in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=message):
            method(IDS, np.array(targets), verbose=0)
    with pytest.raises(ValueError, match=message):
        model.fit(IDS, np.zeros(4), validation_data=(IDS, np.array(targets)), verbose=0)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "targets",
    [
        np.array([0, 1, 2, 0]),
        np.array([[0], [1], [2], [0]], "float32"),
        pd.Series([0, 1, 2, 0]),
        np.array([True, False] * 2),
    ],
)
def test_numbers_of_classes_are_taken(model, targets):
    model.fit(IDS, targets, verbose=0, validation_data=(IDS, targets))
    model.evaluate(IDS, targets, verbose=0)


def test_other_losses_take_what_they_take(model):
    model.compile("adam", "categorical_crossentropy")
    model.fit(IDS, np.eye(3)[[0, 1, 2, 0]], verbose=0)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(ignore_class=-1))
    model.fit(IDS, np.array([0, -1, 2, 0]), verbose=0)
    with pytest.raises(ValueError, match="target 1 is -2"):
        model.fit(IDS, np.array([0, -2, 2, 0]), verbose=0)


def test_texts_without_targets_are_refused(model):
    with pytest.raises(ValueError, match="fit needs targets"):
        model.fit(["a", "b"])
