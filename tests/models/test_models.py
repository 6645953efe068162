"""What users rely on, checked for every registered model."""

from unittest import mock

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.kinds import KINDS, NAMES, in_32_and_16_bits, long_unless
from tests.models.check_model import (
    SMALL,
    build,
    check_answers,
    check_model,
    probabilities,
    random_ids,
)
from zoo.datasets import Preprocessor
from zoo.datasets.batches import pack
from zoo.registry import create

every_model = pytest.mark.parametrize("name", NAMES)


@in_32_and_16_bits
def test_a_model(name, precision, tmp_path):
    """See check_model."""
    check_model(name, precision, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in KINDS])
def test_a_variant(name, precision):
    check_answers(build(name), precision)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hcan", {"norm_words": True, "num_layers": 2, "position": "none", "activation": "relu"}),
        ("hcan_flat", {"norm_words": True}),
        ("act", {"kernel_size": (2, 4)}),
        ("cnn_barnes", {"drop_after": "hidden"}),
    ],
)
def test_what_papers_discuss_answers_alike(name, options, precision):
    check_answers(build(name, **options), precision)


def test_packed_documents_have_no_scores():
    packed = pack(tf.ragged.constant([[[3, 4], [5]], [[6]]], ragged_rank=2, dtype="int64"))
    for name, asked in (("han", True), ("hcan_flat", False)):
        with pytest.raises(ValueError, match="packed documents are for a model with sentences"):
            build(name)(packed, return_attention_scores=asked)


