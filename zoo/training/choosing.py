"""``zoo train auto`` tries models, small and fast ones first, and keeps one of the best."""

import dataclasses
import hashlib
import json
import logging
import math
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo import datasets
from zoo.answers import probabilities_of
from zoo.datasets.corpus import Corpus
from zoo.errors import UsageError
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.paths import expanded
from zoo.progress import quiet_log
from zoo.recipes import Recipe
from zoo.registry import solves
from zoo.runs.run_folder import load, megabytes_of, new_run, plain_name, read_scores
from zoo.settings import PROCESSES, TrainSettings
from zoo.training.candidates import candidates
from zoo.training.folds import PARTS, answers_of_folds, part_of_each
from zoo.training.search_folder import ended, search_folder, told
from zoo.training.trainer import in_splits, read_corpus, train_one

MINUTES = 10.0  # by default
SURE = 1.96  # standard errors, of an interval of 95 %
NEAR = 1.64  # the same, of one that is open on the other side
HOPELESS = 3.0  # standard errors, behind which a model is stopped
BEHIND = 0.1  # of the measure, after half of a training that a validation split judges
FOR_TRAINING = 0.8  # of the time that is left, beside answers and exports
TIMED = 500  # texts, to tell how fast a model answers

logger = logging.getLogger("zoo")


def choose(settings: TrainSettings) -> Path:
    """Tries models that fit the texts, for as long as there is time, and keeps one.

    A model is judged on the validation split, or on folds of the training texts if there are too
    few labels for a validation split; where time is short, on some of the folds. A model that falls
    behind is stopped. Candidates for the choice are the best model and those whose difference from
    it, text by text, would arise by chance in more than 5 of 100 cases. The first of these is
    taken, because small and fast models stand first. Where it is solved at once, it then learns
    from the texts of a validation split, too. The test split decides nothing.

    The search is kept in a folder ``auto-<data>-<digest>`` of the output folder, with the run of
    each model. With the same texts and settings it continues where it was, however it ended.

    Args:
        settings: checked settings, whose ``model`` is "auto".

    Returns:
        The run of the chosen model, with ``candidates.csv``: all that were tried.

    Raises:
        UsageError: for settings that no search has, and if no model could be trained.
    """
    _check(settings)
    started, minutes = time.perf_counter(), settings.minutes or MINUTES
    settings = dataclasses.replace(settings, minutes=None)
    whole_corpus = read_corpus(settings)
    found = candidates(whole_corpus, settings)
    corpus = dataclasses.replace(whole_corpus)
    least = Recipe(keep=settings.keep or "auto").least_validation
    corpus.split(settings.seed, least_validation=least)  # one that judges models of all kinds
    name = datasets.short_name(settings.data)
    common = told(settings) | {"texts": corpus.digest()}
    digest = hashlib.sha256(json.dumps(common, sort_keys=True, default=str).encode()).hexdigest()
    folder = expanded(settings.output) / f"{plain_name(f'auto-{name}')}-{digest[:8]}"
    with search_folder(folder, common, "zoo train auto") as study:
        inside = dataclasses.replace(settings, output=folder / "runs", verbose=0)
        trials = _Trials(study, corpus, inside, started + 60 * minutes)
        logger.info(
            "On %s: %s; judged by %s; at most %.3g minutes",
            *(found.texts, ", ".join(found.tried), trials.judge, minutes),
        )
        trials.run(found.tried)
        table = choice(trials.rows(found.tried), trials.judge)
        with whole(folder / "candidates.csv") as partial:
            table.to_csv(partial, index=False)
        chosen = table[table["chosen"]].iloc[0]
        logger.info("%s: %s", chosen["model"], chosen["why"])
        tried = Path(chosen["run"])
        again = dataclasses.replace(inside, model=chosen["model"], output=folder / "again")
        in_splits(whole_corpus, again)
        if len(whole_corpus.validation) < len(corpus.validation):  # as it is solved at once
            logger.info("%s learns from the validation texts, too", chosen["model"])
            with quiet_log():
                tried = train_one(again, whole_corpus)
        with new_run(settings.output, f"{chosen['model']}-{name}") as run:
            last = shutil.ignore_patterns("config.json")  # by which a folder is a run
            shutil.copytree(tried, run, ignore=last, dirs_exist_ok=True)
            shutil.copyfile(folder / "candidates.csv", run / "candidates.csv")
            shutil.copyfile(tried / "config.json", run / "config.json")
        shutil.rmtree(again.output, ignore_errors=True)
    return run


