"""Labels for new texts."""

import itertools
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from zoo.datasets.files import read_frame
from zoo.datasets.text_files import open_text, undecodable

logger = logging.getLogger("zoo")


def read_texts(path: str | Path, text_column: str | None = None) -> list[str]:
    """The texts of a table, a glob or a folder, or the lines of a ``.txt`` file; some may be empty.

    Args:
        path: as for :func:`zoo.datasets.load_files`, or ``.txt`` or ``.txt.gz``. What is not
            Unicode in a line of these is replaced, and reported.
        text_column: by default ``text``, or else a well-known name, which the log announces.

    Raises:
        UsageError: if the file cannot be read or lacks the column.
    """
    path = Path(path)
    if not path.name.lower().removesuffix(".gz").endswith(".txt"):
        return read_frame(path, text_column, labelled=False)["text"].tolist()
    with open_text(path) as file:
        lines = [line.rstrip("\r\n") for line in file]
    bad = [number for number, line in enumerate(lines) if undecodable(line)]
    for number in bad:
        lines[number] = lines[number].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if bad:
        logger.warning("%s: %d lines are not UTF-8 (the first: %d)", path, len(bad), bad[0] + 1)
    return lines


def predict(model, texts: Iterable[str], chunk: int = 1024) -> Iterator[dict[str, Any]]:
    """The label of each text, in order and as texts come.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` gives.
        texts: any number of texts.
        chunk: how many are read before the first answer.

    Yields:
        ``text``, ``label``, its ``probability``, and ``probabilities`` by label.
    """
    texts = iter(texts)
    while part := list(itertools.islice(texts, chunk)):
        rows = model.predict(part, batch_size=128, verbose=0)
        for text, row in zip(part, rows, strict=True):
            yield {
                "text": text,
                "label": model.labels[row.argmax()],
                "probability": float(row.max()),
                "probabilities": dict(zip(model.labels, map(float, row), strict=True)),
            }
