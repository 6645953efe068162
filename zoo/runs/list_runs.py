"""The runs of a folder as a table: what each was trained on and how, and what it came to."""

import logging
import os
import re
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd

from zoo.answers import kind_of_scores
from zoo.errors import UsageError, unknown
from zoo.filesystem.atomic_files import check_new, whole
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import RunConfig, read_config
from zoo.runs.run_folder import megabytes_of, read_scores, resuming

STAMP = re.compile(r"-(\d{8}-\d{6})(?:_\d+)?$")  # at the end of a run folder's name
ABOUT = ("run", "model", "data", "texts", "weights")
SCORES = ("accuracy", "micro_f1", "macro_f1", "loss", "calibration_error")  # on the test split
COST = ("parameters", "megabytes", "seconds")
HOW = ("preset", "options", "recipe", "keep", "epochs", "batch_size", "learning_rate", "seed")
COLUMNS = (*ABOUT, "validation", *SCORES, *COST, "date", *HOW)
LARGEST_FIRST = ("validation", "accuracy", "micro_f1", "macro_f1", "date")

logger = logging.getLogger("zoo")


def list_runs(
    folder: str | Path = "runs",
    *,
    sort: str = "date",
    model: str = "*",
    data: str = "*",
    output: str | Path | None = None,
) -> pd.DataFrame:
    """The runs in a folder, and in folders within it, as ``zoo runs`` shows them.

    Runs that have not ended or are damaged are left out, and a line of the log names each.

    Args:
        folder: the folder that has the runs.
        sort: the column to sort by; scores and dates start with the largest, all else with the
            smallest.
        model: a pattern for names of models, such as ``"hcan*"``.
        data: a pattern for the data: the name of a corpus, or a path or its last part.
        output: a new CSV file, which the table is written to.

    Returns:
        A row for each run. ``run`` is its path; ``model``, ``data``, ``weights`` and the number of
        ``texts`` trained on follow. ``validation`` is the best measure on the validation split, if
        the weights were chosen by it: accuracy, or average precision where a text has several
        labels. On the test split there are ``accuracy``, or ``micro_f1`` for several labels, and
        ``macro_f1``, ``loss`` and ``calibration_error``. Then come ``parameters``, ``megabytes`` of
        the SavedModel, ``seconds`` of the training, its ``date``, and how the run was trained.

    Raises:
        UsageError: for a folder that is not there or has no runs, an unknown column, patterns that
            no run matches, and a file that cannot be written.

    Example:
        >>> import zoo
        >>> table = zoo.list_runs("runs", sort="accuracy")
        >>> "svm_bigrams" in set(table["model"])
        True
    """
    if sort not in COLUMNS:
        raise unknown("column", sort, COLUMNS)
    if output is not None:
        output = expanded(output)
        if output.suffix.lower() != ".csv":
            raise UsageError(
                f"the table is written as CSV: end the name with .csv, not as {output}"
            )
        check_new(output)
    folder = expanded(folder)
    rows = list(_rows(folder))
    if not rows:
        raise UsageError(f"there are no finished runs in {folder}: zoo train writes them")
    shown = [row for row in rows if _matches(row, model, data)]
    if not shown:
        for name, pattern in (("model", model), ("data", data)):
            known = sorted({str(row[name]) for row in rows})
            if not any(
                _matches(row, **{"model": "*", "data": "*"} | {name: pattern}) for row in rows
            ):
                raise unknown(name, pattern, known)
        raise UsageError(f"no run of the model {model!r} is one of the data {data!r}")
    found = pd.DataFrame(shown, columns=COLUMNS).astype({"texts": "Int64", "parameters": "Int64"})
    found = found.sort_values(
        [sort, "run"], ascending=[sort not in LARGEST_FIRST, True], ignore_index=True
    )
    if output is not None:
        with whole(output) as partial:
            found.to_csv(partial, index=False)
    return found


def _rows(folder) -> Iterator[dict[str, Any]]:
    """A row for each run that is whole; the log tells of the others."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}: zoo train writes runs into runs")
    for path, folders, files in os.walk(folder):
        folders.sort()
        if "config.json" not in files:
            continue
        folders.clear()  # a run has none within it
        run = Path(path)
        try:
            yield _row(run, read_config(run))
        except UsageError as error:
            logger.warning("%s", error)


def _row(run, config: RunConfig):
    settings, recipe = config.settings, config.recipe
    scores = {}
    if (run / "metrics.json").exists():
        scores = read_scores(run)
    elif settings.data is not None:  # zoo.save writes no scores
        goes_on = any((run / "checkpoint").glob("state-*.npz"))
        way = f"has not ended: {resuming(run)}" if goes_on else "had not begun: train anew"
        raise UsageError(f"the training of {run} {way}")
    kind = kind_of_scores(scores) if scores else config.kind
    row = {"run": str(run), "texts": config.texts.get("train"), "date": _date(run)}
    row |= {"validation": best_validation(run, kind), "megabytes": megabytes_of(run)}
    row |= {name: scores.get(name) for name in (*SCORES, "parameters", "seconds")}
    for name in ("model", "data", "weights", *HOW):
        value = getattr(settings, name, None)
        own = getattr(recipe, name, None)
        row[name] = own if value is None else value
    row["keep"] = getattr(recipe, "keep", None)
    row["options"] = " ".join(f"{name}={value}" for name, value in settings.options.items())
    return row


def best_validation(run: Path, kind: Any) -> float | None:
    """The best measure of the history; None without one."""
    path = run / "history.csv"
    if not path.exists():
        return None
    try:
        best = pd.read_csv(path)[f"val_{kind.measure}"].max()
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"{path} is damaged: {' '.join(str(error).split())}") from None
    return None if pd.isna(best) else float(best)


def _date(run):
    """When it began, as its name tells, or else the file."""
    if found := STAMP.search(run.name):
        try:
            return datetime.strptime(found[1], "%Y%m%d-%H%M%S")
        except ValueError:
            pass
    return datetime.fromtimestamp((run / "config.json").stat().st_mtime).replace(microsecond=0)


def _matches(row, model, data):
    names = {str(row["data"]), Path(str(row["data"])).name}
    return fnmatch(row["model"], model) and any(fnmatch(name, data) for name in names)
