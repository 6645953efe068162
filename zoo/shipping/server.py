"""A server for a run's ``model.onnx``: TensorFlow Serving's REST API, and a page to try it."""

import asyncio
import base64
import contextlib
import json
import logging
import os
import time
from importlib.resources import files
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Route

from zoo.answers import as_probabilities, told
from zoo.backend import MOST_THREADS
from zoo.datasets.own_files.text_files import well_formed
from zoo.errors import UsageError
from zoo.runs.onnx_model import NAME
from zoo.runs.run_folder import load
from zoo.shipping.batched_answers import BatchedAnswers, Full
from zoo.shipping.slow_clients import SECONDS

BYTES = 4_000_000  # at most, in a request
TEXTS = 1_000  # at most, in a request
CHARACTERS = 100_000  # at most, in a text
LOOKS = 1  # seconds between checks whether the run has changed
BESIDE = ("model_card.md", "confusion_matrix.png")  # files of the run that the page shows
SAFE = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}

logger = logging.getLogger("zoo")


class Refused(HTTPException):
    """A request that is refused, with a line that says why."""


class Served:
    """The model of a run, which is loaded again when its file changes."""

    def __init__(self, run: Path):
        self.run = run
        self.version = self._stamp()
        self.model = load(run, runtime="onnx")

    def _stamp(self):
        with contextlib.suppress(OSError):
            found = (self.run / NAME).stat()
            return found.st_mtime_ns, found.st_size, found.st_ino
        return None

    async def follow(self) -> None:
        """Loads the file again when it changes; if that fails, the previous model stays."""
        while True:
            await asyncio.sleep(LOOKS)
            if (found := self._stamp()) in (self.version, None):
                continue
            self.version = found
            try:
                self.model = await asyncio.to_thread(load, self.run, "onnx")
                logger.info("%s has changed, and is read anew", self.run / NAME)
            except UsageError as error:
                logger.warning("the model before answers on: %s", error)


def application(run: str | Path, name: str | None = None, most_waiting: int = 2_048) -> Starlette:
    """The server as an ASGI application.

    Args:
        run: the folder of a run or of an export, with ``model.onnx``.
        name: name of the model in addresses; by default the name of the folder.
        most_waiting: the largest number of texts that may wait; a request that would exceed it
            gets 503.

    Raises:
        UsageError: if there is no such file, or it is damaged.
    """
    run = Path(run)
    served, name = Served(run), name or run.resolve().name
    registry = CollectorRegistry()
    requests = Counter("zoo_requests", "Requests, by their status.", ["status"], registry=registry)
    texts_read = Counter("zoo_texts", "Texts that were answered.", registry=registry)
    taken = Histogram("zoo_seconds", "Seconds of an answer.", registry=registry)
    waiting = Gauge("zoo_waiting_texts", "Texts that wait, or are computed.", registry=registry)
    state = {}

    @contextlib.asynccontextmanager
    async def lifespan(_):
        threads = min(os.cpu_count() or 1, MOST_THREADS)

        def answers(texts):
            model = served.model  # the same model for all texts, even if another is loaded now
            rows = as_probabilities(model, model.predict_texts(texts, verbose=0))
            return [(model, row) for row in rows]

        state["answers"] = BatchedAnswers(answers, most_waiting, threads=threads)
        waiting.set_function(lambda: state["answers"].waiting)
        following = asyncio.create_task(served.follow())
        yield
        following.cancel()
        await state["answers"].close()

    async def predict(request):
        started, status = time.perf_counter(), 500
        try:
            if request.path_params["name"] != name:
                raise Refused(404, f"no model of that name here: this one is {name!r}")
            texts, by_row = _texts(await _body(request))
            try:
                found = await state["answers"](texts)
            except Full:
                raise Refused(503, "too many texts wait: ask again in a second") from None
            status = 200
            texts_read.inc(len(texts))
            return JSONResponse(_answer(texts, found, by_row), headers=SAFE)
        except HTTPException as error:
            status = error.status_code
            raise
        except ClientDisconnect:
            status = 499
            raise Refused(400, "the client has gone") from None
        finally:
            requests.labels(status).inc()
            taken.observe(time.perf_counter() - started)

    async def model_status(request):
        if request.path_params["name"] != name:
            raise Refused(404, f"no model of that name here: this one is {name!r}")
        told = {"state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
        return JSONResponse({"model_version_status": [{"version": "1"} | told]})

    async def metadata(request):
        if request.path_params["name"] != name:
            raise Refused(404, f"no model of that name here: this one is {name!r}")
        model = served.model
        told = {"name": name, "signature_name": "", "version": "1"}
        own = {"labels": model.labels, "answers": model.kind.name, "thresholds": model.thresholds}
        signature = {
            "inputs": {"texts": _tensor("DT_STRING", -1)},
            "outputs": {
                "probabilities": _tensor("DT_FLOAT", -1, len(model.labels)),
                "label": _tensor("DT_STRING", -1),
            },
        }
        definition = {"signature_def": {"signature_def": {"serving_default": signature}}}
        return JSONResponse({"model_spec": told, "metadata": definition, "zoo": own})

    async def page(_):
        told = {"name": name, "beside": [one for one in BESIDE if (run / one).is_file()]}
        told = json.dumps(told).replace("<", "\\u003c")
        html = (files("zoo.shipping") / "serve.html").read_text("utf-8")
        return HTMLResponse(html.replace("__DATA__", told), headers=SAFE)

    async def beside(request):
        path = run / request.path_params["file"]
        if path.name not in BESIDE or not path.is_file():
            raise Refused(404, "there is no such page")
        kind = "text/plain; charset=utf-8" if path.suffix == ".md" else None
        return FileResponse(path, media_type=kind, headers=SAFE)

    async def health(_):
        return PlainTextResponse("ok\n")

    async def metrics(_):
        return PlainTextResponse(generate_latest(registry), media_type="text/plain; version=0.0.4")

    async def refuse(_, error):
        headers = {"Retry-After": "1"} if error.status_code == 503 else {}
        return JSONResponse({"error": error.detail}, error.status_code, headers | SAFE)

    model = "/v1/models/{name}"
    routes = [
        Route("/", page),
        Route("/healthz", health),
        Route("/metrics", metrics),
        Route("/run/{file}", beside),
        *(Route(f"{one}:predict", predict, methods=["POST"]) for one in _with_version(model)),
        *(Route(f"{one}/metadata", metadata) for one in _with_version(model)),
        *(Route(one, model_status) for one in _with_version(model)),
    ]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refuse})


