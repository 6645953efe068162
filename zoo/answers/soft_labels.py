"""How much of each label a text has: what several people, or a larger model, said of it.

It is what is learnt from. The model is one of one label a text, and is judged as such.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from zoo.answers.one_label import OneLabel
from zoo.errors import UsageError


class SoftLabels(OneLabel):
    """A target is a distribution over the classes, ``[texts, classes]`` float32 that sum to 1."""

    form = "distribution"

    def labels_in(self, column: Iterable[Sequence[tuple[str, float]]]) -> set[str]:
        return {label for pairs in column for label, _ in pairs}

    def holding(self, column, label: str) -> np.ndarray:
        return np.array([label in dict(pairs) for pairs in column])

    def sizes(self, column) -> dict[str, int]:
        raise UsageError("min_class_size counts the texts of a label: here each has a share of it")

    def encoded(self, column, numbers: dict[str, int]) -> np.ndarray:
        found = np.zeros((len(column), len(numbers)), "float32")
        for row, pairs in enumerate(column):
            for label, share in pairs:
                found[row, numbers[label]] += share
        return found / found.sum(axis=-1, keepdims=True)

    def hard(self, targets: np.ndarray) -> np.ndarray:
        """Targets that are hard already stay as they are."""
        return targets if targets.ndim == 1 else targets.argmax(axis=-1).astype("int32")

    def named(self, targets: np.ndarray, labels: Sequence[str]) -> list[str]:
        return super().named(self.hard(targets), labels)

    def counts(self, targets: np.ndarray, classes: int) -> np.ndarray:
        """Of shares, a class that is the likeliest of no text counts as one that has a text."""
        counts = super().counts(self.hard(targets), classes)
        return counts if targets.ndim == 1 else np.maximum(counts, targets.any(axis=0))

    def taken(self, targets: np.ndarray, classes: int, share: float, most: int | None, seed: int):
        numbers = self.hard(targets)
        there, numbers = np.unique(numbers, return_inverse=True)
        return OneLabel().taken(numbers, len(there), share, most, seed)

    def loss(self, logits: bool = False):
        import keras

        return keras.losses.CategoricalCrossentropy(from_logits=logits)

    def weights(self, of_classes, targets):
        import tensorflow as tf

        return tf.linalg.matvec(targets, of_classes)

    def blank(self, classes: int, loss: Any) -> np.ndarray:
        return np.zeros((1, classes), "float32")
