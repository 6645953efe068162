"""AG's News in its official format, through TFDS, and nowhere."""

import os

import pytest
import requests
import tensorflow_datasets as tfds

import zoo
from zoo import datasets

CLASSES = "World\nSports\nBusiness\nSci/Tech\n"


def official(folder, train):
    folder.mkdir()
    (folder / "classes.txt").write_text(CLASSES)
    (folder / "train.csv").write_text(train)
    (folder / "test.csv").write_text('"4","New chip","It is fast."\n')


def test_the_official_format_is_read(tmp_path, monkeypatch):
    official(tmp_path / "ag_news", '"3","A ""big"" deal","Shares, up."\n"1","Talks","Go on."\n')
    monkeypatch.setenv("ZOO_DATA_DIR", str(tmp_path))
    corpus = datasets.load("agnews")
    assert corpus.labels == CLASSES.split()
    assert corpus.train.to_numpy().tolist() == [
        ['A "big" deal\n\nShares, up.', "Business"],
        ["Talks\n\nGo on.", "World"],
    ]
    assert corpus.test["label"].tolist() == ["Sci/Tech"]


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ('"5","a","b"\n', "train.csv, row 1: the class is not in 1 to 4"),
        ('"World","a","b"\n', "train.csv is not rows of class,title,description"),
    ],
)
def test_other_formats_are_refused(tmp_path, monkeypatch, train, message):
    official(tmp_path / "ag_news", train)
    monkeypatch.setenv("ZOO_DATA_DIR", str(tmp_path))
    with pytest.raises(zoo.UsageError, match=message):
        datasets.load("agnews")


def test_tfds_is_asked_where_there_are_no_files(tmp_path, monkeypatch):
    monkeypatch.delenv("ZOO_DATA_DIR", raising=False)
    monkeypatch.setattr(tfds.core.DatasetBuilder, "is_prepared", lambda self: True)
    with tfds.testing.mock_data(num_examples=6):
        corpus = datasets.load("agnews")
    assert len(corpus.train) == len(corpus.test) == 6
    assert set(corpus.train["label"]) <= set(corpus.labels)
    assert len(corpus.labels) == 4


def test_offline_and_absent_says_what_to_do(tmp_path, monkeypatch):
    def offline(*args, **kwargs):
        raise requests.ConnectionError

    monkeypatch.setattr(requests, "head", offline)
    monkeypatch.setattr(tfds.core.DatasetBuilder, "is_prepared", lambda self: False)
    monkeypatch.setenv("ZOO_DATA_DIR", str(tmp_path))
    with pytest.raises(zoo.UsageError) as caught:
        datasets.load("agnews")
    message = str(caught.value)
    assert str(tmp_path / "ag_news") in message
    assert "ConnectionError" in message
    assert "--data sample" in message
    assert "\n" not in message


@pytest.mark.skipif("ZOO_DATA_DIR" not in os.environ, reason="ZOO_DATA_DIR is not set")
def test_the_real_files():
    corpus = datasets.load("agnews")
    assert len(corpus.test) == 7600
    assert corpus.test["label"].value_counts().tolist() == [1900] * 4
