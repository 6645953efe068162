"""A corpus: labelled texts in splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from zoo.errors import UsageError, unknown


@dataclass
class Corpus:
    """Labelled texts.

    Attributes:
        name: short name, used in the run folder's.
        labels: names of the classes; a model's class i is ``labels[i]``.
        train, validation, test: frames with the columns ``text`` (str) and ``label`` (one of
            ``labels``). ``validation`` or ``test`` is None until :meth:`split` makes it.
    """

    name: str
    labels: list[str]
    train: pd.DataFrame
    validation: pd.DataFrame | None = None
    test: pd.DataFrame | None = None

    def split(self, seed: int = 0, share: float = 0.1) -> "Corpus":
        """Takes missing splits out of the training split, ``share`` each: stratified and seeded.

        A given test split is never touched.

        Raises:
            UsageError: if a class has too few rows to be in each split.
        """
        from sklearn.model_selection import train_test_split

        for split in ("test", "validation"):
            if getattr(self, split) is not None:
                continue
            counts = self.train["label"].value_counts()
            if counts.min() < 2 or len(self.train) * share < len(counts):
                raise UsageError(
                    f"too few rows to take a {split} split out of {len(self.train)}: the class "
                    f"{counts.index[-1]!r} has {counts.min()} of them; give at least "
                    f"{round(2 / share)} rows of each class, or a {split} file of its own"
                )
            self.train, part = train_test_split(
                self.train, test_size=share, random_state=seed, stratify=self.train["label"]
            )
            setattr(self, split, part)
        return self


def class_numbers(frame: pd.DataFrame, labels: Sequence[str], where: str) -> np.ndarray:
    """Class numbers of a frame's labels, ``[rows]`` int64.

    Raises:
        UsageError: for a label that is not among ``labels``; ``where`` names its origin.
    """
    new = sorted(set(frame["label"]) - set(labels))
    if new:
        error = unknown(f"label in {where}:", new[0], labels)
        raise UsageError(f"{error} No training text has it: add such texts there, or remove it.")
    return pd.Categorical(frame["label"], categories=list(labels)).codes.astype("int64")
