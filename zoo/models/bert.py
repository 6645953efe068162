"""BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding (NAACL 2019).

With the sizes of MiniLM (Wang et al. 2020), which is a small one.
"""

from typing import Any

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import MaskedAveragePooling, PositionEmbedding, TransformerLayer
from zoo.layers.checks import check_heads
from zoo.layers.normalization import LayerNormalization
from zoo.layers.types import Tensor
from zoo.options import Classes, Positive, Rate, Size
from zoo.registry import register_model


@register_model("bert")
@keras.saving.register_keras_serializable("zoo")
class BERT(TextClassifier):
    """The encoder of BERT (Devlin et al. 2019), over words and not pieces of words.

    Word vectors and position vectors are added and normalised (Section 3, Figure 2); then come the
    encoder layers of Vaswani et al. 2017, with GELU (Appendix A.2). The mean of all vectors is
    classified; there is no second sentence. The model starts at random: pretraining on unlabelled
    texts, which made BERT, is not part of zoo. But it can start with pretrained weights, see
    :mod:`zoo.weights.bert_start`.

    Args:
        num_layers: L, layers of the encoder.
        num_heads: A, heads of each layer; divides ``embedding_dim``, which is the paper's H.
        feed_forward_dim: inner width of the feed-forward networks.
        dropout: rate on the normalised vectors, on the output of both sublayers of each layer, and
            on the vector that is classified; the paper also drops attention weights.
        norm_epsilon: epsilon of all normalisations; the authors' code has 1e-12.
        start_vector: whether a learned vector stands before the words, as the paper's ``[CLS]``. In
            pretrained weights, heads that match no word look at this vector. Attention is given as
            shares of what remains for words.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("bert", num_classes=3, embedding_dim=32, num_layers=1, num_heads=2)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    clean_up = "han"  # which keeps punctuation, as BERT does
    reads_bert_weights = True
    presets = {
        "wang2020": {  # MiniLM, of six layers and width 384
            "embedding_dim": 384,
            "num_layers": 6,
            "num_heads": 12,
            "feed_forward_dim": 1536,
            "max_words": 512,
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        num_layers: Size = 2,
        num_heads: Size = 4,
        feed_forward_dim: Size = 512,
        dropout: Rate = 0.1,
        norm_epsilon: Positive = 1e-12,
        start_vector: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        check_heads(num_heads, self.embedding_dim, "embedding_dim")
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.feed_forward_dim = feed_forward_dim
        self.dropout = dropout
        self.norm_epsilon = norm_epsilon
        self.start_vector = start_vector
        if start_vector:
            self.start = keras.layers.Embedding(1, self.embedding_dim)
        self.positions = PositionEmbedding(self.max_words + start_vector, self.embedding_dim)
        self.norm = LayerNormalization(epsilon=norm_epsilon)
        self.encoder = [
            TransformerLayer(
                num_heads,
                feed_forward_dim,
                activation="gelu",
                dropout=dropout,
                norm_epsilon=norm_epsilon,
            )
            for _ in range(num_layers)
        ]
        self.mean = MaskedAveragePooling()
        self.drop = keras.layers.Dropout(dropout)

    def encode(
        self,
        words: Tensor,
        mask: Tensor,
        training: bool | None = None,
        layers: int | None = None,
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """States of words, and of the start vector before them; their mask; what each head saw.

        Args:
            words: their vectors, ``[batch, words, embedding_dim]``.
            mask: which of them are words, ``[batch, words]``.
            training: whether there is dropout.
            layers: how many of the layers are read, from the lowest on; None for all.
        """
        if self.start_vector:
            first = ops.zeros_like(mask[:, :1], dtype="int32")
            start = self.start(first)
            words = ops.concatenate([start, ops.cast(words, start.dtype)], axis=1)
            mask = ops.concatenate([ops.ones_like(first, dtype="bool"), mask], axis=1)
        words = self.drop(self.norm(words + self.positions(words)), training=training)
        scores = []
        for layer in self.encoder[:layers]:
            words, weights = layer(
                words, mask=mask, training=training, return_attention_scores=True
            )
            scores.append(weights)
        return words, mask, scores

    def document(self, ids: Tensor, training: bool | None = None) -> tuple[Tensor, list[Tensor]]:
        """What is classified, ``[batch, embedding_dim]``, and what each head of each layer saw."""
        words, mask, scores = self.encode(self.embed(ids), word_mask(ids), training=training)
        return self.drop(self.mean(words, mask=mask), training=training), scores

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        document, scores = self.document(ids, training=training)
        probabilities = self.classify(document)
        if return_attention_scores:
            pairs = ops.concatenate(scores, axis=1)  # the heads of all layers
            if self.start_vector:
                pairs = pairs[:, :, 1:, 1:]
                pairs = ops.divide_no_nan(pairs, ops.sum(pairs, axis=-1, keepdims=True))
            return probabilities, Attention(pairs=ops.expand_dims(pairs, 2))
        return probabilities
