"""ACT: an Attentive Convolutional Transformer for Efficient Text Classification (AAAI 2021)."""

import keras

from zoo.classifier import TextClassifier, word_mask
from zoo.layers import AttentiveConv, GlobalAttention, PositionEmbedding
from zoo.layers.dot_product import check_heads
from zoo.registry import register_model


@register_model("act")
@keras.saving.register_keras_serializable("zoo")
class ACT(TextClassifier):
    """Attentive Convolutional Transformer (Li et al. 2021).

    Layers of multi-head attentive convolution, each with a residual connection and layer
    normalisation, hand local representations upward (Section 2.2); global attention sums the top
    layer up with its global representation and absolute positions (Section 2.3).
    Defaults are the paper's for sentiment and topics.

    Args:
        num_layers: layers of attentive convolution (Section 4.2).
        num_heads: heads of each layer; divides ``embedding_dim``.
        filters: m, filters of each head.
        kernel_size: n, words of an n-gram.
        attention_dim: width of the global attention.
        position_dim: width of a position embedding.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on that layer.
        embedding_dropout: rate on the words; the paper has none, which a small corpus overfits.
    """

    # Found on the development split of 10,000 rows of AG News. At 1e-3 the global representation,
    # a sum over all filters, soon fixes the attention on a word or two; and as the first layer
    # normalisation undoes their scale, small word vectors learn faster.
    learning_rate = 3e-4
    embedding_range = 0.01

    presets = {
        "li2021": {  # Section 3.3: sentiment analysis and topic categorisation
            "embedding_dim": 300,
            "num_layers": 3,
            "num_heads": 6,
            "filters": 100,
            "kernel_size": 3,
            "attention_dim": 200,
            "position_dim": 60,
            "hidden_dim": 100,
            "dropout": 0.4,
            "embedding_dropout": 0.0,
        },
    }

    def __init__(
        self,
        num_classes,
        *,
        embedding_dim=300,
        num_layers=3,
        num_heads=6,
        filters=100,
        kernel_size=3,
        attention_dim=200,
        position_dim=60,
        hidden_dim=100,
        dropout=0.4,
        embedding_dropout=0.3,
        **kwargs,
    ):
        super().__init__(num_classes, embedding_dim=embedding_dim, **kwargs)
        self.num_layers = num_layers
        check_heads(num_heads, embedding_dim, "embedding_dim")
        self.num_heads = num_heads
        self.filters = filters
        self.kernel_size = kernel_size
        self.attention_dim = attention_dim
        self.position_dim = position_dim
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.embedding_dropout = embedding_dropout
        self.drop_words = keras.layers.Dropout(embedding_dropout)
        self.convolutions = [
            AttentiveConv(num_heads, filters, kernel_size) for _ in range(num_layers)
        ]
        self.norms = [keras.layers.LayerNormalization() for _ in range(num_layers)]
        self.positions = PositionEmbedding(self.max_words, position_dim)
        self.attention = GlobalAttention(attention_dim)
        self.hidden = keras.layers.Dense(hidden_dim, activation="gelu")
        self.drop = keras.layers.Dropout(dropout)

    def call(self, ids, training=None, return_attention_scores=False):
        mask = word_mask(ids)
        local = self.drop_words(self.embed(ids), training=training)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            output, overall = convolution(local, mask=mask)
            local = norm(local + output)
        document, scores = self.attention(
            local, overall, self.positions(ids), mask=mask, return_attention_scores=True
        )
        probabilities = self.classify(self.drop(self.hidden(document), training=training))
        return (probabilities, {"words": scores}) if return_attention_scores else probabilities
