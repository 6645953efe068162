"""Labels for new texts."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from zoo.evaluation import probabilities_of


def predict(model, texts: Iterable[str], chunk: int = 1024) -> Iterator[dict[str, Any]]:
    """The label of each text, in order and as texts come.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` gives.
        texts: any number of texts.
        chunk: how many are read before the first answer.

    Yields:
        ``text``, ``label``, its ``probability``, and ``probabilities`` by label.
    """
    from zoo.datasets.preprocessor import well_formed  # takes seconds

    texts = iter(texts)
    while part := list(itertools.islice(texts, chunk)):
        rows = probabilities_of(model, part)
        for text, row in zip(part, rows, strict=True):
            yield {
                "text": well_formed(text),
                "label": model.labels[row.argmax()],
                "probability": float(row.max()),
                "probabilities": dict(zip(model.labels, map(float, row), strict=True)),
            }
