"""What a training promises: it resumes to the same end, and loses nothing on the way."""

import contextlib
import errno
import functools
import importlib.util
import inspect
import json
import platform
import re
import shlex
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import get_args
from unittest import mock

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from sklearn.metrics import ConfusionMatrixDisplay
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import zoo
from tests.histories import history_of
from tests.json_files import change
from tests.kinds import KINDS, slow_unless
from zoo import datasets
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.evaluation import report as summary
from zoo.evaluation.report import draw_confusion_matrix
from zoo.recipes import Recipe, Schedule, class_weights
from zoo.registry import create, find_recipe, import_model
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import write_words
from zoo.settings import TrainSettings
from zoo.training.checkpoints import Checkpoint
from zoo.training.trainer import _warn_if_idle

WORD2VEC = "zoo.weights.word_vectors.train_word2vec"
SMALL = {
    "bow": {},
    "act": {"embedding_dim": 6, "filters": 2, "num_layers": 1},
    "cnn_kim": {"embedding_dim": 4, "filters": 2},
    "fasttext": {"embedding_dim": 4},
    "hcan_one_max": {"embedding_dim": 8, "subwords": 50},
}


def start(csv_file, folder, model="fasttext", **settings):
    settings = {"options": SMALL.get(model), "epochs": 4, "verbose": 0} | settings
    return zoo.train(model, str(csv_file), output=folder, **settings)


def only_run(folder):
    (run,) = folder.iterdir()
    return run


def test_a_cache_that_finds_no_room_is_told_in_one_line(csv_file, tmp_path, monkeypatch, ended):
    def full(classifier, corpus, recipe, seed, cache, *_, **__):
        raise tf.errors.UnknownError(None, None, f"{cache}.data-00000: File too large")

    monkeypatch.setattr("zoo.training.fitting._batches", full)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / f"zoo-{platform.node()}-{ended}-x"  # ids of a killed training
    left.mkdir()
    with pytest.raises(zoo.UsageError, match="cannot keep word ids in .*: set TMPDIR"):
        start(csv_file, tmp_path, cache="disk")
    assert not left.exists()
    with pytest.raises(tf.errors.UnknownError):  # of another kind
        start(csv_file, tmp_path)


@pytest.mark.parametrize(
    "error",
    [
        tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor"),
        RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate"),  # JAX's
    ],
)
def test_batches_that_memory_has_no_room_for_are_told_in_one_line(
    csv_file, tmp_path, monkeypatch, error
):
    monkeypatch.setattr("zoo.training.fitting._batches", mock.Mock(side_effect=error))
    with pytest.raises(zoo.UsageError, match="no room in memory for batches of 8 texts: train"):
        start(csv_file, tmp_path, batch_size=8)


@pytest.fixture(scope="module")
def undisturbed(csv_file, tmp_path_factory):
    """The run of a model that nobody interrupts."""
    return functools.cache(
        lambda model: start(csv_file, tmp_path_factory.mktemp("whole"), model, tensorboard=True)
    )


class Killed(BaseException):
    """What stops everything at once."""


@pytest.fixture
def until(monkeypatch):
    """Starts a training that ends where it calls a function; gives the arguments of the call."""

    def run(function, *given, **settings):
        reached = mock.Mock(side_effect=Killed)
        monkeypatch.setattr(function, reached)
        with pytest.raises(Killed):
            start(*given, **settings)
        return reached.call_args

    return run


@pytest.fixture
def drawn(monkeypatch):
    """The matrices that are drawn."""
    found, plot = [], ConfusionMatrixDisplay.plot

    def keep(self, **how):
        found.append(self)
        return plot(self, **how)

    monkeypatch.setattr(ConfusionMatrixDisplay, "plot", keep)
    return found


@pytest.fixture
def model():
    """A very small one, to be kept."""
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1.0), "mse")
    return model


@pytest.fixture
def kill(monkeypatch):
    """Stops a training in the middle of an epoch, or while an epoch's checkpoint is written."""

    @contextlib.contextmanager
    def at(epoch, writing=False):
        def batch_end(self, batch, logs=None):
            if len(self.scores) == epoch and batch == 1:
                raise Killed

        def half_written(path, *arrays):
            if path.name.endswith(f"state-{epoch}.npz"):
                path.write_bytes(b"half")
                raise Killed
            savez(path, *arrays)

        savez = np.savez
        with monkeypatch.context() as patch:
            if writing:
                patch.setattr(np, "savez", half_written)
            else:
                patch.setattr(Checkpoint, "on_train_batch_end", batch_end)
            with pytest.raises(Killed):
                yield

    return at


@pytest.mark.parametrize(
    ("name", "epoch", "writing"),
    [("cnn_kim", 0, 0), ("cnn_kim", 2, 1), slow_unless(False, "hcan_one_max", 2, 0)],
)
def test_a_killed_training_resumes_to_the_same_weights(
    csv_file, undisturbed, tmp_path, kill, caplog, name, epoch, writing
):
    whole = undisturbed(name)
    with kill(epoch, writing):
        start(csv_file, tmp_path / "killed", name)
    run = only_run(tmp_path / "killed")
    command = f"zoo train --resume {shlex.quote(str(run))}"
    with pytest.raises(zoo.UsageError, match=re.escape(f"has not ended: {command}")):
        zoo.load(run)
    if epoch == 0:  # under another backend dropout would draw other numbers
        versions = read_config(run).versions
        change(run / "config.json", versions=versions | {"backend": "jax"})
        with pytest.raises(zoo.UsageError, match="began with KERAS_BACKEND=jax"):
            zoo.resume(run, verbose=0)
        change(run / "config.json", versions=versions)
    change(run / "config.json", devices=2)
    assert zoo.resume(run, verbose=0) == run
    assert "began on 2 devices and continues on 1" in caplog.text
    weights = [zoo.load(folder).get_weights() for folder in (whole, run)]
    for one, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(one, other)
    assert history_of(run) == history_of(whole)
    seconds = pd.read_csv(run / "history.csv")["seconds"]
    assert seconds.is_monotonic_increasing and seconds[0] > 0
    assert not (run / "checkpoint").exists()
    with pytest.raises(zoo.UsageError, match="has ended: there is nothing to continue"):
        zoo.resume(run)


