"""Run folders: what a training leaves behind, and how it is read again.

``config.json`` (all that repeats the run), ``vocabulary.txt`` and ``labels.txt`` (one a line, in
the order of ids and classes) and ``history.csv`` are there from the start, and ``checkpoint/``
until the training has ended; of a training on a DataFrame, also ``data.jsonl``, its texts and
labels. Then come ``model.keras``, ``saved_model/``, ``model.onnx``, ``metrics.json``, what
:mod:`zoo.evaluation.report` draws, ``predictions.csv`` of the test split, ``mistakes.csv``, and
what :mod:`zoo.evaluation.sureness` tells.
"""

import contextlib
import hashlib
import json
import logging
import os
import platform
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.answers import kind_of_scores
from zoo.backend import backend_name
from zoo.errors import DivergedError, UsageError, unknown
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.folder_locks import alone
from zoo.filesystem.paths import expanded
from zoo.registry import import_model, list_models
from zoo.runs.onnx_model import NAME, OnnxClassifier
from zoo.runs.run_config import RunConfig, read_config

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

LONGEST_NAME = 150  # bytes of a run folder's name before the time
RUNTIMES = ("keras", "onnx")  # by which a run answers
SCORES = ("texts", "macro_f1", "loss", "parameters")

logger = logging.getLogger("zoo")


def plain_name(name: str) -> str:
    """A name that a folder can have, and TensorFlow takes for no pattern."""
    return re.sub(r"[*?[]", "_", name).encode()[:LONGEST_NAME].decode(errors="ignore")


@contextlib.contextmanager
def new_run(output: str | Path, name: str) -> Iterator[Path]:
    """A new folder to write a run into, ``<name>-<stamp>``.

    If writing fails before the training has begun, or the loss is no number from the start, nothing
    of it stays; after that, what it takes to continue, and a model that is whole.

    Raises:
        UsageError: if ``output`` cannot be written to.
    """
    first = expanded(output) / f"{plain_name(name)}-{datetime.now():%Y%m%d-%H%M%S}"
    lacking = [path for path in first.parents if not path.exists()]
    folder, number = first, 1
    while True:
        try:
            folder.mkdir(parents=True)
            break
        except OSError as error:
            if os.path.lexists(folder):  # and no link to nowhere above it
                number += 1
                folder = first.with_name(f"{first.name}_{number}")
                continue
            raise UsageError(
                f"cannot write to the output folder {output}: {error.strerror}. Choose another "
                "output (--output)"
            ) from None
    try:
        with alone(folder):
            yield folder
    except BaseException as error:
        has_begun = any((folder / "checkpoint").glob("state-*.npz"))
        if has_begun and not isinstance(error, DivergedError):
            if isinstance(error, KeyboardInterrupt):
                error.add_note(f"continue with: {resuming(folder)}")
            else:
                logger.warning("Continue with: %s", resuming(folder))
        elif not (folder / "model.keras").exists():
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # another run began in one of them
                for path in lacking:
                    path.rmdir()
            if isinstance(error, KeyboardInterrupt):
                error.add_note("the training had not begun, and nothing of it is kept: start anew")
        elif not (folder / "metrics.json").exists():  # which a training writes last
            logger.warning("The model is in %s, without all that tells of it", folder)
        raise


def resuming(run: Path) -> str:
    """What continues the training of a run: the command line knows zoo's models alone."""
    devices = ""
    with contextlib.suppress(UsageError):
        settings = read_config(run).settings
        if not import_model(settings.model)[0].__module__.startswith("zoo."):
            return f"zoo.resume({str(run)!r})"
        if settings.devices != 1 and settings.processes == 1:
            devices = f" --devices {settings.devices}"
    return f"zoo train --resume {shlex.quote(str(run))}{devices}"


def write_words(folder: Path, model: "TextClassifier") -> None:
    """Writes the vocabulary and the labels of a model into a run folder."""
    for name, lines in (("vocabulary", model.preprocessor.vocabulary), ("labels", model.labels)):
        with whole(folder / f"{name}.txt") as partial:
            partial.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def words_digest(vocabulary: list[str], labels: list[str]) -> str:
    """Changes with any word or label, or with their order; ``words`` of a run's settings."""
    return hashlib.sha256("\n".join([*vocabulary, "", *labels]).encode()).hexdigest()


