"""Files cut off at any length, or with any bit changed: refused in one line, never half read."""

import random
import shutil

import keras
import numpy as np
import pytest

import zoo
from zoo import datasets
from zoo.datasets.catalogue.lookup import VERSION
from zoo.datasets.text.tokens import split_words
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.evaluation.report import read_mistakes
from zoo.evaluation.scores import read_test_split
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import read_scores
from zoo.training.checkpoints import Checkpoint


def damaged(content, rng):
    """Cut off, or with a bit changed, or with many."""
    how = rng.randrange(4)
    if how == 0:
        return content[: rng.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(20 if how == 1 else 1):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def try_damages(path, number, read, same):
    """Reads a file damaged in so many ways. Returns how many of them were refused.

    ``same`` tells of what was read whether it is what was written; a changed bit may be harmless.
    """
    rng, content, messages = random.Random(path.name), path.read_bytes(), []
    for _ in range(number):
        changed = damaged(content, rng)
        path.write_bytes(changed)
        try:
            found = read()
        except zoo.UsageError as error:
            messages.append(str(error))
        else:
            assert same(found)
    path.write_bytes(content)
    assert same(read())
    assert not [message for message in messages if "\n" in message]
    return len(messages)


@pytest.fixture
def run(whole, tmp_path):
    return shutil.copytree(whole.run, tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "number"), [("model.keras", 80), ("vocabulary.txt", 40), ("labels.txt", 20)]
)
def test_what_a_model_is_loaded_from(run, faults, name, number):
    model = zoo.load(run)

    def same(found):
        weights = zip(found.get_weights(), model.get_weights(), strict=True)
        assert all(np.array_equal(one, other) for one, other in weights)
        words = (found.labels, found.preprocessor.vocabulary)
        return words == (model.labels, model.preprocessor.vocabulary)

    refused = try_damages(run / name, number, lambda: zoo.load(run), same)
    assert refused >= 0.9 * number
    faults("damaged file of a run", number)


@pytest.mark.parametrize("name", ["config.json", "metrics.json", "mistakes.csv"])
def test_what_is_told_about_a_run(run, faults, name):
    """One line or an answer; numbers and texts that changed cannot be known from others."""

    def read():
        if name == "metrics.json":
            return read_scores(run)
        if name == "mistakes.csv":
            return read_mistakes(run)
        return zoo.load(run), read_test_split(read_config(run))

    refused = try_damages(run / name, 100, read, lambda found: True)
    assert refused >= 20
    faults("damaged file of a run", 100)


def test_settings_of_a_training_that_goes_on(run, faults, monkeypatch):
    (run / "checkpoint").mkdir()
    (run / "checkpoint" / "state-1.npz").touch()
    monkeypatch.setattr("zoo.training.trainer.fit_to", lambda *_: True)
    monkeypatch.setattr("zoo.training.trainer._finish", lambda *_: None)
    assert try_damages(run / "config.json", 100, lambda: zoo.resume(run), lambda _: True) >= 50
    faults("damaged file of a run", 100)


def test_checkpoints(data, run, faults, tmp_path):
    """Refused before the training goes on, and not at its end."""
    model = zoo.load(run)
    model.compile("adam", "sparse_categorical_crossentropy")

    def checkpoint():
        return Checkpoint(tmp_path / "checkpoint", tmp_path / "history.csv", patience=5)

    kept = checkpoint()
    kept.restore(model)
    kept.set_model(model)
    rows = ["epoch,accuracy,loss,val_accuracy,val_loss"]
    for epoch in range(3):
        kept.on_epoch_end(epoch, {"loss": 1.0, "val_accuracy": epoch / 3, "val_loss": 1.0})
        rows.append(f"{epoch},0.5,1.0,{epoch / 3},1.0")
    (tmp_path / "history.csv").write_text("\n".join(rows) + "\n")
    expected = [keras.ops.convert_to_numpy(weight) for weight in model.variables]

    def restore():
        return checkpoint().restore(model)

    def same(done):
        weights = zip(expected, model.variables, strict=True)
        return done == 3 and all(np.array_equal(one, other) for one, other in weights)

    for name in ("checkpoint/state-3.npz", "checkpoint/best.npz"):
        assert try_damages(tmp_path / name, 40, restore, same) >= 30
        faults("damaged checkpoint", 40)
    try_damages(tmp_path / "history.csv", 30, restore, lambda done: done == 3)
    faults("damaged checkpoint", 30)
    for lines in range(4):  # the last evaluations are missing
        (tmp_path / "history.csv").write_text("\n".join(rows[:lines]) + "\n")
        with pytest.raises(zoo.UsageError, match="history.csv"):
            restore()
        faults("damaged checkpoint")


def test_kept_word_vectors(faults, tmp_path):
    """Trained anew, to the same vectors."""
    texts = ["we drink tea at home.", "we drive the car to town."] * 5

    def read():
        settings = {"min_count": 2, "epochs": 1, "cache": tmp_path}
        return train_word2vec(texts, split_words, 4, **settings)

    expected = read().vectors
    (path,) = tmp_path.iterdir()
    assert try_damages(path, 40, read, lambda found: np.array_equal(found.vectors, expected)) == 0
    faults("damaged word vectors", 40)


def test_prepared_corpora(faults, tmp_path, monkeypatch):
    folder = tmp_path / "raw" / "ag_news"
    folder.mkdir(parents=True)
    for split, number in (("train", 300), ("test", 40)):
        rows = (f'"{i % 4 + 1}","Title {i}","Line of {i}."\n' for i in range(number))
        (folder / f"{split}.csv").write_text("".join(rows))
    monkeypatch.setenv("ZOO_DATA_DIR", str(folder.parent))
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "prepared"))

    def read():
        corpus = datasets.load("agnews")
        return list(corpus.train), corpus.train.targets.tolist(), list(corpus.test), corpus.labels

    expected = read()
    for path in sorted((tmp_path / "prepared").glob(f"zoo_corpus/*/{VERSION}/*")):
        number = 20 if "tfrecord" in path.name else 12
        try_damages(path, number, read, lambda found: found == expected)
        faults("damaged copy of a corpus", number)
