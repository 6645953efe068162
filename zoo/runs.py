"""Run folders: what a training leaves behind, and how it is read again.

``config.json`` (all that repeats the run), ``vocabulary.txt`` and ``labels.txt`` (one a line, in
the order of ids and classes) and ``history.csv`` are there from the start, and ``checkpoint/``
until the training has ended. Then come ``model.keras``, ``saved_model/``, ``metrics.json``, what
:mod:`zoo.summary` draws, ``predictions.csv`` of the test split and ``mistakes.csv``.
"""

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from zoo.errors import UsageError, unknown

logger = logging.getLogger("zoo")


@contextlib.contextmanager
def new_run(output: str | Path, name: str) -> Iterator[Path]:
    """A new folder to write a run into, ``<name>-<stamp>``.

    If writing fails before the training has begun, nothing of it stays; after that, what it takes
    to continue.

    Raises:
        UsageError: if ``output`` cannot be written to.
    """
    first = Path(output) / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    folder, number = first, 1
    while True:
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
            folder = first.with_name(f"{first.name}_{number}")
        except OSError as error:
            raise UsageError(
                f"cannot write to the output folder {output}: {error.strerror}. Choose another "
                "with --output"
            ) from None
    try:
        yield folder
    except BaseException:
        if any((folder / "checkpoint").glob("state-*.npz")):
            logger.warning("Continue with: zoo train --resume %s", folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name to write a file or folder under, which becomes ``path`` once it is complete.

    If writing fails, ``path`` is as before.

    Raises:
        UsageError: if there is no room, or no leave, to write.
    """
    partial = path.with_name(f".partial-{path.name}")
    try:
        path.parent.mkdir(exist_ok=True)
        _remove(partial)
        yield partial
        if path.is_dir():
            _remove(path)
        partial.replace(path)
    except (OSError, RuntimeError) as error:  # h5py raises both
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {path}: {reason}. What is there is complete") from None
    finally:
        with contextlib.suppress(OSError):
            _remove(partial)


def _remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON."""
    with whole(path) as partial:
        partial.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def write_model(folder: Path, model) -> None:
    """Writes the model and its SavedModel into a run folder."""
    import keras

    with whole(folder / "model.keras") as partial:
        model.save(partial)
    if keras.backend.backend() == "tensorflow":
        from zoo.saved_model import export_saved_model

        with whole(folder / "saved_model") as partial:
            export_saved_model(model, partial)
    else:  # only TensorFlow has strings
        subprocess.run(
            [sys.executable, "-m", "zoo.saved_model", folder],
            env=os.environ | {"KERAS_BACKEND": "tensorflow"},
            check=True,
        )


def write_words(folder: Path, model) -> None:
    """Writes the vocabulary and the labels of a model into a run folder."""
    for name, lines in (("vocabulary", model.preprocessor.vocabulary), ("labels", model.labels)):
        with whole(folder / f"{name}.txt") as partial:
            partial.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def read_words(folder: Path, name: str) -> list[str]:
    """The "vocabulary" or the "labels" of a run folder."""
    return (folder / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


def read_config(run: str | Path) -> dict[str, Any]:
    """The settings of a run.

    Raises:
        UsageError: if ``run`` is not a run folder, with the nearest matches.
    """
    run = Path(run)
    try:
        return json.loads((run / "config.json").read_text("utf-8"))
    except OSError:
        runs = [str(path.parent) for path in sorted(run.parent.glob("*/config.json"))]
        runs += [str(path.parent) for path in sorted(Path().glob("runs/*/config.json"))]
        if not runs:
            raise UsageError(f"no run in {run}: train one with zoo train") from None
        raise unknown("run", str(run), dict.fromkeys(runs)) from None
    except ValueError as error:
        raise UsageError(f"{run / 'config.json'} is damaged: {error}") from None


def load(run: str | Path):
    """The trained model of a run folder.

    Args:
        run: the folder.

    Returns:
        A :class:`zoo.TextClassifier` with ``preprocessor`` and ``labels``, whose ``predict``
        takes texts.

    Raises:
        UsageError: if the folder is not a finished run, or a file of it is missing or damaged.

    Example:
        >>> model = zoo.load("runs/hcan-sample-20260101-120000")
        >>> model.labels[model.predict(["Not bad at all."])[0].argmax()]
        '4'
    """
    config = read_config(run)
    import keras

    from zoo.datasets import Preprocessor
    from zoo.registry import import_model

    import_model(config["model"])  # registers its class with Keras
    run = Path(run)
    if not (run / "model.keras").exists() and (run / "checkpoint").exists():
        raise UsageError(f"the training of {run} has not ended: zoo train --resume {run}")
    try:
        model = keras.saving.load_model(run / "model.keras", compile=False)
        vocabulary = read_words(run, "vocabulary")
        model.labels = read_words(run, "labels")
    except Exception as error:
        raise UsageError(f"{run} is damaged: {error}") from error
    if len(vocabulary) + 2 != model.vocabulary_size or len(model.labels) != model.num_classes:
        raise UsageError(f"{run} is damaged: vocabulary.txt or labels.txt is not the model's")
    clean_up = config.get("clean_up", "hcan")
    model.preprocessor = Preprocessor(
        vocabulary,
        model.max_words,
        model.max_sentences,
        clean_up,
        model.ngrams,
        model.entities,
    )
    return model
