"""A disk that is full, or cannot be written to: a message, and nothing lost.

Needs the right to mount a file system, and skips otherwise.
"""

import os
import re
import subprocess

import pytest


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


def leave(disk, room):
    """Fills the disk but for so many KiB."""
    stat = os.statvfs(disk)
    free = stat.f_bavail * stat.f_frsize
    (disk / "filler").write_bytes(bytes(max(0, free - room * 1024)))


def remount(disk, how):
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


@pytest.mark.parametrize("room", [0, 12, 60, 120, 200])  # KiB
def test_training_fills_it(server, train, same_end, faults, disk, room):
    """Wherever it fills up: a message, and the training goes on once there is room."""
    leave(disk, room)
    message = server.run(*train, disk / "runs").refused()
    faults("disk full while training")
    assert re.search(r"zoo: cannot write .*: .*No space left", message), message
    (disk / "filler").unlink()
    remount(disk, "size=200m")
    for run in disk.glob("runs/*"):  # none where not even the start could be saved
        server.run("train", "--resume", run).well()
        same_end(run)


@pytest.mark.parametrize("room", [0, 8, 40])
def test_preparing_a_corpus_fills_it(server, faults, disk, tmp_path, room):
    folder = tmp_path / "raw" / "ag_news"
    folder.mkdir(parents=True)
    for split, number in (("train", 5000), ("test", 40)):
        rows = (f'"{i % 4 + 1}","Title {i}","Line of {i}."\n' for i in range(number))
        (folder / f"{split}.csv").write_text("".join(rows))
    leave(disk, room)
    where = {"ZOO_DATA_DIR": str(tmp_path / "raw"), "TFDS_DATA_DIR": str(disk / "prepared")}
    message = server.run("datasets", "agnews", "--prepare", **where).refused()
    faults("disk full while preparing a corpus")
    assert re.search("No space left|full", message), message
    (disk / "filler").unlink()
    assert "is in" in server.run("datasets", "agnews", "--prepare", **where).well().out


def test_word_vectors_fill_it(server, train, faults, disk, tmp_path):
    vectors = [*train, tmp_path, "--weights", "word2vec"]
    for room in (0, 20, 50):
        leave(disk, room)
        message = server.run(*vectors, ZOO_CACHE_DIR=str(disk / "cache")).refused()
        faults("disk full while word vectors are kept")
        assert "word2vec cannot be trained" in message and "No space left" in message
        (disk / "filler").unlink()
        assert not list(disk.glob("cache/word2vec/*"))


def test_what_is_made_of_a_run_fills_it(server, whole, faults, disk, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("good w1 w2 w3 w4 w5\n" * 5000)
    for arguments in (
        ["export", whole.run, "--output", disk / "exported"],
        ["export", whole.run, "--format", "onnx", "--output", disk / "exported"],
        ["export", whole.run, "--format", "litert", "--output", disk / "exported"],
        ["predict", whole.run, "--file", texts, "--output", disk / "answers.jsonl"],
        ["explain", whole.run, "good w1", "--page", disk / "page.html"],
        ["tune", "cnn_kim", "--output", disk / "search", "--trials", "1"],
    ):
        leave(disk, 4)
        message = server.run(*arguments).refused()
        faults("disk full while a run is used")
        assert "No space left" in message, message
        (disk / "filler").unlink()
        left = {path.name for path in disk.iterdir()}
        assert left <= {"search"}, left


def test_standard_output_fills_it(server, whole, faults):
    """``zoo predict > answers`` tells that not all answers are there."""
    process = server.start("predict", whole.run, "good w1", out="/dev/full")
    assert "No space left on device" in process.wait().refused()
    faults("disk full while a run is used")


def test_a_read_only_folder(server, train, whole, faults, disk, tmp_path):
    remount(disk, "ro")
    for arguments in (
        [*train, disk / "runs"],
        ["export", whole.run, "--output", disk / "exported"],
        ["predict", whole.run, "good", "--output", disk / "answers.jsonl"],
        ["explain", whole.run, "good", "--page", disk / "page.html"],
        ["tune", "cnn_kim", "--output", disk / "search"],
    ):
        message = server.run(*arguments).refused()
        faults("read-only folder")
        assert "cannot write" in message and "Read-only file system" in message
    message = server.run(*train, tmp_path, "--weights", "word2vec", ZOO_CACHE_DIR=str(disk))
    faults("read-only folder")
    assert "Read-only file system" in message.refused()


def test_a_folder_that_becomes_read_only(server, train, whole, same_end, faults, disk):
    remount(disk, "size=200m")
    moment = whole.touches // 2
    assert server.run(*train, disk, folder=disk, fatal=moment).killed
    (run,) = disk.iterdir()
    before = sorted(path.name for path in run.rglob("*"))
    remount(disk, "ro")
    assert "cannot write" in server.run("train", "--resume", run).refused()
    faults("read-only folder")
    assert sorted(path.name for path in run.rglob("*")) == before
    remount(disk, "rw")
    server.run("train", "--resume", run).well()
    same_end(run)
