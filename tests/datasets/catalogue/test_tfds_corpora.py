"""Corpora by the names that TensorFlow Datasets gives them."""

import numpy as np
import pytest
import tensorflow_datasets as tfds

import zoo
from zoo import datasets


class ZooTiny(tfds.core.GeneratorBasedBuilder):
    """A few texts."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        label = tfds.features.ClassLabel(names=["bad", "good"])
        features = tfds.features.FeaturesDict({"body": tfds.features.Text(), "mood": label})
        return self.dataset_info_from_configs(features=features, supervised_keys=("body", "mood"))

    def _split_generators(self, manager):
        return {"train": self._generate_examples(40), "test": self._generate_examples(10)}

    def _generate_examples(self, count):
        for number in range(count):
            mood = ("bad", "good")[number % 2]
            yield number, {"body": f"a {mood} day, number {number}", "mood": mood}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "tfds"))


def test_a_corpus_is_loaded_and_trained_on_by_its_name(tmp_path):
    corpus = datasets.load("tfds:zoo_tiny")
    assert (corpus.name, corpus.labels) == ("zoo_tiny", ["bad", "good"])
    assert (len(corpus.train), corpus.validation, len(corpus.test)) == (40, None, 10)
    right = [("bad", "good")[number] for number in corpus.test.targets]
    assert all(label in text for label, text in zip(right, corpus.test, strict=True))
    run = zoo.train("bow", "tfds:zoo_tiny", output=tmp_path / "runs", verbose=0)
    assert run.name.startswith("bow-zoo_tiny-")
    assert zoo.evaluate(run)["accuracy"] == zoo.evaluate(run, "tfds:zoo_tiny")["accuracy"] == 1
    assert len(zoo.predict(run, "tfds:zoo_tiny")) == 10
    np.testing.assert_array_equal(zoo.load(run).labels, ["bad", "good"])


def test_an_unknown_name_is_told_in_a_line():
    with pytest.raises(zoo.UsageError, match="tfds:zoo_tinny cannot be had of TensorFlow Datasets"):
        datasets.load("tfds:zoo_tinny")


class ZooFar(ZooTiny):
    """Texts of a place that is nowhere."""

    def _split_generators(self, manager):
        return {"train": self._generate_examples(manager.download("http://zoo.invalid/texts"))}


def test_without_a_network_it_is_told_in_a_line(monkeypatch, capfd):
    monkeypatch.setattr("zoo.datasets.catalogue.tfds_corpora.RETRIES", 1)
    retries = tfds.core.download.downloader.MAX_RETRIES
    with pytest.raises(zoo.UsageError, match="tfds:zoo_far cannot be had of .*zoo.invalid"):
        datasets.load("tfds:zoo_far")
    assert "Retrying" not in "".join(capfd.readouterr())
    assert tfds.core.download.downloader.MAX_RETRIES == retries > 1
