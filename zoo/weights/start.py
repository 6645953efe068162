"""What a model starts with, before it sees a text of yours."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.datasets import Preprocessor

logger = logging.getLogger("zoo")


class Start:
    """Random numbers, and no words but those of the training texts. A subclass knows something.

    Args:
        weights: where it is from, as the setting of this name tells it.
        model: with the user's options; not built.
        options: those that are told: by the user, or by the name of the model.

    Attributes:
        options: the same, with those that go with the weights.
        reads: how texts become words, where the weights decide that: ``clean_up`` and ``version``
            of the preprocessor.
        labels: names of the classes, where the weights have them; or None.
        most: how many words the model knows, unless told otherwise.
    """

    def __init__(self, weights: str | Path, model: "TextClassifier", options: dict[str, Any]):
        self.weights = weights
        self.options = options
        self.reads: dict[str, Any] = {}
        self.labels: list[str] | None = None
        self.most = model.max_vocabulary

    def words(self, preprocessor: "Preprocessor | None", room: int) -> list[str]:
        """Words that it knows, mostly the most frequent first; its options are complete then.

        Args:
            preprocessor: of the training texts; None where there are none.
            room: for how many words that these texts do not have.
        """
        return []

    def fill(self, model: "TextClassifier") -> None:
        """Gives weights to a built model, whose preprocessor and labels are set."""
        if not model.train_embeddings:
            told = "%s: word vectors stay as random as they are; set weights (--weights)"
            logger.warning(told, model.name)
