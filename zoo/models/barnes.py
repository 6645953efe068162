"""The neural baselines of Barnes et al. 2017, as the SSAN paper ran them.

Ambartsoumian and Popowich 2018, Sections 4.3 and 5.1, Table 3.
"""

from typing import Any, Literal

import keras
from keras import ops

from zoo.classifier import TextClassifier, word_mask
from zoo.layers import MaskedAveragePooling, recurrent
from zoo.layers.bidirectional import Bidirectional
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import Tensor
from zoo.options import Classes, Rate, Size, Sizes
from zoo.recipes import Recipe
from zoo.registry import register_model

RECIPE = Recipe(  # Section 4.3
    keep="best",
    optimizer="Adam",
    settings={},
    schedule="constant",
    batch_size=32,
    epochs=20,  # tuned for each corpus; the paper does not give it
    patience=1 / 4,  # the best epoch is kept; training ends after five without improvement
    class_weights=False,
)


@register_model("lstm")
@register_model("bilstm", bidirectional=True)
@register_model("d_lstm", pooling="mean")
@keras.saving.register_keras_serializable("zoo")
class LSTM(TextClassifier):
    """LSTM or bidirectional LSTM (Barnes et al. 2017).

    The last state of an LSTM over the words, or of one in each direction, goes to the softmax; or
    the mean of its states, which is the LSTM of Zhang et al. 2015 and the discriminative one of
    Yogatama et al. 2017.

    Args:
        units: width of the LSTM, in each direction.
        bidirectional: whether a second LSTM reads the words backward.
        pooling: "last" for the last state, or "mean" for the mean of the states.
        hidden_dim: width of a layer with ReLU before the softmax; Section 4.3 mentions a layer of
            width 50, which the parameter counts of Table 3 do not include. None leaves it out.
        dropout: rate on the word vectors.
        state_dropout: rate on the state; the code of Barnes et al. has dropout there, too.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("bilstm", num_classes=3, units=16)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    presets = {
        "ambartsoumian2018": {
            "embedding_dim": 300,  # Section 5.1
            "units": 300,  # Section 5.1
            "hidden_dim": None,  # Table 3's counts
        },
        "zhang2015": {  # the LSTM of Zhang et al., whose numbers the ACT paper cites
            "embedding_dim": 300,
            "units": 512,
            "pooling": "mean",
        },
    }

    recipes = {"ambartsoumian2018": RECIPE}

    def __init__(
        self,
        num_classes: Classes,
        *,
        units: Size = 100,
        bidirectional: bool = False,
        pooling: Literal["last", "mean"] = "last",
        hidden_dim: Size | None = None,
        dropout: Rate = 0.5,
        state_dropout: Rate = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        self.units = units
        self.bidirectional = bidirectional
        self.pooling = pooling
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.state_dropout = state_dropout
        self.drop = keras.layers.Dropout(dropout)
        self.drop_state = keras.layers.Dropout(state_dropout)
        encoder = recurrent.LSTM(units, return_sequences=pooling == "mean")
        self.encoder = Bidirectional(encoder) if bidirectional else encoder
        self.mean = MaskedAveragePooling() if pooling == "mean" else None
        self.hidden = keras.layers.Dense(hidden_dim, activation="relu") if hidden_dim else None

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        words = self.drop(self.embed(ids), training=training)
        state = self.encoder(words, mask=word_mask(ids), training=training)
        if self.mean is not None:
            state = self.mean(state, mask=word_mask(ids))
        state = self.drop_state(state, training=training)
        return self.classify(state if self.hidden is None else self.hidden(state))


@register_model("cnn_barnes")
@keras.saving.register_keras_serializable("zoo")
class BarnesCNN(TextClassifier):
    """The CNN of Barnes et al. 2017.

    Convolutions of several widths, each pooled over pairs of neighbours; what is left of a text
    of fixed length goes to a layer with ReLU and to the softmax (Section 4.3 of the SSAN paper).

    Args:
        filters: feature maps of each width.
        windows: words in the windows of the convolutions.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on word vectors and at one more place.
        drop_after: that place: after the "convolutions", or after the "hidden" layer, as in the
            code of Barnes et al.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("cnn_barnes", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    presets = {
        # Table 3's 83,714 parameters fit 3 filters on texts of 57 words, the longest of SST-fine
        # (Table 1), followed by a hidden layer of width 300 (Section 5.1).
        "ambartsoumian2018": {
            "embedding_dim": 300,  # Section 5.1
            "filters": 3,  # Table 3's count
            "windows": (2, 3, 4),  # Section 4.3
            "hidden_dim": 300,  # Section 5.1
            "max_words": 57,  # Table 1
        },
    }

    recipes = {"ambartsoumian2018": RECIPE}

    def __init__(
        self,
        num_classes: Classes,
        *,
        filters: Size = 20,
        windows: Sizes = (2, 3, 4),
        hidden_dim: Size = 100,
        dropout: Rate = 0.5,
        drop_after: Literal["convolutions", "hidden"] = "convolutions",
        max_words: Size = 200,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, max_words=max_words, **kwargs)
        if max_words <= max(windows):
            raise ValueError(
                f"max_words must be above the widest window: got {max_words}, windows {windows}"
            )
        self.filters = filters
        self.windows = tuple(windows)
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.drop_after = drop_after
        self.drop = keras.layers.Dropout(dropout)
        self.convolutions = [keras.layers.Dense(filters, activation="relu") for _ in windows]
        self.pool = keras.layers.MaxPooling1D(2)
        self.hidden = keras.layers.Dense(hidden_dim, activation="relu")

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        words = self.drop(zero_masked(self.embed(ids), word_mask(ids)), training=training)
        # Every batch is padded or cut to max_words, as the Dense layer needs a fixed length.
        words = ops.pad(words, [[0, 0], [0, self.max_words], [0, 0]])[:, : self.max_words]
        features = []
        for size, convolution in zip(self.windows, self.convolutions, strict=True):
            inside = ngrams(words, size)[:, : self.max_words - size + 1]
            features.append(self.pool(convolution(inside)))
        features = ops.concatenate(features, axis=1)
        length = sum((self.max_words - size + 1) // 2 for size in self.windows)
        features = ops.reshape(features, (-1, length * self.filters))
        if self.drop_after == "convolutions":
            return self.classify(self.hidden(self.drop(features, training=training)))
        return self.classify(self.drop(self.hidden(features), training=training))
