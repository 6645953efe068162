"""``zoo.serve``: a run's ``model.onnx`` behind an address, until it is stopped."""

import logging
from pathlib import Path

from zoo.errors import UsageError
from zoo.filesystem.paths import expanded

CLIENTS = 1_000  # at a time
HEADERS = 65_536  # bytes of a request's
SECONDS = 30  # for answers that are under way when it is stopped

logger = logging.getLogger("zoo")


def serve(
    run: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8501,
    name: str | None = None,
    most_waiting: int = 2_048,
) -> None:
    """Answers in TensorFlow Serving's REST forms, and with a page, until Ctrl-C or SIGTERM.

    Args:
        run: a run folder, or an export, with ``model.onnx``.
        host: address to listen on; ``"0.0.0.0"`` lets other machines in.
        port: its port.
        name: of the model in addresses; by default that of the folder.
        most_waiting: texts that may wait; requests for more get 503.

    Raises:
        UsageError: if the packages of the extra ``serve`` are not installed, or there is no such
            file, or it is damaged.

    Example:
        >>> import zoo
        >>> zoo.serve(run, port=8080)  # doctest: +SKIP
    """
    try:
        import uvicorn

        from zoo.shipping.server import application
        from zoo.shipping.slow_clients import HeadersInTime
    except ImportError as error:
        raise UsageError(
            f"zoo serve needs {error.name}: pip install 'attention-zoo[serve]'"
        ) from None
    served = application(expanded(run), name, most_waiting)
    logger.info("Try it at http://%s:%d/; end with Ctrl-C", host, port)
    uvicorn.run(
        served,
        host=host,
        port=port,
        log_level="warning",
        http=HeadersInTime,
        ws="none",
        timeout_graceful_shutdown=SECONDS,
        limit_concurrency=CLIENTS,
        timeout_keep_alive=5,
        h11_max_incomplete_event_size=HEADERS,
    )
