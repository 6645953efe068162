"""How kernels start that are computed as one."""

import keras


def orthogonal(rows: int, columns: int, parts: int) -> keras.initializers.Initializer:
    """An orthogonal start of kernels side by side, each as large as it would start alone.

    Columns of an orthogonal kernel are of length 1 as long as there are no more than rows; beyond
    that they get shorter, and side by side there are more.

    Args:
        rows: of the kernel.
        columns: of all kernels together.
        parts: how many kernels these are.
    """
    alone, together = (min(1.0, rows / number) for number in (columns / parts, columns))
    return keras.initializers.Orthogonal((alone / together) ** 0.5)
