"""Whatever is killed, at whatever moment, has lost nothing that was complete, and can go on."""

import itertools
import random
import shutil
import time

import pandas as pd
import pytest

import zoo
from zoo import datasets
from zoo.datasets.catalogue.lookup import VERSION

MOMENTS = 10  # of a training's touches of its folder
TIMES = 10
NEWS = 5000


def begun(folder):
    return [
        run
        for run in folder.iterdir()
        if any(run.glob("checkpoint/state-*.npz")) or (run / "metrics.json").exists()
    ]


def go_on(server, train, folder):
    """Resumes the training, or begins it where it had not begun."""
    if not (runs := begun(folder)):
        server.run(*train, folder).well()
        runs = begun(folder)
    (run,) = runs
    if any(run.glob("checkpoint/state-*.npz")):
        server.run("train", "--resume", run).well()
    else:
        assert "has ended" in server.run("train", "--resume", run).refused()
    return run


def killed_after(seconds, process):
    time.sleep(seconds)
    return process.kill().wait().killed


def moments(touches, number, seed=0):
    """Some of so many touches, one of each stretch."""
    rng = random.Random(seed)
    return [1 + int((i + rng.random()) * touches / number) for i in range(number)]


@pytest.mark.parametrize("number", range(MOMENTS))
def test_training_between_two_states_of_the_disk(
    server, train, whole, same_end, faults, tmp_path, number
):
    moment = moments(whole.touches, MOMENTS)[number]
    assert server.run(*train, tmp_path, folder=tmp_path, fatal=moment).killed
    faults("training killed between two writes")
    if number % 3 == 0 and (runs := begun(tmp_path)):  # and once more
        again = random.Random(number).randrange(1, 20)
        ended = server.run("train", "--resume", runs[0], folder=runs[0], fatal=again)
        faults("resumed training killed between two writes", ended.killed)
    same_end(go_on(server, train, tmp_path))


@pytest.mark.parametrize("number", range(TIMES))
def test_training_at_a_random_time(server, train, whole, same_end, faults, tmp_path, number):
    seconds = whole.seconds * random.Random(number).uniform(0.2, 0.95)
    for attempt in itertools.count():  # earlier, where the training was done before
        folder = tmp_path / str(attempt)
        folder.mkdir()
        if killed_after(0.7**attempt * seconds, server.start(*train, folder)):
            break
    faults("training killed at a random time")
    same_end(go_on(server, train, folder))


def test_training_of_word_vectors(server, train, faults, tmp_path):
    """The cache holds whole vectors or none, and no words of those that were killed."""
    cache, runs, vectors = tmp_path / "cache", tmp_path / "runs", ["--weights", "word2vec"]
    ended = server.run(*train, runs, *vectors, folder=cache, ZOO_CACHE_DIR=str(cache)).well()
    (first,) = (cache / "word2vec").iterdir()
    expected = first.read_bytes()
    for moment in moments(ended.touches, 3):
        first.unlink(missing_ok=True)
        own = {"folder": cache, "fatal": moment, "ZOO_CACHE_DIR": str(cache)}
        assert server.run(*train, runs, *vectors, **own).killed
        faults("word2vec killed")
        assert not first.exists() or first.read_bytes() == expected
    server.run(*train, runs, *vectors, ZOO_CACHE_DIR=str(cache)).well()
    assert list((cache / "word2vec").iterdir()) == [first] and first.read_bytes() == expected


@pytest.fixture
def news(tmp_path):
    """Folders of official files of AG News, made up, and of what is prepared of them."""
    folder = tmp_path / "raw" / "ag_news"
    folder.mkdir(parents=True)
    (folder / "classes.txt").write_text("World\nSports\nBusiness\nSci/Tech\n")
    for split, number in (("train", NEWS), ("test", 40)):
        rows = (f'"{i % 4 + 1}","Title {split} {i}","Line of {i}."\n' for i in range(number))
        (folder / f"{split}.csv").write_text("".join(rows))
    return {"ZOO_DATA_DIR": str(folder.parent), "TFDS_DATA_DIR": str(tmp_path / "prepared")}


def test_preparing_a_corpus(server, news, faults, tmp_path, monkeypatch):
    prepare, folder = ["datasets", "agnews", "--prepare"], tmp_path / "prepared"
    for moment in range(1, 40):
        ended = server.run(*prepare, folder=folder, fatal=moment, **news)
        finished = list(folder.glob(f"zoo_corpus/*/{VERSION}/dataset_info.json"))
        if not ended.killed:
            break
        assert not finished
        faults("preparing a corpus killed")
    assert finished and moment > 4
    shutil.rmtree(folder)
    for number in range(6):
        seconds = random.Random(number).uniform(0.02, 0.4)
        faults("preparing a corpus killed", killed_after(seconds, server.start(*prepare, **news)))
    server.run(*prepare, **news).well()
    for name, value in news.items():
        monkeypatch.setenv(name, value)
    corpus = datasets.load("agnews")
    assert (len(corpus.train), len(corpus.test)) == (NEWS, 40)
    assert sorted(corpus.test)[0].startswith("Title test 0")


