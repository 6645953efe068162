"""Figures of the papers are drawn from their tables."""

import numpy as np
import pandas as pd
import pytest

import zoo
from benchmarks import figures
from benchmarks.figures import attended
from benchmarks.figures.__main__ import FOLDER, NAMES, module_of, report
from zoo import datasets
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


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A run for each model of figures, of built-in reviews."""
    sizes = {"han": {"units": 4}, "hcan": {"num_heads": 2}}
    texts = datasets.load("sample").split(0).frame("train")[:300]
    told = {"epochs": 2, "weights": "none", "verbose": 0}
    return {
        name: zoo.train(
            name,
            texts,
            options={"embedding_dim": 8} | own,
            output=tmp_path_factory.mktemp(name),
            **told,
        )
        for name, own in sizes.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name != "attcnn_matrices"])
def test_a_figure_is_measured(name, small, monkeypatch, tmp_path):
    """Of small runs in place of those that take minutes."""
    one = module_of(name)
    monkeypatch.setattr(one, "trained", lambda model, *_, **__: small.get(model, small["han"]))
    words = lambda model, _, count: attended(model, "sample", min(count, 200))  # noqa: E731
    monkeypatch.setattr(one, "attended", words, raising=False)
    table = one.measure()
    assert len(table) and not table.isna().any(axis=None)
    one.draw(table).savefig(tmp_path / "figure.svg")


def test_each_setting_has_a_run_of_its_own(monkeypatch, tmp_path):
    """One layer is not one head."""
    monkeypatch.setattr(figures, "RUNS", tmp_path)
    names = [f"act-agnews-{option}=1" for option in ("num_layers", "num_heads")]
    for name in names:
        (tmp_path / name).mkdir()
    found = [
        figures.trained("act", "agnews", options={one: 1}) for one in ("num_layers", "num_heads")
    ]
    assert [run.name for run in found] == names
