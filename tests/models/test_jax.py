"""Every model trains, predicts and saves on JAX, and TensorFlow reads what JAX saved.

The papers' models take long; the systems that they compare with, the models' other names and
the layers alone are slow tests.
"""

from pathlib import Path

import keras
import numpy as np
import pytest

from tests.environment import on_jax
from tests.kinds import NAMES, PAPERS, file, long_unless, slow_unless

OTHERS = {}  # names by file
for name in NAMES:
    if name not in PAPERS:
        OTHERS.setdefault(file(name), []).append(name)


@pytest.mark.parametrize(
    "names",
    [
        long_unless(False, PAPERS, id="papers"),
        *(slow_unless(False, names, id=file) for file, names in OTHERS.items()),
    ],
)
def test_models(names, tmp_path):
    on_jax(Path(__file__).with_name("jax_check.py"), ",".join(names), tmp_path)
    for name in names:
        model = keras.saving.load_model(tmp_path / f"{name}.keras")
        with np.load(tmp_path / f"{name}.npz") as jax:
            probabilities = keras.ops.convert_to_numpy(model(jax["ids"], training=False))
            np.testing.assert_allclose(probabilities, jax["probabilities"], atol=1e-5)


@pytest.mark.slow
def test_layers():
    """The equations hold there too."""
    equations = Path(__file__).parents[1] / "layers" / "test_equations.py"
    on_jax("-m", "pytest", "-q", "-p", "no:xdist", equations)
