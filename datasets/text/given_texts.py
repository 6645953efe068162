"""Checks of the texts that users give, in lists, columns, arrays and tensors."""

import numpy as np

from zoo.errors import UsageError


def is_texts(value: object) -> bool:
    """Whether a value is a text, or a list, column, array or tensor of strings.

    An empty list is not. Only the first element is looked at, so that symbolic tensors can be
    checked, too.
    """
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], str | bytes)
    dtype = getattr(value, "dtype", None)
    if dtype is None and hasattr(value, "__array__"):  # a table
        dtype = np.asarray(value).dtype
    is_string = getattr(dtype, "name", dtype) == "string" or getattr(dtype, "kind", "-") in "OUST"
    return is_string or isinstance(value, str | bytes)


def check_texts(texts: object) -> None:
    """Refuses anything else than a sequence of texts.

    Raises:
        UsageError: for one text, a table, or an array of several columns.
    """
    if isinstance(texts, str):
        raise UsageError("a list of texts is needed, not one text: write [text]")
    if len(shape := getattr(texts, "shape", (0,))) != 1:
        raise UsageError(
            f"one column of texts is needed, as in table['text']: got {type(texts).__name__} of "
            f"shape {tuple(shape)}"
        )
