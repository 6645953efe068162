"""What a user of scikit-learn writes: pipelines, searches, folds, calibration."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

import zoo

TEXTS = ["a fine day", "a dull film", "fine, fine film", "dull dull day"] * 10
LABELS = ["good", "bad", "good", "bad"] * 10
SMALL = {"embedding_dim": 8, "filters": 2}


def small(**settings):
    given = {"epochs": 2, "weights": "none", "options": SMALL, "calibrate": False} | settings
    return zoo.Classifier("cnn_kim", **given)


def in_lower_case(texts):
    return [text.lower() for text in texts]


def test_a_pipeline_with_a_grid_search():
    pipeline = Pipeline(
        [
            ("lower", FunctionTransformer(in_lower_case)),
            ("zoo", zoo.Classifier("svm_bigrams", calibrate=False)),
        ]
    )
    grid = {"zoo__options": [{"strength": 0.1}, {"strength": 1.0}]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1
    assert search.predict(["A FINE film", "DULL"]).tolist() == ["good", "bad"]


def test_cross_validation_and_calibration():
    scores = cross_val_score(zoo.Classifier("bow"), np.array(TEXTS), LABELS, cv=3)
    assert scores.tolist() == [1, 1, 1]
    calibrated = CalibratedClassifierCV(zoo.Classifier("bow"), cv=2).fit(np.array(TEXTS), LABELS)
    assert calibrated.predict_proba(["fine"]).sum() == pytest.approx(1)


def test_a_neural_model_learns_answers_and_is_kept():
    classifier = small(epochs=30).fit(pd.Series(TEXTS), pd.Series(LABELS))
    assert is_classifier(classifier) and classifier.classes_.tolist() == ["bad", "good"]
    probabilities = classifier.predict_proba(TEXTS[:4])
    answers = classifier.classes_[probabilities.argmax(1)]
    assert classifier.predict(TEXTS[:4]).tolist() == answers.tolist()
    assert classifier.score(TEXTS, LABELS) == 1
    again = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(again.predict_proba(TEXTS[:4]), probabilities)
    same = clone(classifier).fit(TEXTS, LABELS)
    np.testing.assert_allclose(same.predict_proba(TEXTS[:4]), probabilities, atol=1e-6)


def test_without_a_name_the_texts_choose_a_model(monkeypatch):
    monkeypatch.setattr("zoo.datasets.vectors.english.ENOUGH", 0.8)
    texts = ["the room was clean and quiet", "the food was cold and expensive"] * 9
    english = zoo.Classifier(epochs=1).fit(texts, ["a", "b"] * 9)
    assert english.model_.name.startswith("attcnn")
    unknown = zoo.Classifier().fit(["bonjour madame", "bonsoir monsieur"] * 9, ["a", "b"] * 9)
    assert unknown.model_.solves


def test_labels_are_of_any_type():
    numbers = [7, -1, 7, -1] * 10
    classifier = zoo.Classifier("bow").fit(TEXTS, numbers)
    assert classifier.classes_.tolist() == [-1, 7]
    assert classifier.predict(TEXTS[:2]).tolist() == [7, -1]


def test_texts_with_a_weight_of_nothing_are_not_learnt():
    wrong = [*LABELS, *("bad" if one == "good" else "good" for one in LABELS)] * 2
    weights = np.repeat([1.0, 0.0, 1.0, 0.0], len(LABELS))
    classifier = zoo.Classifier("bow").fit(TEXTS * 4, wrong, sample_weight=weights)
    assert classifier.score(TEXTS, LABELS) == 1
    neural = small(epochs=30).fit(TEXTS * 4, wrong, sample_weight=weights)
    assert neural.score(TEXTS, LABELS) == 1


def test_several_labels_a_text_are_a_table():
    lists = [["x"], ["y", "z"], ["x", "z"], []] * 10
    classifier = zoo.Classifier("bow").fit(TEXTS, lists)
    assert classifier.classes_.tolist() == ["x", "y", "z"]
    table = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(classifier.predict(TEXTS[:4]), table)
    named = pd.DataFrame(np.tile(table, (10, 1)), columns=["x", "y", "z"])
    same = zoo.Classifier("bow").fit(TEXTS, named)
    np.testing.assert_array_equal(same.predict(TEXTS[:4]), table)


def test_bad_input_is_told():
    with pytest.raises(zoo.UsageError, match="unknown model 'cnn_kin'. Did you mean 'cnn_kim'"):
        zoo.Classifier("cnn_kin").fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="40 texts need as many labels: got 2"):
        small().fit(TEXTS, LABELS[:2])
    with pytest.raises(ValueError, match="one class only, 'good'"):
        small().fit(TEXTS, ["good"] * len(TEXTS))
    with pytest.raises(zoo.UsageError, match="a list of texts is needed, not one text"):
        small().fit("a fine day", LABELS)
    with pytest.raises(NotFittedError):
        small().predict(TEXTS)


@pytest.mark.parametrize(
    "check",
    [  # those that need no table of numbers
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_mixin_order",
    ],
)
def test_checks_of_scikit_learn_that_apply_to_texts(check):
    getattr(estimator_checks, check)("Classifier", zoo.Classifier())
