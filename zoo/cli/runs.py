"""``zoo runs``."""

from pathlib import Path
from typing import Annotated

import typer

import zoo
from zoo.cli.options import path_option
from zoo.cli.terminal import escape, print_runs, show
from zoo.filesystem.paths import expanded


def runs(
    folder: Annotated[
        Path, typer.Argument(parser=expanded, help="The folder with the runs.", metavar="FOLDER")
    ] = Path("runs"),
    sort: Annotated[
        str,
        typer.Option(
            help="A column, such as accuracy, macro_f1, megabytes or model; scores and dates start "
            "with the largest."
        ),
    ] = "date",
    model: Annotated[str, typer.Option(help='Only runs of these models, such as "hcan*".')] = "*",
    data: Annotated[str, typer.Option(help='Only runs on these data, such as "reviews*".')] = "*",
    output: Annotated[
        Path | None,
        path_option("A new CSV file for the table, with further columns."),
    ] = None,
) -> None:
    """List runs: what each was trained on, and its scores."""
    found = zoo.list_runs(folder, sort=sort, model=model, data=data, output=output)
    print_runs(found)
    if output is not None:
        show(f"The table is in [bold]{escape(output)}[/].", soft_wrap=True)
