"""``zoo train``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import zoo
from zoo.cli.options import parsed, path_option, with_settings
from zoo.cli.terminal import is_terminal, print_candidates, print_run, print_seeds
from zoo.errors import UsageError
from zoo.settings import AUTO, Group, names


@with_settings()
def train(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(
            help="A name of zoo list; or auto, which tries several and keeps the best, in "
            "--minutes minutes or 10. Default: the model that is mostly best on such texts.",
            show_default=False,
        ),
    ] = None,
    *,
    resume: Annotated[
        Path | None,
        path_option("Continue this run, with its own settings."),
    ] = None,
    **settings: Any,
) -> None:
    """Train a classifier; everything about it goes into a run folder."""
    settings["verbose"] = 1 if is_terminal() else 2
    machine = names(Group.MACHINE)
    if resume is None:
        settings |= parsed(settings)
        run = zoo.train(model, **settings)
    else:
        for given in context.command.params:
            source = context.get_parameter_source(given.name)
            if given.name not in {"resume", *machine} and source.name != "DEFAULT":
                raise UsageError(
                    f"--resume takes the run's own settings: leave out {given.opts[0]}"
                )
        run = zoo.resume(resume, **{name: settings[name] for name in machine})
    if not settings["process_id"]:
        print_run(run)
        if resume is None and model == AUTO:
            print_candidates(run)
        if settings["seeds"] is not None:
            print_seeds(run)
