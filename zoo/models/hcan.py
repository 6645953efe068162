"""HCAN: Hierarchical Convolutional Attention Networks for Text Classification (Gao et al. 2018)."""

import keras
from keras import ops

from zoo.classifier import TextClassifier, word_mask
from zoo.layers import (
    ConvMultiHeadAttention,
    MaskedMaxPooling,
    PositionEmbedding,
    SentenceEncoder,
    TargetAttention,
)
from zoo.layers.dot_product import check_heads
from zoo.registry import register_model


@keras.saving.register_keras_serializable("zoo")
class HCANLevel(keras.layers.Layer):
    """One hierarchy of HCAN: ``[batch, length, dim]`` to ``[batch, dim]`` (Section 3, Figure 1).

    With ``return_attention_scores`` also the target's weights, ``[batch, num_heads, length]``;
    None for max-pooling.
    """

    def __init__(
        self, dim, num_heads, max_length, kernel_size, two_attentions, target, dropout, **kwargs
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.positions = PositionEmbedding(max_length, dim, initializer="random_normal")
        self.drop = keras.layers.Dropout(dropout)
        self.attention = ConvMultiHeadAttention(num_heads, dim, kernel_size, dropout=dropout)
        self.parallel = None
        if two_attentions:
            self.parallel = ConvMultiHeadAttention(
                num_heads, dim, kernel_size, value_activation="tanh", dropout=dropout
            )
        self.norm = keras.layers.LayerNormalization()
        self.target = None
        if target:
            self.target = TargetAttention(num_heads, dim, kernel_size, dropout=dropout)
        self.pool = MaskedMaxPooling()

    def build(self, input_shape):
        parts = [self.positions, self.attention, self.parallel, self.norm, self.target]
        for part in parts:
            if part is not None:
                part.build(input_shape)

    def call(self, inputs, mask=None, training=None, return_attention_scores=False):
        # Section 3.6, and 3.8 for the dropout
        inputs = self.drop(inputs + self.positions(inputs), training=training)
        # Section 3.4, Equation 4
        outputs = self.attention(inputs, mask=mask, training=training)
        if self.parallel is not None:
            outputs = outputs * self.parallel(inputs, mask=mask, training=training)
        outputs = self.norm(outputs)
        if self.target is None:
            pooled, scores = self.pool(outputs, mask=mask), None
        else:  # Section 3.5, Equation 5
            pooled, scores = self.target(
                outputs, mask=mask, training=training, return_attention_scores=True
            )
        return (pooled, scores) if return_attention_scores else pooled

    def compute_mask(self, inputs, previous_mask):
        return None


@register_model("hcan")
@register_model("hcan_max", target=False)
@register_model("hcan_one", two_attentions=False)
@register_model("hcan_one_max", two_attentions=False, target=False)
@register_model("hcan_flat", max_sentences=None, max_words=500)
@register_model("hcan_flat_max", max_sentences=None, max_words=500, target=False)
@register_model("hcan_flat_one", max_sentences=None, max_words=500, two_attentions=False)
@register_model(
    "hcan_flat_one_max", max_sentences=None, max_words=500, two_attentions=False, target=False
)
@keras.saving.register_keras_serializable("zoo")
class HCAN(TextClassifier):
    """Hierarchical Convolutional Attention Network (Gao et al. 2018).

    One level reads the words of each sentence, a second one the sentence vectors (Section 3.7);
    the flat variants read all words of a document in one level. The eight names are the rows of
    Table 2: one or two self-attentions, max-pooling or target attention.
    Defaults are smaller than the paper's, which are the preset ``gao2018``.

    Args:
        num_heads: heads of each attention; divides ``embedding_dim``, which is also the width of
            all attentions.
        kernel_size: words in the window of the convolutions.
        two_attentions: two self-attentions in parallel, multiplied, or one (Section 3.4).
        target: target attention, or max-pooling.
        dropout: rate on embeddings and attention weights (Section 3.8).
        output_dropout: rate on the document vector; the authors' code has 0.1, the paper none.
    """

    presets = {
        "gao2018": {  # Section 4.2 and 3.8
            "embedding_dim": 512,
            "num_heads": 8,
            "kernel_size": 3,
            "dropout": 0.1,
            "output_dropout": 0.0,
        },
    }

    def __init__(
        self,
        num_classes,
        *,
        embedding_dim=64,
        num_heads=4,
        kernel_size=3,
        two_attentions=True,
        target=True,
        dropout=0.1,
        output_dropout=0.1,
        max_words=100,
        max_sentences=100,
        **kwargs,
    ):
        super().__init__(
            num_classes,
            embedding_dim=embedding_dim,
            max_words=max_words,
            max_sentences=max_sentences,
            **kwargs,
        )
        check_heads(num_heads, embedding_dim, "embedding_dim")
        self.num_heads = num_heads
        self.kernel_size = kernel_size
        self.two_attentions = two_attentions
        self.target = target
        self.dropout = dropout
        self.output_dropout = output_dropout

        def level(max_length):
            return HCANLevel(
                embedding_dim, num_heads, max_length, kernel_size, two_attentions, target, dropout
            )

        self.words = level(max_words)
        if self.hierarchical:
            self.words = SentenceEncoder(self.words)
            self.sentences = level(max_sentences)
        self.drop = keras.layers.Dropout(output_dropout)

    def call(self, ids, training=None, return_attention_scores=False):
        mask = word_mask(ids)
        vectors, word_scores = self.words(
            self.embed(ids), mask=mask, training=training, return_attention_scores=True
        )
        scores = {"words": word_scores}
        if self.hierarchical:
            vectors, scores["sentences"] = self.sentences(
                vectors,
                mask=ops.any(mask, axis=-1),
                training=training,
                return_attention_scores=True,
            )
        probabilities = self.classify(self.drop(vectors, training=training))
        return (probabilities, scores) if return_attention_scores else probabilities
