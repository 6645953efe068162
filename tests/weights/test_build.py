"""Models that are built with weights: they read texts at once."""

import numpy as np
import pytest

import zoo
from zoo.datasets.vectors.english import english_vectors

TEXTS = ["A fine day.", "A dull film.", ""]


@pytest.mark.parametrize("name", ["cnn_kim", "hcan"])
def test_a_model_with_english_words_is_fitted_to_texts_at_once(name):
    model = zoo.build(name, num_classes=3, weights="english")
    before = model.predict(TEXTS, verbose=0)
    history = model.fit(TEXTS, [0, 1, 2], epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    assert np.abs(model.predict(TEXTS, verbose=0) - before).max() > 1e-3
    assert len(model.preprocessor.vocabulary) == 16_000


def test_one_that_was_saved_answers_the_same(tmp_path):
    model = zoo.build("cnn_kim", num_classes=2, weights="english", filters=3)
    model.save(tmp_path / "model.keras")
    loaded = zoo.load(tmp_path / "model.keras")
    np.testing.assert_array_equal(*(one.predict(TEXTS, verbose=0) for one in (model, loaded)))


def test_a_model_goes_on_from_a_run(trained):
    start = zoo.load(trained)
    same = zoo.build("hcan", num_classes=start.num_classes, weights=trained)
    np.testing.assert_allclose(*(one.predict(TEXTS, verbose=0) for one in (same, start)), rtol=1e-6)
    assert same.labels == start.labels
    other = zoo.build("hcan", num_classes=7, weights=trained)
    assert other.labels is None and other.predict(TEXTS, verbose=0).shape == (3, 7)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("hcan", {"weights": "englsh"}, "unknown weights 'englsh'. Did you mean 'english'"),
        ("hcan", {"weights": "auto"}, "weights 'auto' need texts: use zoo.train; allowed here are"),
        ("hcan", {"weights": "word2vec"}, "weights 'word2vec' need texts"),
        ("hcan", {"weights": 3}, "weights must be auto, none, english, .*: got 3"),
        ("hcan", {"weights": "nowhere.vec"}, "cannot read nowhere.vec"),
        ("hcan", {"weights": "."}, "is empty: a training had not begun"),
        ("svm_bigrams", {"weights": "english"}, "svm_bigrams has no word vectors"),
        ("vdcnn", {"weights": "english"}, "vdcnn has no word vectors"),
    ],
)
def test_weights_that_cannot_be_are_refused(name, given, message):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.build(name, 2, **given)


@pytest.mark.parametrize(("dim", "most"), [(9, 9), (300, 256)])
def test_english_words_have_as_many_numbers_as_the_model_wants(dim, most):
    model = zoo.build("cnn_kim", 2, weights="english", filters=3, embedding_dim=dim)
    table = model.embed.embeddings.numpy()
    whole = english_vectors()[model.preprocessor.vocabulary]
    np.testing.assert_array_equal(table[2:, :most], whole[:, :most])
    assert not table[2:, most:].any()


def test_a_width_that_the_heads_do_not_divide_is_not_taken():
    assert zoo.build("act", 2, weights="english", num_layers=1).embedding_dim == 252
    model = zoo.build("act", 2, weights="english", num_layers=1, num_heads=5)
    assert model.embedding_dim == zoo.build("act", 2, num_layers=1).embedding_dim == 120


def test_a_run_of_another_model_is_refused(trained):
    with pytest.raises(zoo.UsageError, match="has the model hcan, not cnn_kim: train hcan"):
        zoo.build("cnn_kim", 2, weights=trained)
    with pytest.raises(zoo.UsageError, match="leave out preset"):
        zoo.build("hcan", 2, "gao2018", weights=trained)
