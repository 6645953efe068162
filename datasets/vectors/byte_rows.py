"""Rows of numbers as whole numbers of one byte, times a scale for each row.

zoo's English vectors have this form, so that a word table that training leaves as it is takes a
quarter of the bytes of float32, and loses nothing.
"""

import numpy as np

LARGEST = 127
LEAST = 8  # the number of a row that is nearest to 0 is at most so many of its scale
EXACT = 1e-6  # of the largest number of a row: what float32 rounds off


def in_bytes(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Splits a table into whole numbers and scales.

    Args:
        matrix: ``[rows, dim]``, float32.

    Returns:
        ``[rows, dim]`` int8; the scales, ``[rows, 1]`` float32; and for each row whether their
        product is the row, up to the rounding of float32, ``[rows]`` bool. A row that is not whole
        numbers times a scale gets the nearest ones; one that is not finite gets zeros.

    Example:
        >>> import numpy as np
        >>> numbers, scales, exact = in_bytes(np.array([[0.5, -1.5], [0, 0]], "float32"))
        >>> numbers.tolist(), exact.tolist()
        ([[1, -3], [0, 0]], [True, True])
    """
    finite = np.isfinite(matrix).all(axis=1)
    matrix = np.where(finite[:, None], matrix, 0)
    size = np.abs(matrix)
    largest = size.max(axis=1, keepdims=True, initial=0)
    least = np.where(size > EXACT * largest, size, np.inf).min(
        axis=1, keepdims=True, initial=np.inf
    )
    scales = _scale(largest / LARGEST)
    exact = _misses(matrix, scales) <= EXACT * largest[:, 0]
    for steps in range(1, LEAST + 1):
        rest = np.flatnonzero(~exact)
        tried = _scale(least[rest] / steps)
        found = _misses(matrix[rest], tried) <= EXACT * largest[rest, 0]
        scales[rest[found]], exact[rest[found]] = tried[found], True
    return _whole(matrix, scales).astype("int8"), scales, exact & finite


def rounded(matrix: np.ndarray) -> np.ndarray:
    """The nearest table that :func:`in_bytes` splits exactly, ``[rows, dim]`` float32.

    Rows that it splits exactly as they are stay so to the last bit.
    """
    numbers, scales, exact = in_bytes(matrix)
    return np.where(exact[:, None], matrix, numbers * scales)


def _scale(numbers):
    return np.where(np.isfinite(numbers) & (numbers > 0), numbers, 1).astype("float32")


def _whole(matrix, scales):
    return np.clip(np.rint(matrix / scales), -LARGEST, LARGEST)


def _misses(matrix, scales):
    """The largest error of each row."""
    return np.abs(matrix - _whole(matrix, scales) * scales).max(axis=1, initial=0)