def test_a_training_tells_the_share_of_words(csv_file, tmp_path, monkeypatch, caplog):
    caplog.set_level("INFO", "zoo")
    monkeypatch.setattr(zoo.TextClassifier, "fit", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt) as error:
        start(csv_file, tmp_path)
    (run,) = tmp_path.iterdir()
    assert error.value.__notes__ == [f"continue with: zoo train --resume {shlex.quote(str(run))}"]
    assert re.search(r"\b(9\d|100)% of the positions in a batch are words", caplog.text)


def test_a_training_goes_on_with_its_own_settings():
    with pytest.raises(zoo.UsageError, match="unknown argument of zoo.resume 'device'. Did you"):
        zoo.resume("nowhere", device=2)


def test_a_full_disk_leaves_the_checkpoint_before(csv_file, tmp_path, monkeypatch, caplog):
    savez = np.savez

    def full(path, *arrays):
        path.write_bytes(b"half")
        if path.name.endswith("state-2.npz"):
            raise OSError(errno.ENOSPC, "No space left on device")
        savez(path, *arrays)

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(zoo.UsageError, match=r"cannot write .*state-2.npz: No space left"):
        start(csv_file, tmp_path)
    monkeypatch.undo()
    run = only_run(tmp_path)
    assert f"Continue with: zoo train --resume {shlex.quote(str(run))}" in caplog.text
    assert sorted(path.name for path in (run / "checkpoint").iterdir()) == [
        "best.npz",
        "state-1.npz",
    ]
    assert len(pd.read_csv(zoo.resume(run, verbose=0) / "history.csv")) == 4


def test_a_run_without_a_first_state_is_trained_anew(undisturbed, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(undisturbed("cnn_kim"), run)
    (run / "metrics.json").unlink()
    with pytest.raises(zoo.UsageError, match="had not begun: train anew"):
        zoo.resume(run)


@pytest.mark.parametrize("content", [b"", b"half", b"PK\x03\x04 half"])
def test_a_damaged_checkpoint_is_named(model, tmp_path, content):
    (tmp_path / "state-3.npz").write_bytes(content)
    with pytest.raises(zoo.UsageError, match=r"state-3.npz cannot be read: "):
        Checkpoint(tmp_path, tmp_path / "history.csv", 20).restore(model)


def test_a_checkpoint_is_looked_at_before_the_training_goes_on(model, tmp_path):
    """Not after it, when the best weights are wanted and the history is drawn."""
    history = tmp_path / "history.csv"
    kept = Checkpoint(tmp_path, history, 20)
    kept.restore(model)
    kept.set_model(model)
    for epoch in range(2):
        kept.on_epoch_end(epoch, {"loss": 1.0, "val_accuracy": 0.5, "val_loss": 1.0})
    rows = ["epoch,val_accuracy,val_loss", "0,0.5,1.0", "1,0.5,1.0"]
    for left in (rows[:1], rows[:2], [*rows[:2], "1,0.5"]):
        history.write_text("\n".join(left))
        with pytest.raises(zoo.UsageError, match=r"history.csv (is damaged|cannot be read)"):
            Checkpoint(tmp_path, history, 20).restore(model)
    history.write_text("\n".join(rows))
    assert Checkpoint(tmp_path, history, 20).restore(model) == 2
    (tmp_path / "best.npz").write_bytes((tmp_path / "best.npz").read_bytes()[:-9])
    with pytest.raises(zoo.UsageError, match=r"best.npz cannot be read"):
        Checkpoint(tmp_path, history, 20).restore(model)


def test_changed_data_is_not_continued(tmp_path, kill):
    lines = ["text,label"] + [f"good {i},a\nbad {i},b" for i in range(40)]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(lines))
    with kill(1):
        start(path, tmp_path / "runs")
    path.write_text("\n".join(lines[:-1]))
    with pytest.raises(zoo.UsageError, match="has changed since .* began: it had .*'train': 64"):
        zoo.resume(only_run(tmp_path / "runs"))
    for changed in (lines[0:1] + lines[:0:-1], [line.replace(",b", ",zb") for line in lines]):
        path.write_text("\n".join(changed))
        with pytest.raises(zoo.UsageError, match="another order. Train anew"):
            zoo.resume(only_run(tmp_path / "runs"))


def test_a_test_split_of_changed_data_is_not_scored(tmp_path):
    """Else texts of the training might be in it."""
    lines = [f"{('good', 'bad')[i % 2]} {i},{'ab'[i % 2]}" for i in range(80)]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text,label", *lines]))
    run = start(path, tmp_path / "runs", "bow")
    assert zoo.evaluate(run)["texts"] == 8
    for changed in (lines[::-1], [line.replace(",b", ",zb") for line in lines]):
        path.write_text("\n".join(["text,label", *changed]))
        with pytest.raises(zoo.UsageError, match="has changed since the training"):
            zoo.evaluate(run)