@pytest.mark.parametrize("name", ["act", "bilstm", "hcan", "lstm"])
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize` method")
def test_keras_quantizes_it(name):
    """Which it refuses where a layer is left over, as one that was replaced is."""
    model = build(name)
    ids = random_ids(model)
    for weight in (model.embed.embeddings, model.classify.kernel):
        weight.assign(20 * weight)
    before = probabilities(model, ids)
    assert before.std(axis=0).max() > 0.1  # answers differ
    model.quantize("int8")
    np.testing.assert_allclose(probabilities(model, ids), before, atol=0.1)


def test_the_head_of_a_model_without_weights_is_last():
    layers = create("attcnn", 3, **SMALL).layers
    assert isinstance(layers[-1], keras.layers.Dense) and len(layers) == 5


@keras.saving.register_keras_serializable("test")
class TwoHeads(zoo.TextClassifier):
    """Layers of one kind under names that Keras' files keep in the order of their creation."""

    def __init__(self, num_classes, **kwargs):
        super().__init__(num_classes, **kwargs)
        self.second, self.zero = keras.layers.Dense(8), keras.layers.Dense(8)

    def call(self, ids, training=None):
        words = self.second(self.zero(self.embed(ids)))
        return self.classify(keras.ops.mean(words, axis=1))


def test_files_do_not_depend_on_the_order_of_layers(tmp_path):
    """Those of version 0.1.0 had layers in the order of their creation."""
    model = TwoHeads(3, vocabulary_size=9, embedding_dim=8)
    model.build()
    assert model.layers == [model.embed, model.zero, model.second, model.classify]
    created = [model.embed, model.classify, model.second, model.zero]
    with mock.patch.object(TwoHeads, "layers", created):
        model.save(tmp_path / "old.keras")
        model.save_weights(tmp_path / "old.weights.h5")
        keras.saving.save_model(model, tmp_path / "old.h5")
    ids = np.array([[2, 3, 4]])
    loaded = keras.models.load_model(tmp_path / "old.keras")
    np.testing.assert_array_equal(probabilities(loaded, ids), probabilities(model, ids))
    for file in ("old.weights.h5", "old.h5"):
        fresh = TwoHeads(3, vocabulary_size=9, embedding_dim=8)
        fresh.build()
        fresh.load_weights(tmp_path / file)
        np.testing.assert_array_equal(probabilities(fresh, ids), probabilities(model, ids))


@pytest.mark.parametrize("name", [long_unless(n in ("act", "leam"), n) for n in KINDS])
def test_described_counts_are_those_of_the_built_model(name):
    about = zoo.describe(name)
    model = zoo.build(name, num_classes=5, vocabulary_size=10)
    trainable = sum(weight.numpy().size for weight in model.trainable_weights)
    table = 10 * model.embedding_dim if model.train_embeddings else 0
    assert about.parameters["default"] == trainable - table
    assert about.summary.endswith(".")
    assert set(about.parameters) == {"default", *about.presets}


@every_model
def test_options_are_those_that_were_given(name):
    given = {
        option: default / 2
        for option, default in zoo.describe(name).options.items()
        if isinstance(default, float)
    }
    assert create(name, 3, **SMALL | given).get_config().items() >= given.items()


@every_model
def test_too_few_classes_are_refused(name):
    with pytest.raises(ValueError, match="num_classes must be a whole number of at least 2: got 1"):
        zoo.build(name, num_classes=1)


@pytest.mark.parametrize(
    ("name", "limits", "message"),
    [
        ("ave", {"max_sentences": None}, "has 6 ids, but the model a vocabulary_size of 5"),
        ("ssan", {"max_sentences": 3}, "has max_sentences=3, the model max_sentences=None"),
        ("han", {"max_sentences": None}, "has max_sentences=None, the model max_sentences="),
        ("act", {"entities": True}, "has entities=True, the model entities=False"),
    ],
)
def test_a_preprocessor_of_another_model_is_refused(name, limits, message):
    model = build(name, vocabulary_size=5 if name == "ave" else 50)
    preprocessor = Preprocessor(list("abcd"), 9, clean_up="relations", **limits)
    with pytest.raises(ValueError, match=message):
        model.preprocessor = preprocessor
    assert model.preprocessor is None


def test_texts_that_do_not_count_leave_the_centers():
    ids, targets = random_ids(model := build("act", center_weight=0.5), batch=4), np.arange(4) % 3
    model.compile(keras.optimizers.SGD(0.0), "sparse_categorical_crossentropy", run_eagerly=True)
    model.fit(ids, targets, sample_weight=np.array([0.0, 1, 0, 0]), verbose=0)
    moved = np.asarray(model.centers.centers).any(axis=1)
    assert moved.tolist() == [False, True, False]


def test_a_frozen_model_within_another_is_loaded_frozen(tmp_path):
    inner, ids = build("hcan"), keras.Input((None, None), dtype="int32")
    inner.trainable = False
    keras.Model(ids, keras.layers.Dense(2)(inner(ids))).save(tmp_path / "outer.keras")
    outer = keras.saving.load_model(tmp_path / "outer.keras")
    assert len(outer.trainable_variables) == 2


@pytest.mark.parametrize("one_hot", [False, True])
def test_center_loss_joins_the_compiled_loss_in_training(one_hot):
    """ACT, Section 2.3: its weight, and centres that move at their own rate."""
    model = build("act", center_weight=0.5, dropout=0.0, word_dropout=0.0)
    ids, targets = random_ids(model, batch=6), np.arange(6) % 3
    y = np.eye(3)[targets] if one_hot else targets
    compiled = "categorical_crossentropy" if one_hot else "sparse_categorical_crossentropy"
    model.compile(keras.optimizers.SGD(0.0), compiled, run_eagerly=True)
    plain = model.evaluate(ids, y, verbose=0)
    features = np.asarray(model.features)
    centers = np.asarray(model.centers.centers)
    distance = np.sum((features - centers[targets]) ** 2, axis=1).mean() / 2
    history = model.fit(ids, y, batch_size=6, verbose=0).history["loss"]
    np.testing.assert_allclose(history, [plain + 0.5 * distance], rtol=1e-5)
    assert not np.array_equal(centers, model.centers.centers)
