"""Writes a model into a run folder: ``model.keras``, the SavedModel, ``model.onnx`` and the words.

``python -m zoo.shipping.saving RUN`` writes the files that need TensorFlow, for a training on JAX.
"""

import glob
import importlib.util
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from zoo.backend import backend_name
from zoo.errors import UsageError
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.paths import expanded
from zoo.registry import name_of
from zoo.runs.onnx_model import NAME
from zoo.runs.run_config import RunConfig
from zoo.runs.run_folder import versions, words_digest, write_words
from zoo.settings import TrainSettings

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

ONNX_PACKAGES = ("tf2onnx", "onnxruntime")  # the first writes ONNX files, the second reads them

logger = logging.getLogger("zoo")


def write_model(folder: Path, model: "TextClassifier") -> None:
    """Writes the model, its SavedModel and its ``model.onnx`` into a run folder."""
    if glob.has_magic(str(folder.absolute())):
        logger.warning("TensorFlow reads no SavedModel in %s: rename it without *, ? and [", folder)
    with whole(folder / "model.keras") as partial:
        try:
            model.save(partial)
        except RuntimeError as error:
            if type(error) is not RuntimeError:  # JAX raises subclasses
                raise
            # h5py raises a plain RuntimeError if the disk is full.
            raise OSError(str(error)) from None
    if backend_name() == "tensorflow":
        write_served(folder, model)
    elif not type(model).__module__.startswith("zoo."):
        logger.warning("There is no SavedModel: TensorFlow's process does not know %s", model.name)
    else:  # another process writes it with TensorFlow, as JAX has no strings
        ended = subprocess.run(
            [sys.executable, "-m", "zoo.shipping.saving", folder],
            env=os.environ | {"KERAS_BACKEND": "tensorflow"},
            stderr=subprocess.PIPE,
            text=True,
        )
        if ended.returncode:
            *_, reason = ended.stderr.strip().split("\n")
            if ended.returncode < 0:  # killed: its last line may be about something else
                reason = f"the process that writes it was killed, by signal {-ended.returncode}"
            raise UsageError(f"no SavedModel: {reason.removeprefix('zoo.errors.UsageError: ')}")


def write_served(folder: Path, model: "TextClassifier") -> None:
    """Writes the two files that take texts without zoo: the SavedModel and ``model.onnx``."""
    from zoo.shipping.saved_model import export_saved_model

    with whole(folder / "saved_model") as partial:
        export_saved_model(model, partial)
    write_onnx(folder, model)


def write_onnx(folder: Path, model: "TextClassifier") -> None:
    """Writes ``model.onnx`` if that is possible: ``zoo predict`` starts fastest with it."""
    if not all(map(importlib.util.find_spec, ONNX_PACKAGES)):
        return
    from zoo.shipping.onnx_file import write_of_texts

    (folder / NAME).unlink(missing_ok=True)  # else zoo predict might answer with older weights
    try:
        write_of_texts(model, folder / NAME)
    except OSError:
        raise
    except Exception as error:  # the converter failed, but the model itself is written
        reason = (str(error).strip() or repr(error)).split("\n")[0]
        logger.info("There is no %s: %s", NAME, reason[:300])


def save(model: "TextClassifier", folder: str | Path) -> Path:
    """Writes a model, such as one fine-tuned in Python, as a run folder that the commands read.

    The folder has the model, its words and its labels, and a SavedModel. It names no data, so it
    has no test split and no scores. As after a training, the model is in float32, without an
    optimizer, and returns probabilities, not logits.

    Args:
        model: a model of a registered class, with ``preprocessor`` and ``labels``.
        folder: a folder that does not exist yet; it is written completely, or not at all.

    Returns:
        The folder.

    Raises:
        UsageError: if the folder exists or cannot be written, or the model lacks what it needs.

    Example:
        >>> import zoo
        >>> model = zoo.load(run)
        >>> history = model.fit(["Not bad.", "Never again."], ["good", "bad"], verbose=0)
        >>> zoo.save(model, "runs/tuned").name
        'tuned'
    """
    from zoo.runs.model_file import in_float32

    folder, name = expanded(folder), name_of(model)
    for what in ("preprocessor", "labels"):
        if getattr(model, what) is None:
            raise UsageError(f"a run folder needs model.{what}: set it, or save as .keras")
    if broken := [one for one in [*model.labels, *model.preprocessor.vocabulary] if "\n" in one]:
        raise UsageError(f"labels and words are kept one a line: {broken[0]!r} has several")
    if os.path.lexists(folder):
        raise UsageError(f"{folder} is there already: remove it, or choose another folder")
    if not model.built:
        model.build()
    try:
        model = in_float32(model)
    except ValueError as error:  # a quantized model has other weights
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"{name} cannot be made again in float32: {reason}") from None
    preprocessor = model.preprocessor
    config = RunConfig(
        TrainSettings(name, None, clean_up=preprocessor.clean_up),
        versions=versions(),
        architecture=model.get_config(),
        text_version=preprocessor.version,
        words=words_digest(preprocessor.vocabulary, model.labels),
    )
    with whole(folder) as partial:
        partial.mkdir()
        write_words(partial, model)
        config.write(partial)
        write_model(partial, model)
    return folder


if __name__ == "__main__":
    from zoo.runs.run_folder import load

    run = Path(sys.argv[1])
    write_served(run, load(run))
