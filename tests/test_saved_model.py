"""Each kind of model, from texts to a SavedModel and back."""

import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.kinds import KINDS
from zoo.attention import word_weights
from zoo.datasets import Preprocessor
from zoo.saved_model import export_saved_model

TEXTS = ["A good stay. Really good!", "A bad stay.", "Bad? Never. It was good.", "", "?!"]


@pytest.mark.parametrize("name", KINDS)
def test_the_saved_model_says_what_the_model_says(name, tmp_path):
    about = zoo.describe(name)
    most = about.options["max_sentences"] if about.hierarchical else None
    preprocessor = Preprocessor.fit(TEXTS, about.options["max_words"], most, min_count=1)
    size = preprocessor.vocabulary_size
    deep = "num_layers" in about.options  # a loop, and seconds for each
    layers = {"num_layers": 2 if name == "act" else 1} if deep else {}
    model = zoo.build(name, 2, vocabulary_size=size, embedding_dim=24, **layers)
    model.preprocessor, model.labels = preprocessor, ["bad", "good"]
    expected = model(preprocessor(TEXTS), training=False)
    export_saved_model(model, tmp_path / "saved_model")
    served = tf.saved_model.load(tmp_path / "saved_model")
    answer = served.serve(tf.constant(TEXTS))
    np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-5)
    # Else TensorFlow Serving refuses to answer.
    assert {len(value) for value in answer.values()} == {len(TEXTS)}
    weights = word_weights(model, preprocessor(TEXTS))
    assert hasattr(served, "explain") == (weights is not None)
    if weights is not None:
        answer = served.explain(tf.constant(TEXTS))
        np.testing.assert_allclose(answer["weights"], weights, atol=1e-5)
        assert answer["words"].numpy().ravel()[:3].tolist() == [b"a", b"good", b"stay"]
        assert answer["weights"].shape == answer["words"].shape
        assert {len(value) for value in answer.values()} == {len(TEXTS)}
        assert served.explain(tf.constant([""]))["words"].shape[0] == 1
    explained = {"explain"} if weights is not None else set()
    assert served.signatures.keys() == {"serve", "serving_default"} | explained
    for signature in served.signatures.values() if name == "act" else ():  # else seconds each
        outputs = signature(texts=tf.constant(TEXTS))
        assert {len(value) for value in outputs.values()} == {len(TEXTS)}
    assert served.serve(tf.constant([], tf.string))["probabilities"].shape == (0, 2)
    longer = served.serve(tf.constant([" ".join(TEXTS) * 9]))  # other shapes than those traced
    assert np.isfinite(longer["probabilities"]).all()


def test_of_a_trained_model_it_holds_the_weights_and_no_more(tmp_path):
    model = zoo.build("ave", num_classes=2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor, model.labels = Preprocessor(["a", "b"]), ["bad", "good"]
    model.compile("adam", "sparse_categorical_crossentropy", run_eagerly=True)
    model.train_on_batch(np.array([[2, 3]]), np.array([1]))
    export_saved_model(model, tmp_path / "saved_model")
    kept = tf.train.list_variables(str(tmp_path / "saved_model" / "variables" / "variables"))
    shapes = [shape for name, shape in kept if name != "_CHECKPOINTABLE_OBJECT_GRAPH"]
    assert sorted(shapes) == sorted(list(weight.shape) for weight in model.weights)
