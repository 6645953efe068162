"""A corpus: labelled texts in splits."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from zoo.answers import ONE
from zoo.datasets.own_files.row_reports import first_place, some_of
from zoo.datasets.own_files.text_files import composed
from zoo.errors import UsageError, unknown

logger = logging.getLogger("zoo")

MOST_VALIDATION_TEXTS = 10_000  # more would only slow each epoch down

if TYPE_CHECKING:
    import tensorflow as tf


class Split:
    """Labelled texts in memory.

    Args:
        texts: ``[n]`` strings.
        targets: ``[n, ..]``, as the kind of answers has them: whole numbers become int32, others
            float32.
        weights: ``[n]`` float32, how much each text counts in training; None where all do alike.

    Example:
        >>> from zoo.datasets import Split
        >>> split = Split(["A fine day.", "A dull film."], [1, 0])
        >>> len(split), split.targets.tolist()
        (2, [1, 0])
    """

    weights: np.ndarray | None = None

    def __init__(
        self,
        texts: Sequence[str],
        targets: Sequence[int] | np.ndarray,
        weights: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.texts = np.asarray(texts, dtype=object)
        targets = np.asarray(targets)
        self.targets = targets.astype("float32" if targets.dtype.kind == "f" else "int32")
        self.weights = None if weights is None else np.asarray(weights, "float32")

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, rows: np.ndarray) -> "Split":
        """The texts where ``rows``, ``[n]`` booleans, is True; the order stays."""
        return self._of(rows)

    def shuffled(self, seed: int) -> "Split":
        """The same in another order: files are often sorted by class."""
        order = np.random.default_rng(seed).permutation(len(self))
        return self._of(order)

    def _of(self, rows):
        weights = None if self.weights is None else self.weights[rows]
        return Split(self.texts[rows], self.targets[rows], weights)

    def dataset(self) -> "tf.data.Dataset":
        """A tf.data.Dataset of a text, its target and its weight, if any, always in one order."""
        import tensorflow as tf

        weights = () if self.weights is None else (self.weights,)
        return tf.data.Dataset.from_tensor_slices((self.texts, self.targets, *weights))

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

    def __init__(
        self, open_dataset: Callable, numbers: np.ndarray, rows: np.ndarray | None = None
    ) -> None:
        self.open_dataset = open_dataset
        self.all_numbers = numbers
        self.rows = np.ones(len(numbers), bool) if rows is None else rows

    @property
    def targets(self) -> np.ndarray:
        return self.all_numbers[self.rows]

    def __len__(self):
        return np.count_nonzero(self.rows)

    def take(self, rows: np.ndarray) -> "StreamedSplit":
        kept = self.rows.copy()
        kept[kept] = rows
        return StreamedSplit(self.open_dataset, self.all_numbers, kept)

    def shuffled(self, seed: int) -> "StreamedSplit":
        return self  # its records were shuffled when they were prepared

    def dataset(self) -> "tf.data.Dataset":
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
        kind: of the answers, of :mod:`zoo.answers`.

    Example:
        >>> from zoo import datasets
        >>> corpus = datasets.load("reviews.csv").split(seed=0)
        >>> corpus.labels, len(corpus.train), len(corpus.validation), len(corpus.test)
        (['bad', 'good'], 48, 6, 6)
    """

    name: str
    labels: list[str]
    train: Split
    validation: Split | None = None
    test: Split | None = None
    unlabelled: Iterable[str] | None = None
    columns: dict[str, str] = field(default_factory=dict)
    clean_up: str | None = None
    kind: Any = ONE

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
        counts = self.kind.counts(self.train.targets, len(self.labels))
        if (counts == 1).sum() > len(counts) / 2:
            logger.warning(
                "%d of %d classes have one training text each: are these the labels, or are they "
                "in another column?",
                *((counts == 1).sum(), len(counts)),
            )
        for split in ("test", "validation"):
            if getattr(self, split) is not None:
                continue
            targets = self.train.targets
            rows = np.zeros(len(targets), bool)
            if split == "validation" and len(rows) * share < least_validation:
                self.validation = self.train.take(rows)
                continue
            rows[self._taken(split, seed, share)] = True
            setattr(self, split, self.train.take(rows))
            self.train = self.train.take(~rows)
            taken = self.kind.counts(targets[rows], len(self.labels))
            if absent := [self.labels[i] for i in np.flatnonzero(taken == 0)]:
                logger.warning(
                    "no %s texts of %s of %s classes, which have few: %s",
                    *(split, f"{len(absent):,}", f"{len(self.labels):,}", some_of(absent)),
                )
        return self

    def _taken(self, split, seed, share):
        """The rows of the training split that become another one."""
        targets, classes = self.train.targets, len(self.labels)
        counts = self.kind.counts(targets, classes)
        if counts.min() == 0:
            lacking = some_of([self.labels[i] for i in np.flatnonzero(counts == 0)])
            raise UsageError(f"no training text has the label {lacking}: add such texts")
        most = MOST_VALIDATION_TEXTS if split == "validation" else None
        try:
            return self.kind.taken(targets, classes, share, most, seed)
        except UsageError as error:
            raise UsageError(
                f"too few rows to take a {split} split out of {len(targets)}: {error}, which is to "
                "be learnt from. Are these the labels, or are they in another column? Or give a "
                f"{split} file of its own"
            ) from None

    def judged(self, split: str) -> Split:
        """A split with the targets by which a model is judged, which may be others to learn from.

        Args:
            split: "train", "validation" or "test".
        """
        part = getattr(self, split)
        targets = part.targets
        hard = self.kind.hard(targets)
        return part if hard is targets else Split(part.texts, hard, part.weights)

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
            **{  # type: ignore[arg-type]  # names of splits
                name: Split(part.texts, numbers[part.targets])
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
            found.update(np.append(split.targets, -1).astype(split.targets.dtype).tobytes())
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
        labels = self.kind.named(part.targets, self.labels)
        return pd.DataFrame({"text": list(part), "label": labels}, dtype=object)


def targets_of(frame: pd.DataFrame, labels: Sequence[str], kind: Any = ONE) -> np.ndarray:
    """The targets of a frame's labels, ``[rows, ..]``, as a kind of answers has them.

    Labels are the same if they are, :func:`composed`: an older run's may not be.

    Raises:
        UsageError: for a label that is not among ``labels``, with its file and line.
    """
    numbers = {composed(label): number for number, label in enumerate(labels)}
    new = sorted(kind.labels_in(frame["label"]) - set(numbers))
    if new:
        where = first_place(frame[kind.holding(frame["label"], new[0])])
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
    return kind.encoded(frame["label"], numbers)
