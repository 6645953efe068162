"""``zoo compare``."""

from pathlib import Path
from typing import Annotated

import typer

import zoo
from zoo.backend import few_threads_an_operation
from zoo.cli.options import (
    Encoding,
    LabelColumn,
    LabelSeparator,
    OnBadRow,
    TextColumn,
    given,
    path_option,
)
from zoo.cli.terminal import escape, print_comparison, show
from zoo.settings import KINDS


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Run folders; the others are compared with the first. Or files of anyone's "
            "answers, with a row for each test text, in their order.",
            metavar="RUN RUN|FILE..",
        ),
    ],
    data: Annotated[
        str | None, typer.Option(help=f"Labelled texts: {KINDS}. Default: the test split.")
    ] = None,
    text_column: TextColumn = None,
    label_column: LabelColumn = None,
    label_separator: LabelSeparator = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    answer_column: Annotated[
        str | None,
        typer.Option(
            help="Column of a file of answers. Default: predicted_label, predicted, prediction, "
            "answer or label."
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Resamples of the bootstrap.")] = 1_000,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    most: Annotated[
        int,
        typer.Option(
            help="How many texts to show and explain that one has right and the other wrong."
        ),
    ] = 5,
    speed: Annotated[
        bool, typer.Option("--speed", help="Measure texts a second, here and now.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "--out",
            metavar="PATH",
            help="A new .json file with everything, or a .csv file with the scores.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        path_option("A new HTML page with everything, and the words that decided."),
    ] = None,
) -> None:
    """Compare runs on the same texts: what is better, and what may be chance."""
    few_threads_an_operation()
    columns = given(
        text_column=text_column,
        label_column=label_column,
        label_separator=label_separator,
        on_bad_row=on_bad_row,
        encoding=encoding,
    )
    found = zoo.compare(
        *runs,
        data=data,
        answer_column=answer_column,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        most=most,
        speed=speed,
        output=output,
        page=page,
        **columns,
    )
    print_comparison(found)
    for path in filter(None, (output, page)):
        show(f"The comparison is in [bold]{escape(path)}[/].", soft_wrap=True)
