"""The folder of a search: a study of Optuna, which goes on after any end, and its runs."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import DivergedError, UsageError
from zoo.filesystem.atomic_files import whole, write_json
from zoo.filesystem.folder_locks import alone
from zoo.settings import RENAMED, TrainSettings

if TYPE_CHECKING:
    from optuna import Study


@contextlib.contextmanager
def search_folder(folder: Path, settings: dict[str, Any], what: str) -> "Iterator[Study]":
    """The study of a folder, new or one that goes on.

    Of a search that could not begin nothing stays. After Ctrl-C a note tells how to go on.

    Args:
        folder: where it is, with ``runs/`` of the trials.
        settings: what its trials have in common, as :func:`told` gives, and a digest of the texts.
        what: the command, in messages.

    Raises:
        UsageError: if Optuna is not installed, or the folder cannot be written to, is damaged, or
            is that of another search.
    """
    try:
        import optuna
    except ImportError:
        raise UsageError(f"{what} needs Optuna: pip install 'attention-zoo[tune]'") from None
    lacking = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    with alone(folder), _quiet(optuna):
        study = _open_study(optuna, folder / "study.log")
        before = study.get_trials(deepcopy=False)
        _claim(folder, bool(ended(study)), settings)
        for trial in study.get_trials(states=[optuna.trial.TrialState.RUNNING]):
            study.tell(trial.number, state=optuna.trial.TrialState.FAIL)  # killed
        try:
            yield study
        except DivergedError:
            raise
        except UsageError:  # a setting that is wrong is no trial
            if not before and not any(folder.glob("runs/*")):
                for name in ("study.log", "settings.json", "trials.csv"):
                    (folder / name).unlink(missing_ok=True)
                with contextlib.suppress(OSError):  # something else lies there
                    for path in lacking:
                        path.rmdir()
            raise
        except KeyboardInterrupt as error:
            kept = f"{len(ended(study))} trials have ended and are kept in {folder}"
            # Instead of what the training of the one that was stopped says
            error.__notes__ = [f"{kept}: run the same again, and it goes on after them"]
            raise


def ended(study: "Study") -> list[Any]:
    """Its trials that came to their end."""
    from optuna.trial import TrialState

    return study.get_trials(states=[TrialState.COMPLETE])


def told(settings: TrainSettings) -> dict[str, Any]:
    """What trials of one search have in common: all that is not the default."""
    default, kept = TrainSettings().kept(), settings.kept()
    del kept["data"]  # whose digest is known
    always = {name: kept[name] for name in ("model", "options", "seed", "weights")}
    return always | {name: one for name, one in kept.items() if one != default[name]}


@contextlib.contextmanager
def _quiet(optuna):
    """Keeps Optuna's remarks back."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _open_study(optuna, log):
    """The study of a log, also of one whose writer was killed while it wrote."""
    try:
        log.with_name(f"{log.name}.lock").unlink(missing_ok=True)  # Optuna would wait for 30 s
        if log.exists():
            text = log.read_bytes()
            if not text.endswith(b"\n"):  # what is written after half a line is lost with it
                with whole(log) as partial:
                    partial.write_bytes(text[: text.rfind(b"\n") + 1])
        backend = optuna.storages.journal.JournalFileBackend(str(log))
        storage = optuna.storages.JournalStorage(backend)
        return optuna.create_study(
            study_name="zoo", storage=storage, direction="maximize", load_if_exists=True
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{log} cannot be read: {error}. Choose another output (--output)"
        ) from None


def _claim(folder, taken, settings):
    """Makes the folder that of this search, unless it has trials of another."""
    settings = json.loads(json.dumps(settings, default=str))
    path = folder / "settings.json"
    if path.exists() and (taken or any((folder / "runs").glob("*"))):
        try:
            found = dict(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(
                f"{path} is damaged: {error}. Choose another output (--output)"
            ) from None
        older = [found.pop(name, None) for name in RENAMED]
        found.setdefault("weights", next(filter(None, older), "none"))
        changed = sorted(k for k in found | settings if found.get(k) != settings.get(k))
        if changed:
            raise UsageError(
                f"{folder} has trials with another {' and '.join(changed)}: choose another "
                "output (--output)"
            )
        return
    write_json(path, settings)
