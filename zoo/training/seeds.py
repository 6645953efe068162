"""Several seeds: how much of a result is chance, and the run in the middle."""

import dataclasses
import logging
from pathlib import Path

import pandas as pd

from zoo.answers import kind_of_scores
from zoo.errors import UsageError
from zoo.evaluation.resampling import margin_of_mean
from zoo.filesystem.atomic_files import whole
from zoo.runs.list_runs import best_validation
from zoo.runs.run_folder import read_scores
from zoo.settings import PROCESSES, TrainSettings
from zoo.training.trainer import train_one

MEASURES = ("validation", "accuracy", "micro_f1", "macro_f1", "loss", "calibration_error")

logger = logging.getLogger("zoo")


def train_seeds(settings: TrainSettings) -> Path:
    """Trains with ``seed`` and as many following ones as ``seeds`` tells.

    A seed draws the weights, the batches and dropout; where splits are taken out of the data, these
    too. All runs stay.

    Args:
        settings: checked, with the name of a model.

    Returns:
        The run whose measure on the validation split is the middle one (of an even number, the
        higher of the two); without such a split that of the first seed. It has ``seeds.csv``, of
        :func:`table_of_seeds`.

    Raises:
        UsageError: for several processes, and as a single training does.
    """
    if any(getattr(settings, name) != getattr(TrainSettings(), name) for name in PROCESSES):
        raise UsageError(
            "several seeds are for one process: with several, train once for each seed"
        )
    runs = []
    for number in range(settings.seeds):
        seed = settings.seed + number
        logger.info("Seed %d, %d of %d", seed, number + 1, settings.seeds)
        try:
            run = train_one(dataclasses.replace(settings, seed=seed, seeds=None))
            if (run / "checkpoint").exists():
                raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            if runs:
                error.add_note(f"runs of {len(runs)} seeds are whole: {', '.join(map(str, runs))}")
            raise
        runs.append(run)
    table = table_of_seeds(runs, settings.seed)
    middle = runs[0]
    if "validation" in table:
        middle = runs[table["validation"].sort_values(kind="stable").index[len(runs) // 2]]
    with whole(middle / "seeds.csv") as partial:
        table.to_csv(partial, index=False)
    return middle


def table_of_seeds(runs: list[Path], first: int) -> pd.DataFrame:
    """What the runs of seeds came to: a row for each, with ``seed``, ``run`` and measures.

    Args:
        runs: of the seeds from ``first`` on.

    Returns:
        ``validation`` is the measure on the validation split, the others are on the test split.
    """
    rows = []
    for seed, run in enumerate(runs, first):
        scores = read_scores(run)
        found = scores | {"validation": best_validation(run, kind_of_scores(scores))}
        rows.append({"seed": seed} | {name: found.get(name) for name in MEASURES} | {"run": run})
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def means_of_seeds(table: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """The mean of each measure, and half its interval of 95 % by Student's t; NaN of one seed."""
    measured = table[[name for name in table.columns if name in MEASURES]]
    return {name: (float(one.mean()), margin_of_mean(one)) for name, one in measured.items()}
