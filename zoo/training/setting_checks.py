"""Arguments of a training: which are refused before anything is written, or change nothing."""

import importlib.util
import logging
import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from zoo.datasets.own_files.text_files import undecodable
from zoo.errors import UsageError, unknown
from zoo.recipes import SCHEDULES
from zoo.registry import import_model

PRECISIONS = ("auto", "float32", "mixed_bfloat16", "mixed_float16")
CACHES = ("auto", "memory", "disk", "none")

logger = logging.getLogger("zoo")


def check_paths(*paths: Any, names: Iterable[Any] = ()) -> None:
    """Refuses what is no path, and paths or names that no JSON could hold; also the working
    folder's.
    """
    for path in paths:
        if not isinstance(path, str | Path | None):
            raise UsageError(f"a {type(path).__name__} where a path is wanted: write it to a file")
    for path in (*paths, *names, Path.cwd()):
        if undecodable(str(path)):
            raise UsageError(f"a path that is not UTF-8, which JSON cannot hold: {str(path)!r}")


def check_choices(precision: Any, cache: Any, schedule: Any) -> None:
    """Refuses what is none of the allowed ones, and names the nearest."""
    for name, value, allowed in (("precision", precision, PRECISIONS), ("cache", cache, CACHES)):
        if value not in allowed:
            raise unknown(name, value, allowed)
    if schedule not in (None, *SCHEDULES):
        raise unknown("schedule", schedule, SCHEDULES)


def check_flags(**flags: Any) -> None:
    """Refuses what is neither True nor False; None leaves one open."""
    for name, value in flags.items():
        if value not in (True, False, None):
            raise UsageError(f"{name} must be True or False: got {value!r}")


def check_numbers(learning_rate: Any, percentile: Any, **sizes: Any) -> None:
    """Refuses wrong types and what is out of range; None leaves all but ``min_count`` open."""
    for name, value in sizes.items():
        left_open = value is None and name != "min_count"
        if not left_open and not isinstance(value, Integral):
            raise UsageError(f"{name} must be a whole number: got {value!r}")
    for name, value in (("learning_rate", learning_rate), ("percentile", percentile)):
        if value is not None and not isinstance(value, Real):
            raise UsageError(f"{name} must be a number: got {value!r}")
    for name, value in sizes.items():
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1: got {value}")
    if percentile is not None and not 1 <= percentile <= 100:
        meant = f". Did you mean {100 * percentile:g}?" if 0.01 <= percentile < 1 else ""
        raise UsageError(f"percentile must be from 1 to 100: got {percentile}{meant}")
    if learning_rate is not None and not 0 < learning_rate < math.inf:
        raise UsageError(f"learning_rate must be a number above 0: got {learning_rate}")


def check_options(model: str, options: dict[str, Any]) -> None:
    """Refuses what is no dictionary, and options of a model that the data decide."""
    if not isinstance(options, Mapping):
        raise UsageError(f"options must be a dictionary, or None: got {options!r}")
    for option in ("name", "num_classes", "preset"):
        if option in options:
            raise unknown(f"option of {model}", option, import_model(model)[0].option_defaults())
    if "vocabulary_size" in options:
        raise UsageError(
            "vocabulary_size is what the texts have: set max_vocabulary (--max-vocabulary) instead"
        )


def check_seed(seed: Any) -> None:
    """Refuses what NumPy takes for no seed."""
    if not isinstance(seed, Integral):
        raise UsageError(f"seed must be a whole number: got {seed!r}")
    if not 0 <= seed < 2**32:
        raise UsageError(f"seed must be from 0 to {2**32 - 1}: got {seed}")


def check_start(model: str, start: Mapping[str, Any], **given: Any) -> None:
    """Refuses a run of another model, and arguments that such a run decides."""
    if start["model"] != model:
        raise UsageError(
            f"the run to start from is of {start['model']}, not of {model}: train {start['model']}"
        )
    if decided := [name for name, value in given.items() if value is not None]:
        raise UsageError(f"the run to start from decides: leave out {', '.join(decided)}")
    if import_model(model)[0].solves:
        raise UsageError(f"{model} is solved at once: it starts from nothing")


def check_tensorboard(wanted: bool) -> None:
    """Refuses what needs TensorBoard where it is not installed."""
    if wanted and importlib.util.find_spec("tensorboard") is None:
        raise UsageError("TensorBoard is not installed: pip install 'attention-zoo[tensorboard]'")


def check_batch_size(size: int, texts: int, share) -> None:
    """Refuses batches that several devices cannot share; ``share`` is a ``Share`` or None."""
    if share is not None and size % share.devices:
        raise UsageError(
            f"batch_size must be a multiple of the {share.devices} devices: got {size}"
        )
    if share is not None and size > texts:
        raise UsageError(f"batch_size must be at most the {texts} training texts: got {size}")


def warn_if_solved(classifier, given: Mapping[str, Any]) -> None:
    """Tells of arguments, None where not given, that a solver has no use for."""
    idle = [name for name, value in given.items() if value is not None]
    if idle and classifier.solves:
        logger.warning("%s is solved at once: no use of %s", classifier.name, " or ".join(idle))


def warn_if_idle(classifier, options: Mapping[str, Any]) -> None:
    """Tells of options that change nothing, for lack of another."""
    for option in options.keys() & classifier.needs.keys():
        lacking = [name for name in classifier.needs[option] if not getattr(classifier, name)]
        if options[option] and lacking:
            logger.warning(
                "%s: %s changes nothing without %s", classifier.name, option, " and ".join(lacking)
            )
