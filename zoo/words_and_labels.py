"""What a model needs to read texts and to name classes, and how it is kept with the model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.backend.keras_private import Model
from zoo.errors import UsageError

if TYPE_CHECKING:
    from zoo.datasets import Preprocessor

ASSET = "texts.json"  # in a .keras file's assets


class ModelOfTexts(Model):
    """A model with a preprocessor, labels and thresholds, which its files and its copies keep.

    A subclass has ``num_classes``, and ``accept(preprocessor)`` raises for one that it cannot read.
    """

    @property
    def preprocessor(self) -> "Preprocessor | None":
        """A :class:`zoo.datasets.Preprocessor`, or None.

        Raises:
            ValueError: when it is set, for one whose ids the model cannot read.
        """
        return self._preprocessor

    @preprocessor.setter
    def preprocessor(self, preprocessor: "Preprocessor | None") -> None:
        if preprocessor is not None:
            self.accept(preprocessor)
        self._preprocessor = preprocessor

    @property
    def labels(self) -> list[str] | None:
        """Names of the classes, or None; numbers that are set become names.

        Raises:
            ValueError: when they are set, for another number of them than of classes.
        """
        return self._labels

    @labels.setter
    def labels(self, labels: Sequence[Any] | None) -> None:
        self._labels = self._of_each_class("labels must be the names", labels, str)

    @property
    def thresholds(self) -> list[float] | None:
        """The probability from which on a text has a label, for each class; None for 0.5 of all.

        Raises:
            ValueError: when they are set, for another number of them than of classes.
        """
        return self._thresholds

    @thresholds.setter
    def thresholds(self, thresholds: Sequence[float] | None) -> None:
        self._thresholds = self._of_each_class("thresholds must be numbers", thresholds, float)

    def _of_each_class(self, what, values, kind):
        """A list with a value of a kind for each class, or None."""
        if values is None:
            return None
        if isinstance(values, str) or len(found := list(map(kind, values))) != self.num_classes:
            raise ValueError(f"{what} of the {self.num_classes} classes: got {values!r}")
        return found

    def save(self, filepath: str | Path, *args: Any, **kwargs: Any) -> None:
        """Keras' save: a ``.keras`` file, which keeps the preprocessor and the labels.

        Raises:
            UsageError: for ``.h5``, which has no room for them.
        """
        if str(filepath).endswith((".h5", ".hdf5")):
            raise UsageError(
                f"{filepath}: HDF5 has no room for the words and the labels of a model: save it as "
                ".keras, by zoo.save as a run folder, or its weights alone as .weights.h5"
            )
        super().save(filepath, *args, **kwargs)

    def save_assets(self, folder: str | Path) -> None:
        """Keras calls it when it saves a model: writes preprocessor and labels."""
        own = self.preprocessor
        if (own, self.labels, self.thresholds) == (None, None, None):
            return
        texts = {
            "preprocessor": own and own.get_config(),
            "vocabulary": own and own.vocabulary,
            "labels": self.labels,
        } | ({} if self.thresholds is None else {"thresholds": self.thresholds})
        Path(folder, ASSET).write_text(json.dumps(texts), "utf-8")

    def load_assets(self, folder: str | Path | None) -> None:
        """Keras calls it when it loads a model: reads what :meth:`save_assets` wrote."""
        path = Path(folder or "", ASSET)
        if folder is None or not path.exists():
            return
        from zoo.datasets import Preprocessor

        texts = json.loads(path.read_text("utf-8"))
        if texts["preprocessor"] is not None:
            self.preprocessor = Preprocessor(texts["vocabulary"], **texts["preprocessor"])
        self.labels, self.thresholds = texts["labels"], texts.get("thresholds")

    def know_what(self, other: "ModelOfTexts") -> None:
        """Takes over the very preprocessor, the labels and the thresholds of another model."""
        self.preprocessor, self.labels = other.preprocessor, other.labels
        self.thresholds = other.thresholds

    def __reduce__(self):
        """Copies and pickles keep the very preprocessor, the labels and the thresholds."""
        rebuild, arguments = super().__reduce__()
        known = self.preprocessor, self.labels and list(self.labels), self.thresholds
        return _rebuilt, (rebuild, arguments, *known)


def _rebuilt(rebuild, arguments, preprocessor, labels, thresholds=None):
    model = rebuild(*arguments)
    model.preprocessor, model.labels, model.thresholds = preprocessor, labels, thresholds
    return model
