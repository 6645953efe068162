"""SSAN: Self-Attention: A Better Building Block for Sentiment Analysis Neural Network Classifiers.

Ambartsoumian and Popowich 2018, with the Transformer that they compare it with.
"""

import dataclasses
from typing import Any, Literal

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import (
    MaskedAveragePooling,
    PositionEmbedding,
    RelativePositionAttention,
    SinusoidalPositions,
    TransformerLayer,
)
from zoo.layers.checks import check_heads
from zoo.layers.types import Tensor
from zoo.options import Classes, Distance, Rate, Size
from zoo.recipes import Recipe
from zoo.registry import register_model

RECIPE = Recipe(  # Section 4.4
    keep="best",
    optimizer="Adadelta",
    settings={"rho": 0.95, "epsilon": 1e-8},  # authors' code: epsilon
    learning_rate=0.1,
    schedule="constant",
    batch_size=32,  # as for the baselines (Section 4.3); authors' code: 128, and 50,000 steps
    steps=100_000,
    patience=1 / 20,  # training ends after 5,000 steps without improvement; the paper has none
    class_weights=False,
)
RATES = {50: 0.15, 100: 0.125, 200: 0.1, 300: 0.1, 600: 0.05}  # Section 4.4: for each width
RECIPES = {  # for the width of the paper's tables, and for each other width
    "ambartsoumian2018": RECIPE,
    **{
        f"ambartsoumian2018_{width}": dataclasses.replace(RECIPE, learning_rate=rate)
        for width, rate in RATES.items()
    },
}


def of_each_width(preset: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A preset of width 300, and the same for the other widths of Table 2."""
    return {"ambartsoumian2018": preset} | {
        f"ambartsoumian2018_{width}": preset | {"embedding_dim": width} for width in RATES
    }


@register_model("ssan")
@register_model("ssan_2layer", num_layers=2)
@register_model("ssan_pe", position="sinusoidal")
@register_model("ssan_none", position="none")
@keras.saving.register_keras_serializable("zoo")
class SSAN(TextClassifier):
    """Simple Self-Attention Network (Ambartsoumian and Popowich 2018).

    Layers of one-head self-attention between feed-forward layers, averaged over the words
    (Section 3, Figure 1). Padding is masked, which the authors' code does not do. The names are
    rows of Table 2: relative position representations with one layer and with two, sinusoidal
    position encodings, which follow the printed formula (the authors' code has other exponents),
    and no positions.

    Args:
        num_layers: layers of self-attention.
        position: "rpr" (Section 2.3.3), "sinusoidal" (2.3.1), "learned" (2.3.2) or "none".
        max_distance: k, the largest distance that has a separate representation (Section 2.3.3).
        dropout: rate on word vectors and on the sentence vector. The paper's 0.7 is the share that
            the authors' code keeps.
        attention_dropout: rate on the output of a self-attention layer; the first version of the
            authors' code drops 0.3 twice.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("ssan", num_classes=3, position="sinusoidal")
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    learning_rate = 3e-3  # 1e-3 is as good on short texts, and too slow on 20 Newsgroups

    presets = of_each_width(
        {
            "embedding_dim": 300,  # Section 4.2
            "max_distance": 10,  # Section 3
            "dropout": 0.3,  # Section 4.4: "0.7", which the authors' code keeps
            "attention_dropout": 0.5,  # authors' code; its first version: 0.3 twice
            "train_embeddings": False,  # authors' code; the paper does not say
        }
    )

    recipes = RECIPES

    def __init__(
        self,
        num_classes: Classes,
        *,
        num_layers: Size = 1,
        position: Literal["rpr", "sinusoidal", "learned", "none"] = "rpr",
        max_distance: Distance = 10,
        dropout: Rate = 0.3,
        attention_dropout: Rate = 0.5,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        self.num_layers = num_layers
        self.position = position
        self.max_distance = max_distance
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.positions = None
        if position == "sinusoidal":
            self.positions = SinusoidalPositions(self.embedding_dim)
        elif position == "learned":
            self.positions = PositionEmbedding(self.max_words, self.embedding_dim)
        relative = max_distance if position == "rpr" else None
        self.attentions = [self.attention_layer(relative) for _ in range(num_layers)]
        self.mean = MaskedAveragePooling()
        self.hidden = keras.layers.Dense(self.embedding_dim, activation="relu")
        self.drop = keras.layers.Dropout(dropout)
        self.classify.use_bias = False  # as in Table 3's counts and in the authors' code

    def attention_layer(self, max_distance: int | None) -> keras.layers.Layer:
        """A layer whose Q, K, V and output are feed-forward layers with ReLU."""
        return RelativePositionAttention(
            1, self.embedding_dim, max_distance, "relu", dropout=self.attention_dropout
        )

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        mask = word_mask(ids)
        words = self.embed(ids)
        if self.positions is not None:
            words = words + self.positions(words)
        words = self.drop(words, training=training)
        scores = []
        for attention in self.attentions:
            words, weights = attention(
                words, mask=mask, training=training, return_attention_scores=True
            )
            scores.append(weights)
        sentence = self.hidden(self.mean(words, mask=mask))
        probabilities = self.classify(self.drop(sentence, training=training))
        if return_attention_scores:
            pairs = ops.concatenate(scores, axis=1)  # the heads of all layers
            return probabilities, Attention(pairs=ops.expand_dims(pairs, 2))
        return probabilities


@register_model("transformer")
@register_model("transformer_pe", position="sinusoidal")
@keras.saving.register_keras_serializable("zoo")
class Transformer(SSAN):
    """The Transformer encoder of the SSAN paper, with relative positions (Section 3).

    As SSAN, with the encoder layers of Vaswani et al. 2017 for its self-attention. The names are
    rows of Table 2: relative position representations and sinusoidal position encodings. Word
    vectors are as in SSAN, not multiplied by the root of their width as in Vaswani et al., Section
    3.4; so the encodings weigh more than there. The authors' code has ReLU after all projections.

    Args:
        num_heads: heads of each layer; divides ``embedding_dim``.
        hidden_dim: inner width of the feed-forward networks.
        attention_dropout: rate on the output of both sublayers of each layer.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("transformer", num_classes=3, num_layers=1)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    learning_rate = 1e-3
    presets = of_each_width(
        {
            "embedding_dim": 300,  # Section 4.2
            "num_layers": 2,  # Section 3
            "num_heads": 10,  # not given; Table 3's parameter count fits heads of width 30
            "hidden_dim": 300,  # authors' code, and Table 3's parameter count
            "max_distance": 10,  # Section 3
            "dropout": 0.3,  # Section 4.4: "0.7", which the authors' code keeps
            "attention_dropout": 0.1,  # Section 3: Vaswani et al.'s; Section 4.4 has 0.3 for all
            "train_embeddings": False,  # authors' code; the paper does not say
        }
    )

    def __init__(
        self,
        num_classes: Classes,
        *,
        num_heads: Size = 4,
        hidden_dim: Size = 128,
        num_layers: Size = 2,
        attention_dropout: Rate = 0.1,
        **kwargs: Any,
    ) -> None:
        self.num_heads = num_heads
        self.hidden_dim = hidden_dim
        super().__init__(
            num_classes, num_layers=num_layers, attention_dropout=attention_dropout, **kwargs
        )
        check_heads(num_heads, self.embedding_dim, "embedding_dim")

    def attention_layer(self, max_distance: int | None) -> keras.layers.Layer:
        return TransformerLayer(
            self.num_heads,
            self.hidden_dim,
            max_distance,
            use_bias=False,
            dropout=self.attention_dropout,
        )
