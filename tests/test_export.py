"""Each kind of model, from texts to a SavedModel and back."""

import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo.datasets import Preprocessor
from zoo.export import export_saved_model
from zoo.registry import import_model

ONE_OF_EACH_CLASS = {import_model(name)[0]: name for name in reversed(zoo.list_models())}.values()
TEXTS = ["A good stay. Really good!", "A bad stay.", "Bad? Never. It was good.", "", "?!"]


@pytest.mark.parametrize("name", sorted([*ONE_OF_EACH_CLASS, "hcan_flat"]))
def test_the_saved_model_says_what_the_model_says(name, tmp_path):
    shape = zoo.build(name, num_classes=2, vocabulary_size=2, embedding_dim=24)
    preprocessor = Preprocessor.fit(TEXTS, shape.max_words, shape.max_sentences, min_count=1)
    size = preprocessor.vocabulary_size
    model = zoo.build(name, num_classes=2, vocabulary_size=size, embedding_dim=24)
    model.preprocessor, model.labels = preprocessor, ["bad", "good"]
    expected = model.predict(TEXTS, verbose=0)
    export_saved_model(model, tmp_path / "saved_model")
    served = tf.saved_model.load(tmp_path / "saved_model")
    answer = served.serve(tf.constant(TEXTS))
    np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-5)
    longer = served.serve(tf.constant([" ".join(TEXTS) * 9]))  # other shapes than those traced
    assert np.isfinite(longer["probabilities"]).all()