def _check(settings):
    """Refuses settings that are for a single model."""
    from zoo.weights.sources import is_run

    default = TrainSettings()
    of_one = ("teacher", "variations", "seeds", "devices", *PROCESSES)
    given = [name for name in of_one if str(getattr(settings, name)) != str(getattr(default, name))]
    if is_run(settings.weights):
        given.append("weights of a run")
    if given:
        raise UsageError(f"auto tries several models, without {', '.join(given)}: name a model")


class _NoTime(Exception):
    """A model would take more time than is left."""


class _Trials:
    """The trials of a search, one for each model.

    Args:
        study: Optuna's study, which keeps the trials.
        corpus: the corpus, in splits.
        settings: the settings of each training, except for the model.
        deadline: in the time of ``time.perf_counter``; trials that ended before bring it forward.
    """

    def __init__(self, study, corpus: Corpus, settings: TrainSettings, deadline: float):
        self.study, self.corpus, self.settings = study, corpus, settings
        self.deadline = deadline
        self.deadline -= sum(one.user_attrs.get("seconds", 0) for one in study.trials)
        self.part = None  # of each training text, where folds judge
        self.judge = f"{len(corpus.validation):,} validation texts"
        if not len(corpus.validation):
            self.part = part_of_each(corpus.train, settings.seed)
            self.judge = f"{PARTS} folds of {len(corpus.train):,} training texts"
        self.texts = corpus.judged("validation" if self.part is None else "train")

    @property
    def found(self) -> dict[str, dict[str, Any]]:
        """The results of models whose trials have ended and whose runs still exist, by model."""
        each = (one.user_attrs for one in ended(self.study))
        runs = Path(self.settings.output)
        each = (one | {"run": str(runs / one["name"])} for one in each)
        return {one["model"]: one for one in each if Path(one["run"], "metrics.json").exists()}

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.deadline - time.perf_counter()

    def run(self, names) -> None:
        """Runs the trials that have not ended yet, while there is time."""
        from optuna import TrialPruned
        from optuna.trial import TrialState

        for run in Path(self.settings.output).glob("*"):
            if not (run / "metrics.json").exists():  # of a trial that was killed
                shutil.rmtree(run, ignore_errors=True)
        stopped = self.study.get_trials(states=[TrialState.PRUNED])
        known = {*self.found, *(one.user_attrs["model"] for one in stopped)}
        errors = []
        if known.issuperset(names):
            logger.info("All models have been tried before")
        for number, name in enumerate(names, 1):
            if name in known:
                continue
            if self.left <= 0 and self.found:
                logger.info("%s is not tried: the time is over", name)
                continue
            left = max(self.left, 0) / 60
            logger.info("Trying %s, %d of %d; %.3g minutes left", name, number, len(names), left)
            trial, began = self.study.ask(), time.perf_counter()
            trial.set_user_attr("model", name)
            state, found = TrialState.FAIL, {}  # those that failed are tried again another time
            try:
                found = self._of(dataclasses.replace(self.settings, model=name))
                state = TrialState.COMPLETE
            except UsageError as error:
                errors.append(error)
                logger.warning("%s is left out: %s", name, error)
            except _NoTime as why:
                logger.info("%s is stopped: %s", name, why)
            except TrialPruned as why:
                state = TrialState.PRUNED
                logger.info("%s is stopped: %s", name, why)
            seconds = round(time.perf_counter() - began, 1)
            for key, value in (found | {"seconds": seconds}).items():
                trial.set_user_attr(key, value)
            if state != TrialState.COMPLETE:
                self.study.tell(trial, state=state)
                continue
            gains = _judged(found["gains"])
            self.study.tell(trial, gains.mean())
            percent = 100 * gains.mean(), 100 * _margin(gains)
            logger.info("%s: %.1f%% (+- %.1f), in %.0f s", name, *percent, seconds)
        if not self.found:
            raise errors[0] if errors else UsageError("no model could be tried: give more minutes")

    def _of(self, settings) -> dict[str, Any]:
        """Trains a model and gives its result."""
        from optuna import TrialPruned

        settings.check()
        known = [one["gains"] for one in self.found.values()]
        best = known[np.argmax(_means(known))] if known else None
        if self.part is None:
            least = 0.0 if best is None else float(np.mean(best)) - BEHIND
            if solves(settings.model, settings.preset, **settings.options):
                settings = dataclasses.replace(settings, keep="best")  # else from all texts
            else:
                minutes = max(FOR_TRAINING * self.left, 1) / 60
                settings = dataclasses.replace(settings, minutes=minutes)
            with quiet_log():
                run = train_one(settings, self.corpus, least)
        else:
            gains, began = np.full(len(self.texts), np.nan), time.perf_counter()
            folds = answers_of_folds(self.corpus, settings, self.part)
            for done, (outside, probabilities) in enumerate(folds, 1):
                gains[outside] = self._gains(self.texts.take(outside), probabilities)
                if best is None:
                    continue
                if _is_hopeless(gains, best):
                    raise TrialPruned(f"far behind after {done} of {PARTS} folds")
                fold = (time.perf_counter() - began) / done
                of_all = fold * PARTS / (PARTS - 1)  # texts, which the last training learns from
                if of_all > self.left:
                    raise _NoTime("there is no time for the rest of it")
                if fold + of_all > self.left and done < PARTS:
                    logger.info("There is time for %d of %d folds", done, PARTS)
                    break
            with quiet_log():
                run = train_one(settings, self.corpus)
        if (run / "checkpoint").exists():
            raise KeyboardInterrupt  # which ended the training, not yet the search
        model = load(run)
        if self.part is None:
            gains = self._gains(self.texts, probabilities_of(model, self.texts))
        return {
            "gains": gains.tolist(),
            "name": run.name,
            "parameters": read_scores(run)["parameters"],
            "megabytes": megabytes_of(run),
            "texts_a_second": _texts_a_second(model, self.texts),
        }

    def _gains(self, texts, probabilities):
        return self.corpus.kind.gains(texts.targets, probabilities)

    def rows(self, names) -> list[dict[str, Any]]:
        """The results of the models that have ended, in the order of the names."""
        found = self.found
        return [found[name] for name in names if name in found]


