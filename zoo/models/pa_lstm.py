"""PA-LSTM: Position-aware Attention and Supervised Data Improve Slot Filling (EMNLP 2017)."""

from typing import Any

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import EntityPositions, PositionAwareAttention
from zoo.layers.checks import half_of
from zoo.layers.recurrent import LSTM
from zoo.layers.types import Tensor
from zoo.options import Classes, Distance, Positive, Rate, Size
from zoo.registry import register_model


@register_model("pa_lstm")
@keras.saving.register_keras_serializable("zoo")
class PALSTM(TextClassifier):
    """LSTM with position-aware attention, for relations of entities (Zhang et al. 2017).

    An LSTM of several layers reads the words; attention sums its states up by the last one and by
    where the entities are (Section 2). Tags of parts of speech and of named entities, which the
    paper's words also have, need a parser and are left out; so is that training in the authors'
    code takes 4 % of the words for unknown. Each entity has position vectors of its own; in the
    paper they share them. There these start larger, from U(-1, 1), and the attention at 0.

    Args:
        entities: whether ids tell which words are in the entities; see
            :class:`zoo.datasets.Preprocessor`. Without, attention has no positions.
        num_layers: layers of the LSTM.
        units: width of its states.
        attention_dim: width of the attention.
        position_dim: width of the position embeddings, half of it for each entity; None for none.
        max_distance: words beyond which a position is as far.
        dropout: rate on the word vectors and on the states of each layer.
        embedding_range: of new word vectors, about GloVe's: the summary of small states would not
            reach the attention.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("pa_lstm", num_classes=3, units=16)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    needs = {"max_distance": ("entities", "position_dim")}
    presets = {
        "zhang2017": {
            "embedding_dim": 300,  # Appendix: GloVe
            "num_layers": 2,  # Appendix
            "units": 200,  # Appendix
            "attention_dim": 200,  # Appendix
            "position_dim": 60,  # Appendix: 30 for each entity
            "dropout": 0.5,  # Appendix
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        entities: bool = False,
        num_layers: Size = 1,
        units: Size = 100,
        attention_dim: Size = 100,
        position_dim: Size | None = 60,
        max_distance: Distance = 50,
        dropout: Rate = 0.5,
        embedding_range: Positive = 0.5,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, embedding_range=embedding_range, **kwargs)
        self.entities = entities
        self.num_layers = num_layers
        self.units = units
        self.attention_dim = attention_dim
        self.position_dim = position_dim
        self.max_distance = max_distance
        self.dropout = dropout
        self.drop = keras.layers.Dropout(dropout)
        self.encoders = [LSTM(units, return_sequences=True) for _ in range(num_layers)]
        self.positions = None
        if position_dim and entities:
            self.positions = EntityPositions(max_distance, half_of(position_dim))
        self.attention = PositionAwareAttention(attention_dim)

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        mask = word_mask(ids)
        ids, roles = self.read(ids)
        states = self.drop(self.embed(ids), training=training)
        for encoder in self.encoders:
            states = self.drop(encoder(states, mask=mask, training=training), training=training)
        length = ops.shape(mask)[1]
        places = ops.max(ops.where(mask, ops.arange(length), -1), axis=1)  # of the last words
        places = ops.one_hot(places, length, dtype=states.dtype)
        last = ops.einsum("bl,bld->bd", places, states)
        positions = None if self.positions is None else self.positions(roles)
        summary, weights = self.attention(
            states, last, positions, mask=mask, return_attention_scores=True
        )
        probabilities = self.classify(summary)
        if return_attention_scores:
            return probabilities, Attention(words=ops.expand_dims(weights, (1, 2)))
        return probabilities