def test_classes_may_have_any_names_and_a_training_one_step(tmp_path):
    """Names that scikit-learn's report and Matplotlib's formulas use, too."""
    lines = [f"good {i},accuracy\nbad {i},macro avg\nodd {i},$\neven {i},$$" for i in range(20)]
    (tmp_path / "own.csv").write_text("\n".join(["text,label", *lines]))
    run = start(tmp_path / "own.csv", tmp_path / "runs", "cnn_kim", epochs=1, batch_size=64)
    classes = zoo.evaluate(run)["classes"]
    assert sorted(classes) == ["$", "$$", "accuracy", "macro avg"]
    assert [found["support"] for found in classes.values()] == [2, 2, 2, 2]


def test_an_interrupted_training_can_go_on(csv_file, tmp_path, monkeypatch):
    def interrupt(self, epoch, logs=None):
        if epoch == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(keras.callbacks.CSVLogger, "on_epoch_begin", interrupt)
    run = start(csv_file, tmp_path)
    assert len(pd.read_csv(run / "history.csv")) == 2
    assert zoo.load(run).labels == ["bad one", "good one"]  # usable as it is
    monkeypatch.undo()
    zoo.resume(run, verbose=0)
    assert len(pd.read_csv(run / "history.csv")) == 4


def test_tensorboard_reads_the_curves(undisturbed):
    run = undisturbed("cnn_kim")
    logs = EventAccumulator(str(run / "tensorboard" / "validation")).Reload()
    logged = [tf.make_ndarray(event.tensor_proto) for event in logs.Tensors("epoch_accuracy")]
    np.testing.assert_allclose(logged, pd.read_csv(run / "history.csv").val_accuracy, atol=1e-6)


