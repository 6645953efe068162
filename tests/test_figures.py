"""Figures of the papers are drawn from their tables."""

import numpy as np
import pandas as pd
import pytest

import zoo
from benchmarks.figures import attended
from benchmarks.figures.__main__ import FOLDER, NAMES, module_of, report
from zoo.datasets import Preprocessor


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_of_its_table(name, tmp_path):
    table = FOLDER / f"{name}.csv"
    if not table.exists():
        pytest.skip("make figures has not measured it yet")
    module_of(name).draw(pd.read_csv(table)).savefig(tmp_path / "figure.svg")
    assert module_of(name).TITLE in report()


def test_an_unknown_figure():
    with pytest.raises(zoo.UsageError, match="Did you mean 'hcan_time'"):
        module_of("hcan_times")


@pytest.mark.parametrize("model", ["han", "attcnn"])
def test_each_word_has_its_attention(model):
    model = zoo.build(model, 5, vocabulary_size=3)
    sentences = 4 if model.hierarchical else None
    model.preprocessor = Preprocessor(["good"], max_words=20, max_sentences=sentences)
    found = list(attended(model, "sample", 40))
    assert len(found) == 40
    for label, words, weights in found:
        assert label in "12345" and len(words) == len(weights)
        assert np.isfinite(weights).all() and (weights >= 0).all()
