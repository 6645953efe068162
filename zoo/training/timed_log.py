"""The history of a training, with the seconds that it has taken so far."""

import csv
import time
from pathlib import Path

import keras

from zoo.errors import UsageError


class TimedLog(keras.callbacks.CSVLogger):
    """Keras' CSV of the evaluations, with ``seconds`` of the training so far in the last column.

    A training that goes on counts from where its history stops. A history that was begun without
    seconds, by an earlier release, stays without.

    Args:
        history: ``history.csv``, to which rows are appended.
    """

    def __init__(self, history: Path):
        super().__init__(str(history), append=True)
        self.history, self.before, self.counts = history, 0.0, True

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        with self.history.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if rows:
            self.counts = "seconds" in rows[-1]
            try:
                self.before = float(rows[-1].get("seconds", 0))
            except (TypeError, ValueError) as error:
                raise UsageError(f"{self.history} is damaged: {error}") from None
        self.started = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        if self.counts:
            if self.keys is None:  # Keras would add a column val_seconds where nothing is validated
                names = sorted(logs)
                validated = any(name.startswith("val_") for name in names)
                names += [] if validated else [f"val_{name}" for name in names]
                self.keys = [*names, "seconds"]
            seconds = round(self.before + time.perf_counter() - self.started, 2)
            logs = logs | {"seconds": seconds}
        super().on_epoch_end(epoch, logs)
