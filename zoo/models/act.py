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
    Defaults are smaller than the paper's, which are the preset ``li2021``: better on a few
    thousand texts, and several times as fast.

    Args:
        num_layers: layers of attentive convolution (Section 4.2).
        num_heads: heads of each layer; divides ``embedding_dim``.
        filters: m, filters of each head.
        kernel_size: n, words of an n-gram.
        attention_dim: width of the global attention.
        position_dim: width of a position embedding.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on that layer.
        word_dropout: rate of words left out in training; the paper has none, and overfits small
            corpora.
    """

    # Found on a development split of AG News. At higher rates the global representation, a sum
    # over all filters, soon fixes the attention on a word or two; and as the first layer
    # normalisation undoes their scale, small word vectors learn faster.
    learning_rate = 5e-4
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
            "word_dropout": 0.0,
        },
    }

    def __init__(
        self,
        num_classes,
        *,
        embedding_dim=120,
        num_layers=3,
        num_heads=6,
        filters=40,
        kernel_size=3,
        attention_dim=200,
        position_dim=60,
        hidden_dim=100,
        dropout=0.4,
        word_dropout=0.5,
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
        self.word_dropout = word_dropout
        self.drop_words = keras.layers.Dropout(word_dropout, noise_shape=(None, None, 1))
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
