"""What users rely on, checked for every registered model."""

import functools
import inspect
import itertools
import random
from unittest import mock

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from tests.kinds import KINDS, NAMES, dropouts, every_kind, in_32_and_16_bits, slow_unless
from zoo.datasets import Preprocessor
from zoo.datasets.batches import pack
from zoo.evaluation.calibration import with_temperature
from zoo.explanation.attention import Attention
from zoo.registry import create, import_model

SMALL = {"embedding_dim": 24, "vocabulary_size": 50}  # 24 is divided by every default of num_heads
every_model = pytest.mark.parametrize("name", NAMES)


def build(name, **options):
    return zoo.build(name, num_classes=3, **SMALL | options)


@functools.cache
def built(name, policy):
    """A model for tests that do not train it."""
    assert policy == keras.config.dtype_policy().name
    return build(name)


def random_ids(model, batch=4, words=7, sentences=3, seed=0):
    """Documents of random lengths, some sentences empty, padded with 0."""
    rng = np.random.default_rng(seed)
    shape = (batch, sentences, words) if model.hierarchical else (batch, words)
    ids = rng.integers(1, 50, shape)
    lengths = rng.integers(0, words + 1, (*shape[:-1], 1))
    lengths[..., 0, :] = np.maximum(lengths[..., 0, :], 1)
    return np.where(np.arange(words) < lengths, ids, 0)


def probabilities(model, ids):
    return keras.ops.convert_to_numpy(model(ids, training=False))


@every_model
def test_gives_probabilities(name, precision):
    model = built(name, keras.config.dtype_policy().name)
    result = probabilities(model, random_ids(model))
    assert result.shape == (4, 3)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.sum(axis=-1), 1, rtol=1e-5)


@every_kind
@pytest.mark.filterwarnings("error::UserWarning")
def test_a_text_of_one_word_is_nothing_to_warn_of(name):
    model = build(name)
    ids = np.ones((1, 1, 1) if model.hierarchical else (1, 1), "int64")
    assert np.isfinite(model.predict_on_batch(ids)).all()  # of a graph for just that shape


@every_kind
def test_logits_are_what_the_softmax_reads(name):
    model = built(name, keras.config.dtype_policy().name)
    ids = random_ids(model)
    logits = build(name, logits=True)
    logits.set_weights(model.get_weights())
    softmax = keras.ops.softmax(probabilities(logits, ids))
    np.testing.assert_allclose(softmax, probabilities(model, ids), atol=1e-6)


@in_32_and_16_bits
def test_padding_and_batch_mates_never_matter(name, precision):
    model = built(name, keras.config.dtype_policy().name)
    ids = random_ids(model, batch=5)
    together = probabilities(model, ids)
    more_words = np.pad(ids, [(0, 0)] * (ids.ndim - 1) + [(0, 6)])
    np.testing.assert_allclose(probabilities(model, more_words), together, atol=precision)
    if model.hierarchical:
        more_sentences = np.pad(ids, [(0, 0), (0, 4), (0, 0)])
        np.testing.assert_allclose(probabilities(model, more_sentences), together, atol=precision)
    alone = np.concatenate([probabilities(model, ids[i : i + 1]) for i in range(5)])
    np.testing.assert_allclose(alone, together, atol=precision)


@pytest.mark.parametrize("name", [n for n in NAMES if zoo.describe(n).hierarchical])
def test_packed_documents_get_the_same_answer(name, precision):
    model = built(name, keras.config.dtype_policy().name)
    ids = random_ids(model, batch=6, sentences=5)
    ids[2] = 0  # an empty document
    sentences = [[[word for word in row if word] for row in text if row.any()] for text in ids]
    ragged = tf.ragged.constant(sentences, ragged_rank=2, dtype="int64")
    dense = probabilities(model, ragged.to_tensor().numpy())
    np.testing.assert_allclose(probabilities(model, pack(ragged)), dense, atol=precision)


def test_packed_documents_have_no_scores():
    packed = pack(tf.ragged.constant([[[3, 4], [5]], [[6]]], ragged_rank=2, dtype="int64"))
    for name, asked in (("han", True), ("hcan_flat", False)):
        with pytest.raises(ValueError, match="packed documents are for a model with sentences"):
            build(name)(packed, return_attention_scores=asked)


