"""Processes of zoo that start at once and can be killed; and a training to do it to."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.histories import history_of


@dataclass(frozen=True)
class Ended:
    """What a process came to: minus nine where it was killed."""

    code: int
    out: str
    err: str
    touches: int  # of the folder

    @property
    def killed(self):
        return self.code == -signal.SIGKILL

    def well(self):
        assert self.code == 0, self.err[-3000:]
        return self

    def refused(self):
        """The message, if it is one clear line."""
        assert self.code == 2, (self.code, self.err[-3000:])
        assert "Traceback" not in self.err
        line = self.err.splitlines()[-1]
        assert line.startswith("zoo: "), self.err[-3000:]
        return line


class Process:
    """A running one."""

    def __init__(self, server, child, files):
        self.server, self.child, self.files = server, child, files

    def kill(self):
        os.kill(self.child, signal.SIGKILL)
        return self

    def wait(self):
        code = self.server.ask({"do": "wait", "child": self.child})
        out, err, touched = (
            path.read_text("utf-8", "replace") if path.is_file() else "" for path in self.files
        )
        return Ended(code, out, err, int(touched or 0))


class Server:
    """Starts processes; see ``fork_server.py``."""

    def __init__(self, folder):
        self.folder, self.started = folder, 0
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("fork_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            text=True,
        )

    def ask(self, job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def start(self, *arguments, folder="/-", fatal=None, umask=0o022, out=None, **environment):
        self.started += 1
        files = [self.folder / f"{self.started}.{name}" for name in ("out", "err", "touched")]
        files[0] = files[0] if out is None else Path(out)
        job = dict(zip(("out", "err", "touched"), map(str, files), strict=True))
        job |= {"do": "start", "arguments": list(map(str, arguments)), "folder": str(folder)}
        job |= {"fatal": fatal, "umask": umask, "environment": environment}
        return Process(self, self.ask(job), files)

    def run(self, *arguments, **options):
        return self.start(*arguments, **options).wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """``server.run("train", ..., folder=f, fatal=n)`` kills before the n-th touch of the folder."""
    server = Server(tmp_path_factory.mktemp("output"))
    yield server
    server.process.stdin.close()
    server.process.wait()


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    rng = random.Random(0)
    rows = ["text,label"]
    for i in range(600):
        words = [f"w{rng.randrange(300)}" for _ in range(rng.randrange(3, 20))]
        rows.append(f"{' '.join(words)} {('good', 'bad')[i % 2] * (rng.random() < 0.3)},{i % 2}")
    path = tmp_path_factory.mktemp("data") / "data.csv"
    path.write_text("\n".join(rows))
    return path


@pytest.fixture(scope="session")
def train(data):
    """Arguments of a training in seconds, with dropout, whose state must be kept, too."""
    small = ["--set", "embedding_dim=6", "--set", "filters=2", "--epochs", "4"]
    return ["train", "cnn_kim", *small, "--data", data, "--output"]


@dataclass(frozen=True)
class Whole:
    """The training that nobody disturbed: its run, its seconds, its touches of the folder."""

    run: Path
    seconds: float
    touches: int


@pytest.fixture(scope="session")
def whole(server, train, tmp_path_factory):
    folder, started = tmp_path_factory.mktemp("whole"), time.perf_counter()
    ended = server.run(*train, folder, folder=folder).well()
    (run,) = folder.iterdir()
    return Whole(run, time.perf_counter() - started, ended.touches)


@pytest.fixture(scope="session")
def same_end(whole):
    """Checks that a run has ended as the undisturbed one, with nothing half-written beside it."""

    def check(run):
        one, other = zoo.load(run).get_weights(), zoo.load(whole.run).get_weights()
        for weight, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(weight, same)
        assert history_of(run) == history_of(whole.run)
        files = sorted(path.relative_to(run) for path in run.rglob("*"))
        assert files == sorted(path.relative_to(whole.run) for path in whole.run.rglob("*"))

    return check
