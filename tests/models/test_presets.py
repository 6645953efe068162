"""The papers' settings, copied from the papers and not from the code."""

import keras
import numpy as np
import pytest

import zoo
from zoo.registry import create, find_recipe, import_model

PRESETS = {
    ("hcan", "gao2018"): {
        "embedding_dim": 512,
        "num_heads": 8,
        "kernel_size": 3,
        "dropout": 0.1,
        "output_dropout": 0.0,
    },
    ("han", "yang2016"): {
        "embedding_dim": 200,
        "units": 50,
        "attention_dim": 100,
        "output_dropout": 0.0,
    },
    ("han", "gao2018"): {"embedding_dim": 512, "units": 50, "attention_dim": 200},
    ("cnn_kim", "gao2018"): {
        "embedding_dim": 512,
        "windows": (3, 4, 5),
        "filters": 100,
        "dropout": 0.5,
        "max_norm": None,
    },
    ("lstm", "zhang2015"): {"embedding_dim": 300, "units": 512, "pooling": "mean"},
    ("transformer", "ambartsoumian2018_50"): {"embedding_dim": 50, "num_heads": 10},
    ("ssan", "ambartsoumian2018_600"): {"embedding_dim": 600, "max_distance": 10},
    ("ssan", "ambartsoumian2018"): {
        "embedding_dim": 300,
        "max_distance": 10,
        "dropout": 0.3,  # kept: 0.7
        "attention_dropout": 0.5,
        "train_embeddings": False,
    },
    ("transformer", "ambartsoumian2018"): {
        "num_layers": 2,
        "num_heads": 10,
        "hidden_dim": 300,
        "attention_dropout": 0.1,
    },
    ("act", "li2021_relations"): {"num_layers": 1, "num_heads": 6, "filters": 40, "entities": True},
    ("act_transformer", "li2021"): {"num_layers": 3, "num_heads": 6, "feed_forward_dim": 1200},
    ("act", "li2021"): {
        "embedding_dim": 300,
        "num_layers": 3,
        "num_heads": 6,
        "filters": 100,
        "kernel_size": 3,
        "attention_dim": 200,
        "position_dim": 60,
        "hidden_dim": 100,
        "dropout": 0.4,
        "center_weight": 0.001,
        "center_rate": 0.1,
    },
    ("bert", "wang2020"): {
        "embedding_dim": 384,
        "num_layers": 6,
        "num_heads": 12,
        "feed_forward_dim": 1536,
    },
    ("attcnn", "zhao2016"): {
        "embedding_dim": 300,
        "windows": (3, 4, 5),
        "filters": 100,
        "dropout": 0.5,
        "max_norm": 3.0,
    },
    ("pa_lstm", "zhang2017"): {
        "embedding_dim": 300,
        "num_layers": 2,
        "units": 200,
        "attention_dim": 200,
        "position_dim": 60,
        "dropout": 0.5,
    },
    ("cnn_kim", "nguyen2015"): {
        "embedding_dim": 300,
        "windows": (2, 3, 4, 5),
        "filters": 150,
        "position_dim": 100,  # 50 for each entity
        "dropout": 0.5,
        "max_norm": 3.0,
        "activation": "tanh",
        "entities": True,
    },
    ("char_cnn", "zhang2015"): {
        "embedding_dim": 70,
        "filters": 256,
        "hidden_dim": 1024,
        "dropout": 0.5,
        "max_words": 1014,
    },
    ("vdcnn", "conneau2017"): {
        "embedding_dim": 16,
        "depth": 9,
        "filters": 64,
        "hidden_dim": 2048,
        "max_words": 1024,
    },
    ("leam", "wang2018"): {"embedding_dim": 300, "hidden_dim": 300, "radius": 5, "dropout": 0.5},
    ("skim_lstm", "seo2018"): {
        "embedding_dim": 100,
        "units": 100,
        "small_units": 5,
        "gamma": 0.01,
    },
    ("conv_grnn", "tang2015"): {"embedding_dim": 200, "units": 50, "output_dropout": 0.0},
    ("bi_blosan", "shen2018"): {
        "embedding_dim": 300,
        "units": 300,
        "hidden_dim": 300,
        "train_embeddings": False,
    },
}
RECIPES = {
    ("hcan", "gao2018"): {
        "optimizer": "Adam",
        "settings": {"beta_1": 0.9, "beta_2": 0.99},
        "learning_rate": 2e-5,
        "batch_size": 1,
        "epochs": 4,  # Table 2: 16 hours of 38 ms a document are 3.8 passes over Amazon's
        "evaluate_every": 50_000,
    },
    ("han", "yang2016"): {"optimizer": "SGD", "settings": {"momentum": 0.9}, "batch_size": 64},
    ("ssan", "ambartsoumian2018"): {
        "optimizer": "Adadelta",
        "settings": {"rho": 0.95, "epsilon": 1e-8},
        "learning_rate": 0.1,
        "steps": 100_000,
        "schedule": "constant",
    },
    ("ssan", "ambartsoumian2018_50"): {"learning_rate": 0.15},
    ("ssan", "ambartsoumian2018_100"): {"learning_rate": 0.125},
    ("ssan", "ambartsoumian2018_200"): {"learning_rate": 0.1},
    ("transformer", "ambartsoumian2018_600"): {"learning_rate": 0.05},
    ("act", "li2021"): {
        "optimizer": "SGD",
        "settings": {"momentum": 0.9},
        "learning_rate": 0.01,
        "schedule": "plateau",
        "batch_size": 100,
        "epochs": 70,
    },
    ("attcnn", "zhao2016"): {
        "optimizer": "Adadelta",
        "settings": {"rho": 0.95, "epsilon": 1e-6},
        "batch_size": 50,
    },
    ("lstm", "ambartsoumian2018"): {"optimizer": "Adam", "batch_size": 32},
}


