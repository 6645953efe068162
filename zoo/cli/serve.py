"""``zoo serve``."""

from typing import Annotated

import typer

import zoo
from zoo.cli.texts import Run, check_run


def serve(
    run: Run,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Its port.")] = 8501,
    name: Annotated[
        str | None, typer.Option(help="Of the model, in addresses. Default: the run's.")
    ] = None,
    most_waiting: Annotated[
        int, typer.Option(min=1, help="Texts that may wait; requests for more get 503.")
    ] = 2048,
) -> None:
    """Serve a model, without TensorFlow, in its REST forms, and a page to try it."""
    check_run(run)
    zoo.serve(run, host=host, port=port, name=name, most_waiting=most_waiting)
