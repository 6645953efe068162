"""Checkpoints: the best weights and the latest state of a training, whole at any moment."""

import csv
import math
from pathlib import Path

import keras
import numpy as np

from zoo.errors import UsageError
from zoo.filesystem.atomic_files import to_disk, whole

LEARNT = 0.01  # validation loss; if all answers are right, too, there is nothing left to learn
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
        folder: where ``best.npz`` (weights) and ``state-<evaluations>.npz`` (weights, optimiser,
            dropout) go; each appears under its name once it is complete. Not HDF5, which crashes
            Python where a disk is full.
        history: the ``history.csv`` of ``TimedLog``, which must come first.
        patience: how many evaluations without an improvement end the training. It also ends when
            every answer on the validation split is right, at a loss below 0.01.
        plateau: whether the learning rate falls when an evaluation is no better.
        last: whether the latest weights count as the best, for a training without a validation
            split, which nothing ends early.
        measure: the metric that tells which weights are best: "accuracy" or another of at most 1.
        least: the least measure after ``half`` evaluations; a lower one ends the training, too.
        half: the number of evaluations after which ``least`` is checked.
    """

    def __init__(
        self,
        folder: Path,
        history: Path,
        patience: int,
        plateau: bool = False,
        last: bool = False,
        measure: str = "accuracy",
        least: float = 0.0,
        half: int = 0,
    ):
        super().__init__()
        self.folder = folder
        self.history = history
        self.patience = patience
        self.plateau = plateau
        self.last = last
        self.measure = measure
        self.least, self.half = least, half
        self.scores = []  # of each evaluation, the higher the better

    @property
    def best(self) -> Path:
        """The best weights."""
        return self.folder / "best.npz"

    @property
    def exhausted(self) -> bool:
        """Whether patience is at its end, nothing is left to learn, or too little is learnt."""
        if self.last or not self.scores:
            return False
        measured, loss = max(self.scores)[0], -max(self.scores)[1]
        since = len(self.scores) - 1 - self.scores.index(max(self.scores))
        if len(self.scores) >= self.half and measured < self.least:
            return True
        return since >= self.patience or (measured == 1 and loss < LEARNT)

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
        done, rows = _evaluations(states[-1]), []
        _load(states[-1], _state(model))
        if done:
            _read(self.best)  # else damage would only be noticed after the training
            try:
                with self.history.open(encoding="utf-8", newline="") as file:
                    rows = list(csv.DictReader(file))[:done]
                self.scores = [self._score(row, number) for number, row in enumerate(rows)]
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise UsageError(f"{self.history} cannot be read: {error}") from None
            if len(rows) < done:
                raise UsageError(
                    f"{self.history} is damaged: {len(rows)} evaluations are left of {done}"
                )
        with whole(self.history) as path, path.open("w", newline="") as file:
            if rows:  # those after the state come again
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
        return done

    def restore_best(self, model):
        """Loads the best weights.

        Raises:
            UsageError: if the file is damaged, or of another model.
        """
        _load(self.best, model.variables)

    def on_epoch_end(self, epoch, logs=None):
        losses = [value for name, value in logs.items() if name in ("loss", "val_loss")]
        if not all(map(math.isfinite, losses)):
            self.model.stop_training = True  # Keras does not stop for the validation loss
            return
        score = self._score(logs, epoch)
        better = not self.scores or score > max(self.scores)
        self.scores.append(score)
        if better:
            _save(self.best, self.model.variables)
        elif self.plateau and epoch >= PLATEAU:
            self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) * 0.9
        if self.history.exists():  # without whose rows the state could not go on
            to_disk(self.history)
        self._save_state(self.model, epoch + 1)
        self._file(epoch).unlink(missing_ok=True)
        if self.exhausted:
            self.model.stop_training = True

    def _score(self, logs, number):
        """The higher the better; ``number`` is that of the evaluation."""
        if self.last:
            return (number,)
        return float(logs[f"val_{self.measure}"]), -float(logs["val_loss"])

    def _file(self, evaluations):
        return self.folder / f"state-{evaluations}.npz"

    def _save_state(self, model, evaluations):
        _save(self._file(evaluations), _state(model))


def _save(path, variables):
    with whole(path) as partial:
        np.savez(partial, *map(keras.ops.convert_to_numpy, variables))


def _load(path, variables):
    values = _read(path)
    try:
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{path} belongs to another model: {reason}. Train anew") from None


def _read(path):
    try:
        with np.load(path) as values:
            return list(values.values())
    except Exception as error:  # of NumPy and zipfile, a dozen kinds
        raise UsageError(f"{path} cannot be read: {error}. Train anew") from None


def _state(model):
    """All that a step of training changes: weights, dropout's seeds, the optimiser's."""
    return [*model.variables, *model.optimizer.variables]


def _evaluations(path):
    return int(path.stem.removeprefix("state-"))
