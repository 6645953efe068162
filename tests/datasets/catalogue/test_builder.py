"""Corpora from their official files: prepared once, anew when changed, or nowhere to be had."""

import dataclasses
import gzip
import hashlib
import importlib.util
import json
import logging
import os
import shutil
import sys

import numpy as np
import pytest
import requests
import tensorflow_datasets as tfds

import zoo
from zoo import datasets
from zoo.datasets.catalogue import builder, corpora
from zoo.datasets.catalogue import lookup as catalogue
from zoo.datasets.catalogue import raw_formats as formats

AGNEWS = catalogue.CATALOGUE["agnews"]
CLASSES = "World\nSports\nBusiness\nSci/Tech\n"
TRAIN = "".join(
    f'"{i % 4 + 1}","Title ""{i}""","Line one of {i},\\still one."\n' for i in range(80)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Official files in a data folder that only this test sees, and nothing prepared."""
    folder = tmp_path / "raw" / "ag_news"
    folder.mkdir(parents=True)
    (folder / "classes.txt").write_text(CLASSES)
    (folder / "train.csv").write_text(TRAIN)
    (folder / "test.csv").write_text('"4","New chip","It is fast."\n')
    monkeypatch.setenv("ZOO_DATA_DIR", str(folder.parent))
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "prepared"))
    return folder


@pytest.fixture
def no_reading(monkeypatch):
    """Raw files must not be read from here on."""

    def refuse(*_):
        raise AssertionError("read again")

    return lambda: monkeypatch.setattr(formats, "read", refuse)


def rows(corpus, split="train"):
    frame = corpus.frame(split)
    return sorted(zip(frame["text"], frame["label"], strict=True))


def test_the_official_format_is_read(folder, caplog):
    with caplog.at_level(logging.INFO, "zoo"):
        corpus = datasets.load("agnews")
    assert corpus.labels == CLASSES.split()
    assert rows(corpus) == sorted(
        (f'Title "{i}"\n\nLine one of {i},\\still one.', CLASSES.split()[i % 4]) for i in range(80)
    )
    assert rows(corpus, "test") == [("New chip\n\nIt is fast.", "Sci/Tech")]
    assert corpus.validation is None
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2 + 1  # one for each split, besides
    assert messages[0].startswith("agnews: preparing 127,600 texts into ")
    assert "agnews: train has 80 texts, published are 120,000" in messages


def test_it_streams_in_one_order(folder):
    corpus = datasets.load("agnews")
    dataset = corpus.train.dataset()
    assert dataset.element_spec[0].shape == dataset.element_spec[1].shape == ()
    texts, numbers = zip(*dataset.as_numpy_iterator(), strict=True)
    assert [text.decode() for text in texts] == list(corpus.train)
    np.testing.assert_array_equal(numbers, corpus.train.targets)
    assert corpus.train.targets.dtype == "int32"
    again = datasets.load("agnews")
    assert list(again.train) == list(corpus.train)


def test_missing_splits_are_taken_out(folder):
    corpus = datasets.load("agnews").split(seed=1)
    assert np.bincount(corpus.validation.targets).tolist() == [2, 2, 2, 2]
    assert np.bincount(corpus.train.targets).tolist() == [18, 18, 18, 18]
    assert not set(corpus.train) & set(corpus.validation)
    assert len(list(corpus.train)) == 72


def test_rare_classes_of_a_stream_stay_in_training(folder):
    lines = [f'"{number}","a","b {i}"\n' for i, number in enumerate([1, 1, 1, 1, 2, 2, 2, 3, 4])]
    (folder / "train.csv").write_text("".join(lines))
    corpus = datasets.load("agnews").split()
    assert set(corpus.train.targets) == {0, 1, 2, 3}
    assert (len(corpus.train), len(list(corpus.validation))) == (8, 1)


def test_prepared_once(folder, no_reading, caplog):
    first = rows(datasets.load("agnews"))
    no_reading()
    caplog.clear()
    assert rows(datasets.load("agnews")) == first
    assert "preparing" not in caplog.text
    assert catalogue.state(AGNEWS) == "prepared"
    shutil.rmtree(folder)  # the raw files may go
    assert rows(datasets.load("agnews")) == first


def test_changed_files_are_prepared_anew(folder):
    datasets.load("agnews")
    (folder / "train.csv").write_text('"3","Only","One."\n')
    assert rows(datasets.load("agnews")) == [("Only\n\nOne.", "Business")]
    os.utime(folder / "test.csv", (0, 0))
    assert catalogue.state(AGNEWS) == f"raw files in {folder}"
    datasets.load("agnews")
    assert len(catalogue.prepared_copies(AGNEWS)) == 3


def test_checksums_are_kept(folder):
    info = builder.prepare(AGNEWS).info
    expected = hashlib.sha256((folder / "train.csv").read_bytes()).hexdigest()
    assert info.metadata["sha256"]["train"] == {"train.csv": expected}


def test_half_a_preparation_is_none(folder, monkeypatch):
    read = formats.read

    def interrupted(*arguments):
        rows = read(*arguments)
        yield next(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(formats, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        datasets.load("agnews")
    assert catalogue.prepared_copies(AGNEWS) == []
    monkeypatch.setattr(formats, "read", read)
    assert len(datasets.load("agnews").train) == 80


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("train.csv", '"5","a","b"\n', "train.csv, line 1: '5'. Allowed: 1, 2, 3, 4."),
        ("train.csv", '"1","a","b"\n"World","a","b"\n', "train.csv, line 2: 'World'"),
        ("train.csv", "", "train.csv has no texts of AG's News"),
        ("classes.txt", "World\nSports\n", "classes.txt names World, Sports, but AG's News has"),
        ("test.csv", None, "ag_news lacks test.csv"),
    ],
)
def test_other_files_are_refused(file, content, message, folder):
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content)
    with pytest.raises(zoo.UsageError) as caught:
        datasets.load("agnews")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert catalogue.prepared_copies(AGNEWS) == []


def offline(*args, **kwargs):
    raise requests.ConnectionError


def test_offline_and_absent_says_what_to_do(folder, monkeypatch):
    shutil.rmtree(folder)
    monkeypatch.setattr(requests, "head", offline)
    with pytest.raises(zoo.UsageError) as caught:
        datasets.load("agnews")
    message = str(caught.value)
    assert str(folder) in message
    assert "cannot be downloaded (ConnectionError)" in message
    assert "put its files (train.csv, test.csv) into $ZOO_DATA_DIR/agnews" in message
    assert "--data sample" in message
    assert "\n" not in message


def test_without_a_public_address_the_user_brings_it(folder, monkeypatch):
    monkeypatch.delenv("ZOO_DATA_DIR")
    monkeypatch.setattr(requests, "head", offline)
    with pytest.raises(zoo.UsageError, match="TACRED.*ZOO_DATA_DIR is not set.*LDC2018T24"):
        datasets.load("tacred")


def test_an_archive_is_downloaded(folder, tmp_path, monkeypatch):
    """TFDS unpacks into a folder; the official folder lies in it."""
    shutil.move(folder, tmp_path / "unpacked" / "ag_news_csv")
    monkeypatch.setattr(requests, "head", lambda *_, **__: None)
    manager = tfds.download.DownloadManager
    monkeypatch.setattr(
        manager, "download_and_extract", lambda self, urls: [tmp_path / "unpacked" for _ in urls]
    )
    assert catalogue.state(AGNEWS) == "download"
    assert len(datasets.load("agnews").train) == 80
    assert catalogue.state(AGNEWS) == "prepared"


def test_single_files_are_downloaded(folder, tmp_path, monkeypatch):
    """TFDS gives them names of its own."""

    def download(self, urls):
        paths = [tmp_path / f"cogcomp{i}.label" for i in range(len(urls))]
        for path in paths:
            path.write_text("LOC:city Where is it ?\nNUM:date When is it ?\n")
        return paths

    monkeypatch.setattr(requests, "head", lambda *_, **__: None)
    monkeypatch.setattr(tfds.download.DownloadManager, "download", download)
    corpus = datasets.load("trec")
    assert (
        rows(corpus) == rows(corpus, "test") == [("When is it ?", "NUM"), ("Where is it ?", "LOC")]
    )


def test_a_failed_download_says_why(folder, monkeypatch):
    def download(self, urls):
        raise tfds.download.DownloadError("Failed to get url.\nHTTP code: 404.")

    shutil.rmtree(folder)
    monkeypatch.setattr(requests, "head", lambda *_, **__: None)
    monkeypatch.setattr(tfds.download.DownloadManager, "download_and_extract", download)
    with pytest.raises(zoo.UsageError, match="DownloadError: Failed to get.*into .ZOO_DATA_DIR"):
        datasets.load("agnews")


def test_unlabelled_texts(folder, tmp_path):
    root = folder.parent / "aclImdb"
    for name in "train/pos/0_9 train/neg/0_1 train/unsup/0_0 test/pos/0_7 test/neg/0_4".split():
        path = root / f"{name}.txt"
        path.parent.mkdir(parents=True)
        path.write_text(name)
    corpus = datasets.load("imdb")
    assert rows(corpus) == [("train/neg/0_1", "negative"), ("train/pos/0_9", "positive")]
    assert list(corpus.unlabelled) == ["train/unsup/0_0"]
    assert corpus.unlabelled.targets.tolist() == [-1]
    (records,) = (tmp_path / "prepared").rglob("*unlabelled.tfrecord*")
    content = records.read_bytes()
    records.write_bytes(content[:-1])
    with pytest.raises(zoo.UsageError, match="prepared copy in .* is damaged"):
        datasets.load("imdb")
    records.write_bytes(content)
    assert rows(datasets.load("imdb_rating"), "test") == [
        ("test/neg/0_4", "4"),
        ("test/pos/0_7", "7"),
    ]


def test_a_sample_takes_as_many_of_each_file(folder):
    root = folder.parent / "amazon"
    root.mkdir()
    for category in corpora.CATEGORIES:
        lines = [json.dumps({"reviewText": f"{category} {i}", "overall": 5.0}) for i in range(9)]
        path = root / f"reviews_{category}.json.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
    entry = dataclasses.replace(catalogue.CATALOGUE["amazon_hcan_category"], sample=4)
    corpus = builder.load_entry(entry)
    assert np.bincount(corpus.train.targets).tolist() == [4] * 10
    assert len(set(corpus.train)) == 40


def test_a_sample_takes_as_many_of_each_class(folder):
    lines = TRAIN.splitlines(keepends=True)
    (folder / "train.csv").write_text("".join(lines + 30 * [lines[0]]))
    corpus = builder.load_entry(dataclasses.replace(AGNEWS, sample=7))
    assert np.bincount(corpus.train.targets).tolist() == [7] * 4
    assert len(corpus.test) == 1


def test_other_numbers_of_a_class_than_published_are_told(folder, caplog):
    entry = dataclasses.replace(
        AGNEWS, sizes={"train": 80, "test": 1}, class_counts={"train": (21, 19, 20, 20)}
    )
    builder.load_entry(entry)
    assert (
        "agnews: the classes of train have (20, 20, 20, 20) texts, published are (21, 19, 20, 20)"
        in caplog.messages
    )


BEAM = importlib.util.find_spec("apache_beam")


@pytest.mark.parametrize("damage", ["a bit", "the end", "a record", "the description"])
def test_a_damaged_copy_is_refused(folder, tmp_path, damage):
    datasets.load("agnews")
    (records,) = (tmp_path / "prepared").rglob("*train.tfrecord*")
    content = records.read_bytes()
    if damage == "a bit":
        records.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    elif damage == "the end":
        records.write_bytes(content[:-1])
    elif damage == "a record":
        size = int.from_bytes(content[:8], "little") + 16
        records.write_bytes(content[size:])
    else:
        (records.parent / "dataset_info.json").write_text("{")
    with pytest.raises(zoo.UsageError, match="copy in .* is damaged: .* Remove that folder"):
        datasets.load("agnews")
    shutil.rmtree(records.parents[1])
    assert len(datasets.load("agnews").train) == 80


@pytest.mark.slow
@pytest.mark.skipif(BEAM is None, reason="Apache Beam is not installed")
def test_beam_prepares_the_same(folder, tmp_path, monkeypatch):
    expected = list(datasets.load("agnews").train)
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "by beam"))
    monkeypatch.setattr(builder, "RANGE", 500)
    builder.prepare(AGNEWS, beam=True, beam_options=["--direct_num_workers=1"])
    assert list(datasets.load("agnews").train) == expected


def test_without_beam_it_is_said_how_to_get_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    with pytest.raises(zoo.UsageError, match=r"attention-zoo\[beam\]"):
        builder.prepare(AGNEWS, beam=True)


def test_a_data_folder_that_cannot_be_written(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TFDS_DATA_DIR", str(folder / "train.csv"))
    with pytest.raises(zoo.UsageError, match="cannot prepare AG's News in .*train.csv"):
        datasets.load("agnews")


@pytest.mark.slow
@pytest.mark.skipif(BEAM is None, reason="Apache Beam is not installed")
def test_beam_names_the_line_too(folder):
    (folder / "train.csv").write_text('"1","a","b"\n"World","a","b"\n')
    with pytest.raises(zoo.UsageError, match="train.csv, line 2: 'World'. Allowed: 1, 2, 3, 4.$"):
        builder.prepare(AGNEWS, beam=True)
    (folder / "train.csv").write_text("")
    with pytest.raises(zoo.UsageError, match="train.csv has no texts of AG's News"):
        builder.prepare(AGNEWS, beam=True)


def test_compressed_files_are_read_by_one(tmp_path, monkeypatch):
    """As bytes of them are no places in their text."""
    monkeypatch.setattr(builder, "RANGE", 10)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"x" * 99)
    part = builder._Part(next(iter(formats.LINE_FORMATS)), tmp_path, path, None)
    assert part.pieces() == [part]


def test_a_sample_is_the_same_everywhere():
    """Whatever the process; of the key's SHA-256."""
    assert builder._rank("a:0") == int(hashlib.sha256(b"a:0").hexdigest()[:16], 16)
