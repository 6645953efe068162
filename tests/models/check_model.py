"""What users rely on of every model, checked on one model of a name that is built once.

A new model is tested by being registered. What fails is named by the function that found it.
"""

import itertools
from unittest import mock

import keras
import numpy as np
import tensorflow as tf

import zoo
from tests.kinds import dropouts
from zoo.classifier import Attention, recorded_calls
from zoo.datasets.batches import pack
from zoo.evaluation.calibration import with_temperature

SMALL = {"embedding_dim": 24, "vocabulary_size": 50}  # 24 is divided by every default of num_heads
LIMIT = 12  # words, of a sentence where there are any


def check_model(name, tolerance, folder):
    """All of it, in Keras' precision of now.

    Args:
        name: of a model.
        tolerance: of answers that should be the same.
        folder: where files may be written.
    """
    rates = {option: 0.11 * (i + 1) for i, option in enumerate(dropouts(name))}
    model = build(name, max_words=LIMIT, **rates)
    check_answers(model, tolerance)
    if model.dtype_policy.name == "float32":  # of which the others are no different
        check_dropouts(model, rates)
        check_order_of_layers(model)
        check_count(model)
        check_logits(model)
        check_temperature(model)
        check_one_word(model)
    copy = check_saving(model, folder)
    check_learning_from_nothing(copy)
    check_a_step(copy)
    check_freezing(copy)  # the last one, as it stays frozen


def build(name, **options):
    return zoo.build(name, num_classes=3, **SMALL | options)


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


def check_answers(model, tolerance):
    """Probabilities, which neither padding nor the texts of a batch change; and attention."""
    ids = random_ids(model, batch=6, sentences=5)
    ids[2] = 0  # an empty document
    together = probabilities(model, ids)
    assert together.shape == (6, 3) and together.dtype == np.float32
    np.testing.assert_allclose(together.sum(axis=-1), 1, rtol=1e-5)

    def same(others):
        np.testing.assert_allclose(others, together, atol=tolerance)

    same(probabilities(model, np.pad(ids, [(0, 0)] * (ids.ndim - 1) + [(0, 6)])))
    if model.hierarchical:
        same(probabilities(model, np.pad(ids, [(0, 0), (0, 4), (0, 0)])))
        check_packed(model, ids, tolerance)
    same(np.concatenate([probabilities(model, without_padding(text)) for text in ids]))
    longer = random_ids(model, batch=2, words=LIMIT + 8)
    assert np.isfinite(probabilities(model, longer)).all()
    if asks_for_scores(type(model)):
        check_scores(model, ids, together)


def check_packed(model, ids, tolerance):
    """Packed documents get the same answer."""
    sentences = [[[word for word in row if word] for row in text if row.any()] for text in ids]
    ragged = tf.ragged.constant(sentences, ragged_rank=2, dtype="int64")
    dense = probabilities(model, ragged.to_tensor().numpy())
    np.testing.assert_allclose(probabilities(model, pack(ragged)), dense, atol=tolerance)


def without_padding(text):
    """A batch of a document alone, as small as its words allow."""
    sizes = [max(1, where.max(initial=-1) + 1) for where in np.nonzero(text)]
    return text[tuple(map(slice, sizes))][None]


def asks_for_scores(cls):
    return "return_attention_scores" in cls.call.__code__.co_varnames


def check_scores(model, ids, answers):
    """Attention is shares of what is there."""
    result, attention = model(ids, training=False, return_attention_scores=True)
    np.testing.assert_allclose(result, answers, atol=1e-6)
    check_attention(model, ids, attention)


def check_attention(model, ids, attention):
    real = ids.reshape(len(ids), 1, -1, ids.shape[-1]) != 0  # of all heads, in sentences
    masks = Attention(words=real, pairs=real[..., None, :], sentences=real.any(axis=-1))
    for weights, mask in zip(attention, masks, strict=True):
        if weights is None:
            continue
        weights = keras.ops.convert_to_numpy(weights)
        mask = np.broadcast_to(mask, weights.shape)
        assert (weights >= 0).all()
        assert (weights[~mask] == 0).all()
        if type(model).__module__ == "zoo.models.attcnn":  # a word does not attend to itself
            mask = mask & ~np.eye(ids.shape[-1], dtype=bool)
        if model.compute_dtype == "float32":
            np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), atol=1e-5)


def check_dropouts(model, rates):
    """The layers of each option drop in training and only there."""
    ids = random_ids(model)
    layers = {
        layer: layer.rate
        for layer in model._flatten_layers()
        if isinstance(layer, keras.layers.Dropout) and layer.rate > 0
    }
    with recorded_calls(layers) as called:
        model(ids, training=True)
    assert set(called) == set(map(id, layers))
    for option, rate in rates.items():  # alone
        for layer, own in layers.items():
            layer.rate = own if own == rate else 0.0
        first, second = (np.asarray(model(ids, training=True)) for _ in range(2))
        assert not np.array_equal(first, second), f"{option} drops nothing"
    for layer, own in layers.items():
        layer.rate = own
    np.testing.assert_array_equal(probabilities(model, ids), probabilities(model, ids))


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


