"""The search goes on where it was, and never mixes with another."""

import shutil
import time
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest

import zoo
from zoo.errors import DivergedError
from zoo.filesystem.folder_locks import alone
from zoo.training import search_folder, tuning

HISTORY = {"loss": [0.7], "val_accuracy": [0.5], "val_loss": [0.7]}


def trained(output, name, history=HISTORY):
    """The run of a trial."""
    run = output / str(name)
    run.mkdir(parents=True)
    pd.DataFrame(history).to_csv(run / "history.csv")
    return run


def test_trials_go_on_and_the_best_comes_first(tmp_path, monkeypatch):
    calls = []

    def train(model, data, *, options, output, **settings):
        if len(calls) == 2:
            calls.append(None)
            raise KeyboardInterrupt
        calls.append(settings | options)
        accuracies = [0.1, settings["batch_size"] / 100, 0.2, 0.99]
        losses = [0.0, settings["learning_rate"], 1.0, np.nan]
        history = {"loss": 4 * [0.5], "val_accuracy": accuracies, "val_loss": losses}
        return trained(output, len(calls), history)

    monkeypatch.setattr(tuning, "train", train)
    settings = {"model": "act", "output": tmp_path / "search", "options": {"dropout": 0.5}}
    told = optuna.logging.get_verbosity()
    with pytest.raises(KeyboardInterrupt) as stopped:
        zoo.tune(trials=5, **settings)
    assert stopped.value.__notes__ == [
        f"2 trials have ended and are kept in {tmp_path / 'search'}: run the same again, and it "
        "goes on after them"
    ]
    assert optuna.logging.get_verbosity() == told
    zoo.tune(trials=5, **settings)
    done = [call for call in calls if call is not None]
    assert len(done) == 5
    for call in done:
        assert 5e-4 / 5 <= call["learning_rate"] <= 5e-4 * 5
        assert call["batch_size"] in (16, 32, 64)
        assert 0 <= call["word_dropout"] <= 0.6 and call["dropout"] == 0.5

    def loss_of(call):  # of the best evaluation
        return call["learning_rate"] if call["batch_size"] > 20 else 1.0

    trials = pd.read_csv(tmp_path / "search" / "trials.csv")
    complete = trials[trials["state"] == "COMPLETE"]
    assert len(complete) == 5
    order = zip(-complete["validation_accuracy"], complete["validation_loss"], strict=True)
    assert list(order) == sorted(
        (-max(call["batch_size"] / 100, 0.2), loss_of(call)) for call in done
    )
    best = max(call["batch_size"] for call in done)
    assert complete["validation_accuracy"].iloc[0] == max(best / 100, 0.2)
    assert zoo.tune(trials=5, **settings) == tmp_path / "search"  # nothing left to do
    zoo.tune(trials=5, **settings, preset=None, epochs=None)  # as the command line has it
    with pytest.raises(zoo.UsageError, match="has trials with another epochs: choose another"):
        zoo.tune(epochs=2, **settings)
    shutil.rmtree(tmp_path / "search" / "runs")  # for room: the trials are still those of before
    with pytest.raises(zoo.UsageError, match="has trials with another epochs: choose another"):
        zoo.tune(epochs=2, **settings)
    with pytest.raises(zoo.UsageError, match="trials must be a whole number of at least 1: got 0"):
        zoo.tune(trials=0)
    for wrong, message in (
        ({"options": ["dropout"]}, "options must be a dictionary"),
        ({"seed": -1}, "seed must be a whole number from 0 to 4294967295: got -1"),
        ({"files": {"text_colum": "x"}}, "'text_colum'. Did you mean 'text_column'"),
        ({"epoch": 2}, "'epoch'. Did you mean 'epochs'"),
        ({"processes": 2, "coordinator": "a:1"}, "coordinator, processes: a search runs in one"),
    ):
        with pytest.raises(zoo.UsageError, match=message):
            zoo.tune(**wrong)


def test_a_trial_that_diverges_is_not_the_end(tmp_path, monkeypatch):
    losses = [None, 0.5, None, 0.5]

    def train(model, data, *, output, **settings):
        if losses.pop(0) is None:
            raise DivergedError("the loss became infinite")
        return trained(output, len(losses))

    monkeypatch.setattr(tuning, "train", train)
    with pytest.raises(zoo.UsageError, match="the loss of all 1 trials became infinite"):
        zoo.tune("act", trials=1, output=tmp_path)
    zoo.tune("act", trials=3, output=tmp_path)
    trials = pd.read_csv(tmp_path / "trials.csv")
    assert trials["state"].tolist() == ["COMPLETE"] * 2 + ["FAIL"] * 2


