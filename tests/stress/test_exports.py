"""Whatever is exported answers every text with probabilities, also one without a known word."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from tests.kinds import KINDS
from zoo.datasets import Preprocessor
from zoo.models.bag import BagOfNgrams
from zoo.registry import import_model
from zoo.shipping import formats as export

FORMS = [
    (format, quantize)
    for format, (*_, quantizations) in export.FORMATS.items()
    for quantize in (None, *quantizations)
]
BAGS = {name for name in zoo.list_models() if issubclass(import_model(name)[0], BagOfNgrams)}
TEXTS = ["a good stay . really good !", "a bad stay .", "bad ? never . it was good ."]
WORDS = ["good", "bad", "stay", "a", "never", ".", "?!", "zzz", "qqq", "wörd", "中文", "", "\n"]
text = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@pytest.mark.parametrize(("format", "quantize"), FORMS)
@pytest.mark.parametrize("name", sorted(BAGS | {*KINDS}))
def test_every_answer_of_an_export_is_of_probabilities(name, format, quantize, tmp_path, cases):
    for package in export.FORMATS[format][1]:
        pytest.importorskip(package)
    keras.utils.set_random_seed(0)
    about = zoo.describe(name)
    limits = {"max_words": 64 if name.startswith("vdcnn") else 20}
    limits |= {"max_sentences": 6} if about.hierarchical else {}
    layers = {"num_layers": 1} if "num_layers" in about.options else {}
    clean_up = import_model(name)[0].clean_up
    own = {"min_count": 1, "clean_up": clean_up, "ngrams": about.options.get("ngrams", 1)}
    preprocessor = Preprocessor.fit(TEXTS, **limits, **own)
    size = preprocessor.vocabulary_size
    model = zoo.build(name, 2, vocabulary_size=size, embedding_dim=24, **limits, **layers)
    for weight in model.trainable_weights:
        weight.assign(1.5 * weight)
    model.preprocessor, model.labels = preprocessor, ["bad", "good"]
    edges = ["", "zzz qqq", *TEXTS]
    expected = model.predict(edges, verbose=0)
    answer = export.FORMATS[format][0](model, tmp_path, quantize)
    apart = 1e-4 if quantize is None else 0.05
    np.testing.assert_allclose(answer(edges), expected, atol=apart)

    @settings(max_examples=20)
    @given(st.lists(text, min_size=1, max_size=9))
    def answers_are_probabilities(texts):
        answers = answer(texts)
        assert answers.shape == (len(texts), 2) and np.isfinite(answers).all()
        np.testing.assert_allclose(answers.sum(axis=-1), 1, atol=1e-3)
        cases("answers of an export to texts without known words", len(texts))

    answers_are_probabilities()
