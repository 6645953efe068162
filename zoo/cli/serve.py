"""``zoo serve``."""

from typing import Annotated

import typer

from zoo.cli.terminal import escape, show
from zoo.cli.texts import Run, check_run
from zoo.errors import UsageError


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
    try:
        import uvicorn

        from zoo.shipping.server import application
    except ImportError as error:
        raise UsageError(
            f"zoo serve needs {error.name}: pip install 'attention-zoo[serve]'"
        ) from None
    served = application(run, name, most_waiting)
    show(f"Try it at [bold]http://{escape(host)}:{port}/[/]; end with Ctrl-C.", soft_wrap=True)
    uvicorn.run(
        served,
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=30,
        limit_concurrency=1_000,
        timeout_keep_alive=5,
        h11_max_incomplete_event_size=65_536,
    )
