"""Tuning: a search over the few settings that matter most, judged on the validation split."""

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo import datasets
from zoo.datasets.own_files.in_memory import as_table
from zoo.errors import DivergedError, UsageError
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.paths import expanded
from zoo.options import Size, check_values, values_of
from zoo.registry import create, find_recipe, import_model, solves
from zoo.runs.run_folder import plain_name
from zoo.settings import NOT_TUNED, PROCESSES, SEARCHED, documented, from_keywords
from zoo.training.candidates import with_a_model
from zoo.training.classifier_of_corpus import for_relations
from zoo.training.search_folder import ended, search_folder, told
from zoo.training.teaching import is_model
from zoo.training.train import train
from zoo.training.trainer import files_of

BATCH_SIZES = (16, 32, 64)
LARGEST_DROPOUT = 0.6

logger = logging.getLogger("zoo")


@documented("model", "data", "output", *NOT_TUNED)
def tune(
    model: str | None = None,
    data: str | Path | pd.DataFrame = "sample",
    *,
    trials: int = 20,
    output: str | Path | None = None,
    verbose: int | str = 0,
    **settings: Any,
) -> Path:
    """Searches learning rate, batch size and dropout rates with Optuna.

    Each trial is a run, and is judged by its best validation accuracy; its score on the test split
    decides nothing. A search that is run again continues where it was, however it ended.

    Args:
        model: a name of :func:`zoo.list_models`; None for the one that is mostly best on such
            texts, as in :func:`zoo.train`.
        data: see :func:`zoo.train`.
        trials: the number of trials in all. A search that is run again repeats those that diverged.
        output: the folder of the search; by default ``tuning/<model>-<data>``.
        verbose: Keras' 0, 1 or 2, for each training.
        {settings}

    Returns:
        The folder. It has ``trials.csv``, with the best trial first and the run of each, and
        ``runs/``.

    Raises:
        UsageError: if Optuna is not installed, the model is solved at once, ``settings`` have what
            the trials search, or the folder has trials with other settings.
        DivergedError: if the loss of every trial became infinite or NaN.

    Example:
        >>> import zoo
        >>> folder = zoo.tune("cnn_kim", "reviews.csv", trials=1, epochs=1)
        >>> (folder / "trials.csv").exists()
        True
    """
    check_values({"trials": values_of(Size)}, {"trials": trials})
    if settings.get("seeds") is not None:
        raise UsageError("seeds: a search uses a single seed")
    if several := settings.keys() & set(PROCESSES):
        raise UsageError(f"{', '.join(sorted(several))}: a search runs in one process")
    if searched := settings.keys() & set(SEARCHED):
        raise UsageError(f"{', '.join(sorted(searched))}: the trials search these")
    if is_model(settings.get("teacher")):
        raise UsageError("teacher: each trial would train it: train it first, and give its run")
    data = as_table(data)
    own = {"model": model, "data": data, "verbose": verbose}
    settings = from_keywords(settings | own, "zoo.tune")
    settings.check()
    corpus = None
    if model is None:
        corpus = datasets.load(data, **files_of(settings))
        settings = with_a_model(settings, corpus)
    model = settings.model
    if solves(model, settings.preset, **settings.options):
        raise UsageError(f"{model} is solved at once: there is nothing to tune")
    corpus = (corpus or datasets.load(data, **files_of(settings))).split(settings.seed)
    folder = expanded(output or Path("tuning", plain_name(f"{model}-{datasets.short_name(data)}")))
    settings = dataclasses.replace(settings, output=folder / "runs")
    common = told(settings) | {"texts": corpus.digest()}
    with search_folder(folder, common, "zoo tune") as study:
        middle, measure = _middle_rate(settings, corpus), corpus.kind.measure
        _search(folder, study, settings, trials, measure, middle)
    return folder


def _middle_rate(settings, corpus):
    """The learning rate around which the trials search."""
    clean_up = settings.clean_up or corpus.clean_up
    preset, options = for_relations(settings.model, clean_up, settings.preset, settings.options)
    default = find_recipe(settings.model, settings.recipe).learning_rate
    return default or create(settings.model, 2, preset, **options).learning_rate


def _search(folder, study, settings, trials, measure, rate):
    """Runs the trials that are still to be."""
    from optuna.samplers import TPESampler

    study.sampler = TPESampler(seed=settings.seed + len(study.trials))

    def objective(trial):
        own = {
            "learning_rate": trial.suggest_float("learning_rate", rate / 5, rate * 5, log=True),
            "batch_size": trial.suggest_categorical("batch_size", BATCH_SIZES),
        }
        dropouts = {
            name: trial.suggest_float(name, 0.0, LARGEST_DROPOUT, step=0.05)
            for name in import_model(settings.model)[0].option_defaults()
            if name.endswith("dropout") and name not in settings.options
        }
        logger.info("trial %d begins; %d of %d have ended", trial.number, len(ended(study)), trials)
        options = settings.options | dropouts
        own |= {"options": options, "keep": "best"}  # which is known by a validation split
        run = train(**vars(dataclasses.replace(settings, **own)))
        if (run / "checkpoint").exists():
            raise KeyboardInterrupt  # which ended the training, not yet the search
        history = pd.read_csv(run / "history.csv")
        kept = history[np.isfinite(history[["loss", "val_loss"]]).all(axis=1)]  # as it did
        by = [f"val_{measure}", "val_loss"]
        best = kept.sort_values(by, ascending=[False, True]).iloc[0]
        trial.set_user_attr("run", str(run))
        trial.set_user_attr("validation_loss", float(best["val_loss"]))
        return float(best[f"val_{measure}"])

    def report(study, trial):
        found = "diverged" if trial.value is None else f"{100 * trial.value:.2f}%"
        logger.info("trial %d: %s with %s", trial.number, found, json.dumps(trial.params))
        _write_trials(folder, study, measure)

    done = len(ended(study))
    missing = max(0, trials - done)
    if done and missing:
        logger.info("Continuing after %d trials", done)
    elif done:
        logger.info("%d trials have ended already: ask for more to continue", done)
    study.optimize(objective, n_trials=missing, callbacks=[report], catch=(DivergedError,))
    _write_trials(folder, study, measure)  # also of a last one whose line could not be written
    if not ended(study):
        raise DivergedError(f"the loss of all {missing} trials became infinite or NaN")


def _write_trials(folder, study, measure):
    frame = study.trials_dataframe(
        attrs=("number", "value", "params", "user_attrs", "duration", "state")
    )
    frame = frame.rename(columns={"value": f"validation_{measure}"})
    frame["seconds"] = pd.to_timedelta(frame.pop("duration")).dt.total_seconds().round(1)
    frame.columns = frame.columns.str.removeprefix("params_").str.removeprefix("user_attrs_")
    if "validation_loss" not in frame:  # as no trial has ended well
        frame["validation_loss"] = float("nan")
    order = [f"validation_{measure}", "validation_loss"]
    with whole(folder / "trials.csv") as path:
        frame.sort_values(order, ascending=[False, True]).to_csv(path, index=False)