def choice(rows: list[dict[str, Any]], judge: str) -> pd.DataFrame:
    """The candidates as a table, with one of them chosen.

    Args:
        rows: for each model: ``model``, ``gains`` (how much of each text it has right, from 0 to
            1, or NaN for a text that did not judge it), and further columns; small and fast models
            stand first.
        judge: a description of the texts that judged the models.

    Returns:
        A row for each: ``model``; ``validation`` with the interval of 95 %, ``low`` and ``high``;
        ``judged``, by how many texts; ``parameters``, ``megabytes``, ``texts_a_second``,
        ``seconds``; ``chosen``, ``why``; ``run``.

    Example:
        >>> rows = [{"model": "small", "gains": [1, 0, 1, 1]}, {"model": "large", "gains": [1] * 4}]
        >>> choice(rows, "4 texts")["chosen"].tolist()
        [True, False]
    """
    gains = [np.array(row["gains"], "float64") for row in rows]
    means = _means(gains)
    best = int(np.argmax(means))
    near = [number for number in range(len(rows)) if _is_near(gains[number], gains[best])]
    chosen, why = near[0], f"it is the best by {judge}"
    if chosen != best:
        why = (
            f"it is smaller or faster than {rows[best]['model']}, the best by {judge}, and the "
            "difference may be chance"
        )
    told = []
    for number, row in enumerate(rows):
        judged = _judged(gains[number])
        mean, margin = means[number], _margin(judged)
        told.append(
            {"model": row["model"], "validation": mean, "judged": len(judged)}
            | {"low": max(0.0, mean - margin), "high": min(1.0, mean + margin)}
            | {name: row.get(name) for name in ("parameters", "megabytes", "texts_a_second")}
            | {"seconds": row.get("seconds"), "chosen": number == chosen}
            | {"why": why if number == chosen else "", "run": row.get("run")}
        )
    return pd.DataFrame(told)


def _judged(gains):
    """Those of the texts that judged a model."""
    gains = np.asarray(gains)
    return gains[~np.isnan(gains)]


def _means(gains):
    """The mean of each model.

    Where only some texts judged a model, its lead over another on these texts counts for all.
    """
    gains = [np.asarray(own) for own in gains]
    most = max(gains, key=lambda own: len(_judged(own)))
    means = []
    for own in gains:
        whole = len(_judged(own)) == len(own)
        mean = own.mean() if whole else _judged(most).mean() + _judged(own - most).mean()
        means.append(float(np.clip(mean, 0, 1)))
    return means


def _error(gains):
    """The standard error of a mean."""
    return gains.std(ddof=1) / math.sqrt(len(gains)) if len(gains) > 1 else math.inf


def _margin(gains):
    return SURE * _error(gains)


def _is_near(gains, best):
    """Whether the difference, text by text, is one that chance brings in 5 of 100 cases."""
    behind = _judged(best - gains)
    return behind.mean() <= NEAR * _error(behind)


def _is_hopeless(gains, best):
    behind = _judged(best - gains)
    return behind.mean() > HOPELESS * _error(behind)


def _texts_a_second(model, texts):
    """How many it answers, once it is warm."""
    some = list(texts.take(np.arange(len(texts)) < TIMED))
    some *= math.ceil(TIMED / len(some))
    probabilities_of(model, some)
    began = time.perf_counter()
    probabilities_of(model, some)
    return round(len(some) / (time.perf_counter() - began))
