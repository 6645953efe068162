"""What is in the history of a training."""

import csv


def history_of(run):
    """The rows of ``history.csv``, but the seconds, which no second training has."""
    with (run / "history.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