VARIANTS = {  # what makes a row of a paper's table of a model
    "hcan": {"two_attentions": True, "target": True},  # Gao et al. 2018, Table 2
    "hcan_max": {"two_attentions": True, "target": False},
    "hcan_one": {"two_attentions": False, "target": True},
    "hcan_one_max": {"two_attentions": False, "target": False},
    "hcan_flat": {"two_attentions": True, "target": True, "max_sentences": None},
    "hcan_flat_max": {"two_attentions": True, "target": False, "max_sentences": None},
    "hcan_flat_one": {"two_attentions": False, "target": True, "max_sentences": None},
    "hcan_flat_one_max": {"two_attentions": False, "target": False, "max_sentences": None},
    "han": {"pooling": "attention"},  # Yang et al. 2016, Table 2
    "han_ave": {"pooling": "average"},
    "han_max": {"pooling": "max"},
    "ssan": {"num_layers": 1, "position": "rpr"},  # Ambartsoumian and Popowich 2018, Table 2
    "ssan_2layer": {"num_layers": 2, "position": "rpr"},
    "ssan_pe": {"num_layers": 1, "position": "sinusoidal"},
    "ssan_none": {"num_layers": 1, "position": "none"},
    "transformer": {"position": "rpr"},
    "transformer_pe": {"position": "sinusoidal"},
    "act_feature_maps": {"attentive": False},  # Li et al. 2021, Table 3
    "act_one_head": {"num_heads": 1},
    "act_no_global": {"global_representation": False},
    "act_no_positions": {"position_dim": None},
    "cnn_pe": {  # Nguyen and Grishman 2015
        "entities": True,
        "windows": (2, 3, 4, 5),
        "filters": 150,
        "position_dim": 100,
        "activation": "tanh",
    },
    "lstm": {"bidirectional": False, "pooling": "last"},
    "bilstm": {"bidirectional": True, "pooling": "last"},
    "d_lstm": {"bidirectional": False, "pooling": "mean"},
    "conv_grnn": {"sentence": "convolution"},  # Tang et al. 2015
    "lstm_grnn": {"sentence": "lstm"},
    "vdcnn_17": {"depth": 17},
    "vdcnn_29": {"depth": 29},
    # Zhang et al. 2015, Section 2.1: of up to five words, TF-IDF or counts, 5,000 clusters
    "ngrams": {"solver": "logistic", "ngrams": 5, "weighting": "count"},
    "ngrams_tfidf": {"solver": "logistic", "ngrams": 5, "weighting": "tfidf"},
    "bag_of_means": {"solver": "logistic", "clusters": 5000},
    "svm_unigrams": {"solver": "svm", "ngrams": 1},
    "svm_bigrams": {"solver": "svm", "ngrams": 2},
    "fasttext": {"ngrams": 2, "weighting": "mean"},  # Joulin et al. 2017: pairs of words
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_the_papers(name):
    assert zoo.describe(name).options.items() >= VARIANTS[name].items()


@pytest.mark.parametrize("name", zoo.list_models())
def test_papers_weigh_no_class(name):
    assert not any(recipe.class_weights for recipe in import_model(name)[0].recipes.values())


@pytest.mark.parametrize("name", ["char_cnn", "vdcnn"])
def test_models_of_characters_read_characters(name):
    assert import_model(name)[0].clean_up == "characters"


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_presets_are_the_papers(name, preset):
    assert create(name, 2, preset).get_config().items() >= PRESETS[name, preset].items()


@pytest.mark.parametrize(("name", "recipe"), RECIPES)
def test_recipes_are_the_papers(name, recipe):
    assert vars(find_recipe(name, recipe)).items() >= RECIPES[name, recipe].items()


def test_the_norm_of_each_class_is_bounded():
    """Kim 2014, Section 2.1: that of its weights in the softmax, at most 3."""
    model = zoo.build("cnn_kim", 4, "kim2014", vocabulary_size=5)
    bounded = model.classify.kernel_constraint(keras.ops.ones((100, 4)))
    np.testing.assert_allclose(np.linalg.norm(bounded, axis=0), 3, rtol=1e-5)


@pytest.mark.parametrize("depth", [9, 17, 29, 49])
def test_vdcnn_is_as_deep_as_its_name(depth):
    """Conneau et al. 2017, Table 2: the first convolution, and those of the blocks."""
    model = zoo.build("vdcnn", 2, depth=depth, filters=2, vocabulary_size=5)
    in_blocks = [2 * len(blocks) for blocks in model.blocks]
    tables = {9: [2] * 4, 17: [4] * 4, 29: [10, 10, 4, 4], 49: [16, 16, 10, 6]}
    assert in_blocks == tables[depth]
    assert 1 + sum(in_blocks) == depth
    assert [blocks[0].convolutions[0].units for blocks in model.blocks] == [2, 4, 8, 16]
