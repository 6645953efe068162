"""LEAM: Joint Embedding of Words and Labels for Text Classification (ACL 2018)."""

from typing import Any

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers.masking import weighted_sum, zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import Tensor
from zoo.options import Classes, Distance, Rate, Size, Weight
from zoo.registry import register_model


def unit(vectors: Tensor) -> Tensor:
    """Vectors of length 1, or 0 where they were."""
    exact = ops.cast(vectors, "float32")
    square = ops.sum(ops.square(exact), axis=-1, keepdims=True)
    return ops.cast(exact / ops.sqrt(ops.where(ops.equal(square, 0), 1, square)), vectors.dtype)


@register_model("leam")
@keras.saving.register_keras_serializable("zoo")
class LEAM(TextClassifier):
    """Label-Embedding Attentive Model (Wang et al. 2018).

    A word weighs as much as its neighbourhood is like the vector of any class; the weighted sum of
    word vectors is classified (Section 4). As in the authors' code, a class sees the likeness of
    the neighbourhood to the others, too. There the document's vector is dropped from, not the
    words', and the vectors of classes start as those of the words of their names; here at random.

    Args:
        radius: r, the words on each side that a neighbourhood has (Section 4.1); the authors' code
            has 27 for long texts, a window of 55.
        hidden_dim: width of the layer before the softmax; 300 in the authors' code.
        dropout: rate on word vectors and on that layer.
        class_penalty: weight of a second loss in training, that the vector of each class be
            classified as that class (Equation 9); 1 in the authors' code.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("leam", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    presets = {"wang2018": {"embedding_dim": 300, "hidden_dim": 300}}  # Section 5: GloVe

    def __init__(
        self,
        num_classes: Classes,
        *,
        radius: Distance = 5,
        hidden_dim: Size = 100,
        dropout: Rate = 0.5,
        class_penalty: Weight = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        self.radius = radius
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.class_penalty = class_penalty
        self.drop = keras.layers.Dropout(dropout)
        self.class_vectors = self.add_weight(
            name="class_vectors", shape=(num_classes, self.embedding_dim)
        )
        self.likeness = keras.layers.Dense(num_classes, activation="relu")
        self.hidden = keras.layers.Dense(hidden_dim, activation="relu")

    def head(self, vectors: Tensor, training: bool | None) -> Tensor:
        """Probabilities of documents or of classes, ``[number, classes]`` float32."""
        return self.classify(self.drop(self.hidden(vectors), training=training))

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        mask = word_mask(ids)
        words = zero_masked(self.drop(self.embed(ids), training=training), mask)
        # Equation 2: cosines of words and classes, 0 for padding
        classes = ops.cast(self.class_vectors, words.dtype)
        cosines = ops.matmul(unit(words), ops.transpose(unit(classes)))
        # Equations 3-5: of the neighbourhood, then of the likest class
        around = ngrams(cosines, 2 * self.radius + 1, self.radius)
        scores = ops.max(self.likeness(around), axis=-1, keepdims=True)
        # Equation 6
        document, weights = weighted_sum(words, scores, mask)
        if training and self.class_penalty:
            of_classes = self.head(ops.cast(self.class_vectors, words.dtype), training)
            loss = self.kind.loss(self.logits)
            targets = self.kind.of_each_class(self.num_classes)
            self.add_loss(self.class_penalty * loss(targets, of_classes))
        probabilities = self.head(document, training)
        if return_attention_scores:
            return probabilities, Attention(words=ops.expand_dims(weights, (1, 2)))
        return probabilities
