"""Conv-GRNN and LSTM-GRNN: Document Modeling with Gated Recurrent Neural Network (EMNLP 2015)."""

from typing import Any, Literal

import keras
from keras import ops

from zoo.layers import MaskedAveragePooling, SentenceEncoder
from zoo.layers.bidirectional import Bidirectional
from zoo.layers.layer import Layer, UnmaskedLayer
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.recurrent import LSTM
from zoo.layers.types import Shape, Tensor
from zoo.models._hierarchical import HierarchicalClassifier
from zoo.options import Classes, Size
from zoo.registry import register_model


@keras.saving.register_keras_serializable("zoo")
class GatedCell(Layer):
    """A step of the gated recurrent network (Section 2.2): an LSTM with an always open output gate.

    ``i, f = sigmoid(W [h; s] + b)``, ``g = tanh(W [h; s] + b)``, ``h = tanh(i g + f h)``.

    Args:
        units: width of h.
    """

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = self.state_size = units
        self.gates = keras.layers.Dense(3 * units, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        self.gates.build((None, input_shape[-1] + self.units))

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        (state,) = states
        gates = self.gates(ops.concatenate([state, inputs], axis=-1))
        take, keep, new = ops.split(gates, 3, axis=-1)
        state = ops.tanh(ops.sigmoid(take) * ops.tanh(new) + ops.sigmoid(keep) * state)
        return state, [state]


class Level(UnmaskedLayer):
    """The base of both levels, which have no attention."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units

    def summarize(self, inputs: Tensor, mask: Tensor | None, training: bool | None) -> Tensor:
        """A vector for each sequence, ``[batch, units]``."""
        raise NotImplementedError

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Any]:
        vector = self.summarize(inputs, mask, training)
        return (vector, (None, None)) if return_attention_scores else vector


@keras.saving.register_keras_serializable("zoo")
class ConvolutionalSentence(Level):
    """A sentence's vector by convolution (Section 2.1, Figure 2).

    The output of filters over one, two and three words is averaged over the sentence and goes
    through tanh; the vector is the mean of the three. An n-gram starts at every word, with zeros
    beyond the last word.
    """

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        self.convolutions = [keras.layers.Dense(units, dtype=self.dtype_policy) for _ in range(3)]
        self.mean = MaskedAveragePooling()

    def build(self, input_shape: Shape) -> None:
        for size, convolution in enumerate(self.convolutions, start=1):
            convolution.build((*input_shape[:-1], size * input_shape[-1]))

    def summarize(self, inputs: Tensor, mask: Tensor | None, training: bool | None) -> Tensor:
        inputs = zero_masked(inputs, mask)
        vectors = [
            ops.tanh(self.mean(convolution(ngrams(inputs, size)), mask=mask))
            for size, convolution in enumerate(self.convolutions, start=1)
        ]
        return sum(vectors) / len(vectors)


@keras.saving.register_keras_serializable("zoo")
class RecurrentSentence(Level):
    """A sentence's vector by an LSTM: its last state (Section 2.1)."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        self.encoder = LSTM(units, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        self.encoder.build(input_shape)

    def summarize(self, inputs: Tensor, mask: Tensor | None, training: bool | None) -> Tensor:
        return self.encoder(inputs, mask=mask, training=training)


@keras.saving.register_keras_serializable("zoo")
class GatedDocument(Level):
    """A document's vector: the mean of the states of a gated recurrent network (Section 2.2).

    Args:
        units: width of a state.
        bidirectional: whether a second network reads the sentences backward; its states are
            concatenated to those of the first.
    """

    def __init__(self, units: int, bidirectional: bool = False, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        self.bidirectional = bidirectional
        cell = GatedCell(units, dtype=self.dtype_policy)
        encoder = keras.layers.RNN(cell, return_sequences=True, dtype=self.dtype_policy)
        self.encoder = Bidirectional(encoder) if bidirectional else encoder
        self.mean = MaskedAveragePooling()

    def build(self, input_shape: Shape) -> None:
        self.encoder.build(input_shape)

    def summarize(self, inputs: Tensor, mask: Tensor | None, training: bool | None) -> Tensor:
        return self.mean(self.encoder(inputs, mask=mask, training=training), mask=mask)


SENTENCES = {"convolution": ConvolutionalSentence, "lstm": RecurrentSentence}


@register_model("conv_grnn")
@register_model("lstm_grnn", sentence="lstm")
@keras.saving.register_keras_serializable("zoo")
class GRNN(HierarchicalClassifier):
    """Gated recurrent network over sentence vectors (Tang et al. 2015).

    HAN's strongest rivals: Conv-GRNN and LSTM-GRNN of its Table 2.

    Args:
        sentence: how a sentence becomes a vector: "convolution" or "lstm".
        units: width of sentence vectors and of the states of the document's network; the paper
            does not give it.
        bidirectional: whether the document's network reads the sentences in both directions, as
            in Yang et al. 2016 (Section 4), or only forward, as in Tang et al. (Section 2.2).
        output_dropout: rate on the document vector; the paper has none.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("conv_grnn", num_classes=3, units=16)
        >>> tuple(model(np.array([[[4, 5, 0], [6, 0, 0]]])).shape)  # two sentences, and padding
        (1, 3)
    """

    learning_rate = 2e-3
    sentence_groups = 4  # as in HAN

    preset_weights = {"tang2015": "word2vec"}  # Section 3.1
    presets = {
        "tang2015": {
            "embedding_dim": 200,  # Section 3.1
            "output_dropout": 0.0,  # the paper has none
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 100,
        sentence: Literal["convolution", "lstm"] = "convolution",
        units: Size = 50,
        bidirectional: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, embedding_dim=embedding_dim, **kwargs)
        self.sentence = sentence
        self.units = units
        self.words = SentenceEncoder(SENTENCES[sentence](units))
        self.bidirectional = bidirectional
        self.sentences = GatedDocument(units, bidirectional)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Models that were saved before ``bidirectional`` read forward alone."""
        return super().from_config({"bidirectional": False} | config, custom_objects)
