"""A corpus: labelled texts in splits."""

import hashlib
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from zoo.datasets.reports import SHOWN, first_place
from zoo.datasets.text_files import composed
from zoo.errors import UsageError, unknown

logger = logging.getLogger("zoo")

MOST_VALIDATION_TEXTS = 10_000  # more would only slow each epoch down


class Split:
    """Labelled texts in memory.

    Args:
        texts: ``[n]`` strings.
        numbers: ``[n]`` class numbers.
    """

    def __init__(self, texts: Sequence[str], numbers: Sequence[int]):
        self.texts = np.asarray(texts, dtype=object)
        self.numbers = np.asarray(numbers, dtype="int32")

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: np.ndarray) -> "Split":
        """The texts where ``rows``, ``[n]`` booleans, is True; the order stays."""
        return Split(self.texts[rows], self.numbers[rows])

    def shuffled(self, seed: int) -> "Split":
        """The same in another order: files are often sorted by class."""
        order = np.random.default_rng(seed).permutation(len(self))
        return Split(self.texts[order], self.numbers[order])

    def dataset(self):
        """A tf.data.Dataset of pairs of a text and its class number, always in one order."""
        import tensorflow as tf

        return tf.data.Dataset.from_tensor_slices((self.texts, self.numbers))

    def __iter__(self) -> Iterator[str]:
        """The texts."""
        return iter(self.texts)


class StreamedSplit(Split):
    """Labelled texts on disk, of which only the class numbers are in memory.

    Args:
        open_dataset: gives a tf.data.Dataset of texts and class numbers, always in one order.
        numbers: ``[n]`` class numbers in that order.
        rows: ``[n]`` booleans, the texts that belong to the split; None for all.
    """

    def __init__(self, open_dataset: Callable, numbers: np.ndarray, rows=None):
        self.open_dataset = open_dataset
        self.all_numbers = numbers
        self.rows = np.ones(len(numbers), bool) if rows is None else rows

    @property
    def numbers(self) -> np.ndarray:
        return self.all_numbers[self.rows]

    def __len__(self):
        return np.count_nonzero(self.rows)

    def take(self, rows):
        kept = self.rows.copy()
        kept[kept] = rows
        return StreamedSplit(self.open_dataset, self.all_numbers, kept)

    def shuffled(self, seed):
        return self  # its records were shuffled when they were prepared

    def dataset(self):
        import tensorflow as tf

        dataset = self.open_dataset()
        if not self.rows.all():
            rows = tf.data.Dataset.from_tensor_slices(self.rows).batch(1024)
            pairs = tf.data.Dataset.zip(dataset.batch(1024), rows)
            dataset = pairs.map(
                lambda pair, rows: tuple(tf.boolean_mask(part, rows) for part in pair)
            ).unbatch()
        return dataset.apply(tf.data.experimental.assert_cardinality(len(self)))

    def __iter__(self):
        for texts, _ in self.dataset().batch(1024).as_numpy_iterator():
            yield from (text.decode("utf-8", "replace") for text in texts)


