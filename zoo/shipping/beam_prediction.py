"""Labels for corpora larger than one machine: prediction as a pipeline of Apache Beam."""

import contextlib
import itertools
import json
import logging
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import apache_beam as beam
from apache_beam.ml.inference.base import KeyedModelHandler, ModelHandler, RunInference

from zoo.answers import ONE, answer, as_probabilities, told
from zoo.datasets.catalogue.beam_preparation import pipeline_options, usage_error_in
from zoo.datasets.own_files.columns import Columns
from zoo.datasets.own_files.reading import (
    NoRows,
    as_path,
    matching_files,
    stream_texts,
    text_column_of,
)
from zoo.errors import UsageError, unknown
from zoo.filesystem.atomic_files import check_new, whole
from zoo.filesystem.paths import check_no_pattern, expanded
from zoo.runs.onnx_model import NAME, OnnxClassifier
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import RUNTIMES, fastest_runtime, load

PIECES = 16  # pieces of work, at least; a file is read once for each of its pieces
BATCH = 512  # texts that a worker gets at once
ANSWERED_AT_ONCE = 64  # texts of similar length in a call of the SavedModel
TOLD = "told"  # tag of the messages that reading a file logs

OWN = threading.local()  # its ``messages`` are those kept for the current thread

logger = logging.getLogger("zoo")


class OnnxHandler(ModelHandler):
    """Runs a run's ``model.onnx``, without TensorFlow; each worker process loads it once.

    Args:
        path: the file, on a disk that all workers see.
    """

    def __init__(self, path: str):
        super().__init__(max_batch_size=BATCH)
        self.path = path

    def load_model(self):
        return OnnxClassifier(self.path)

    def run_inference(self, batch: Sequence[str], model, inference_args=None) -> Iterable[dict]:
        rows = as_probabilities(model, model.predict_texts(batch, verbose=0))
        return [told(model, text, row) for text, row in zip(batch, rows, strict=True)]


class SavedModelHandler(ModelHandler):
    """Runs a run's SavedModel, which each worker process loads once.

    Args:
        path: the SavedModel, on a disk that all workers see.
        kind: the kind of answers that the model gives.
    """

    def __init__(self, path: str, kind=ONE):
        super().__init__(max_batch_size=BATCH)
        self.path = path
        self.kind = kind

    def load_model(self):
        import tensorflow as tf

        return tf.saved_model.load(self.path)

    def run_inference(self, batch: Sequence[str], model, inference_args=None) -> Iterable[dict]:
        import tensorflow as tf

        answers = [None] * len(batch)
        order = sorted(range(len(batch)), key=lambda i: len(batch[i]))
        for start in range(0, len(order), ANSWERED_AT_ONCE):
            rows = order[start : start + ANSWERED_AT_ONCE]
            served = model.serve(tf.constant([batch[i] for i in rows]))
            labels = [label.decode() for label in served["labels"][0].numpy()]
            thresholds = served["thresholds"][0].numpy() if "thresholds" in served else None
            for i, row in zip(rows, served["probabilities"].numpy(), strict=True):
                answers[i] = answer(self.kind, batch[i], labels, row, thresholds)
        return answers


