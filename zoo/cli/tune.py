"""``zoo tune``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import zoo
from zoo.cli.options import parsed, path_option, with_settings
from zoo.cli.terminal import print_trials
from zoo.settings import NOT_TUNED


@with_settings(*NOT_TUNED)
def tune(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A name of zoo list.", show_default="the one that is mostly best on such texts"
        ),
    ] = None,
    *,
    trials: Annotated[int, typer.Option(help="The number of trainings in all.")] = 20,
    output: Annotated[
        Path | None,
        path_option("Folder of the search, or of one to continue. Default: tuning/MODEL-DATA."),
    ] = None,
    **settings: Any,
) -> None:
    """Search learning rate, batch size and dropout."""
    settings |= parsed(settings)
    print_trials(zoo.tune(model, trials=trials, output=output, **settings))
