"""``zoo.serve``: answers requests with a run's ``model.onnx`` until it is stopped."""

import logging
from pathlib import Path

from zoo.errors import UsageError
from zoo.filesystem.paths import expanded

CLIENTS = 1_000  # at a time
HEADERS = 65_536  # bytes of a request's headers, at most
SECONDS = 30  # to finish pending answers when the server is stopped

logger = logging.getLogger("zoo")


def serve(
    run: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8501,
    name: str | None = None,
    most_waiting: int = 2_048,
) -> None:
    """Serves a model by TensorFlow Serving's REST API, and a page, until Ctrl-C or SIGTERM.

    Args:
        run: the folder of a run or of an export, with ``model.onnx``.
        host: address to listen on; ``"0.0.0.0"`` lets other machines connect.
        port: port to listen on.
        name: name of the model in addresses; by default the name of the folder.
        most_waiting: the largest number of texts that may wait; a request that would exceed it
            gets 503.

    Raises:
        UsageError: if the packages of the extra ``serve`` are not installed, or if ``model.onnx``
            is missing or damaged.

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
