"""Character-level Convolutional Networks for Text Classification (NIPS 2015)."""

from functools import partial
from typing import Any

import keras
from keras import ops

from zoo.classifier import TextClassifier, word_mask
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import Tensor
from zoo.options import Classes, Positive, Rate, Size
from zoo.registry import register_model

WINDOWS = (7, 7, 3, 3, 3, 3)  # Table 1
POOLED = (0, 1, 5)  # convolutions after which the maximum of three neighbours stays: Table 1
SHORTEST = 205  # characters, of which four are left


@register_model("char_cnn")
@keras.saving.register_keras_serializable("zoo")
class CharCNN(TextClassifier):
    """CNN-char (Zhang et al. 2015): six convolutions over characters, three dense layers.

    Texts are as long as the longest, whatever the batch, and read forward; in the paper backward
    (Section 2.2). Characters have vectors instead of one place each among 70; the first convolution
    reads them as well. Kernels start as He et al. 2015
    have them for ReLU.

    Args:
        filters: of each convolution (Table 1).
        hidden_dim: width of the dense layers (Table 2).
        dropout: rate on these (Section 2.3).
        max_words: characters of a text (Section 2.2).

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("char_cnn", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 6, 0]])).shape)  # three characters, and padding
        (1, 3)
    """

    # Found on a development split of AG News: at 0.001 it learns less.
    learning_rate = 3e-4
    single_words = False
    clean_up = "characters"
    presets = {
        "zhang2015": {  # the small one
            "embedding_dim": 70,  # Section 2.2
            "filters": 256,  # Table 1
            "hidden_dim": 1024,  # Table 2
            "dropout": 0.5,  # Section 2.3
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 16,
        embedding_range: Positive = 1.0,
        filters: Size = 64,
        hidden_dim: Size = 256,
        dropout: Rate = 0.5,
        max_words: Size = 1014,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_classes,
            embedding_dim=embedding_dim,
            embedding_range=embedding_range,
            max_words=max_words,
            **kwargs,
        )
        self.filters = filters
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        dense = partial(keras.layers.Dense, activation="relu", kernel_initializer="he_normal")
        self.convolutions = [dense(filters) for _ in WINDOWS]
        self.pool = keras.layers.MaxPooling1D(3)
        self.hidden = [dense(hidden_dim) for _ in range(2)]
        self.drop = keras.layers.Dropout(dropout)

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        features = zero_masked(self.embed(ids), word_mask(ids))
        length = max(self.max_words, SHORTEST)
        features = ops.pad(features, [[0, 0], [0, length], [0, 0]])[:, :length]
        for number, (size, convolution) in enumerate(zip(WINDOWS, self.convolutions, strict=True)):
            length -= size - 1
            features = convolution(ngrams(features, size)[:, :length])
            if number in POOLED:
                length //= 3
                features = self.pool(features)
        features = ops.reshape(features, (-1, length * self.filters))
        for hidden in self.hidden:
            features = self.drop(hidden(features), training=training)
        return self.classify(features)