@pytest.mark.parametrize("format", ["savedmodel", "onnx", "litert"])
def test_exporting(server, whole, faults, tmp_path, format):
    """There is no export, or a whole one; half of one is gone with the next."""
    folder, export = tmp_path / "there", ["export", whole.run, "--format", format, "--output"]
    started = time.perf_counter()
    touches = server.run(*export, tmp_path / "other", folder=tmp_path).well().touches
    seconds = time.perf_counter() - started
    files = sorted(path.name for path in (tmp_path / "other").rglob("*"))
    for moment in moments(touches - 1, 2):
        faults("export killed", server.run(*export, folder, folder=tmp_path, fatal=moment).killed)
        assert not folder.exists()
    faults("export killed", killed_after(0.8 * seconds, server.start(*export, folder)))
    if not folder.exists():
        server.run(*export, folder).well()
    assert sorted(path.name for path in folder.rglob("*")) == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "there"]


def test_predicting_into_a_file(server, whole, faults, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"w{i % 300} good w{i % 7}\n" for i in range(8_000)))
    predict, path = ["predict", whole.run, "--file", texts, "--output"], tmp_path / "there.jsonl"
    server.run(*predict, tmp_path / "other.jsonl").well()
    for number in range(5):
        process = server.start(*predict, path)
        while not list(tmp_path.glob(".partial-*-there.jsonl")) and not path.exists():
            time.sleep(0.02)
        killed = killed_after(random.Random(number).uniform(0, 0.6), process)
        faults("prediction killed", killed)
        assert killed != path.exists()
        path.unlink(missing_ok=True)
    server.run(*predict, path).well()
    assert path.read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def test_a_page_of_explanations(server, whole, faults, tmp_path):
    page = tmp_path / "page.html"
    explain = ["explain", whole.run, "w1 good", "--page", page]
    touches = server.run(*explain, folder=tmp_path).well().touches
    before = page.read_bytes()
    page.unlink()
    for moment in range(1, touches):
        assert server.run(*explain, folder=tmp_path, fatal=moment).killed
        faults("page killed")
        assert not page.exists()
    server.run(*explain).well()
    assert page.read_bytes() == before
    assert list(tmp_path.iterdir()) == [page]


@pytest.fixture
def tune(data):
    return ["tune", "cnn_kim", "--data", data, "--trials", "2", "--epochs", "1",
            "--set", "embedding_dim=6", "--set", "filters=2", "--output"]  # fmt: skip


def test_tuning(server, tune, faults, tmp_path):
    folder = tmp_path / "search"
    for moment in (3, 9, 30, 60):
        faults("search killed", server.run(*tune, folder, folder=folder, fatal=moment).killed)
    server.run(*tune, folder).well()
    trials = pd.read_csv(folder / "trials.csv")
    complete = trials[trials["state"] == "COMPLETE"]
    assert len(complete) == 2
    for run in complete["run"]:
        assert zoo.load(run).labels == ["0", "1"]
    assert not [path for path in folder.iterdir() if "partial" in path.name]


def test_two_at_once_in_one_folder(server, train, tune, same_end, faults, whole, tmp_path):
    """The second training and the second search are refused; of two exports one is the result."""
    training = server.start(*train, tmp_path / "runs")
    while not (runs := list(tmp_path.glob("runs/*/checkpoint/state-*.npz"))):
        time.sleep(0.05)
    run = runs[0].parent.parent
    assert "another process works in" in server.run("train", "--resume", run).refused()
    faults("two in one folder")
    training.wait().well()
    same_end(run)

    search = server.start(*tune, tmp_path / "search")
    while not (tmp_path / "search" / "study.log").exists():
        time.sleep(0.05)
    assert "another process works in" in server.run(*tune, tmp_path / "search").refused()
    faults("two in one folder")
    search.wait().well()

    export = ["export", whole.run, "--output", tmp_path / "exported"]
    both = [server.start(*export) for _ in range(2)]
    ended = sorted(process.wait().code for process in both)
    faults("two in one folder")
    assert ended in ([0, 0], [0, 2])
    assert (tmp_path / "exported" / "model_card.md").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exported", "runs", "search"]
