"""Training survives what kills it. Slow: `make stress` runs it, `make test` does not.

The full disk and the read-only folder need the right to mount a file system, and skip otherwise.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import zoo

MOMENTS = 20
TRAIN = [sys.executable, "-m", "zoo", "train"]
SETTINGS = ["act", "--set", "embedding_dim=12", "--set", "filters=4", "--epochs", "12"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = random.Random(0)
    rows = ["text,label"]
    for i in range(3000):
        words = [f"w{rng.randrange(300)}" for _ in range(rng.randrange(3, 40))]
        rows.append(f"{' '.join(words)} {('good', 'bad')[i % 2] * (rng.random() < 0.3)},{i % 2}")
    path = tmp_path_factory.mktemp("data") / "data.csv"
    path.write_text("\n".join(rows))
    return path


@pytest.fixture(scope="module")
def uninterrupted(data, tmp_path_factory):
    """The run that nobody disturbed, and the seconds it took."""
    folder, started = tmp_path_factory.mktemp("uninterrupted"), time.perf_counter()
    subprocess.run([*TRAIN, *SETTINGS, "--data", data, "--output", folder], check=True)
    return next(folder.iterdir()), time.perf_counter() - started


def killed_after(seconds, command):
    """Runs a command and kills it. Returns whether it had to be killed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0
    return False


def begun(folder):
    return [
        run
        for run in folder.iterdir()
        if any(run.glob("checkpoint/state-*.npz")) or (run / "metrics.json").exists()
    ]


def same_end(run, other):
    for one, two in zip(zoo.load(run).get_weights(), zoo.load(other).get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)
    assert (run / "history.csv").read_text() == (other / "history.csv").read_text()
    assert not [path for path in run.rglob("*") if "partial" in path.name]


@pytest.mark.parametrize("number", range(MOMENTS))
def test_sigkill_at_a_random_moment(data, uninterrupted, tmp_path, number):
    whole, seconds = uninterrupted
    rng = random.Random(number)
    moment = rng.uniform(0.3 if number % 4 else 0.05, 1) * seconds  # mostly while it trains
    killed = killed_after(moment, [*TRAIN, *SETTINGS, "--data", data, "--output", tmp_path])
    print(f"moment {number}: {moment:.1f} of {seconds:.1f} s, killed: {killed}")
    runs = begun(tmp_path)
    if not runs:  # nothing had begun
        subprocess.run([*TRAIN, *SETTINGS, "--data", data, "--output", tmp_path], check=True)
        runs = begun(tmp_path)
    (run,) = runs
    if (run / "checkpoint").exists() and number % 3 == 0:  # and once more
        killed_after(rng.uniform(0.2, 0.9) * seconds, [*TRAIN, "--resume", run])
    if (run / "checkpoint").exists():
        subprocess.run([*TRAIN, "--resume", run], check=True)
    same_end(run, whole)


@pytest.fixture
def disk(tmp_path):
    """A file system of 6 MB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a file system is not allowed here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def refused(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("room", [0, 20, 150, 600, 1500])  # KiB
def test_a_full_disk(data, uninterrupted, disk, room):
    """Wherever it fills up: a message, and the training goes on once there is room."""
    filler = disk / "filler"
    filler.write_bytes(bytes(6 * 2**20 - room * 1024 - 64 * 1024))
    message = refused(*TRAIN, *SETTINGS, "--data", data, "--output", disk / "runs")
    assert re.search(r"zoo: cannot write .*: .*No space left", message), message
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
    runs = list(Path(disk).glob("runs/*"))
    if runs:  # none where not even the start could be saved
        subprocess.run([*TRAIN, "--resume", runs[0]], check=True)
        same_end(runs[0], uninterrupted[0])


def test_a_read_only_folder(data, disk):
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    message = refused(*TRAIN, *SETTINGS, "--data", data, "--output", disk / "runs")
    assert "cannot write to the output folder" in message and "Read-only file system" in message


def test_a_folder_that_becomes_read_only(data, uninterrupted, disk):
    subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
    killed_after(0.7 * uninterrupted[1], [*TRAIN, *SETTINGS, "--data", data, "--output", disk])
    (run,) = disk.iterdir()
    before = sorted(path.name for path in run.rglob("*"))
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert "cannot write" in refused(*TRAIN, "--resume", run)
    assert sorted(path.name for path in run.rglob("*")) == before
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    subprocess.run([*TRAIN, "--resume", run], check=True)
    same_end(run, uninterrupted[0])
