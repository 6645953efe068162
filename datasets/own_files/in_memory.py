"""Data in memory, of any Python type, as a table."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from zoo.errors import UsageError

FORMS = "(texts, labels), a DataFrame of pandas, or a tf.data.Dataset of (text, label)"


def as_table(data: Any, labelled: bool = True) -> Any:
    """Data in memory as a DataFrame of ``text`` and ``label``; anything else as it is.

    Args:
        data: ``(texts, labels)`` or ``(texts, labels, weights)``, each a list, an array or a
            column; or a ``tf.data.Dataset`` of such elements, in batches or not, that ends. Labels
            are names, numbers, or a list of them for each text.
        labelled: whether labels are needed.

    Raises:
        UsageError: for texts and labels of other numbers, and a dataset of another form.

    >>> as_table((["Fine.", "Dull."], ["good", "bad"]))
        text label
    0  Fine.  good
    1  Dull.   bad
    """
    if isinstance(data, tuple) and len(data) in (2, 3) and not any(map(_is_single, data)):
        return _table(*data)
    if hasattr(data, "element_spec") and hasattr(data, "as_numpy_iterator"):
        return _of_dataset(data, labelled)
    return data


def _is_single(value):
    return isinstance(value, str | bytes) or not isinstance(value, Iterable)


def _table(texts, labels, weights=None):
    columns = {"text": list(texts), "label": _cells(labels)}
    columns |= {} if weights is None else {"weight": list(weights)}
    sizes = {name: len(column) for name, column in columns.items()}
    if len({*sizes.values()}) > 1:
        told = ", ".join(f"{size:,} {name}s" for name, size in sizes.items())
        raise UsageError(f"each text needs a label: got {told}")
    return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})


def _cells(labels):
    """Labels as the cells of a column: of a table of 0 and 1, lists of names of its columns."""
    if getattr(labels, "ndim", 1) == 2:
        names = list(map(str, getattr(labels, "columns", range(labels.shape[1]))))
        return [[names[i] for i in np.flatnonzero(row)] for row in np.asarray(labels)]
    return list(labels)


def _of_dataset(data, labelled):
    from zoo.datasets.text_streams import rows

    names = getattr(data, "class_names", None)
    found = list(rows(data).as_numpy_iterator())
    if not labelled:
        return pd.DataFrame({"text": [one[0].decode("utf-8", "replace") for one in found]})
    if not found or len(found[0]) < 2:
        raise UsageError("a dataset to learn from gives (texts, labels): got texts alone, or none")
    texts, labels, *weights = zip(*found, strict=True)
    labels = [one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in labels]
    if names:
        labels = [names[one] if np.ndim(one) == 0 else one for one in labels]
    if np.ndim(labels[0]) == 1:
        labels = np.stack(labels)
    return _table([text.decode("utf-8", "replace") for text in texts], labels, *weights)
