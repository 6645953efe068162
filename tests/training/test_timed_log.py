"""A history tells how long the training has taken, also after it went on."""

import keras
import pytest

import zoo
from zoo.training.timed_log import TimedLog

LOGS = {"loss": 1.0, "val_loss": 3.0}


def logged(history, epochs, logs=LOGS):
    """The lines of a history after further epochs."""
    log = TimedLog(history)
    log.set_model(keras.Sequential())
    log.on_train_begin()
    for epoch in range(epochs):
        log.on_epoch_end(epoch, logs)
    log.on_train_end()
    return history.read_text().split()


def test_seconds_go_on(tmp_path):
    first = logged(tmp_path / "history.csv", 1)
    assert first[0] == "epoch,loss,val_loss,seconds" and float(first[1].split(",")[3]) < 60
    (tmp_path / "history.csv").write_text("epoch,loss,val_loss,seconds\n0,2.0,3.0,500.5\n")
    head, _, *rows = logged(tmp_path / "history.csv", 2)
    assert head == first[0] and len(rows) == 2
    assert all(500.5 <= float(row.split(",")[3]) < 600 for row in rows)


def test_seconds_have_no_validation(tmp_path):
    head, row = logged(tmp_path / "history.csv", 1, {"loss": 1.0})
    assert head == "epoch,loss,val_loss,seconds" and row.startswith("0,1.0,NA,")


def test_a_history_without_seconds_stays_without(tmp_path):
    """As a training of an earlier release began it."""
    history = tmp_path / "history.csv"
    history.write_text("epoch,loss,val_loss\n0,2.0,3.0\n")
    assert logged(history, 1) == ["epoch,loss,val_loss", "0,2.0,3.0", "0,1.0,3.0"]


def test_a_damaged_number_is_told(tmp_path):
    history = tmp_path / "history.csv"
    history.write_text("epoch,loss,val_loss,seconds\n0,2.0,3.0,x\n")
    with pytest.raises(zoo.UsageError, match="history.csv is damaged"):
        logged(history, 1)