def check_order_of_layers(model):
    """They are in the order of the data, and the head is last."""
    layers, called = model.layers, first_calls(model)
    assert layers[0] is called[0] is model.embed
    assert layers[-1] is called[-1] is model.classify
    assert [one for one in layers if any(one is other for other in called)] == called
    assert {id(one) for one in layers} == {id(one) for one in model._layers}


def check_freezing(model):
    """Freezing ``layers[:-1]`` freezes all but the head."""
    for layer in model.layers[:-1]:
        layer.trainable = False
    own = model._trainable_variables if model.name == "leam" else []  # the vectors of its classes
    assert {id(one) for one in model.trainable_variables} == {
        id(one) for one in [*own, *model.classify.trainable_variables]
    }


def check_count(model):
    """Of parameters: all that is trained but the words' vectors."""
    trained = sum(weight.numpy().size for weight in model.trainable_weights)
    table = model.vocabulary_size * model.embedding_dim * model.train_embeddings
    assert model.parameter_count() == trained - table


def check_logits(model):
    """They are what the softmax reads."""
    ids = random_ids(model)
    logits = type(model).from_config(model.get_config() | {"logits": True})
    logits.build()
    logits.set_weights(model.get_weights())
    softmax = keras.ops.softmax(probabilities(logits, ids))
    np.testing.assert_allclose(softmax, probabilities(model, ids), atol=1e-6)


def check_temperature(model):
    """The last layer takes one, as training gives it for probabilities as often right as told."""
    ids, weights = random_ids(model), model.classify.get_weights()
    before = probabilities(model, ids)
    model.classify.set_weights([one / 3 for one in weights])
    after = probabilities(model, ids)
    model.classify.set_weights(weights)
    np.testing.assert_allclose(after, with_temperature(before, 3), atol=1e-5)


def check_one_word(model):
    """A text of one word is nothing to warn of, also in a graph for just that shape."""
    ids = np.ones((1, 1, 1) if model.hierarchical else (1, 1), "int64")
    assert np.isfinite(model.predict_on_batch(ids)).all()


def check_saving(model, folder):
    """Saved and loaded it is the same model, in its own precision; gives what was loaded."""
    ids, policy = random_ids(model), keras.config.dtype_policy()
    answers = probabilities(model, ids)
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")
    keras.config.set_dtype_policy("float32")
    try:
        loaded = keras.saving.load_model(folder / "model.keras")  # safe mode
        assert keras.config.dtype_policy().name == "float32"
    finally:
        keras.config.set_dtype_policy(policy)
    assert loaded.get_config() == model.get_config()
    np.testing.assert_array_equal(probabilities(loaded, ids), answers)
    loaded.set_weights([0 * weight for weight in loaded.get_weights()])
    loaded.load_weights(folder / "model.weights.h5")
    np.testing.assert_array_equal(probabilities(loaded, ids), answers)
    return loaded


def check_learning_from_nothing(model):
    """A step on empty documents leaves all weights finite."""
    empty = np.zeros_like(random_ids(model))
    model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
    model.train_on_batch(empty, np.array([0, 1, 2, 0]))
    assert all(np.isfinite(weight).all() for weight in model.get_weights())


def in_float32(model):
    """A copy without dropout, or the model itself."""
    if model.dtype_policy.name == "float32":
        return model
    config = model.get_config() | dict.fromkeys(dropouts(model.name), 0.0) | {"dtype": "float32"}
    copy = type(model).from_config(config)
    copy.build()
    return copy


def check_a_step(model):
    """One step without dropout lowers the loss and reaches every weight."""
    for layer in model._flatten_layers():
        if isinstance(layer, keras.layers.Dropout):
            layer.rate = 0.0
    exact = in_float32(model)  # bfloat16 rounds away what a small step gains
    weights = {id(weight) for weight in exact.weights}
    chance = [(one, one.numpy()) for one in exact.variables if id(one) not in weights]
    words = 4 * getattr(model, "block_words", 0) or 7  # blocks that attend to blocks
    ids, targets = random_ids(model, batch=8, words=words), np.arange(8) % 3
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

    def loss(part):
        """After a part of the step; chance is the same each time."""
        for variable, value in chance:
            variable.assign(value)
        exact.set_weights([a + part * (b - a) for a, b in zip(before, after, strict=True)])
        answers = exact(ids, training=True)  # by the batch's own statistics, where there are any
        wanted = keras.ops.convert_to_numpy(answers)[np.arange(8), targets]
        return -np.log(wanted).mean()

    # 29 layers without shortcuts are so steep that perhaps only a small part goes downhill.
    parts = (1, 0.1, 0.01, 0.001) if model.name == "vdcnn_29" else (1,)
    assert min(map(loss, parts)) < loss(0)
    for old, new, weight in zip(before, after, model.weights, strict=True):
        moved = not np.array_equal(old, new)
        assert moved or not weight.trainable, f"no gradient reached {weight.path}"
