"""Skim-RNN: Neural Speed Reading via Skim-RNN (ICLR 2018)."""

from typing import Any

import keras
from keras import ops

from zoo.classifier import TextClassifier, word_mask
from zoo.layers import MaskedAveragePooling
from zoo.layers.layer import Layer
from zoo.layers.types import Shape, Tensor
from zoo.options import Classes, Positive, Rate, Size, Weight
from zoo.registry import register_model


def lstm(gates: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
    """An LSTM's h and c, of all its gates before their activations and the last c.

    One is added to the forget gate, as is usual, so that it starts by keeping.
    """
    take, keep, new, show = ops.split(gates, 4, axis=-1)
    memory = ops.sigmoid(keep + 1) * memory + ops.sigmoid(take) * ops.tanh(new)
    return ops.sigmoid(show) * ops.tanh(memory), memory


@keras.saving.register_keras_serializable("zoo")
class SkimCell(Layer):
    """A step of Skim-LSTM (Section 3.1): a word is read, or skimmed.

    ``p = softmax(W [x; h] + b)`` are the probabilities of both. To read is a step of an LSTM of
    width ``units``. To skim is one of width ``small_units``, which sees all of h and changes only
    the first ``small_units`` of h and of c. The likelier of the two is done. In training both are
    mixed by Gumbel-softmax, ``r = softmax((log p + g) / temperature)`` (Section 3.2).

    Inputs are ``[x; g]``, with two columns of Gumbel noise g; outputs are ``[h; log p(skim)]``, and
    so is the first state, as Keras wants on JAX.
    """

    def __init__(self, units: int, small_units: int, temperature: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.small_units = small_units
        self.temperature = temperature
        self.state_size = [units + 1, units]
        self.policy = keras.layers.Dense(2, dtype="float32")  # rounding must not decide
        self.read = keras.layers.Dense(4 * units, dtype=self.dtype_policy)
        self.skim = keras.layers.Dense(4 * small_units, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        for layer in (self.policy, self.read, self.skim):
            layer.build((None, input_shape[-1] - 2 + self.units))

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        state, memory = states[0][:, :-1], states[1]
        noise = ops.cast(inputs[:, -2:], "float32")
        seen = ops.concatenate([inputs[:, :-2], state], axis=-1)
        log_p = ops.log_softmax(self.policy(seen))
        if training:
            shares = ops.softmax((log_p + noise) / self.temperature)
        else:
            read = ops.cast(ops.greater_equal(log_p[:, :1], log_p[:, 1:]), "float32")
            shares = ops.concatenate([read, 1 - read], axis=-1)
        read, skim = ops.split(ops.cast(shares, state.dtype), 2, axis=-1)
        full = lstm(self.read(seen), memory)
        small = lstm(self.skim(seen), memory[:, : self.small_units])
        state, memory = (
            read * after + skim * ops.concatenate([first, before[:, self.small_units :]], axis=-1)
            for before, after, first in zip((state, memory), full, small, strict=True)
        )
        output = ops.concatenate([state, ops.cast(log_p[:, 1:], state.dtype)], axis=-1)
        return output, [output, memory]


@register_model("skim_lstm")
@keras.saving.register_keras_serializable("zoo")
class SkimLSTM(TextClassifier):
    """Skim-LSTM (Seo et al. 2018).

    An LSTM that learns which words to read, and which to skim with a smaller one (Section 3); its
    last state is classified. Both are computed at each word, so that this saves no time: it shows
    what the paper's model answers, not how fast it is.

    Args:
        units: d, width of the LSTM.
        small_units: d', width of the smaller one.
        gamma: weight of the mean of -log p(skim), which the loss has in training (Section 3.2).
        temperature: of Gumbel-softmax. The paper lowers it as max(0.5, exp(-rn)) with the steps n;
            here it is fixed.
        dropout: rate on word vectors and on the last state.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("skim_lstm", num_classes=3, units=16, small_units=4)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    presets = {"seo2018": {"embedding_dim": 100, "units": 100, "small_units": 5, "gamma": 0.01}}

    def __init__(
        self,
        num_classes: Classes,
        *,
        units: Size = 100,
        small_units: Size = 5,
        gamma: Weight = 0.01,
        temperature: Positive = 0.5,
        dropout: Rate = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        if not 0 < small_units <= units:
            raise ValueError(f"small_units must be 1 to {units} (units): got {small_units}")
        self.units = units
        self.small_units = small_units
        self.gamma = gamma
        self.temperature = temperature
        self.dropout = dropout
        self.drop = keras.layers.Dropout(dropout)
        cell = SkimCell(units, small_units, temperature)
        self.encoder = keras.layers.RNN(cell, return_sequences=True)
        self.mean = MaskedAveragePooling(dtype="float32")
        self.seed = keras.random.SeedGenerator()

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        mask = word_mask(ids)
        words = self.drop(self.embed(ids), training=training)
        noise = ops.zeros((*ops.shape(ids), 2), words.dtype)
        if training:  # drawn here, as a loop had better not draw; in float32, whatever the words'
            uniform = keras.random.uniform(
                (*ops.shape(ids), 2), 1e-7, 1 - 1e-7, "float32", self.seed
            )
            noise = ops.cast(-ops.log(-ops.log(uniform)), words.dtype)
        inputs = ops.concatenate([words, noise], axis=-1)
        outputs = self.encoder(inputs, mask=mask, training=training)
        if training:  # the mean over each text's words
            self.add_loss(-self.gamma * ops.mean(self.mean(outputs[:, :, -1:], mask=mask)))
        state = outputs[:, -1, :-1]  # padding repeats that of the last word
        return self.classify(self.drop(state, training=training))
