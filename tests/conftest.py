"""Fixtures that several test files share."""

import contextlib
import fcntl
import gc
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import zoo
from tests.environment import REAL_DATA
from zoo.shipping import saving

pytest.register_assert_rewrite("tests.models.check_model")

WRITE_SERVED = saving.write_served

# No test is timed: machines are busy at times.
hypothesis.settings.register_profile("zoo", deadline=None)
hypothesis.settings.load_profile("zoo")


@pytest.fixture(params=["float32", "mixed_bfloat16"])
def precision(request):
    """Runs a test in both precisions; gives the tolerance that goes with it."""
    import keras

    keras.config.set_dtype_policy(request.param)
    yield 1e-5 if request.param == "float32" else 3e-2
    keras.config.set_dtype_policy("float32")


@pytest.fixture(autouse=True)
def _seeded():
    """Keras draws the seeds of its layers from Python's generator.

    Its ``set_random_seed`` would have TensorFlow forget the kernels that it has made, which takes
    a tenth of the time of the tests of models.
    """
    random.seed(0)
    np.random.seed(0)


@pytest.fixture(scope="session", autouse=True)
def _quick_trainings():
    """Trainings leave out what takes seconds each, unless a test asks for it.

    They start at random, without 16,000 English words, and write no SavedModel and no model.onnx.
    And on a test's few texts they have a validation split, as those on many texts have.
    """

    def write_served(folder, model):
        (folder / "saved_model").mkdir(exist_ok=True)
        saving.write_onnx(folder, model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zoo.datasets.vectors.english.ENOUGH", 2.0)
        patch.setattr("zoo.recipes.FEW", 0)
        patch.setattr(saving, "ONNX_PACKAGES", ("none",))
        patch.setattr(saving, "write_served", write_served)
        yield


@pytest.fixture(scope="session")
def saved_models():
    """A context within which runs have a SavedModel."""

    @contextlib.contextmanager
    def enter():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(saving, "write_served", WRITE_SERVED)
            yield

    return enter


@pytest.fixture(scope="module", autouse=True)
def _no_garbage():
    """Takes what is left by now out of later collections, of which Keras and LiteRT ask for many.

    They took a fifth of the time of the tests of models and exports.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _empty_working_folder(tmp_path, monkeypatch):
    """Each test begins in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def real_data():
    """The folder of real corpora, which is that of the user; without one, a test is skipped."""
    if not REAL_DATA:
        pytest.skip("real corpora are not at hand: ZOO_DATA_DIR is not set")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_DATA_DIR", REAL_DATA)
        yield Path(REAL_DATA)


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """A folder for all workers, in which one at a time makes what is not there yet."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    @contextlib.contextmanager
    def enter():
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder

    return enter


@pytest.fixture(scope="session")
def csv_file(tmp_path_factory):
    """A small file of the user's own, with columns of other names."""
    lines = ["review,stars"]
    for i in range(60):
        lines.append(f'"a good, nice stay {i}. really good!",good one')
        lines.append(f'"a bad, sad stay {i}. really bad!",bad one')
    path = tmp_path_factory.mktemp("own files") / "my reviews.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture(scope="session")
def trained(csv_file, alone, saved_models):
    """A finished run of a small hierarchical model. Who writes into it takes a copy."""
    with alone() as folder, saved_models():
        return next(folder.glob("trained/*"), None) or zoo.train(
            "hcan",
            str(csv_file),
            files={"text_column": "review", "label_column": "stars"},
            options={"embedding_dim": 16, "num_heads": 2},
            epochs=4,
            learning_rate=1e-2,
            output=folder / "trained",
            verbose=0,
        )


@pytest.fixture(scope="session")
def run_with_onnx(trained, alone):
    """A copy of it with its ``model.onnx``, as trainings leave it outside tests."""
    with alone() as folder, pytest.MonkeyPatch.context() as patch:
        run = folder / "with_onnx" / trained.name
        if not (run / "model.onnx").exists():
            shutil.copytree(trained, run, dirs_exist_ok=True)
            patch.setattr(saving, "ONNX_PACKAGES", ("tf2onnx", "onnxruntime"))
            saving.write_onnx(run, zoo.load(run))
    return run


@pytest.fixture
def run(trained, tmp_path):
    """A copy of it."""
    return shutil.copytree(trained, tmp_path / "run")


@pytest.fixture
def ended():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


LONGEST = ("test_readme", "test_devices", "test_jax")


def pytest_collection_modifyitems(items):
    """The longest tests first, so that no worker waits for them at the end."""
    items.sort(key=lambda item: (*LONGEST, item.path.stem).index(item.path.stem))
