"""``zoo evaluate``."""

import json
from typing import Annotated

import typer

import zoo
from zoo.backend import few_threads_an_operation
from zoo.cli.options import Encoding, LabelColumn, LabelSeparator, OnBadRow, TextColumn
from zoo.cli.terminal import print_scores
from zoo.cli.texts import Run
from zoo.settings import KINDS


def evaluate(
    run: Run,
    data: Annotated[
        str | None, typer.Option(help=f"Your own: {KINDS}. Default: the test split.")
    ] = None,
    text_column: TextColumn = None,
    label_column: LabelColumn = None,
    label_separator: LabelSeparator = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not a table.")] = False,
) -> None:
    """Score a trained model, on its test split or on a file."""
    few_threads_an_operation()
    columns = {"text_column": text_column, "label_column": label_column}
    columns |= {"label_separator": label_separator, "on_bad_row": on_bad_row}
    columns |= {"encoding": encoding}
    given = {name: value for name, value in columns.items() if value is not None}
    scores = zoo.evaluate(run, data, **given)
    if as_json:
        print(json.dumps(scores, indent=2))
    else:
        print_scores(scores, data or "Test split")
