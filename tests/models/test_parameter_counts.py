"""Sizes that the papers print, or that follow from their equations (without the word table)."""

import pytest

import zoo
from tests.kinds import slow_unless
from zoo.registry import count_parameters


def hcan(dim, levels, attentions, target, positions, classes=5, window=3):
    """HCAN, Equations 2 to 5: each convolution has window * dim * dim + dim parameters."""
    convolution = window * dim * dim + dim
    level = positions * dim + attentions * 3 * convolution + 2 * dim  # the last is LayerNorm
    level += target * (2 * convolution + dim)
    return levels * level + dim * classes + classes


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("hcan", hcan(512, 2, 2, True, 100)),
        ("hcan_max", hcan(512, 2, 2, False, 100)),
        ("hcan_one", hcan(512, 2, 1, True, 100)),
        slow_unless(False, "hcan_one_max", hcan(512, 2, 1, False, 100)),
        ("hcan_flat", hcan(512, 1, 2, True, 500)),
        slow_unless(False, "hcan_flat_max", hcan(512, 1, 2, False, 500)),
        slow_unless(False, "hcan_flat_one", hcan(512, 1, 1, True, 500)),
        slow_unless(False, "hcan_flat_one_max", hcan(512, 1, 1, False, 500)),
    ],
)
def test_hcan_of_the_paper(name, count):
    assert count_parameters(name, "gao2018") == count


def test_hcan_of_the_authors_code():
    model = zoo.build("hcan", 5, "gao2018", project_values=False, vocabulary_size=2)
    assert model.parameter_count() == hcan(512, 2, 2, True, 100) - 2 * (3 * 512 * 512 + 512)


def han(dim, units, attention, classes=5):
    """HAN, Equations 1 to 11. Keras' GRU has a recurrent bias beside each of the paper's."""

    def level(width):
        gru = 3 * (units * width + units * units + 2 * units)
        return 2 * gru + attention * (2 * units + 1 + 1)  # W, b and the context vector

    return level(dim) + level(2 * units) + 2 * units * classes + classes


def test_han_of_the_paper():
    assert count_parameters("han", "yang2016") == han(200, 50, 100)
    without_attention = han(200, 50, 0)
    assert count_parameters("han_ave", "yang2016") == without_attention
    assert count_parameters("han_max", "yang2016") == without_attention


def kim(dim, classes=5, maps=100):
    """Kim's CNN: windows of 3, 4 and 5 words."""
    return maps * dim * (3 + 4 + 5) + 3 * maps + 3 * maps * classes + classes


def test_attcnn_of_the_paper():
    """ATT-CNN, Equations 3 to 7: twice as wide for the CNN, and W and v of the attention."""
    assert count_parameters("cnn_kim", "kim2014") == kim(300)
    assert count_parameters("attcnn", "zhao2016") == kim(2 * 300) + 100 * 2 * 300 + 100


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("ssan", 465_600),
        ("ssan_pe", 453_000),
        ("ssan_none", 453_000),
        ("ssan_2layer", 839_400),
        ("transformer", 1_177_920),
        ("transformer_pe", 1_177_920 - 2 * 2 * 21 * 30),
        ("lstm", 722_705),
        ("bilstm", 1_445_405),
        ("cnn_barnes", 83_714),
    ],
)
def test_table_3_of_ssan(name, count):
    """SSAN, Table 3: 300 dimensions, 5 classes."""
    assert count_parameters(name, "ambartsoumian2018") == count


def test_learned_positions_add_a_table():
    model = zoo.build("ssan", 5, "ambartsoumian2018", position="learned", vocabulary_size=2)
    assert model.parameter_count() == 453_000 + 500 * 300


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("act", 1_486_405),  # Table 5: 1.49 M
        ("act_transformer", 3_384_505),  # Table 5: 3.38 M
        ("act_feature_maps", 1_486_405 - 3 * (3 * 50 - 100) * 6 * 300),  # W^O reads m rows a head
        ("act_one_head", 1_486_405 - 3 * 5 * 100),  # fewer biases; the filters are as many
        ("act_no_global", 1_486_405),
        ("act_no_positions", 1_486_405 - 500 * 60 - 60 * 200),
    ],
)
def test_act_of_the_paper(name, count):
    assert count_parameters(name, "li2021") == count


def test_bert_of_minilm():
    """What others count, 22,713,216, without pieces, segments and pooler, and with the classes."""
    others = 30_522 * 384 + 2 * 384 + 384 * 385
    assert count_parameters("bert", "wang2020") == 22_713_216 - others + 385 * 5