@every_kind
@settings(max_examples=3)
@given(data=st.data())
def test_a_text_gets_the_same_answer_in_any_padding(name, data):
    model = built(name, "float32")
    length, extra, sentences, seed = (data.draw(st.integers(1, 9)) for _ in range(4))
    rng = np.random.default_rng(seed)
    ids = rng.integers(1, 50, (1, sentences, length) if model.hierarchical else (1, length))
    padded = np.pad(ids, [(0, 2), *[(0, extra)] * (ids.ndim - 1)])
    np.testing.assert_allclose(
        probabilities(model, padded)[:1], probabilities(model, ids), atol=1e-5
    )


@in_32_and_16_bits
def test_empty_and_overlong_documents_are_finite(name, precision):
    model = build(name, max_words=5)
    empty = np.zeros_like(random_ids(model))
    assert np.isfinite(probabilities(model, empty)).all()
    assert np.isfinite(probabilities(model, random_ids(model, words=20))).all()
    model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
    model.train_on_batch(empty, np.array([0, 1, 2, 0]))
    assert all(np.isfinite(weight).all() for weight in model.get_weights())


@pytest.mark.parametrize(
    ("name", "rate"), [slow_unless(n in KINDS, n, rate) for n in NAMES for rate in dropouts(n)]
)
def test_each_dropout_drops_in_training_and_only_there(name, rate):
    model = build(name, **dict.fromkeys(dropouts(name), 0.0) | {rate: 0.5})
    ids, made, called = random_ids(model, words=16), [], []
    for layer in model._flatten_layers():
        if isinstance(layer, keras.layers.Dropout) and layer.rate > 0:
            made.append(layer)
            layer.call = functools.partial(
                lambda call, *a, **k: called.append(call) or call(*a, **k), layer.call
            )
    first, second = (np.asarray(model(ids, training=True)) for _ in range(2))
    assert not np.array_equal(first, second)
    assert {call.__self__ for call in called} == set(made)
    np.testing.assert_array_equal(probabilities(model, ids), probabilities(model, ids))


@in_32_and_16_bits
def test_one_step_lowers_the_loss_and_reaches_every_weight(name, precision):
    model = build(name, **dict.fromkeys(dropouts(name), 0.0))
    keras.config.set_dtype_policy("float32")  # bfloat16 rounds away what a small step gains
    words = 4 * getattr(model, "block_words", 0) or 7  # blocks that attend to blocks
    ids, targets = random_ids(model, batch=8, words=words), np.arange(8) % 3

    def loss(part):
        """After a part of the step; chance is the same each time."""
        random.seed(0)  # from which Keras draws its seeds
        exact = type(model).from_config(model.get_config() | {"dtype": "float32"})
        exact.build()
        exact.set_weights([a + part * (b - a) for a, b in zip(before, after, strict=True)])
        answers = exact(ids, training=True)  # by the batch's own statistics, where there are any
        wanted = keras.ops.convert_to_numpy(answers)[np.arange(8), targets]
        return -np.log(wanted).mean()

    step = keras.optimizers.SGD(1.0, global_clipnorm=0.01)  # the length of the step
    if model.dtype_policy.name == "mixed_float16":
        step = keras.optimizers.LossScaleOptimizer(step, initial_scale=2.0**10)  # as recipes do
    model.compile(step, "sparse_categorical_crossentropy", run_eagerly=True)
    before = model.get_weights()
    for _ in range(8):  # steps that overflow are left out, and halve the scale
        model.train_on_batch(ids, targets)
        after = model.get_weights()
        changed = [not np.array_equal(old, new) for old, new in zip(before, after, strict=True)]
        if any(weight.trainable for weight in itertools.compress(model.weights, changed)):
            break
    # 29 layers without shortcuts are so steep that perhaps only a small part goes downhill.
    parts = (1, 0.1, 0.01, 0.001) if name == "vdcnn_29" else (1,)
    assert min(map(loss, parts)) < loss(0)
    for old, new, weight in zip(before, after, model.weights, strict=True):
        moved = not np.array_equal(old, new)
        assert moved or not weight.trainable, f"no gradient reached {weight.path}"


