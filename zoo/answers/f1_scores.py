"""F1 by counts of texts, of any number of samples at once."""

import numpy as np


def f1_of_classes(both: np.ndarray, given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The F1 of each class, ``[.., classes]``; 0 where it is neither given nor wanted."""
    return 2 * both / np.maximum(given + wanted, 1)


def macro_f1(both: np.ndarray, given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The mean F1 of the classes that are given or wanted, ``[..]``."""
    there = np.maximum((given + wanted > 0).sum(axis=-1), 1)
    return f1_of_classes(both, given, wanted).sum(axis=-1) / there