@dataclass
class Corpus:
    """Labelled texts in splits.

    Attributes:
        name: short name, used in the run folder's.
        labels: names of the classes; class number i is ``labels[i]``.
        train, validation, test: ``validation`` or ``test`` is None until :meth:`split` makes it.
        unlabelled: further texts without labels, for word vectors, which read them once; None
            where there are none.
        columns: ``text_column`` and ``label_column`` that were read, given or guessed.
        clean_up: that the texts are made for; None where any will do.
    """

    name: str
    labels: list[str]
    train: Split
    validation: Split | None = None
    test: Split | None = None
    unlabelled: Iterable[str] | None = None
    columns: dict[str, str] = field(default_factory=dict)
    clean_up: str | None = None

    def split(self, seed: int = 0, share: float = 0.1) -> "Corpus":
        """Takes missing splits out of the training split, ``share`` each: stratified and seeded.

        A given test split is never touched. A validation split taken has at most 10,000 texts.

        Raises:
            UsageError: if a class has too few rows to take any, or there are too few rows to take
                one of each class. A class may still be without a row in what was taken, as
                shares are rounded: then a warning names it.
        """
        from sklearn.model_selection import train_test_split

        of_both = self.test is None and self.validation is None
        for split in ("test", "validation"):
            if getattr(self, split) is not None:
                continue
            numbers = self.train.numbers
            counts = np.bincount(numbers, minlength=len(self.labels))
            if split == "validation":  # the one text of a class stays in training
                counts[counts == 1] = counts.max()
            if counts.min() < 2:
                rare = [self.labels[i] for i in np.flatnonzero(counts < 2)]
                listed = ", ".join(map(repr, rare[:SHOWN])) + ", .." * (len(rare) > SHOWN)
                asked = "Are these the labels, or are they in another column? "
                asked = asked if len(rare) > len(counts) / 2 else ""
                raise UsageError(
                    f"too few rows to take a {split} split out of {len(numbers)}: {len(rare)} of "
                    f"{len(counts)} classes have fewer than 2 ({listed}); about "
                    f"{round(2 / share)} of each class give each split one. {asked}Or give a "
                    f"{split} file of its own"
                )
            if len(numbers) * share < len(counts):
                needed = math.ceil(round(len(counts) / share, 6))
                if of_both:  # of the rows without the test split
                    needed += math.ceil(needed * share / (1 - share))
                raise UsageError(
                    f"too few rows to take a {split} split out of {len(numbers)}: of "
                    f"{len(counts)} classes the data must have at least {needed}; "
                    f"give more, or a {split} file of its own"
                )
            size = int(np.ceil(len(numbers) * share))
            if split == "validation":
                size = max(min(size, MOST_VALIDATION_TEXTS), len(counts))
            several = np.flatnonzero(np.bincount(numbers)[numbers] > 1)
            _, taken = train_test_split(
                several, test_size=size, random_state=seed, stratify=numbers[several]
            )
            rows = np.zeros(len(numbers), bool)
            rows[taken] = True
            setattr(self, split, self.train.take(rows))
            self.train = self.train.take(~rows)
            taken = np.bincount(numbers[rows], minlength=len(self.labels))
            if absent := [self.labels[i] for i in np.flatnonzero(taken == 0)]:
                logger.warning("no %s texts of classes with few: %s", split, ", ".join(absent))
        return self

    def digest(self) -> str:
        """Changes with the names of the classes, and with the classes of any split's texts.

        Also with the texts of files of your own; those on disk were prepared once for all.
        """
        found = hashlib.sha256("\n".join(self.labels).encode())
        for split in (self.train, self.validation, self.test):
            found.update(np.append(split.numbers, -1).astype("int32").tobytes())
            if not isinstance(split, StreamedSplit):
                for text in split:
                    found.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return found.hexdigest()

    def frame(self, split: str) -> pd.DataFrame:
        """A split in memory, with the columns ``text`` and ``label`` (the name of the class).

        Args:
            split: "train", "validation" or "test".
        """
        part = getattr(self, split)
        labels = np.asarray(self.labels, dtype=object)[part.numbers]
        return pd.DataFrame({"text": list(part), "label": labels})


def class_numbers(frame: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Class numbers of a frame's labels, ``[rows]`` int32.

    Labels are the same if they are, :func:`composed`: an older run's may not be.

    Raises:
        UsageError: for a label that is not among ``labels``, with its file and line.
    """
    numbers = {composed(label): number for number, label in enumerate(labels)}
    new = sorted(set(frame["label"]) - set(numbers))
    if new:
        where = first_place(frame[frame["label"] == new[0]])
        error = unknown(f"label in {where}:", new[0], labels)
        if (same := new[0].removesuffix(".0")) in numbers:
            raise UsageError(
                f"label in {where}: {new[0]!r} is {same!r} as pandas writes it where a label is "
                "missing: write whole numbers"
            )
        if (same := f"{new[0]}.0") in numbers:
            raise UsageError(
                f"label in {where}: {new[0]!r} is {same!r} among the training labels, as pandas "
                f"writes it where one is missing: write {same!r} here, or train on whole numbers"
            )
        raise UsageError(f"{error} No training text has it: add such texts there, or remove it.")
    return frame["label"].map(numbers).to_numpy("int32")
