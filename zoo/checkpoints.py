"""Checkpoints: the best weights and the latest state of a training, whole at any moment."""

import contextlib
import csv
import math
import zipfile
from pathlib import Path

import keras
import numpy as np

from zoo.errors import UsageError
from zoo.runs import whole

PLATEAU = 10  # evaluations, after which the rate falls where the recipe says "plateau"


class Checkpoint(keras.callbacks.Callback):
    """Keeps the best weights, and after each evaluation all that continues the training.

    Best is the highest validation accuracy; among equals, as a small split has many, the lowest
    loss.

    A training killed at any moment resumes at its last evaluation and ends with the same weights.
    With Keras' own callbacks it would not: BackupAndRestore does not keep the state of dropout,
    and writes weights and position to two files over the earlier ones; EarlyStopping and
    ReduceLROnPlateau forget what they have seen.

    Args:
        folder: where ``best.weights.h5`` and ``state-<evaluations>.npz`` (weights, optimiser,
            dropout) go; each appears under its name once it is complete.
        history: the ``history.csv`` of ``keras.callbacks.CSVLogger``, which must come first.
        patience: evaluations that are no better, and end the training.
        plateau: whether the learning rate falls when an evaluation is no better.
    """

    def __init__(self, folder: Path, history: Path, patience: int, plateau: bool = False):
        super().__init__()
        self.folder = folder
        self.history = history
        self.patience = patience
        self.plateau = plateau
        self.scores = []  # of each evaluation, the higher the better

    @property
    def best(self) -> Path:
        """The best weights."""
        return self.folder / "best.weights.h5"

    @property
    def exhausted(self) -> bool:
        """Whether patience is at its end."""
        done = self.scores
        return bool(done) and len(done) - 1 - done.index(max(done)) >= self.patience

    def restore(self, model) -> int:
        """Loads the latest state into a compiled model; without one, keeps the model's.

        Returns:
            The evaluations done so far.

        Raises:
            UsageError: if a file is damaged, or of another model.
        """
        model.optimizer.build(model.trainable_variables)
        states = sorted(self.folder.glob("state-*.npz"), key=_evaluations)
        if not states:
            self._save_state(model, 0)
            return 0
        try:
            with np.load(states[-1]) as state:
                for variable, value in zip(_variables(model), state.values(), strict=True):
                    variable.assign(value)
            done = _evaluations(states[-1])
            with self.history.open(newline="") if done else contextlib.nullcontext([]) as file:
                rows = list(csv.DictReader(file))[:done]
            self.scores = [_score(row) for row in rows]
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UsageError(f"{self.folder.parent} cannot be continued: {error}") from None
        with whole(self.history) as path, path.open("w", newline="") as file:
            if rows:  # those after the state come again
                writer = csv.DictWriter(file, rows[0], lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        return done

    def on_epoch_end(self, epoch, logs=None):
        if not math.isfinite(logs["loss"]):
            return
        better = not self.scores or _score(logs) > max(self.scores)
        self.scores.append(_score(logs))
        if better:
            with whole(self.best) as partial:
                self.model.save_weights(partial)
        elif self.plateau and epoch >= PLATEAU:
            self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) * 0.9
        self._save_state(self.model, epoch + 1)
        self._state(epoch).unlink(missing_ok=True)
        if self.exhausted:
            self.model.stop_training = True

    def _state(self, evaluations):
        return self.folder / f"state-{evaluations}.npz"

    def _save_state(self, model, evaluations):
        with whole(self._state(evaluations)) as partial:
            np.savez(partial, *map(keras.ops.convert_to_numpy, _variables(model)))


def _score(logs):
    return float(logs["val_accuracy"]), -float(logs["val_loss"])


def _variables(model):
    """All that a step of training changes: weights, dropout's seeds, the optimiser's."""
    return [*model.variables, *model.optimizer.variables]


def _evaluations(path):
    return int(path.stem.removeprefix("state-"))