def test_without_tensorboard_it_says_what_to_install(csv_file, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(zoo.UsageError, match=r"pip install 'attention-zoo\[tensorboard\]'"):
        start(csv_file, tmp_path, tensorboard=True)
    assert not list(tmp_path.iterdir())


def test_an_infinite_loss_ends_with_advice(csv_file, tmp_path, caplog):
    with pytest.raises(zoo.UsageError, match="NaN: train anew with a lower learning_rate"):
        start(csv_file, tmp_path, learning_rate=1e30)
    assert not any("--resume" in message for message in caplog.messages)
    assert not list(tmp_path.iterdir())


def test_a_loss_that_only_validation_finds_infinite(csv_file, tmp_path):
    """As an epoch of one step has its loss of before the step."""
    with pytest.raises(zoo.UsageError, match=r"infinite or NaN: train anew"):
        start(csv_file, tmp_path, learning_rate=1e30, batch_size=97, schedule="constant")
    assert not list(tmp_path.iterdir())


def test_a_loss_that_becomes_infinite_later_leaves_the_best_weights(
    csv_file, tmp_path, monkeypatch, caplog
):
    def spoil(self, epoch, logs=None):
        if epoch == 2:
            self.model.classify.kernel.assign(np.inf * self.model.classify.kernel)

    monkeypatch.setattr(Checkpoint, "on_epoch_begin", spoil, raising=False)
    run = start(csv_file, tmp_path)
    assert "NaN after 2 of 4 evaluations. The best weights so far are kept" in caplog.text
    assert all(np.isfinite(weights).all() for weights in zoo.load(run).get_weights())
    assert not (run / "checkpoint").exists()


def test_a_solved_model_stays_where_what_tells_of_it_cannot_be_written(
    csv_file, tmp_path, monkeypatch, caplog
):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zoo.evaluation.report.draw_confusion_matrix", full)
    with pytest.raises(OSError, match="No space left"):
        zoo.train("bow", str(csv_file), output=tmp_path)
    assert "without all that tells of it" in caplog.text
    assert zoo.load(only_run(tmp_path)).labels == ["bad one", "good one"]


def test_vectors_that_stay_random_are_told(csv_file, tmp_path, caplog):
    zoo.train("ave", str(csv_file), options={"embedding_dim": 4}, output=tmp_path, verbose=0)
    assert "ave: word vectors stay as random as they are; set weights (--weights)" in caplog.text


def test_folders_made_for_nothing_are_gone(tmp_path):
    with pytest.raises(zoo.UsageError, match="no such file"):
        zoo.train("cnn_kim", str(tmp_path / "no.csv"), output=tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


def test_numbers_of_numpy_are_numbers(csv_file, tmp_path):
    rate = {"learning_rate": np.float32(0.5), "schedule": "constant"}
    run = start(csv_file, tmp_path, seed=np.int64(3), **rate)
    assert read_config(run).settings.seed == 3 and read_config(run).recipe.learning_rate == 0.5


def test_what_a_person_reads_is_there(tmp_path):
    path = tmp_path / "own.csv"  # nobody could tell the classes apart
    path.write_text("text,label\n" + "a nice stay,=1\na nice stay,b\n" * 60)
    run = start(path, tmp_path / "runs", "act")
    for name in ("learning_curves.png", "confusion_matrix.png"):
        assert (run / name).read_bytes().startswith(b"\x89PNG")
    answers = pd.read_csv(run / "predictions.csv")
    assert list(answers.columns) == ["label", "predicted", "probability"] and len(answers) == 12
    assert (answers["label"] == answers["predicted"]).mean() == 0.5
    mistakes = pd.read_csv(run / "mistakes.csv")
    assert list(mistakes.columns) == ["label", "predicted", "probability", "words", "text"]
    assert len(mistakes) == 6
    assert (mistakes["label"] != mistakes["predicted"]).all()
    assert set(mistakes["text"]) == {"a nice stay"}
    assert all({"a", "nice", "stay"} <= set(words.split()) for words in mistakes["words"])


def test_the_weights_of_the_best_validation_accuracy_are_kept(csv_file, tmp_path, monkeypatch):
    seen, end = [], Checkpoint.on_epoch_end

    def accuracy_falls(self, epoch, logs):
        seen.append(self.model.get_weights())
        end(self, epoch, logs | {"val_accuracy": 0.9 - 0.1 * epoch})

    monkeypatch.setattr(Checkpoint, "on_epoch_end", accuracy_falls)
    run = start(csv_file, tmp_path, "cnn_kim", calibrate=False)
    kept = zoo.load(run).get_weights()
    for first, last, one in zip(seen[0], seen[-1], kept, strict=True):
        np.testing.assert_array_equal(one, first)
        assert not np.array_equal(one, last)


def test_among_equals_the_lowest_loss_is_best(model, tmp_path):
    checkpoint = Checkpoint(tmp_path / "checkpoint", tmp_path / "history.csv", 9)
    checkpoint.set_model(model)
    checkpoint.restore(model)
    for epoch, loss in enumerate((1.0, 0.5, 0.7)):
        model.set_weights([np.full((1, 1), loss), np.zeros(1)])
        checkpoint.on_epoch_end(epoch, {"loss": 1.0, "val_loss": loss, "val_accuracy": 0.5})
    checkpoint.restore_best(model)
    assert model.get_weights()[0] == 0.5


def test_calibration_reads_the_validation_split(csv_file, tmp_path, monkeypatch):
    read = []
    calibrate = "zoo.evaluation.calibration.calibrate"
    monkeypatch.setattr(calibrate, lambda model, split, *_: read.extend(split))
    run = start(csv_file, tmp_path, "bow")
    corpus = zoo.datasets.load(str(csv_file), **read_config(run).settings.files).split(0)
    assert read == list(corpus.validation) != list(corpus.test)


def test_seeds_differ(csv_file, tmp_path, monkeypatch):
    """Where the splits are given, weights start otherwise and texts come in another order."""
    files, seen = {"validation": str(csv_file), "test": str(csv_file)}, []

    def look(self, train, **settings):
        targets = [batch[1] for batch in train.take(3).as_numpy_iterator()]
        seen.append((self.embed.embeddings.numpy(), np.concatenate(targets).tolist()))
        raise Killed

    monkeypatch.setattr(zoo.TextClassifier, "fit", look)
    for i, seed in enumerate((0, 0, 1)):
        with pytest.raises(Killed):
            start(csv_file, tmp_path / str(i), files=files, seed=seed)
    (first, order), (again, same), (other, another) = seen
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).mean() > 0.01
    assert order == same != another


def test_texts_of_rare_classes_count_for_more(tmp_path, until):
    path = tmp_path / "own.csv"
    path.write_text("text,label\n" + "a good stay,common\n" * 90 + "a bad stay,rare\n" * 10)

    def batches(**settings):
        (train,) = until("zoo.TextClassifier.fit", path, tmp_path / "runs", **settings).args
        return list(train.take(3).as_numpy_iterator())

    targets, weights = (np.concatenate(column) for column in list(zip(*batches(), strict=True))[1:])
    numbers = zoo.datasets.load(str(path)).split(0).train.targets
    np.testing.assert_allclose(weights, class_weights(np.bincount(numbers))[targets])
    assert weights[targets == 0].max() < 1 < 5 <= weights[targets == 1].min()
    assert {len(batch) for batch in batches(class_weights=False)} == {2}  # no weights


@pytest.mark.parametrize("schedule", get_args(Schedule))
def test_a_schedule_in_place_of_the_recipes(schedule, csv_file, tmp_path, until):
    for recipe in ("default", "kim2014"):  # of which one falls, and one is constant
        settings = {"recipe": recipe, "schedule": schedule}
        fitted = until("zoo.training.fitting.fit", csv_file, tmp_path, "cnn_kim", **settings)
        assert fitted.args[2].schedule == schedule


def test_the_rate_rises_for_a_tenth_and_falls_to_zero():
    optimizer = Recipe(steps=100, learning_rate=1.0).build_optimizer()
    rate = optimizer._learning_rate
    assert [float(rate(step)) for step in (0, 5, 10, 55, 100)] == pytest.approx([0, 0.5, 1, 0.5, 0])
    assert optimizer.global_clipnorm == 1


def test_the_confusion_matrix_has_true_classes_in_rows(tmp_path, drawn):
    draw_confusion_matrix(tmp_path, [0, 0, 0, 1], [0, 1, 1, 1], ["a", "b"])
    assert drawn[0].confusion_matrix.tolist() == [[1, 2], [0, 1]]
    assert list(drawn[0].display_labels) == ["a", "b"]
    labels = [f"class {i}" for i in range(40)]
    draw_confusion_matrix(tmp_path, [0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1], labels)
    assert drawn[-1].confusion_matrix[:2, :2].tolist() == [[0.5, 0.5], [0.25, 0.75]]
    for axis in (drawn[-1].ax_.xaxis, drawn[-1].ax_.yaxis):
        assert [tick.get_text() for tick in axis.get_ticklabels()] == labels


def test_few_texts_of_many_classes_are_enough(tmp_path, caplog):
    """Of a rare one, too; and class numbers are the numbers that labels are."""
    lines = [f"item{i} thing{i} {j},{i}" for i in range(24) for j in range(4)]
    path, more = tmp_path / "own.csv", tmp_path / "more.csv"
    path.write_text("\n".join(["text,label", *lines, "item24,24", "rare one,98", "two,99"]))
    more.write_text("text,label\nitem3 thing3,3\nitem24 thing24,24\n")
    files = {"min_class_size": 2, "rare_classes": "merge"}
    run = start(path, tmp_path / "runs", "svm_bigrams", files=files, calibrate=False)
    labels = (run / "labels.txt").read_text().split()
    assert labels == [*map(str, range(24)), "other"]
    assert "3 rows of 3 classes with fewer than 2 training texts become" in caplog.text
    assert re.search("no test texts of 1. of 25 classes, which have few: .* others", caplog.text)
    model = zoo.load(run)
    texts = [f"item{i} thing{i}" for i in range(24)]
    assert model.predict(texts, verbose=0).argmax(-1).tolist() == list(range(24))
    scores = json.loads((run / "metrics.json").read_text())
    assert zoo.evaluate(run)["classes"] == scores["classes"]
    assert zoo.evaluate(run, more)["classes"]["other"]["support"] == 1  # 24 was merged


def test_the_confusion_matrix_of_very_many_classes_is_of_the_worst(tmp_path, drawn):
    targets = np.arange(1000)
    answers = np.where(targets < 25, 990, np.where(targets < 30, targets + 1, targets))
    draw_confusion_matrix(tmp_path, targets, answers, [f"c{i}" for i in targets])
    names, matrix = list(drawn[0].display_labels), drawn[0].confusion_matrix
    assert len(names) == 31 and names[-2:] == ["c990", "all others"]
    assert {"c26", "c27", "c28", "c29"} < set(names)
    assert matrix[:, 29].sum() == 26 and matrix[-1, -1] == 0
    assert (tmp_path / "confusion_matrix.png").stat().st_size < 500_000


def test_word2vec_reads_unlabelled_texts_and_the_rare_words_told(
    csv_file, tmp_path, monkeypatch, until
):
    own_load = datasets.load

    def load(*args, **kwargs):
        corpus = own_load(*args, **kwargs)
        corpus.unlabelled = datasets.Split(["of the corpus"], [-1])
        return corpus

    monkeypatch.setattr(datasets, "load", load)
    (tmp_path / "more.csv").write_text("text,review,stars\nno,an unlabelled stay,\nragged\n")
    settings = {"weights": "word2vec", "unlabelled": str(tmp_path / "more.csv")}
    # As the training file has it: columns, and what to do with bad rows
    settings |= {"files": {"text_column": "review", "on_bad_row": "skip"}}
    call = until(WORD2VEC, csv_file, tmp_path / "runs", min_count=3, seed=7, **settings)
    texts = list(call.args[0])
    assert texts[-2:] == ["of the corpus", "an unlabelled stay"] and len(texts) > 3
    given = inspect.signature(train_word2vec).bind(*call.args, **call.kwargs).arguments
    assert [given[name] for name in ("dim", "min_count", "seed", "workers")] == [4, 3, 7, None]


def test_bad_rows_of_unlabelled_texts_are_left_out_beside_a_corpus(tmp_path, until):
    """Whose own files have no such option."""
    (tmp_path / "more.csv").write_text("text,review,stars\nno,an unlabelled stay,\nragged\n")
    files = {"text_column": "review", "on_bad_row": "skip"}
    more = {"weights": "word2vec", "unlabelled": str(tmp_path / "more.csv")}
    call = until(WORD2VEC, "sample", tmp_path / "runs", files=files, **more)
    assert list(call.args[0])[-1:] == ["an unlabelled stay"]
    with pytest.raises(zoo.UsageError, match="more.csv.*'revew'"):
        start("sample", tmp_path / "runs", files={"text_column": "revew"}, **more)
    with pytest.raises(zoo.UsageError, match=r"on_bad_row \(--on-bad-row\) is for your own files"):
        start("sample", tmp_path / "runs", files={"on_bad_row": "skip"})


def test_letters_that_the_font_lacks_are_not_drawn(tmp_path, caplog):
    caplog.set_level("INFO", "zoo")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_confusion_matrix(tmp_path, [0, 1], [0, 1], ["感謝", "good"])
        assert "it numbers classes" in caplog.text
        caplog.clear()
        draw_confusion_matrix(tmp_path, [0, 1], [0, 1], ["gut", "schön"])
    assert not caplog.messages


def test_what_a_solver_has_no_use_for_is_told(csv_file, tmp_path, caplog):
    caplog.set_level("INFO", "zoo")
    own = {"epochs": 3, "learning_rate": 0.1, "cache": "none", "precision": "mixed_bfloat16"}
    zoo.train("bow", str(csv_file), output=tmp_path, **own)
    told = "bow is solved at once and does not use epochs or learning_rate or cache or precision"
    assert told in caplog.messages


def test_options_that_change_nothing_are_told(caplog):
    def told(name, **options):
        caplog.clear()
        _warn_if_idle(
            zoo.build(name, 2, vocabulary_size=5, **options), TrainSettings(options=options)
        )
        return caplog.messages

    without = "changes nothing without"
    assert told("act", entity_vectors=True) == [f"act: entity_vectors {without} entities"]
    assert told("attcnn", max_distance=9) == [f"attcnn: max_distance {without} entities"]
    assert told("act", position_dim=None, word_positions=True) == [
        f"act: word_positions {without} position_dim"
    ]
    assert told("act", entity_vectors=True, max_distance=9, entities=True) == []
    assert told("act", max_distance=9, entities=True, position_dim=None) == [
        f"act: max_distance {without} position_dim"
    ]
    assert told("ssan", max_distance=9) == told("act", word_positions=True) == []


@pytest.mark.parametrize("data", ["own.csv", "*.csv", "linked.csv"])
def test_the_data_is_found_from_elsewhere(csv_file, tmp_path, monkeypatch, data):
    """Also where the folder's own name looks like a pattern, and a link's target like nothing."""
    folder = tmp_path / "data [v2]"
    folder.mkdir()
    monkeypatch.chdir(folder)
    if data == "linked.csv":
        shutil.copy(csv_file, tmp_path / "3f2a")
        (folder / data).symlink_to(tmp_path / "3f2a")
    else:
        shutil.copy(csv_file, folder / "own.csv")
    model = "fasttext" if data == "own.csv" else "bow"
    run = start(data, tmp_path / "runs", model, batch_size=np.int64(16))
    monkeypatch.chdir(tmp_path)
    assert zoo.evaluate(run)["texts"] == 12


def test_the_scores_are_those_of_the_model_that_is_kept(tmp_path):
    """Also where float32 has no number for an unlikely class."""
    random = np.random.default_rng(0)
    rows = [
        f"{' '.join(random.choice(['good', 'bad', 'so'], 300, p=part))},{label}"
        for label, part in (("a", [0.4, 0.2, 0.4]), ("b", [0.2, 0.4, 0.4]))
        for _ in range(60)
    ]
    rows += [f"{rows[0].split(',')[0]} {i},b" for i in range(20)]  # surely wrong
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text,label", *rows]))
    options = {"weighting": "count"}
    run = zoo.train("naive_bayes", str(path), options=options, output=tmp_path, verbose=0)
    scores = json.loads((run / "metrics.json").read_text("utf-8"))
    again = zoo.evaluate(run)
    for name in ("loss", "calibration_error", "accuracy"):
        assert again[name] == pytest.approx(scores[name], rel=1e-6), name


def test_bad_rows_stay_skipped(tmp_path):
    lines = [f"{('good', 'bad')[i % 2]} {i},{'ab'[i % 2]}" for i in range(80)]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text,label", *lines, "no label"]))
    with pytest.raises(zoo.UsageError, match="line 82"):
        start(path, tmp_path / "runs", "bow")
    run = start(path, tmp_path / "runs", "bow", files={"on_bad_row": "skip"})
    assert zoo.evaluate(run)["texts"] == 8
    assert zoo.evaluate(run, str(path), on_bad_row="skip")["texts"] == 80


FIVE_PAPERS = {"gao2018", "yang2016", "ambartsoumian2018", "li2021", "zhao2016"}


def test_every_recipe_of_a_paper_has_its_preset():
    for name in zoo.list_models():
        cls, _ = import_model(name)
        assert set(cls.recipes) <= set(cls.presets), name  # of a baseline, only sizes may be known
        assert FIVE_PAPERS & set(cls.presets) <= set(cls.recipes), name


@pytest.mark.parametrize(
    ("name", "recipe"),
    [(name, recipe) for name in KINDS for recipe in import_model(name)[0].recipes],
)
def test_an_optimizer_takes_the_settings_of_a_paper(name, recipe):
    resolved = find_recipe(name, recipe).resolved(create(name, 2), 100)
    optimizer = resolved.build_optimizer()
    assert type(optimizer).__name__ == resolved.optimizer
    assert optimizer.get_config().items() >= resolved.settings.items()


def test_many_classes_take_twice_the_steps():
    def steps(classes, **own):
        return Recipe(**own).resolved(create("act", classes), 3200).steps

    assert [steps(19), steps(20), steps(150)] == [1500, 3000, 3000]
    assert steps(20, epochs=2) == 200


@pytest.mark.parametrize(
    ("recipe", "own", "texts", "steps", "evaluations"),
    [
        (Recipe(), {}, 10_000, 1565, 5),
        (Recipe(), {}, 100, 120, 30),
        (Recipe(), {}, 1_000_000, 93_750, 48),  # every 1,954 steps
        (Recipe(), {"epochs": 2, "batch_size": 10}, 95, 20, 2),
        (Recipe(schedule="plateau"), {}, 1_000_000, 93_750, 3),  # it counts epochs
        (Recipe(evaluate_every=50), {"schedule": "plateau", "epochs": 2}, 320, 20, 2),
        (Recipe(steps=100), {}, 3200, 100, 1),
        (Recipe(steps=100), {"epochs": 3}, 32, 3, 3),
        (Recipe(batch_size=1, epochs=2, evaluate_every=50), {}, 100, 200, 4),
        (Recipe(batch_size=1, epochs=13, evaluate_every=50_000), {}, 4_000, 52_000, 2),
    ],
)
def test_recipes_become_steps_and_evaluations(recipe, own, texts, steps, evaluations):
    resolved = recipe.resolved(create("act", 2), texts, **own)
    assert (resolved.steps, resolved.evaluations) == (steps, evaluations)
    trained = evaluations * resolved.evaluate_every // resolved.batch_size
    assert steps <= trained < steps + evaluations
    assert resolved.learning_rate == 5e-4


def test_in_float16_no_first_step_is_lost():
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = zoo.build("hcan_one", 5, vocabulary_size=200)
        optimizer = Recipe(steps=50, learning_rate=1e-3).build_optimizer()
        model.compile(optimizer, "sparse_categorical_crossentropy", run_eagerly=True)
        ids = np.random.default_rng(0).integers(2, 200, (64, 4, 10))
        for _ in range(5):
            assert np.isfinite(model.train_on_batch(ids, np.arange(64) % 5))
        assert int(optimizer.inner_optimizer.iterations) == 5  # no step with infinite gradients
    finally:
        keras.config.set_dtype_policy("float32")


def test_a_papers_recipe_trains_and_calibration_can_be_left_out(csv_file, tmp_path):
    run = start(csv_file, tmp_path, "cnn_kim", recipe="kim2014", calibrate=False)
    assert "temperature" not in json.loads((run / "metrics.json").read_text())
    recipe = read_config(run).recipe
    assert (recipe.optimizer, recipe.batch_size, recipe.learning_rate) == ("Adadelta", 50, 1.0)
    assert recipe.epochs == 4  # told


def test_rare_classes_count_for_more_only_where_they_are_rare():
    assert class_weights(np.array([50, 10])) is None
    weights = class_weights(np.array([60, 0, 10]))
    np.testing.assert_allclose(weights[[0, 2]], [70 / 120, 70 / 20])
    assert class_weights(np.array([8000, 1]))[1] == 10  # and no more


def test_a_learnt_validation_split_ends_the_training(tmp_path):
    checkpoint = Checkpoint(tmp_path, tmp_path / "history.csv", patience=9)
    for score, ended in (((1.0, -0.02), False), ((0.99, -0.001), False), ((1.0, -0.009), True)):
        checkpoint.scores.append(score)
        assert checkpoint.exhausted == ended


@pytest.mark.parametrize(
    ("recipe", "epochs", "patience", "plateau"),
    [("default", 24, 8, False), ("default", 8, 5, False), ("li2021", 20, 20, True)],
)
def test_a_third_of_the_evaluations_but_five_may_be_no_better(
    csv_file, tmp_path, until, recipe, epochs, patience, plateau
):
    checkpoint, settings = "zoo.training.fitting.Checkpoint", {"recipe": recipe, "epochs": epochs}
    how = until(checkpoint, csv_file, tmp_path, "act", **settings).kwargs
    told = {"patience": patience, "plateau": plateau, "last": False, "measure": "accuracy"}
    assert how == told | {"least": 0.0, "half": how["half"]}


def test_what_half_of_the_evaluations_do_not_reach_ends_there(model, tmp_path):
    checkpoint, asked = tmp_path / "checkpoint", {"least": 0.7, "half": 3}
    checkpoint = Checkpoint(checkpoint, tmp_path / "history.csv", 20, **asked)
    checkpoint.set_model(model)
    checkpoint.restore(model)
    for epoch, ends in enumerate([False, False, True]):
        logs = {"loss": 1.0, "val_loss": 1.0, "val_accuracy": 0.6}
        checkpoint.on_epoch_end(epoch, logs)
        assert checkpoint.exhausted == ends
    checkpoint.scores.append((0.7, -1.0))
    assert not checkpoint.exhausted


def test_the_rate_falls_on_a_plateau_and_patience_ends(model, tmp_path):
    checkpoint = Checkpoint(tmp_path / "checkpoint", tmp_path / "history.csv", 20, plateau=True)
    checkpoint.set_model(model)
    checkpoint.restore(model)
    for epoch in range(21):
        assert not checkpoint.exhausted
        checkpoint.on_epoch_end(epoch, {"loss": 1.0, "val_loss": 1.0, "val_accuracy": 0.5})
    assert checkpoint.exhausted and model.stop_training
    assert float(model.optimizer.learning_rate) == pytest.approx(0.9**11)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"batch_size": 2.5}, "batch_size must be a whole number of at least 1.*got 2.5"),
        ({"epochs": "3"}, "epochs must be a whole number.*: got '3'"),
        ({"class_weights": {"x": 2}}, "class_weights must be True or False.*: got {'x': 2}"),
        ({"calibrate": "no"}, "calibrate must be True or False: got 'no'"),
        ({"weights": np.zeros(2)}, "weights must be auto, none, .* or a path"),
        ({"weights": "englsh"}, "unknown weights 'englsh'. Did you mean 'english'"),
        ({"seed": None}, "seed must be a whole number from 0.*: got None"),
        ({"min_count": 0}, "min_count must be a whole number of at least 1: got 0"),
        ({"seed": 1.5}, "seed must be a whole number from 0.*: got 1.5"),
        ({"learning_rate": "0.1"}, "learning_rate must be a number above 0.*: got '0.1'"),
        ({"epoch": 3}, "unknown argument of zoo.train 'epoch'. Did you mean 'epochs'"),
        ({"files": {"text_colum": "review"}}, "unknown name in files .* mean 'text_column'"),
        ({"options": ["a"]}, r"options must be a dictionary, or None: got \['a'\]"),
        ({"data": ["a"]}, "data must be the name of a corpus or a path.* got a list"),
        ({"data": pd.DataFrame()}, "the DataFrame: which column has the texts"),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_written(given, message, csv_file, tmp_path):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.train("cnn_kim", **{"data": csv_file, "output": tmp_path / "runs"} | given)
    assert not (tmp_path / "runs").exists()


