"""Hours of training and of prediction in one process: memory and open files stay as they are."""

import _thread
import random
import signal
import threading
import time

import keras
import numpy as np
import psutil
import pytest

import zoo
from zoo.evaluation.prediction import predict

MEMORY = 60  # MB that may come after the first quarter, for what the allocator keeps
FILES = 3
SAMPLES = 200
# Else pytest keeps each warning of a test, and NumPy has a hundred in an epoch for Keras.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def seconds(request):
    return request.config.getoption("--hours") * 3600 / 3


class Watch(threading.Thread):
    """Samples the memory and the open files of this process for a time, then calls ``end``.

    The time begins when ``begun`` says so.
    """

    def __init__(self, seconds, begun=lambda: True, end=lambda: None):
        super().__init__(daemon=True)
        self.seconds, self.begun, self.end, self.samples = seconds, begun, end, []

    def run(self):
        process = psutil.Process()
        while not self.begun():
            time.sleep(1)
        for _ in range(SAMPLES):
            time.sleep(self.seconds / SAMPLES)
            self.samples.append((process.memory_info().rss / 2**20, process.num_fds()))
        self.end()

    def check(self, cases, kind):
        """Compares the second quarter with the last."""
        quarters = [np.median(part, 0) for part in np.array_split(np.array(self.samples), 4)]
        memory, files = quarters[3] - quarters[1]
        course = ", ".join(f"{size:.0f} MB" for size, _ in quarters)
        print(f"{kind}: {course}; {quarters[1][1]:.0f} open files, then {files:+.0f}")
        cases(kind)
        assert memory < MEMORY
        assert files <= FILES


@pytest.fixture
def data(tmp_path):
    """Labels at random, which no training comes to the end of."""
    rng = random.Random(0)
    rows = [
        f"{' '.join(f'w{rng.randrange(300)}' for _ in range(20))},{rng.randrange(2)}"
        for _ in range(2000)
    ]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["text,label", *rows]))
    return path


@pytest.fixture
def interruptible():
    """A shell has the processes that it runs in the background ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_training(data, seconds, cases, tmp_path, interruptible):
    """Interrupted when the time is over, with its best weights kept."""

    def begun():
        return any(tmp_path.glob("runs/*/checkpoint/best.npz"))

    watch = Watch(seconds, begun, _thread.interrupt_main)
    watch.start()
    run = zoo.train(
        "hcan",
        str(data),
        options={"embedding_dim": 16, "num_heads": 2},
        epochs=1_000_000,
        output=tmp_path / "runs",
        verbose=0,
    )
    assert not watch.is_alive()
    watch.check(cases, "hours of training")
    assert zoo.load(run).labels == ["0", "1"]


def test_prediction(trained, seconds, cases):
    """Of texts of every length, as they come."""
    rng, model = random.Random(0), zoo.load(trained)
    words = ["good", "bad", "a", "nice", "sad", "stay", "really", "wörd", "."]
    watch = Watch(seconds)

    def texts():
        while watch.is_alive():
            yield " ".join(rng.choices(words, k=rng.randrange(200)))

    watch.start()
    number = sum(1 for _ in predict(model, texts()))
    print(f"{number:,} texts")
    watch.check(cases, "hours of prediction")


def test_what_one_process_does_all_day(trained, data, seconds, cases, tmp_path):
    """Loads, explains, evaluates, writes pages: over and over."""
    from zoo.explanation.html_page import write_page

    watch = Watch(seconds)
    watch.start()
    rounds = 0
    while watch.is_alive():
        model = zoo.load(trained)
        explained = {"run": model.explain(["a good stay", "bad. sad."])}
        write_page(tmp_path / "page.html", explained, "title")
        zoo.evaluate(trained)
        keras.backend.clear_session()  # as zoo.load asks for
        rounds += 1
    print(f"{rounds} rounds")
    watch.check(cases, "hours of loading")