def predict_on_beam(
    run: str | Path,
    files: str | Path,
    output: str | Path,
    text_column: str | None = None,
    options: Sequence[str] = (),
    on_bad_row: str = "fail",
    encoding: str | None = None,
    runtime: str | None = None,
) -> None:
    """Labels the texts of files, and writes JSON lines into a new folder.

    A line is what ``zoo predict --no-keep-columns`` prints as JSON; lines are in no particular
    order. Texts are read while others are labelled, and are not kept in memory.
    Each file is a piece of work. If there are fewer than 16 files, each is read several times, each
    time for a share of its rows.

    Args:
        run: the run folder.
        files: a file or a glob, as for :func:`zoo.datasets.read_texts`.
        output: a folder that does not exist yet.
        text_column: the column of the texts; by default ``text``, or else a well-known name.
        options: options of Beam's pipeline, such as ``--runner=FlinkRunner``; by default it runs on
            all cores of this machine.
        on_bad_row: as for :func:`zoo.datasets.read_texts`, but each single file must have more
            good rows than bad ones.
        encoding: the encoding of files that are not UTF-8, such as "cp1252".
        runtime: "onnx" for the run's ``model.onnx``, or "keras" for its SavedModel; by default
            "onnx" where there is such a file.

    Raises:
        UsageError: if the run has no such model, a file cannot be read, or the folder exists.
    """
    run, files, output = expanded(run), as_path(files), expanded(output)
    if runtime not in (None, *RUNTIMES):
        raise unknown("runtime", runtime, RUNTIMES)
    if (runtime or fastest_runtime(run)) == "onnx":
        load(run, "onnx")  # raises here, before any work, if the file cannot be loaded
        handler = OnnxHandler(str((run / NAME).absolute()))
    else:
        handler = _handler_of_saved_model(run)
    check_new(output)
    check_no_pattern(output)
    text_column = text_column_of(files, text_column, encoding)  # the same column in all files
    paths = list(map(str, matching_files(files)))
    with _told():  # messages are dropped here, as a worker reports them again
        # This raises if no file has a row.
        next(stream_texts(files, text_column, on_bad_row, encoding), None)
        for path in paths:  # a faulty first row raises here, before a worker starts
            next(_rows((path, 0), 1, text_column, on_bad_row, encoding), None)
    shares = math.ceil(PIECES / len(paths))
    with whole(output.absolute()) as folder:
        pipeline = beam.Pipeline(options=pipeline_options(options))
        read = (
            pipeline
            | "pieces" >> beam.Create([(path, i) for path in paths for i in range(shares)])
            | "spread" >> beam.Reshuffle()
            | "read"
            >> beam.FlatMap(_rows, shares, text_column, on_bad_row, encoding).with_outputs(
                TOLD, main="rows"
            )
        )
        read[TOLD] | "reports" >> beam.io.WriteToText(str(folder / TOLD))
        (
            read["rows"]
            | "label" >> RunInference(KeyedModelHandler(handler))
            | "lines" >> beam.MapTuple(_line)
            | "write" >> beam.io.WriteToText(str(folder / "labels"), ".jsonl")
        )
        try:
            pipeline.run().wait_until_finish()
        except Exception as error:
            reason = str(error).strip().rpartition("\n")[2]  # last line of a worker's stack trace
            raise usage_error_in(error) or UsageError(f"Apache Beam failed: {reason}") from error
        for reports in folder.glob(f"{TOLD}*"):
            for report in reports.read_text("utf-8").splitlines():
                logger.warning("%s", json.loads(report))
            reports.unlink()


def _handler_of_saved_model(run):
    path = run / "saved_model"
    if not path.is_dir():
        raise UsageError(f"no SavedModel in {run}: train a model with zoo train")
    check_no_pattern(path)
    return SavedModelHandler(str(path.absolute()), read_config(run).kind)


@contextlib.contextmanager
def _told() -> Iterator[list[str]]:
    """Keeps the messages that this thread logs, in a list, in place of showing them.

    A worker has no terminal, and each share of a file would repeat the messages.
    """
    logger.addFilter(_keep)  # adding it again has no effect
    OWN.messages, before = [], getattr(OWN, "messages", None)
    level = logger.level
    if not logger.isEnabledFor(logging.WARNING):  # as is the case in a worker
        logger.setLevel(logging.WARNING)
    try:
        yield OWN.messages
    finally:
        OWN.messages = before
        logger.setLevel(level)


def _keep(record):
    messages = getattr(OWN, "messages", None)
    if messages is not None:
        messages.append(record.getMessage())
    return messages is None


def _rows(
    piece: tuple[str, int],
    shares: int,
    text_column: Columns,
    on_bad_row: str = "fail",
    encoding: str | None = None,
) -> Iterator[tuple]:
    """A share of a file's rows: every n-th batch of n shares.

    The first share also yields the messages that reading the file logs.
    """
    path, share = piece
    rows = stream_texts(path, text_column, on_bad_row, encoding)
    with contextlib.suppress(NoRows):  # a single file of many may be empty
        for number in itertools.count():
            with _told() as messages:
                batch = list(itertools.islice(rows, BATCH))
            if share == 0:
                for message in messages:
                    yield beam.pvalue.TaggedOutput(TOLD, json.dumps(message))
            if not batch:
                return
            if number % shares == share:
                yield from batch


def _line(where: dict[str, str | int], answer: dict) -> str:
    return json.dumps(where | answer, ensure_ascii=False)
