"""Several devices and several processes train the weights that one would."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import zoo
from tests.histories import history_of
from zoo.training import devices
from zoo.training.devices import await_coordinator, check_free

# Stochastic gradient descent, as adaptive rates make large differences of tiny ones; no dropout,
# whose draws differ, and no centre loss, whose centres move by the mean over the devices.
ACT = {"embedding_dim": 6, "filters": 2, "num_layers": 1, "dropout": 0, "word_dropout": 0}
ACT |= {"center_weight": 0, "subwords": 20}
HAN = {"embedding_dim": 8, "units": 4, "attention_dim": 6, "output_dropout": 0, "subwords": 20}


# XLA compiles in half the time
ON_JAX = {"KERAS_BACKEND": "jax", "XLA_FLAGS": "--xla_backend_optimization_level=0"}


SEVERAL = {"label_separator": ";"}  # labels a text


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({}, id="one label"),
        pytest.param(SEVERAL, id="several labels", marks=pytest.mark.slow),
    ],
)
def settings(request):
    """Of all trainings of a file."""
    return request.param


@pytest.fixture(scope="module")
def data(tmp_path_factory, settings):
    """99 rows, of which 80 are trained on: whole batches of 8, as shared ones are.

    Texts have 5 to 8 words: JAX compiles for one shape.
    """
    also = ["", "", ";long", ";long"] if settings == SEVERAL else [""]
    rows = [
        f"{'good' if i % 2 else 'bad'} {'stay ' * (i % 4)}. it was {i},{i % 2}{also[i % len(also)]}"
        for i in range(99)
    ]
    path = tmp_path_factory.mktemp("data") / "data.csv"
    path.write_text("\n".join(["text,label", *rows]))
    return path


def same_weights(one, other):
    (first,), (second,) = one.iterdir(), other.iterdir()
    for a, b in zip(zoo.load(first).get_weights(), zoo.load(second).get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    scores = [json.loads((run / "metrics.json").read_text()) for run in (first, second)]
    assert scores[0]["loss"] == pytest.approx(scores[1]["loss"], abs=1e-5)
    histories = [
        [[float(value) for value in row.values()] for row in history_of(run)]
        for run in (first, second)
    ]
    np.testing.assert_allclose(*histories, atol=1e-4)


@pytest.mark.long
def test_two_devices_of_tensorflow(data, settings, tmp_path):
    script = Path(__file__).with_name("mirrored_check.py")
    told = map(json.dumps, (HAN, settings))
    subprocess.run([sys.executable, script, data, tmp_path, *told], check=True)
    same_weights(tmp_path / "1", tmp_path / "2")


@pytest.mark.slow
def test_what_a_step_learns_does_not_depend_on_the_devices():
    """Losses beside the main one and batch normalisation, too."""
    script = Path(__file__).with_name("mirrored_step_check.py")
    subprocess.run([sys.executable, script], check=True)


def on_jax(*command):
    """A command of zoo's, which a warning ends: users should read none of JAX's."""
    quiet = ["-W", "error::UserWarning"]
    return subprocess.Popen(
        [sys.executable, *quiet, "-m", "zoo", *command], env=os.environ | ON_JAX
    )


def two_on_jax(*command):
    """Two processes that train together."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        coordinator = f"localhost:{free.getsockname()[1]}"
    several = ["--coordinator", coordinator, "--processes", "2", "--process-id"]
    return [on_jax(*command, *several, number) for number in "01"]


def training(data, settings, epochs):
    """Arguments of a small training of act."""
    command = ["train", "act", "--data", data, "--recipe", "li2021", "--batch-size", "8"]
    for name, value in settings.items():
        command += [f"--{name.replace('_', '-')}", value]
    for name, value in ACT.items():
        command += ["--set", f"{name}={value}"]
    return [*command, "--weights", "none", "--epochs", str(epochs), "--no-calibrate", "--output"]


