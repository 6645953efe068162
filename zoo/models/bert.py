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

    Word vectors and those of positions are added up and normalised (Section 3, Figure 2); then come
    the encoder's layers of Vaswani et al. 2017, with GELU (Appendix A.2). The mean of all vectors
    is classified; there is no second sentence. It starts at random: what made BERT, training on
    unlabelled texts, is not part of zoo; but it can start with weights that have that behind them,
    see :mod:`zoo.weights.bert_start`.

    Args:
        num_layers: L, layers of the encoder.
        num_heads: A, heads of each; divides ``embedding_dim``, which is the paper's H.
        feed_forward_dim: inner width of the feed-forward networks.
        dropout: rate on the normalised vectors, on the output of both sublayers of each layer, and
            on what is classified; the paper's also drops weights of the attention.
        norm_epsilon: of all normalisations; the authors' code has 1e-12.
        start_vector: whether a learned vector stands before the words, as the paper's ``[CLS]``.
            Heads that find nothing look there, in weights that learnt it so. Attention is told as
            shares of what is left for words.

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

    def document(self, ids: Tensor, training: bool | None = None) -> Tensor:
        """What is classified, ``[batch, embedding_dim]``, and what each head of each layer saw."""
        mask = word_mask(ids)
        words = self.embed(ids)
        if self.start_vector:
            words = ops.concatenate([self.start(ops.zeros_like(ids[:, :1])), words], axis=1)
            mask = word_mask(ops.pad(ids, [(0, 0), (1, 0)], constant_values=1))
        words = self.drop(self.norm(words + self.positions(words)), training=training)
        scores = []
        for layer in self.encoder:
            words, weights = layer(
                words, mask=mask, training=training, return_attention_scores=True
            )
            scores.append(weights)
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