@every_kind
def test_saved_and_loaded_it_is_the_same_model(name, tmp_path):
    model = built(name, keras.config.dtype_policy().name)
    ids = random_ids(model)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")  # safe mode
    assert loaded.get_config() == model.get_config()
    np.testing.assert_array_equal(probabilities(loaded, ids), probabilities(model, ids))
    model.save_weights(tmp_path / "model.weights.h5")
    fresh = type(model).from_config(model.get_config())
    fresh.build()
    fresh.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(probabilities(fresh, ids), probabilities(model, ids))


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


@every_kind
def test_a_model_keeps_its_precision(name):
    """Whatever the global one is where it is made again."""
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = build(name)
    finally:
        keras.config.set_dtype_policy("float32")
    copy = type(model).from_config(model.get_config())
    assert keras.config.dtype_policy().name == "float32"
    copy.build()
    copy.set_weights(model.get_weights())
    ids = random_ids(model)
    np.testing.assert_array_equal(probabilities(copy, ids), probabilities(model, ids))


def first_calls(model):
    """The layers of a model in the order in which a forward pass calls them."""
    called, original = [], keras.layers.Layer.__call__

    def call(layer, *args, **kwargs):
        if any(layer is one for one in model.layers) and not any(layer is one for one in called):
            called.append(layer)
        return original(layer, *args, **kwargs)

    with mock.patch.object(keras.layers.Layer, "__call__", call):
        model(random_ids(model), training=False)
    return called


@every_kind
def test_layers_are_in_the_order_of_the_data_and_the_head_is_last(name):
    """So that freezing ``layers[:-1]`` freezes all but the head."""
    model = build(name)
    layers, called = model.layers, first_calls(model)
    assert layers[0] is called[0] is model.embed
    assert layers[-1] is called[-1] is model.classify
    assert [one for one in layers if any(one is other for other in called)] == called
    assert {id(one) for one in layers} == {id(one) for one in model._layers}
    for layer in layers[:-1]:
        layer.trainable = False
    own = model._trainable_variables if name == "leam" else []  # the vectors of its classes
    assert {id(one) for one in model.trainable_variables} == {
        id(one) for one in [*own, *model.classify.trainable_variables]
    }


def test_the_head_of_a_model_without_weights_is_last():
    layers = create("attcnn", 3, **SMALL).layers
    assert [type(one).__name__ for one in layers][-1] == "Dense" and len(layers) == 5


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


ATTENTIVE = [
    name
    for name in NAMES
    if "return_attention_scores" in inspect.signature(import_model(name)[0].call).parameters
]


def masks_of(ids):
    """Where attention may be."""
    real = ids.reshape(len(ids), 1, -1, ids.shape[-1]) != 0  # of all heads, in sentences
    return Attention(words=real, pairs=real[..., None, :], sentences=real.any(axis=-1))


@pytest.mark.parametrize("name", ATTENTIVE)
def test_attention_scores_are_weights_of_real_words(name):
    model = built(name, keras.config.dtype_policy().name)
    ids = random_ids(model, words=7)
    result, attention = model(ids, training=False, return_attention_scores=True)
    np.testing.assert_allclose(result, probabilities(model, ids), atol=1e-6)
    for weights, mask in zip(attention, masks_of(ids), strict=True):
        if weights is None:
            continue
        weights = keras.ops.convert_to_numpy(weights)
        mask = np.broadcast_to(mask, weights.shape)
        assert (weights >= 0).all()
        assert (weights[~mask] == 0).all()
        if name == "attcnn":  # a word does not attend to itself
            mask = mask & ~np.eye(7, dtype=bool)
        np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), atol=1e-5)


@every_kind
def test_the_last_layer_takes_a_temperature(name):
    """As training gives it one that makes probabilities as often right as they say."""
    model = built(name, keras.config.dtype_policy().name)
    ids, weights = random_ids(model), model.classify.get_weights()
    before = probabilities(model, ids)
    model.classify.set_weights([one / 3 for one in weights])
    after = probabilities(model, ids)
    model.classify.set_weights(weights)
    np.testing.assert_allclose(after, with_temperature(before, 3), atol=1e-5)


@every_kind
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