def test_data_may_be_a_path(csv_file, tmp_path):
    """Of a file, as of a folder."""
    run = start(csv_file.parent / csv_file.name, tmp_path / "runs", "bow")
    assert zoo.evaluate(run)["texts"] == 12
    assert datasets.short_name(csv_file) in run.name


def test_neither_words_nor_the_best_weights_are_of_the_test_split(csv_file, tmp_path, until):
    """Nor words of the validation split."""
    other = tmp_path / "other.csv"
    rows = [f"zebra zebra {i},{('good one', 'bad one')[i % 2]}" for i in range(7)]
    other.write_text("\n".join(["review,stars", *rows]) + "\n")
    validation = tmp_path / "validation.csv"
    validation.write_text(other.read_text() + "okapi okapi,good one\nokapi,bad one\n")
    settings = {"files": {"validation": str(validation), "test": str(other)}, "max_vocabulary": 5}
    fitted = until("zoo.TextClassifier.fit", csv_file, tmp_path / "runs", **settings)
    assert sum(len(batch[1]) for batch in fitted.kwargs["validation_data"]) == 9
    words = (only_run(tmp_path / "runs") / "vocabulary.txt").read_text().split()
    assert len(words) == 5 and not {"zebra", "okapi"} & set(words)


def test_splits_are_drawn_by_the_seed(csv_file):
    """And a change of any split's text is noticed."""
    corpora = [datasets.load(str(csv_file)).split(seed) for seed in (0, 0, 1)]
    first, again, other = (list(corpus.test) for corpus in corpora)
    assert first == again != other
    digest = corpora[0].digest()
    texts = list(corpora[0].validation)
    changed = datasets.Split([*texts[:-1], "another"], corpora[0].validation.targets)
    corpora[0].validation = changed
    assert corpora[0].digest() != digest


