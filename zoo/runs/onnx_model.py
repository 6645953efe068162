"""Answers of a run without TensorFlow: onnxruntime runs its ``model.onnx``, which takes texts."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.answers import KINDS, probabilities_of, told
from zoo.backend import MOST_THREADS, in_threads
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.given_texts import check_texts
from zoo.errors import UsageError
from zoo.progress import progress

NAME = "model.onnx"  # in a run folder, and in an export
ABOUT = "zoo"  # name of the metadata in which the file describes its model
BATCH = 16  # texts that are computed together, at most: more do not fit the processor's caches
CHARACTERS = 200_000  # of a batch, padded to its longest text; a single text may have more


class OnnxClassifier:
    """A trained model that answers texts, and does nothing else.

    Args:
        path: the file, from ``zoo export --format onnx`` or a run folder.

    Attributes:
        labels, kind, thresholds: as in a :class:`zoo.TextClassifier`.

    Raises:
        UsageError: if onnxruntime is not installed, or the file is not such a file or damaged.

    Example:
        >>> import zoo
        >>> model = zoo.load(run, runtime="onnx")  # doctest: +SKIP
        >>> model.classify(["A fine film."])[0]["label"]  # doctest: +SKIP
        'good'
    """

    logits = False

    def __init__(self, path: str | Path):
        try:
            import onnxruntime
        except ImportError:
            raise UsageError(
                "answers by model.onnx need onnxruntime: pip install onnxruntime"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # each core computes a separate batch
        options.log_severity_level = 3
        try:
            self.session = onnxruntime.InferenceSession(str(path), options)
            about = json.loads(self.session.get_modelmeta().custom_metadata_map[ABOUT])
            self.labels, self.kind = list(about["labels"]), KINDS[about["answers"]]
            self.thresholds, self.words = about["thresholds"], about["words"]
            outputs = {one.name: one.shape for one in self.session.get_outputs()}
            if outputs["probabilities"][-1] != len(self.labels):
                raise ValueError("its labels are not those of its probabilities")
        except KeyError:
            raise UsageError(
                f"{path} takes no texts, or is not zoo's: write it with zoo export --format onnx"
            ) from None
        except Exception as error:  # onnxruntime's exceptions have no common base class
            version, reason = onnxruntime.__version__, " ".join(str(error).split())[:200]
            raise UsageError(
                f"{path} is damaged, or too new for onnxruntime {version}: {reason}"
            ) from None

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """``[texts, classes]`` float32 probabilities, in the order of the texts."""
        return self.predict_texts(texts)

    def predict_texts(
        self, texts: Sequence[str], batch_size: int = BATCH, verbose: int | str | None = None
    ) -> np.ndarray:
        """As :meth:`predict`; batches have texts of similar length, and each core computes one."""
        check_texts(texts)
        texts = list(map(well_formed, texts))
        found = np.empty((len(texts), len(self.labels)), "float32")
        threads = min(os.cpu_count() or 1, MOST_THREADS) if len(texts) > batch_size else 1

        def answers(rows):
            part = np.array([texts[row] for row in rows], object)
            return rows, self.session.run(["probabilities"], {"texts": part})[0]

        done = in_threads(answers, _of_like_length(texts, batch_size), threads)
        shown = None if verbose is None else bool(verbose)
        done = progress(done, "Predicting", len(texts), size=lambda item: len(item[0]), shown=shown)
        for rows, probabilities in done:
            found[rows] = probabilities
        return found

    def classify(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """For each ``text`` its ``label``, the label's ``probability``, and all ``probabilities``.

        Raises:
            UsageError: if a probability is NaN or infinite.
        """
        check_texts(texts)
        texts = list(texts)
        rows = probabilities_of(self, texts)
        return [told(self, text, row) for text, row in zip(texts, rows, strict=True)]


def _of_like_length(texts, size) -> Iterator[list[int]]:
    """Batches of row numbers, for texts of similar length; batches of long texts are smaller."""
    rows = []
    for row in sorted(range(len(texts)), key=lambda row: len(texts[row])):
        if rows and (len(rows) == size or (len(rows) + 1) * len(texts[row]) > CHARACTERS):
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows
