"""A corpus: labelled texts in splits."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from zoo.datasets.own_files.row_reports import first_place, some_of
from zoo.datasets.own_files.text_files import composed
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
        train, validation, test: ``validation`` or ``test`` is None until :meth:`split` makes it; a
            validation split may be empty.
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

    def split(self, seed: int = 0, share: float = 0.1, least_validation: float = 0) -> "Corpus":
        """Takes missing splits out of the training split, ``share`` each: stratified and seeded.

        A given test split is never touched. A validation split taken has at most 10,000 texts. Each
        class keeps a training text, so that the only text of a class stays in training; and where
        there are more classes than places, a split has texts of as many as fit, the more the
        larger a class is. A warning names classes that what was taken has no text of.

        Args:
            seed: of what is taken.
            share: of the training split.
            least_validation: texts; a validation split that would have fewer is left empty.

        Raises:
            UsageError: if a class has no training text, or no class has a text to spare.
        """
        counts = np.bincount(self.train.numbers, minlength=len(self.labels))
        if (counts == 1).sum() > len(counts) / 2:
            logger.warning(
                "%d of %d classes have one training text each: are these the labels, or are they "
                "in another column?",
                *((counts == 1).sum(), len(counts)),
            )
        for split in ("test", "validation"):
            if getattr(self, split) is not None:
                continue
            numbers = self.train.numbers
            rows = np.zeros(len(numbers), bool)
            if split == "validation" and len(rows) * share < least_validation:
                self.validation = self.train.take(rows)
                continue
            rows[self._taken(split, seed, share)] = True
            setattr(self, split, self.train.take(rows))
            self.train = self.train.take(~rows)
            taken = np.bincount(numbers[rows], minlength=len(self.labels))
            if absent := [self.labels[i] for i in np.flatnonzero(taken == 0)]:
                logger.warning(
                    "no %s texts of %s of %s classes, which have few: %s",
                    *(split, f"{len(absent):,}", f"{len(self.labels):,}", some_of(absent)),
                )
        return self

    def _taken(self, split, seed, share):
        """The rows of the training split that become another one."""
        from sklearn.model_selection import train_test_split

        numbers, classes = self.train.numbers, len(self.labels)
        counts = np.bincount(numbers, minlength=classes)
        if counts.min() == 0:
            lacking = some_of([self.labels[i] for i in np.flatnonzero(counts == 0)])
            raise UsageError(f"no training text has the label {lacking}: add such texts")
        several = np.flatnonzero(counts[numbers] > 1)
        if not len(several):
            raise UsageError(
                f"too few rows to take a {split} split out of {len(numbers)}: each of the "
                f"{classes} classes has one, which is to be learnt from. Are these the labels, or "
                f"are they in another column? Or give a {split} file of its own"
            )
        enough = len(numbers) * share >= classes
        size = int(np.ceil((len(numbers) if enough else len(several)) * share))
        if split == "validation":
            size = max(min(size, MOST_VALIDATION_TEXTS), classes if enough else 1)
        if size >= np.count_nonzero(counts > 1):
            _, taken = train_test_split(
                several, test_size=size, random_state=seed, stratify=numbers[several]
            )
            return taken
        # scikit-learn takes a text of each class or does not stratify. In the order of the classes,
        # texts at equal distances are of as many classes as fit, each by its share. No two of them
        # are neighbours, so that none takes all of a class.
        random = np.random.default_rng(seed)
        mixed = random.permutation(several)
        mixed = mixed[np.argsort(random.permutation(classes)[numbers[mixed]], kind="stable")]
        size = min(size, len(mixed) // 2)
        places = (np.arange(size) + random.random()) * len(mixed) / size
        return mixed[places.astype(int)]

    def in_order(self, labels: Sequence[str]) -> "Corpus":
        """The same, in memory, with its classes in another order; class numbers follow.

        Args:
            labels: names of the same classes.
        """
        place = {label: number for number, label in enumerate(labels)}
        numbers = np.array([place[label] for label in self.labels])
        splits = {name: getattr(self, name) for name in ("train", "validation", "test")}
        return replace(
            self,
            labels=list(labels),
            **{
                name: Split(part.texts, numbers[part.numbers])
                for name, part in splits.items()
                if part is not None
            },
        )

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