@pytest.mark.long
def test_two_processes_on_jax(data, settings, tmp_path):
    train = training(data, settings, 1)
    running = [on_jax(*train, tmp_path / "1"), *two_on_jax(*train, tmp_path / "2")]
    assert [process.wait() for process in running] == [0, 0, 0]
    same_weights(tmp_path / "1", tmp_path / "2")


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}], scope="module")
def test_two_processes_that_are_killed_go_on(data, settings, tmp_path):
    train = training(data, settings, 40)
    assert [process.wait() for process in two_on_jax(*train, tmp_path / "whole")] == [0, 0]
    running = two_on_jax(*train, tmp_path / "killed")
    while not list(tmp_path.glob("killed/*/checkpoint/state-[1-9]*.npz")):
        assert running[0].poll() is None
        time.sleep(0.01)
    for process in running:
        process.kill()
        process.wait()
    (run,) = (tmp_path / "killed").iterdir()
    assert not (run / "metrics.json").exists()
    resumed = two_on_jax("train", "--resume", run)
    assert [process.wait() for process in resumed] == [0, 0]
    same_weights(tmp_path / "whole", tmp_path / "killed")


def test_who_waits_for_the_first_process_gives_up():
    with socket.socket() as first:
        first.bind(("localhost", 0))
        coordinator = f"localhost:{first.getsockname()[1]}"
        with pytest.raises(zoo.UsageError, match=f"nothing answers at {coordinator} .*process 0"):
            await_coordinator(coordinator, seconds=0)
        first.listen()
        await_coordinator(coordinator, seconds=0)


def test_the_first_process_refuses_a_port_that_is_taken():
    with socket.create_server(("", 0)) as other:
        coordinator = f"localhost:{other.getsockname()[1]}"
        with pytest.raises(zoo.UsageError, match="cannot listen at port .*in use"):
            check_free(coordinator)
    check_free(coordinator)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"devices": "0"}, "devices must be all, or 1, as there is no GPU, .*: got '0'"),
        ({"devices": "two"}, "devices must be all, or 1, as there is no GPU, .*: got 'two'"),
        ({"devices": "²"}, "devices must be all, or 1, as there is no GPU, .*: got '²'"),
        ({"devices": "2"}, "devices must be all, or 1, as there is no GPU, .*: got '2'"),
        ({"processes": 2}, "several processes need JAX: pip install jax, KERAS"),
        (
            {"processes": 2, "minutes": 1},
            "minutes needs a training by one process: leave out coordinator",
        ),
    ],
)
def test_devices_that_are_not_there_are_refused(csv_file, tmp_path, settings, message):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.train("act", str(csv_file), output=tmp_path, **settings)
    assert not list(tmp_path.iterdir())


def test_the_first_process_needs_a_port(csv_file, tmp_path, monkeypatch):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    several = {"coordinator": "host0", "processes": 2, "process_id": 0}
    with (
        pytest.raises(zoo.UsageError, match="host:port, as in host0:1234: got 'host0'"),
        devices.spread(**several),
    ):
        pass


@pytest.mark.parametrize(
    ("capability", "precision"),
    [
        (None, "float32"),
        ((6, 1), "float32"),
        ((7, 5), "mixed_float16"),
        ((8, 0), "mixed_bfloat16"),
        ((9, 0), "mixed_bfloat16"),
    ],
)
def test_precision_fits_the_gpu(monkeypatch, capability, precision):
    monkeypatch.setattr(devices, "capability", lambda: capability)
    assert devices.auto_precision() == precision


@pytest.mark.parametrize(
    ("platform", "told", "precision"),
    [
        ("cpu", None, "float32"),
        ("gpu", "7.0", "mixed_float16"),
        ("gpu", "12.0", "mixed_bfloat16"),
        ("gpu", "gfx942", "float32"),  # AMD's are names
        ("tpu", None, "mixed_bfloat16"),
    ],
)
def test_precision_fits_what_jax_finds(monkeypatch, platform, told, precision):
    device = SimpleNamespace(platform=platform, compute_capability=told)
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    monkeypatch.setattr("jax.devices", lambda: [device])
    assert devices.auto_precision() == precision
