"""Each option of a model does something: weights of other shapes or starts, or other answers."""

import keras
import numpy as np
import pytest

import zoo
from tests.kinds import KINDS

# Ids that tell of which entity a word is, too: four for each word.
IDS = np.random.default_rng(0).integers(1, 12, (2, 40)) * 4
IDS[:, [7, 20]] += [1, 2]
OTHERS = {
    "windows": (2,),
    "pooling": {"last": "mean", "attention": "max"},
    "position": "none",
    "sentence": "lstm",
    "num_heads": 3,
    "embedding_dim": 48,
    "hidden_dim": 7,
    "depth": 17,
    "position_dim": 30,
}
ELSEWHERE = {  # where they are tested
    "vocabulary_size": "all tests: ids would have no vector",
    "max_words": "test_preprocessor: where texts are cut",
    "max_sentences": "test_preprocessor",
    "train_embeddings": "test_one_step_lowers_the_loss_and_reaches_every_weight",
    "center_weight": "test_center_loss_joins_the_compiled_loss_in_training",
    "center_rate": "below",
    "max_norm": "below",
    "subwords": "test_subword_embedding",
    **dict.fromkeys(("weighting", "solver", "clusters", "strength", "ngrams"), "test_bag"),
    **dict.fromkeys(("steps", "step_size", "passes"), "test_paragraph_vector"),
}


def build(name, **options):
    keras.utils.set_random_seed(0)
    return zoo.build(name, 3, **{"embedding_dim": 24, "vocabulary_size": 50} | options)


def other(option, value):
    """Another value than the default one."""
    if option in OTHERS:
        found = OTHERS[option]
        return found[value] if isinstance(found, dict) else found
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    return value / 2 or 0.5


def answers(model, ids):
    """In training, with the losses that the model adds, and else."""
    keras.utils.set_random_seed(0)
    drawn = [np.asarray(model(ids, training=True)), *map(np.asarray, model.losses)]
    return [*drawn, np.asarray(model(ids, training=False))]


def same(one, two):
    return all(
        a.shape == b.shape and np.allclose(a, b, atol=1e-6) for a, b in zip(one, two, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name in KINDS
        for option in zoo.describe(name).options
        if option not in ELSEWHERE
    ],
)
def test_no_option_is_ignored(name, option):
    default = zoo.describe(name).options
    given = {"entities": True} if "entities" in default and option != "entities" else {}
    given |= {rate: 0.0 for rate in default if rate.endswith("dropout") and rate != option}
    changed = {option: other(option, default[option])}
    models = [build(name, **given), build(name, **given | changed)]
    for model in models:
        model.build()
    starts = [model.get_weights() for model in models]
    if len(starts[0]) != len(starts[1]) or not same(*starts):
        return
    ids = IDS.reshape(2, 4, 10) if models[0].hierarchical else IDS
    assert not same(*(answers(model, ids) for model in models))
