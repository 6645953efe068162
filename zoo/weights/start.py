"""What a model starts with, before it sees the user's texts."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.datasets import Preprocessor

logger = logging.getLogger("zoo")


class Start:
    """A random start, with no words but those of the training texts. Subclasses know more.

    Args:
        weights: the setting ``weights``.
        model: a model with the user's options; it is not built.
        options: the options that the user or the name of the model sets.

    Attributes:
        options: these options, with those that the weights need.
        reads: how texts become words, if the weights decide that: ``clean_up`` and ``version`` of
            the preprocessor.
        labels: the names of the classes, if the weights have them, or None.
        most: the default for the number of words in the vocabulary.
    """

    def __init__(self, weights: str | Path, model: "TextClassifier", options: dict[str, Any]):
        self.weights = weights
        self.options = options
        self.reads: dict[str, Any] = {}
        self.labels: list[str] | None = None
        self.most = model.max_vocabulary

    def words(self, preprocessor: "Preprocessor | None", room: int) -> list[str]:
        """The words that the weights know, mostly the most frequent first; completes ``options``.

        Args:
            preprocessor: the preprocessor of the training texts; None if there are no texts.
            room: how many words may be added to those of the texts.
        """
        return []

    def fill(self, model: "TextClassifier") -> None:
        """Gives weights to a built model, whose preprocessor and labels are set."""
        if not model.train_embeddings:
            told = "%s: word vectors stay as random as they are; set weights (--weights)"
            logger.warning(told, model.name)
