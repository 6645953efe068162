"""How long a training has taken so far, written beside each evaluation."""

import csv
import time
from pathlib import Path

import keras


class Clock(keras.callbacks.Callback):
    """Adds ``seconds`` to what is logged: those of the training so far, evaluations included.

    A training that goes on counts from where its history stops. A history that was begun without
    seconds stays without.

    Args:
        history: ``history.csv`` of ``keras.callbacks.CSVLogger``, which must come after this.
    """

    def __init__(self, history: Path):
        super().__init__()
        self.history, self.before, self.counts = history, 0.0, True

    def on_train_begin(self, logs=None):
        rows = []
        if self.history.exists():
            with self.history.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        if rows:
            self.counts = "seconds" in rows[-1]
            self.before = float(rows[-1].get("seconds", 0))
        self.started = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        if self.counts:
            logs["seconds"] = round(self.before + time.perf_counter() - self.started, 2)
