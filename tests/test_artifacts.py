"""Models of earlier releases load, and answer as they did. `make artifacts` writes them."""

import json
from pathlib import Path

import numpy as np
import pytest

import zoo
from zoo.answers import probabilities_of

FOLDER = Path(__file__).parent / "artifacts"
RUNS = sorted(path.parent.relative_to(FOLDER) for path in FOLDER.glob("*/*/expected.json"))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_model_of_an_earlier_release(run):
    expected = json.loads((FOLDER / run / "expected.json").read_text("utf-8"))
    model = zoo.load(FOLDER / run)
    rows = probabilities_of(model, expected["texts"])
    np.testing.assert_allclose(rows, expected["probabilities"], atol=1e-5)
    assert np.std(rows[:, 0]) > 0.01  # they tell texts apart


def test_there_are_some_and_they_are_small():
    assert {run.parts[1] for run in RUNS} >= {"act", "hcan"}
    for version in FOLDER.iterdir():
        assert sum(path.stat().st_size for path in version.rglob("*") if path.is_file()) < 100_000