def test_another_seed_is_resumed_and_evaluated_too(csv_file, tmp_path, kill, caplog):
    with kill(1):
        start(csv_file, tmp_path, seed=1)
    (only_run(tmp_path) / "exports" / "onnx").mkdir(parents=True)
    run = zoo.resume(only_run(tmp_path), verbose=0)
    assert f"{run / 'exports'} has the weights from before: export again" in caplog.text
    found, kept = zoo.evaluate(run), json.loads((run / "metrics.json").read_text())
    assert found["loss"] == pytest.approx(kept["loss"], abs=1e-6)


def test_logits_are_trained_as_such(csv_file, tmp_path, monkeypatch):
    def look(self, *args, **settings):
        assert self.loss.from_logits is self.logits is True
        raise Killed

    monkeypatch.setattr(zoo.TextClassifier, "fit", look)
    with pytest.raises(Killed):
        zoo.train("cnn_kim", str(csv_file), options={"logits": True}, output=tmp_path, verbose=0)


def test_predictions_and_mistakes_name_the_right_texts(tmp_path):
    model = zoo.build("cnn_kim", 2, vocabulary_size=3)
    model.preprocessor, model.labels = datasets.Preprocessor(["one"]), ["a", "b"]
    probabilities = np.array([[0.6, 0.4], [0.1, 0.9], [0.3, 0.7], [0.8, 0.2]])
    split = datasets.Split(["one", "two", "three", "four"], [1, 0, 0, 0])
    summary.write_predictions(tmp_path, model, split.targets, probabilities)
    summary.write_mistakes(tmp_path, model, split, probabilities)
    rows = pd.read_csv(tmp_path / "predictions.csv").to_numpy().tolist()
    assert rows == [["b", "a", 0.6], ["a", "b", 0.9], ["a", "b", 0.7], ["a", "a", 0.8]]
    wrong = pd.read_csv(tmp_path / "mistakes.csv")
    found = wrong[["label", "predicted", "probability", "text"]].to_numpy().tolist()
    assert found == [["a", "b", 0.9, "two"], ["a", "b", 0.7, "three"], ["b", "a", 0.6, "one"]]


@pytest.mark.parametrize("name", ["predictions.csv", "mistakes.csv", "vocabulary.txt"])
def test_what_cannot_be_written_leaves_what_was_there(name, tmp_path, monkeypatch):
    model = zoo.build("cnn_kim", 2, vocabulary_size=3)
    model.preprocessor, model.labels = datasets.Preprocessor(["one"]), ["a", "b"]
    split = datasets.Split(["one"], [1])
    (tmp_path / name).write_text("older")

    def half(file, *args, **settings):
        if not isinstance(file, Path):
            file.write("half")
        elif file.name == name or name in file.name:
            with file.open("w") as opened:
                opened.write("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(summary, "write_csv", half)
    monkeypatch.setattr(Path, "write_text", half)
    write = {
        "predictions.csv": lambda folder: summary.write_predictions(
            folder, model, split.targets, np.eye(2)[:1]
        ),
        "mistakes.csv": lambda folder: summary.write_mistakes(folder, model, split, np.eye(2)[:1]),
        "vocabulary.txt": lambda folder: write_words(folder, model),
    }[name]
    with pytest.raises((OSError, zoo.UsageError)):
        write(tmp_path)
    monkeypatch.undo()
    assert (tmp_path / name).read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == [name]