def test_a_search_killed_while_it_wrote_goes_on(tmp_path, monkeypatch):
    def train(model, data, *, output, **settings):
        return trained(output, settings["learning_rate"])

    monkeypatch.setattr(tuning, "train", train)
    folder = zoo.tune("act", trials=2, output=tmp_path / "search")
    log, lock = folder / "study.log", folder / "study.log.lock"
    log.write_bytes(log.read_bytes() + b'{"op_code": 4, "worker')
    lock.symlink_to(log)
    started = time.perf_counter()
    zoo.tune("act", trials=3, output=folder)
    assert time.perf_counter() - started < 20
    assert len(pd.read_csv(folder / "trials.csv")) == 3
    with alone(folder), pytest.raises(zoo.UsageError, match="another process works in"):
        zoo.tune("act", trials=4, output=folder)
    for name in ("study.log", "settings.json"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(b"half\n" + content)
        with pytest.raises(zoo.UsageError, match=f"{name} .*Choose another output"):
            zoo.tune("act", trials=4, output=folder)
        (folder / name).write_bytes(content)


def test_a_search_that_could_not_begin_leaves_its_folder_to_another(csv_file, tmp_path):
    small = {"options": {"embedding_dim": 4, "filters": 2}, "epochs": 1, "trials": 1}
    with pytest.raises(zoo.UsageError, match="nowhere.csv"):
        zoo.tune("cnn_kim", "nowhere.csv", output=tmp_path / "search", **small)
    own = tmp_path / "own.csv"
    own.write_text(csv_file.read_text("utf-8"), "utf-8")
    for wrong, message in (
        ({"percentile": 0}, "percentile must be a number from 1"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1"),
        ({"weights": "nowhere.vec"}, "nowhere.vec"),  # which only the first trial finds
        ({"clean_up": "hann"}, "'hann'. Did you mean 'han'"),
    ):
        with pytest.raises(zoo.UsageError, match=message):
            zoo.tune("cnn_kim", str(own), output=tmp_path / "new" / "search", **small | wrong)
        assert not (tmp_path / "new").exists()
    zoo.tune("cnn_kim", str(own), output=tmp_path / "search", **small)
    again = f"{tmp_path}/search/../own.csv"  # the same file
    zoo.tune("cnn_kim", again, output=tmp_path / "search", **small)
    own.write_text(csv_file.read_text("utf-8").replace("stay 7", "day 7"), "utf-8")
    with pytest.raises(zoo.UsageError, match="has trials with another texts"):
        zoo.tune("cnn_kim", str(own), output=tmp_path / "search", **small)


def test_the_default_folder_has_a_name_that_tensorflow_can_load_from(
    csv_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own[1].csv").write_text(csv_file.read_text("utf-8"), "utf-8")
    small = {"options": {"embedding_dim": 4, "filters": 2}, "epochs": 1, "trials": 1}
    assert zoo.tune("cnn_kim", "own[1].csv", **small) == Path("tuning", "cnn_kim-own_1]")


def test_rates_are_looked_for_around_that_of_the_options(tmp_path, monkeypatch):
    """ACT's is another one with entities."""
    rates = []
    monkeypatch.setattr(tuning, "_search", lambda *args: rates.append(args[-1]))
    zoo.tune("act", trials=1, output=tmp_path / "a")
    zoo.tune("act", trials=1, output=tmp_path / "b", options={"entities": True})
    path = tmp_path / "a.csv"
    rows = "<e1>x</e1> of <e2>y</e2>,{}\n"
    path.write_text("text,label\n" + rows.format("a") * 20 + rows.format("b") * 20)
    zoo.tune("act", str(path), trials=1, output=tmp_path / "c", clean_up="relations")
    assert rates == [5e-4, 1e-3, 1e-3]


def test_the_best_is_looked_for_and_the_seed_is_passed_on(tmp_path, monkeypatch):
    seeds = []

    def train(model, data, *, output, seed, **settings):
        seeds.append(seed)
        return trained(output, len(seeds))

    monkeypatch.setattr(tuning, "train", train)
    folder = zoo.tune("act", trials=1, seed=3, output=tmp_path / "search")
    assert seeds == [3]
    assert search_folder._open_study(optuna, folder / "study.log").direction.name == "MAXIMIZE"
