"""Each option of a model does something: weights of other shapes or starts, or other answers."""

import random
from collections import Counter
from functools import cache, partial

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.kinds import KINDS, PAPERS, dropouts, file, long_unless, slow_unless
from zoo.datasets.batches import pack
from zoo.layers.entity_positions import join_roles
from zoo.registry import import_model

WORDS = np.random.default_rng(0).integers(1, 12, (2, 40))
IDS = join_roles(WORDS, np.eye(40, dtype=int)[7] + 2 * np.eye(40, dtype=int)[20])
OTHERS = {
    "windows": (2,),
    "num_heads": 3,
    "hidden_dim": 7,
    "position_dim": 30,
    "norm_epsilon": 0.1,
}
ELSEWHERE = {  # where they are tested
    "vocabulary_size": "all tests: ids would have no vector",
    "max_words": "test_preprocessor: where texts are cut",
    "max_sentences": "test_preprocessor",
    "train_embeddings": "check_model: check_a_step",
    "center_weight": "test_center_loss_joins_the_compiled_loss_in_training",
    "center_rate": "below",
    "max_norm": "below",
    "subwords": "test_subword_embedding",
    "embedding_dim": "test_parameter_counts",
    "logits": "check_model: check_logits",
    **dict.fromkeys(("weighting", "solver", "clusters", "strength", "ngrams"), "test_bag"),
    **dict.fromkeys(("steps", "step_size", "passes"), "test_paragraph_vector"),
}


def build(name, **options):
    random.seed(0)  # from which Keras draws its seeds
    return zoo.build(name, 3, **{"embedding_dim": 24, "vocabulary_size": 50} | options)


def other(name, option, value):
    """Another value than the default one."""
    if option in OTHERS:
        return OTHERS[option]
    if choices := import_model(name)[0].option_values()[option].choices:
        return next(one for one in choices if one not in (value, None))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    return value / 2 or 0.5


def answers(model, ids):
    """In training, with the losses that the model adds, and else."""
    random.seed(0)
    drawn = [np.asarray(model(ids, training=True)), *map(np.asarray, model.losses)]
    return [*drawn, np.asarray(model(ids, training=False))]


@cache
def default_model(name, *given):
    """And its weights, as they start."""
    model = build(name, **dict(given))
    model.build()
    return model, model.get_weights()


def same(one, two):
    """But for what rounding may do."""
    return all(
        a.shape == b.shape and np.abs(a - b).max(initial=0) < 1e-7
        for a, b in zip(one, two, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "option"),
    [
        long_unless(name in PAPERS, name, option)
        if file(name) in PAPERS
        else slow_unless(False, name, option)
        for name in KINDS
        for option in zoo.describe(name).options
        if option not in ELSEWHERE and option not in dropouts(name)  # see check_dropouts
    ],
)
def test_no_option_is_ignored(name, option):
    default = zoo.describe(name).options
    given = {"entities": True} if "entities" in default and option != "entities" else {}
    given |= dict.fromkeys(dropouts(name), 0.0)
    changed = {option: other(name, option, default[option])}
    (one, weights), two = default_model(name, *given.items()), build(name, **given | changed)
    two.build()
    starts = two.get_weights()
    shapes = [[weight.shape for weight in model] for model in (weights, starts)]
    if shapes[0] != shapes[1] or (option == "embedding_range" and not same(weights, starts)):
        return
    one.set_weights(weights)  # a training step moves centres, and means of batches
    two.set_weights(weights)
    ids = IDS.reshape(2, 4, 10) if one.hierarchical else IDS
    assert not same(*(answers(model, ids) for model in (one, two)))


def test_hcans_attentions_have_its_options():
    model = build("hcan", kernel_size=2, num_heads=2, dropout=0.2)
    for level in (model.words.layer, model.sentences):
        for attention in (level.attention, level.parallel, level.summary):
            found = (attention.kernel_size, attention.num_heads, attention.dropout)
            assert found == (2, 2, 0.2)


def test_options_of_training_alone():
    assert build("act", center_rate=0.3).centers.rate == 0.3
    assert build("cnn_kim", max_norm=2.0).classify.kernel_constraint.max_value == 2.0


RATES = {  # dropout layers with the rate of each option
    "act": {"dropout": 1, "word_dropout": 1, "embedding_dropout": 1},
    "attcnn": {"dropout": 1},
    "han": {"output_dropout": 1},
    "hcan": {"dropout": 8, "output_dropout": 1},  # of two levels: texts and three attentions
    "ssan": {"dropout": 1, "attention_dropout": 1},
    "transformer": {"attention_dropout": 4, "dropout": 1},
    "bert": {"dropout": 5},
    "lstm": {"dropout": 1, "state_dropout": 1},
    "leam": {"dropout": 1},
    "cnn_barnes": {"dropout": 1},
    "skim_lstm": {"dropout": 1},
    "bi_blosan": {"dropout": 1},
    "pa_lstm": {"dropout": 1},
}
CALLS = {  # of a dropout layer in a training step, where it stands at several places
    "ssan": {"dropout": 2},
    "lstm": {"dropout": 1, "state_dropout": 1},
    "leam": {"dropout": 3},
    "cnn_barnes": {"dropout": 2},
    "skim_lstm": {"dropout": 2},
    "bi_blosan": {"dropout": 3},
    "pa_lstm": {"dropout": 2},
}


@pytest.mark.parametrize("name", RATES)
def test_words_are_dropped_at_the_rate_and_the_places_of_the_option(name):
    rates = {option: 0.11 * (i + 1) for i, option in enumerate(RATES[name])}
    model = build(name, **rates)
    model.build()
    found, calls = Counter(), Counter()
    for layer in model._flatten_layers():
        if isinstance(layer, keras.layers.Dropout):
            (option,) = (option for option, rate in rates.items() if layer.rate == rate)
            found[option] += 1
            layer.call = partial(
                lambda option, call, *a, **k: calls.update([option]) or call(*a, **k),
                option,
                layer.call,
            )
    assert found == RATES[name]
    model(IDS.reshape(2, 4, 10) if model.hierarchical else IDS, training=True)
    assert calls.items() >= CALLS.get(name, {}).items()


def test_word_dropout_leaves_out_whole_words():
    zeros = np.asarray(build("act", word_dropout=0.5).vectors(IDS, training=True)[0]) == 0
    assert (zeros.all(-1) == zeros.any(-1)).all()
    assert zeros.any() and not zeros.all()


@pytest.mark.parametrize("name", ["han", "hcan", "conv_grnn"])
def test_packed_documents_are_dropped_from_too(name):
    """As trainings read them."""
    model = build(name, output_dropout=0.5, **{"dropout": 0.0} if name == "hcan" else {})
    packed = pack(tf.RaggedTensor.from_tensor(WORDS.reshape(2, 4, 10), ragged_rank=2))
    first, second = (np.asarray(model(packed, training=True)) for _ in range(2))
    assert not np.array_equal(first, second)


def test_entities_are_told_apart():
    """Which word is in which of the two."""
    words = np.array([[5, 9, 7, 3, 11, 6]])
    for name in ("act", "act_transformer", "attcnn", "cnn_pe", "pa_lstm"):
        model = build(name, entities=True, embedding_range=0.5)
        one, two = (
            np.asarray(model(join_roles(words, np.array(roles))))
            for roles in ([1, 0, 0, 0, 2, 0], [2, 0, 0, 0, 1, 0])
        )
        assert np.abs(one - two).max() > 1e-5, name
