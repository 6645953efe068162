"""``zoo evaluate``."""

import json
from typing import Annotated

import typer

import zoo
from zoo.backend import few_threads_an_operation
from zoo.cli.options import Encoding, LabelColumn, LabelSeparator, OnBadRow, TextColumn, given
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
    columns = given(
        text_column=text_column,
        label_column=label_column,
        label_separator=label_separator,
        on_bad_row=on_bad_row,
        encoding=encoding,
    )
    scores = zoo.evaluate(run, data, **columns)
    if as_json:
        print(json.dumps(scores, indent=2))
    else:
        print_scores(scores, data or "Test split")
