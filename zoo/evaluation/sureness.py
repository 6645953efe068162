"""Sureness: the share of right answers among the surest."""

from pathlib import Path

import numpy as np
import pandas as pd

from zoo.errors import UsageError
from zoo.evaluation.report import figure_of, save_figure
from zoo.filesystem.atomic_files import whole
from zoo.options import is_number

NAME = "sureness.csv"  # in a run folder, for the validation split
COLUMNS = ["sure", "texts", "answered", "right"]
SHARES = (1.0, 0.9, 0.8, 0.7, 0.5)  # shares of the texts for which scores are reported
LEAST = 20  # with fewer answers, the share of right answers is chance
MOST = 1_000  # rows, at most


def surest(sure: np.ndarray, right: np.ndarray) -> pd.DataFrame:
    """For each sureness, the share of right answers among all that are at least as sure.

    Args:
        sure: ``[texts]``, the probability of each answer.
        right: ``[texts]`` booleans.

    Returns:
        Rows from the surest answer on: its probability ``sure``; the number of ``texts`` with at
        least this probability; their share of all texts, ``answered``; and the share of their
        answers that is ``right``. With many texts only some of the rows.

    Example:
        >>> surest(np.array([0.9, 0.6, 0.8]), np.array([True, False, True]))
           sure  texts  answered     right
        0   0.9      1  0.333333  1.000000
        1   0.8      2  0.666667  1.000000
        2   0.6      3  1.000000  0.666667
    """
    order = np.argsort(-sure, kind="stable")
    sure, total = sure[order], np.arange(1, len(sure) + 1)
    shares = total / len(sure), np.cumsum(right[order]) / total
    rows = pd.DataFrame(dict(zip(COLUMNS, (sure, total, *shares), strict=True)))
    rows = rows[np.append(sure[1:] != sure[:-1], True)]
    if len(rows) > MOST:
        rows = rows.iloc[np.linspace(0, len(rows) - 1, MOST).astype(int)]
    return rows.reset_index(drop=True)


def right_of_surest(sure: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """The share of right answers among the surest 100, 90, .. percent, keyed by percentage."""
    ordered = right[np.argsort(-sure, kind="stable")]
    sizes = {share: int(np.ceil(share * len(ordered))) for share in SHARES}
    return {f"{share:.0%}": float(ordered[:size].mean()) for share, size in sizes.items()}


def draw_sureness(folder: Path, rows: pd.DataFrame) -> None:
    """``sureness.png``: the share of right answers by the share of texts that are answered."""
    figure, axis = figure_of(1, 1, (5, 3.5))
    axis.plot(100 * rows["answered"], 100 * rows["right"])
    axis.set(xlabel="surest texts, answered, in percent", ylabel="right of these, in percent")
    axis.grid(alpha=0.3)
    save_figure(figure, folder / "sureness.png")


def write_sureness(folder: Path, sure: np.ndarray, right: np.ndarray) -> None:
    """Writes ``sureness.csv`` into a run folder."""
    with whole(folder / NAME) as partial:
        surest(sure, right).to_csv(partial, index=False)


def least_sureness(run: Path, wanted: float) -> float:
    """How sure an answer must be so that the wanted share of answers is right.

    It is the lowest sureness for which, on the run's validation split, at least the wanted share of
    the answers that are at least as sure is right, and there are at least 20 such answers.

    Raises:
        UsageError: if ``wanted`` is not a share, if the run has no ``sureness.csv``, or if no
            answers are right that often.
    """
    if not (is_number(wanted) and 0 < wanted <= 1):
        raise UsageError(
            f"sure (--sure) must be above 0 and at most 1 (0.95, not 95): got {wanted}"
        )
    path = run / NAME
    if not path.exists():
        raise UsageError(
            f"{run} has no {NAME}: it was trained by an earlier release, or without a validation "
            "split, which keep=best (--keep best) takes"
        )
    try:
        rows = pd.read_csv(path)[COLUMNS].astype("float64")
    except (ValueError, KeyError, OSError) as error:
        raise UsageError(f"{path} is damaged: {' '.join(str(error).split())}") from None
    rows = rows[rows["texts"] >= LEAST]
    enough = rows[rows["right"] >= wanted]
    if not len(enough):
        most = f"at most {rows['right'].max():.1%} are" if len(rows) else "there are too few"
        raise UsageError(
            f"no answers of {run} are right in {100 * wanted:g}%, however sure: on its validation "
            f"split {most}"
        )
    return float(enough["sure"].iloc[-1])