def read_words(run: Path, config: RunConfig, model: "TextClassifier") -> None:
    """Gives a model the ``preprocessor`` and the ``labels`` of its run folder.

    Raises:
        UsageError: if a file is missing or damaged, or of another model.
    """
    from zoo.datasets import Preprocessor

    try:
        vocabulary, labels = (
            (run / f"{name}.txt").read_text("utf-8").split("\n")[:-1]
            for name in ("vocabulary", "labels")
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"{run} is damaged: {error}") from None
    digest = words_digest(vocabulary, labels)
    own = model.preprocessor  # of model.keras, which had none in version 0.1.0
    if (
        len(labels) != model.num_classes
        or config.words not in (None, digest)
        or (
            len(vocabulary) + 2 != model.vocabulary_size
            if own is None
            else (own.vocabulary, model.labels) != (vocabulary, labels)
        )
    ):
        raise UsageError(f"{run} is damaged: vocabulary.txt or labels.txt is not the model's")
    try:
        told = Preprocessor(
            vocabulary,
            model.max_words,
            model.max_sentences,
            config.settings.clean_up,
            model.ngrams,
            model.entities,
            config.text_version,
        )
    except (ValueError, TypeError) as error:  # a word twice, a clean-up that is no name
        raise UsageError(f"{run} is damaged: {error}") from None
    if own is not None and own.get_config() != told.get_config():
        raise UsageError(f"{run} is damaged: config.json and model.keras clean texts differently")
    model.preprocessor, model.labels = told, labels


def read_scores(run: Path) -> dict[str, Any]:
    """``metrics.json`` of a run.

    Raises:
        UsageError: if it is missing or damaged.
    """
    path = run / "metrics.json"
    try:
        scores = json.loads(path.read_text("utf-8"))
        measure = kind_of_scores(scores).measure
        numbers = {name: scores[name] + 0 for name in (*SCORES, measure)}
        classes = {label: dict(row) for label, row in scores["classes"].items()}
        return scores | numbers | {"classes": classes}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is missing or damaged: {error}") from None


def megabytes_of(run: Path) -> float | None:
    """The size of what a run ships: its SavedModel, or else ``model.keras``; None without any."""
    for files in ((run / "saved_model").rglob("*"), [run / "model.keras"]):
        if size := sum(one.stat().st_size for one in files if one.is_file()):
            return round(size / 1e6, 2)
    return None


def versions() -> dict[str, str]:
    """Of Python and the packages that a run's weights depend on, and Keras' backend."""
    backend = backend_name()
    packages = ["attention-zoo", "keras", "tensorflow", "numpy", "pandas", "scikit-learn", "gensim"]
    packages += ["jax"] if backend == "jax" else []
    return {
        "python": platform.python_version(),
        "backend": backend,
        **{package: version(package) for package in packages},
    }


def load(run: str | Path, runtime: str = "keras") -> "TextClassifier":
    """The trained model of a run folder.

    Args:
        run: the folder; or a ``.keras`` file that ``model.save`` wrote.
        runtime: "keras"; or "onnx", which answers texts with the folder's ``model.onnx``, or with
            that file of an export, without TensorFlow.

    Returns:
        A :class:`zoo.TextClassifier` with ``preprocessor`` and ``labels``, whose ``predict`` takes
        texts. It is not compiled. A ``.keras`` file of version 0.1.0 has neither of these, so that
        the model takes ids. The runtime "onnx" gives a
        :class:`zoo.runs.onnx_model.OnnxClassifier`, which has ``predict`` and ``classify``.

    Raises:
        UsageError: if the folder is not a finished run, or a file of it is missing or damaged, or
            holds no registered model.

    Note:
        TensorFlow keeps a kernel for the name of each variable that was ever made. Each loading of
        a small ``hcan`` adds half a megabyte, and using the model adds more. A process that loads
        over and over frees this memory with ``keras.backend.clear_session()``, which also resets
        Keras' dtype policy.

    Example:
        >>> import zoo
        >>> model = zoo.load(run)
        >>> model.classify(["A fine film."])[0]["label"]
        'good'
    """
    run = expanded(run)
    if runtime not in RUNTIMES:
        raise unknown("runtime", runtime, RUNTIMES)
    if runtime == "onnx":
        return _load_onnx(run)
    if run.suffix == ".keras" and run.is_file():
        return _load_file(run, list_models())
    config = read_config(run)
    if not (run / "model.keras").exists() and (run / "checkpoint").exists():
        raise UsageError(f"the training of {run} has not ended: {resuming(run)}")
    model = _load_file(run / "model.keras", [config.settings.model])
    read_words(run, config, model)
    return model


def fastest_runtime(run: Path) -> str:
    """By which a run answers without TensorFlow, if it can."""
    return "onnx" if find_spec("onnxruntime") and (run / NAME).exists() else "keras"


def _load_onnx(run):
    """What ``model.onnx`` of a folder answers by, or the file itself."""
    if run.is_file():
        return OnnxClassifier(run)
    path = run / NAME
    if not path.exists():
        read_config(run)  # or it is no run at all
        raise UsageError(
            f"{run} has no {NAME}, which takes packages to write, or a clean-up that ONNX cannot "
            "hold: zoo export --format onnx tells"
        )
    model = OnnxClassifier(path)
    if (run / "config.json").exists() and read_config(run).words not in (None, model.words):
        raise UsageError(f"{run} is damaged: {NAME} is of another model")
    return model


def _load_file(path, names):
    """The model of a file, which has one of the names."""
    from zoo.runs.model_file import load_model_file

    kinds = {import_model(name)[0] for name in names}  # registers the classes with Keras
    try:
        return load_model_file(path, kinds)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{path} is damaged: {' '.join(str(error).split())}") from error
