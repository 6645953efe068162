"""Run folders: what a training leaves behind, and how it is read again.

``config.json`` (all that repeats the run), ``history.csv``, ``metrics.json``, ``model.keras``,
``vocabulary.txt`` and ``labels.txt`` (one a line, in the order of ids and classes),
``saved_model/``.
"""

import contextlib
import json
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from zoo.errors import UsageError, unknown


@contextlib.contextmanager
def new_run(output: str | Path, name: str) -> Iterator[Path]:
    """A folder to write a run into; it gets its name, ``<name>-<stamp>``, once all is written.

    If writing fails, nothing of it stays.

    Raises:
        UsageError: if ``output`` cannot be written to.
    """
    final = Path(output) / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    number = 1
    while final.exists() or _partial(final).exists():
        number += 1
        final = final.with_name(f"{final.name.partition('_')[0]}_{number}")
    try:
        _partial(final).mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"cannot write to the output folder {output}: {error.strerror}. Choose another with "
            "--output"
        ) from None
    try:
        yield _partial(final)
        _partial(final).rename(final)
    except BaseException:
        shutil.rmtree(_partial(final), ignore_errors=True)
        raise


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


def finished(partial: Path) -> Path:
    """The name that a folder of :func:`new_run` has in the end."""
    return partial.with_name(partial.name.removeprefix(".").removesuffix(".partial"))


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def write_model(folder: Path, model) -> None:
    """Writes the model, its vocabulary, its labels and its SavedModel into a run folder."""
    from zoo.export import export_saved_model

    model.save(folder / "model.keras")
    _write_lines(folder / "vocabulary.txt", model.preprocessor.vocabulary)
    _write_lines(folder / "labels.txt", model.labels)
    export_saved_model(model, folder / "saved_model")


def _write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _read_lines(path):
    return path.read_text("utf-8").split("\n")[:-1]


def read_config(run: str | Path) -> dict[str, Any]:
    """The settings of a finished run.

    Raises:
        UsageError: if ``run`` is not the folder of a finished run, with the nearest matches.
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
    try:
        model = keras.saving.load_model(run / "model.keras", compile=False)
        vocabulary = _read_lines(run / "vocabulary.txt")
        model.labels = _read_lines(run / "labels.txt")
    except Exception as error:
        raise UsageError(f"{run} is damaged: {error}") from error
    if len(vocabulary) + 2 != model.vocabulary_size or len(model.labels) != model.num_classes:
        raise UsageError(f"{run} is damaged: vocabulary.txt or labels.txt is not the model's")
    clean_up = config.get("clean_up", "hcan")
    model.preprocessor = Preprocessor(vocabulary, model.max_words, model.max_sentences, clean_up)
    return model
