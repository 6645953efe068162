"""Sizes that the papers print, or that follow from their equations (without the word table)."""

import pytest

import zoo


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
        ("hcan_one_max", hcan(512, 2, 1, False, 100)),
        ("hcan_flat", hcan(512, 1, 2, True, 500)),
        ("hcan_flat_max", hcan(512, 1, 2, False, 500)),
        ("hcan_flat_one", hcan(512, 1, 1, True, 500)),
        ("hcan_flat_one_max", hcan(512, 1, 1, False, 500)),
    ],
)
def test_hcan_of_the_paper(name, count):
    assert zoo.describe(name).parameters["gao2018"] == count


def test_act_of_the_paper():
    """Table 5 prints 1.49 M."""
    assert zoo.describe("act").parameters["li2021"] == 1_486_405