def _with_version(path):
    return f"{path}/versions/1", path


def _tensor(kind, *sizes):
    shape = {"dim": [{"size": str(size), "name": ""} for size in sizes], "unknown_rank": False}
    return {"dtype": kind, "tensor_shape": shape, "name": ""}


async def _body(request) -> bytes:
    """The body of a request, unless it is too large or arrives too slowly."""
    too_much = Refused(413, f"a request has at most {BYTES:,} bytes")
    with contextlib.suppress(ValueError):
        if int(request.headers.get("content-length", 0)) > BYTES:
            raise too_much
    parts, size = [], 0
    try:
        async with asyncio.timeout(SECONDS):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > BYTES:
                    raise too_much
    except TimeoutError:
        raise Refused(408, f"the request was not sent within {SECONDS} seconds") from None
    return b"".join(parts)


def _texts(body: bytes) -> tuple[list[str], bool]:
    """The texts of a request, in TensorFlow Serving's row or column form, and whether by row."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON of UTF-8") from None
    if not isinstance(asked, dict) or len({"instances", "inputs"} & asked.keys()) != 1:
        raise Refused(400, 'the body is {"instances": [texts]} or {"inputs": [texts]}')
    by_row = "instances" in asked
    found = asked["instances"] if by_row else asked["inputs"]
    if not by_row and isinstance(found, dict) and found.keys() == {"texts"}:
        found = found["texts"]
    if not isinstance(found, list) or not found:
        raise Refused(400, "texts are a list of one or more strings")
    if len(found) > TEXTS:
        raise Refused(413, f"a request has at most {TEXTS:,} texts: got {len(found):,}")
    return [_text(one, number) for number, one in enumerate(found)], by_row


def _text(one, number):
    """A text, given as a string, as an object with its name, or in base 64."""
    if isinstance(one, dict) and one.keys() == {"texts"}:
        one = one["texts"]
    if isinstance(one, dict) and one.keys() == {"b64"} and isinstance(one["b64"], str):
        try:
            one = base64.b64decode(one["b64"], validate=True).decode("utf-8", "replace")
        except ValueError:
            raise Refused(400, f"text {number} is not of base 64") from None
    if not isinstance(one, str):
        raise Refused(400, f"text {number} is no string")
    if len(one) > CHARACTERS:
        raise Refused(
            413, f"a text has at most {CHARACTERS:,} characters: text {number} has {len(one):,}"
        )
    return well_formed(one)


def _answer(texts, found, by_row):
    """The answers in TensorFlow Serving's form: an object per text, or a list per output."""
    rows = []
    for text, (model, row) in zip(texts, found, strict=True):
        label = told(model, text, row, written=True)["label"]
        rows.append(
            {"label": label, "probabilities": list(map(float, row)), "labels": model.labels}
        )
    if by_row:
        return {"predictions": rows}
    return {"outputs": {name: [row[name] for row in rows] for name in rows[0]}}
