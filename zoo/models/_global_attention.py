"""The base class of models that read words by ACT's global attention."""

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import (
    CenterLoss,
    EntityPositions,
    GlobalAttention,
    MaskedAveragePooling,
    PositionEmbedding,
)


class GlobalAttentionClassifier(TextClassifier):
    """Global attention and classification, over any encoder of words.

    Li et al. 2021 (ACT), Section 2.3, with what the paper does not have as options that are off,
    but ``word_dropout``.

    Args:
        attention_dim: width of the global attention.
        num_contexts: sums of the words that the global attention gives; the paper has one.
        position_dim: width of a position embedding; None for no positions (Table 3, row 4).
        entities: whether ids tell which words are in two entities, see
            :class:`zoo.datasets.Preprocessor`; then positions are relative to both, each with half
            of that width (Section 3.3).
        word_positions: whether positions are also added to the words that the encoder reads; the
            paper has them in the global attention alone.
        max_distance: words beyond which these are as far.
        entity_vectors: whether the mean of the words of each entity stands beside these sums; the
            paper has none.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on that layer.
        word_dropout: rate of words left out in training; the paper has none, and overfits small
            corpora.
        embedding_dropout: rate of numbers left out of word vectors in training; the paper has none.
        center_weight: of the centre loss, which pulls that layer's vectors of a class together;
            0 leaves it out. It is part of this model's ``compute_loss``: where the model is
            inside another one, or in a loop of one's own, it is not there.
        center_rate: the learning rate of the centres.
    """

    # Found on a development split of AG News, as is embedding_range. At higher rates the global
    # representation, a sum over all filters, soon fixes the attention on a word or two; and as the
    # first layer normalisation undoes much of their scale, small word vectors learn faster.
    learning_rate = 5e-4

    def __init__(
        self,
        num_classes,
        *,
        embedding_dim=120,
        embedding_range=0.01,
        attention_dim=200,
        num_contexts=1,
        position_dim=60,
        entities=False,
        word_positions=False,
        max_distance=50,
        entity_vectors=False,
        hidden_dim=100,
        dropout=0.4,
        word_dropout=0.5,
        embedding_dropout=0.0,
        center_weight=0.001,
        center_rate=0.1,
        **kwargs,
    ):
        super().__init__(
            num_classes, embedding_dim=embedding_dim, embedding_range=embedding_range, **kwargs
        )
        self.attention_dim = attention_dim
        self.num_contexts = num_contexts
        self.position_dim = position_dim
        self.entities = entities
        self.word_positions = word_positions
        self.max_distance = max_distance
        self.entity_vectors = entity_vectors
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.embedding_dropout = embedding_dropout
        self.center_weight = center_weight
        self.center_rate = center_rate
        self.drop_words = keras.layers.Dropout(word_dropout, noise_shape=(None, None, 1))
        self.drop_numbers = keras.layers.Dropout(embedding_dropout)
        self.positions = None
        if position_dim and entities:
            self.positions = EntityPositions(max_distance, position_dim // 2)
        elif position_dim:
            self.positions = PositionEmbedding(self.max_words, position_dim)
        self.place = None
        if self.positions is not None and word_positions:
            self.place = keras.layers.Dense(embedding_dim, use_bias=False)
        self.attention = GlobalAttention(attention_dim, num_contexts)
        self.mean = MaskedAveragePooling() if entity_vectors else None
        self.hidden = keras.layers.Dense(hidden_dim, activation="gelu")
        self.drop = keras.layers.Dropout(dropout)
        self.centers = None
        if center_weight:
            self.centers = CenterLoss(num_classes, center_rate, dtype="float32")
            self.centers.build((None, hidden_dim))  # as no call reaches it before a loss is asked

    def encode(self, words, mask, training):
        """Local representations, ``[batch, length, dim]``, and the global one or None."""
        raise NotImplementedError

    def vectors(self, ids, training=None):
        """Word vectors, ``[batch, length, embedding_dim]``; positions and roles, or None."""
        ids, roles = self.read(ids)
        words = self.drop_words(self.embed(ids), training=training)
        positions = (
            None if self.positions is None else self.positions(ids if roles is None else roles)
        )
        if self.place is not None:
            words = words + self.place(positions)
        return self.drop_numbers(words, training=training), positions, roles

    def call(self, ids, training=None, return_attention_scores=False):
        mask = word_mask(ids)
        words, positions, roles = self.vectors(ids, training)
        words, overall = self.encode(words, mask, training)
        document, scores = self.attention(
            words, overall, positions, mask=mask, return_attention_scores=True
        )
        if self.entity_vectors and roles is not None:
            inside = (ops.equal(roles % 2, 1), ops.equal(roles // 2, 1))
            entities = [self.mean(words, mask=entity) for entity in inside]
            document = ops.concatenate([document, *entities], axis=-1)
        hidden = self.hidden(document)
        self.features = hidden  # for compute_loss, in the same step
        probabilities = self.classify(self.drop(hidden, training=training))
        if return_attention_scores:
            return probabilities, Attention(words=ops.expand_dims(scores, 2))
        return probabilities

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The compiled loss and, in training, the centre loss."""
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if self.centers is None or not training:
            return loss
        one_hot = len(y.shape) == 2 and y.shape[-1] == self.num_classes
        targets = ops.argmax(y, axis=-1) if one_hot else ops.reshape(y, (-1,))
        if sample_weight is not None:  # texts that do not count have no class
            targets = ops.where(ops.reshape(sample_weight, (-1,)) > 0, targets, -1)
        own = self.center_weight * self.centers(self.features, targets, training=True)
        return loss + self._aggregate_additional_loss(own)  # of each device its share, as Keras'
