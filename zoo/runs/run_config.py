"""``config.json`` of a run folder: all that repeats the run, and what its files must match.

A change of its contents needs a new :data:`FORMAT`, and a step in :data:`EARLIER`, which turns the
contents of the previous format into those of the next.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zoo.answers import KINDS, ONE
from zoo.errors import UsageError, unknown
from zoo.filesystem.atomic_files import write_json
from zoo.filesystem.paths import expanded
from zoo.recipes import Recipe
from zoo.settings import TrainSettings, file_arguments

FORMAT = 3
DATA = "data.jsonl"  # in a run folder: the texts of a training that had them in memory
NEEDED = {"model": str, "data": str | None, "files": dict, "seed": int, "versions": dict}


@dataclass(frozen=True)
class RunConfig:
    """The contents of ``config.json``.

    Attributes:
        settings: the settings of the training, with all values. A run that :func:`zoo.save` wrote
            has those that are known, and its ``data`` is None.
        versions: the versions of Python, the packages and Keras' backend.
        architecture: the options of the model, its ``get_config``.
        text_version: the version of the rules that split texts into words; see
            :class:`zoo.datasets.Preprocessor`.
        words: the digest of vocabulary and labels; None where it was not written yet.
        label_order: "by number" where labels that are numbers are ordered by size, "as text" where
            these, too, are ordered as text.
        recipe: with nothing left open; None in a run that :func:`zoo.save` wrote.
        texts: the number of texts of each split.
        targets: the digest of the texts' classes and order; None where it was not written yet.
        lacking: what a training that goes on needs, and the file does not tell.
    """

    settings: TrainSettings
    versions: dict[str, str]
    architecture: dict[str, Any]
    text_version: int
    words: str | None
    label_order: str = "by number"
    recipe: Recipe | None = None
    texts: dict[str, int] = field(default_factory=dict)
    targets: str | None = None
    lacking: tuple[str, ...] = ()

    @property
    def kind(self):
        """The kind of the model's answers, which older files lack, as there was only one kind."""
        return KINDS[self.architecture.get("answers", ONE.name)]

    def write(self, folder: Path) -> None:
        """Writes ``config.json`` into a run folder."""
        facts = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        for name in ("settings", "recipe", "lacking"):
            del facts[name]
        recipe = {} if self.recipe is None else dataclasses.asdict(self.recipe)
        told = {"format": FORMAT} | self.settings.kept() | {"files": self.settings.files}
        write_json(folder / "config.json", told | recipe | facts)


def _from_1(told: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had no number; the facts that it lacks had only one possible value."""
    one = {"clean_up": "hcan", "text_version": 1, "label_order": "as text", "words": None}
    one |= {"targets": None, "architecture": {}, "safe_csv": False, "start_from": None}
    return one | {"devices": 1, "processes": 1} | told


def _from_2(told: dict[str, Any]) -> dict[str, Any]:
    """Format 2 had two settings for what a model starts with, and always a validation split."""
    weights = told.get("start_from") or told.get("embeddings") or "none"
    return {"weights": weights, "keep": "best"} | told


EARLIER: dict[int, Callable] = {1: _from_1, 2: _from_2}


def read_config(run: str | Path) -> RunConfig:
    """What a run folder tells of itself, in whatever format.

    Raises:
        UsageError: if ``run`` is not a run folder, with the nearest matches, or the file is
            damaged, or of a later release.
    """
    run = expanded(run)
    path = run / "config.json"
    try:
        return _read(json.loads(path.read_text("utf-8")), path)
    except (FileNotFoundError, NotADirectoryError):
        raise _no_run(run) from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UsageError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is damaged: {error}") from None


def _read(told, path):
    if (found := told.get("format", 1)) not in range(1, FORMAT + 1):
        raise UsageError(
            f"{path} has format {found!r}, this release reads 1 to {FORMAT}: install the one that "
            "wrote it, or a later one"
        )
    for number in range(found, FORMAT):
        told = EARLIER[number](told)
    if (own := path.with_name(DATA)).exists():  # wherever the folder was when it was written
        told["data"] = str(own)
    for name, kind in NEEDED.items():
        if not isinstance(told[name], kind):
            raise ValueError(f"{name} is {json.dumps(told[name])}")
    arguments = file_arguments()
    if others := sorted(told["files"].keys() - arguments):
        raise ValueError(f"files has no {', '.join(others)}")
    kept = TrainSettings().kept().keys()
    settings = {name: told[name] for name in kept & told.keys()}
    settings |= {arguments[name]: value for name, value in told["files"].items()}
    facts = {one.name for one in dataclasses.fields(RunConfig)} - {"settings", "recipe", "lacking"}
    if absent := sorted({"architecture", "text_version", "words"} - told.keys()):
        raise ValueError(f"it lacks {', '.join(absent)}")
    recipe = {one.name for one in dataclasses.fields(Recipe)}
    return RunConfig(
        TrainSettings(**settings),
        recipe=Recipe(**{name: told[name] for name in recipe}) if recipe <= told.keys() else None,
        lacking=tuple(sorted((kept | recipe | facts) - told.keys())),
        **{name: told[name] for name in facts & told.keys()},
    )


def _no_run(run):
    """The error for a folder that is none: which runs it may stand for."""
    if run.is_dir() and not any(run.iterdir()):
        return UsageError(f"{run} is empty: a training had not begun; train anew")
    runs = [str(path.parent) for path in sorted(run.parent.glob("*/config.json"))]
    runs += [str(path.parent) for path in sorted(Path().glob("runs/*/config.json"))]
    if run.is_dir():
        return UsageError(f"{run} is no run: it has no config.json.{_meant(run, runs)}")
    if not runs:
        return UsageError(f"no run in {run}: train one with zoo train")
    return unknown("run", str(run), dict.fromkeys(runs))


def _meant(run, others):
    """Which runs a folder that is none may stand for: the one it is in, those in it, others."""
    of_part = [str(run.parent)] if (run.parent / "config.json").exists() else []
    inside = sorted(run.glob("*/config.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    found = of_part or [str(path.parent) for path in inside] or list(dict.fromkeys(others))
    if not found:
        return " A run is a folder that zoo train has written"
    return f" Did you mean {' or '.join(found[:3])}?"
