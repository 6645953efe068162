"""Word ids to probabilities, for export formats that take no strings."""

import keras
import tensorflow as tf
from keras import ops

from zoo.explanation.attention import word_weights


class Scores(keras.Model):
    """Word ids to ``probabilities`` and, if the model has attention, ``weights``.

    Args:
        model: a classifier that returns probabilities.
        weights: False leaves out ``weights``.
    """

    def __init__(self, model, weights: bool = True):
        super().__init__()
        self.model, self.weighs = model, weights
        self(ops.ones((1, 1, 1) if model.hierarchical else (1, 1), "int32"))  # builds it

    def call(self, ids):
        answer = {"probabilities": self.model(ids, training=False)}
        weights = word_weights(self.model, ids) if self.weighs else None
        return answer if weights is None else answer | {"weights": weights}

    def signature(self, fixed: bool = False) -> list[tf.TensorSpec]:
        """The input signature: any number of texts of any length, or one text of a fixed shape."""
        limits = [self.model.max_sentences, self.model.max_words][not self.model.hierarchical :]
        shape = [1, *limits] if fixed else [None] * (1 + len(limits))
        return [tf.TensorSpec(shape, "int32", name="ids")]
