"""HCAN: Hierarchical Convolutional Attention Networks for Text Classification (Gao et al. 2018)."""

from collections.abc import Iterator
from typing import Any, Literal

import keras
from keras import ops

from zoo.layers import (
    ConvMultiHeadAttention,
    MaskedMaxPooling,
    PositionEmbedding,
    SentenceEncoder,
    TargetAttention,
)
from zoo.layers.checks import check_heads
from zoo.layers.normalization import LayerNormalization
from zoo.layers.types import Shape, Tensor
from zoo.models._hierarchical import HierarchicalClassifier
from zoo.options import Classes, Positive, Rate, Size
from zoo.recipes import GAO2018
from zoo.registry import register_model


@keras.saving.register_keras_serializable("zoo")
class HCANLevel(keras.layers.Layer):
    """One hierarchy of HCAN: ``[batch, length, dim]`` to ``[batch, dim]`` (Section 3, Figure 1).

    With ``return_attention_scores`` it also returns two tensors of weights: those of the target
    attention, ``[batch, num_heads, length]``, or None for max-pooling; and those that each word
    gives the others in self-attention, ``[batch, num_heads, length, length]``, where the heads of
    all self-attentions follow one another.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        max_length: int,
        kernel_size: int,
        two_attentions: bool,
        target: bool,
        project_values: bool,
        dropout: float,
        norm_epsilon: float,
        norm_words: bool = False,
        num_layers: int = 1,
        activation: str = "elu",
        position: str = "learned",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        shape = num_heads, dim, kernel_size
        how: dict[str, Any] = {"dropout": dropout, "activation": activation}

        def attention(values: str) -> ConvMultiHeadAttention:
            return ConvMultiHeadAttention(*shape, value_activation=values, **how)

        def norm() -> LayerNormalization:
            return LayerNormalization(epsilon=norm_epsilon, over_words=norm_words)

        self.positions = None
        if position == "learned":
            # The standard deviation is 0.05 here, and 0.1 in the authors' code. That of word2vec's
            # numbers is 0.18 to 0.32, that of randomly initialized word vectors 0.03.
            self.positions = PositionEmbedding(max_length, dim, initializer="random_normal")
        self.drop = keras.layers.Dropout(dropout)
        self.attention, self.norm = attention(activation), norm()
        self.parallel = attention("tanh") if two_attentions else None
        more = range(num_layers - 1)
        self.more_attentions = [attention(activation) for _ in more]
        self.more_parallels = [attention("tanh") if two_attentions else None for _ in more]
        self.more_norms = [norm() for _ in more]
        if target:
            self.summary = TargetAttention(*shape, project_values, **how)
        else:
            self.summary = MaskedMaxPooling()

    @property
    def self_attentions(self) -> Iterator[tuple[Any, ...]]:
        """For each layer its self-attention, the parallel one or None, and its normalisation."""
        yield self.attention, self.parallel, self.norm
        yield from zip(self.more_attentions, self.more_parallels, self.more_norms, strict=True)

    def build(self, input_shape: Shape) -> None:
        parts = [part for layer in self.self_attentions for part in layer]
        for part in [self.positions, *parts, self.summary]:
            if part is not None:
                part.build(input_shape)

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Any]:
        if self.positions is not None:
            inputs = inputs + self.positions(inputs)  # Section 3.6
        outputs = self.drop(inputs, training=training)  # Section 3.8
        pairs, asked = [], {"mask": mask, "training": training, "return_attention_scores": True}
        for attention, parallel, norm in self.self_attentions:  # Section 3.4, Equation 4
            inputs = outputs
            outputs, weights = attention(inputs, **asked)
            pairs.append(weights)
            if parallel is not None:
                others, weights = parallel(inputs, **asked)
                outputs = outputs * others
                pairs.append(weights)
            outputs = norm(outputs, mask=mask)
        # Section 3.5, Equation 5
        vector, words = self.summary(outputs, mask=mask, return_attention_scores=True)
        pairs = ops.concatenate(pairs, axis=1)
        return (vector, (words, pairs)) if return_attention_scores else vector

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor | None) -> None:
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
class HCAN(HierarchicalClassifier):
    """Hierarchical Convolutional Attention Network (Gao et al. 2018).

    One level reads the words of each sentence, a second one the sentence vectors (Section 3.7);
    the flat variants read all words of a document in one level. The eight names are the rows of
    Table 2: one or two self-attentions, max-pooling or target attention.
    Defaults are smaller than the paper's, which are the preset ``gao2018``. Its word vectors are
    skip-gram's over whole texts, as all of zoo's; the authors' code has CBOW over sentences, scaled
    to a deviation of 0.4.

    Args:
        num_heads: heads of each attention; divides ``embedding_dim``, which is also the width of
            all attentions.
        kernel_size: words in the window of the convolutions.
        two_attentions: two self-attentions in parallel, multiplied, or one (Section 3.4).
        target: target attention, or max-pooling.
        project_values: the paper's target attention convolves its values (Equation 5); False
            averages its input, as the authors' code does.
        dropout: rate on embeddings and attention weights (Section 3.8).
        norm_epsilon: epsilon of the layer normalisation (Section 3.8, which gives no value). The
            product of two averages has a variance of 1e-8 to 1e-3: Keras' 1e-3 leaves it as small
            as it is. The normalisation also follows a single self-attention, for which the paper
            does not mention it.
        norm_words: whether the layer normalisation runs over the words and the features of a
            sentence together, as in the authors' code, or over each word's features.
        num_layers: layers of self-attention in each level; in the paper more than one did not help
            (Section 3.7).
        activation: activation of the convolutions, except for the tanh of Equation 4; in the paper
            ELU was better than ReLU (Section 3.2).
        position: "learned" position embeddings, which helped slightly in the paper (Section 3.6),
            or "none".
        output_dropout: rate on the document vector; the authors' code has 0.1, the paper none.
        max_sentences: the most sentences of a document; None for a flat variant.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("hcan", num_classes=3, num_heads=2)
        >>> tuple(model(np.array([[[4, 5, 0], [6, 0, 0]]])).shape)  # two sentences, and padding
        (1, 3)
    """

    english_dim = 128  # 256 would make four times as many weights
    preset_weights = {"gao2018": "word2vec"}  # Section 4.3
    presets = {
        "gao2018": {
            "embedding_dim": 512,  # Section 4.2: attention embedding size, and 4.3: word2vec
            "num_heads": 8,  # Section 4.2
            "kernel_size": 3,  # Section 3.2: window of three words
            "dropout": 0.1,  # Section 3.8
            "output_dropout": 0.0,  # Section 3.8 has none; the authors' code has 0.1
        },
    }
    recipes = {"gao2018": GAO2018}

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 64,
        num_heads: Size = 4,
        kernel_size: Size = 3,
        two_attentions: bool = True,
        target: bool = True,
        project_values: bool = True,
        dropout: Rate = 0.1,
        norm_epsilon: Positive = 1e-12,
        norm_words: bool = False,
        num_layers: Size = 1,
        activation: Literal["elu", "relu"] = "elu",
        position: Literal["learned", "none"] = "learned",
        max_sentences: Size | None = 100,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_classes, embedding_dim=embedding_dim, max_sentences=max_sentences, **kwargs
        )
        check_heads(num_heads, embedding_dim, "embedding_dim")
        self.num_heads = num_heads
        self.kernel_size = kernel_size
        self.two_attentions = two_attentions
        self.target = target
        self.project_values = project_values
        self.dropout = dropout
        self.norm_epsilon = norm_epsilon
        self.norm_words = norm_words
        self.num_layers = num_layers
        self.activation = activation
        self.position = position
        width = embedding_dim, num_heads
        how: Any = kernel_size, two_attentions, target, project_values, dropout, norm_epsilon
        how += norm_words, num_layers, activation, position
        self.words = HCANLevel(*width, self.max_words, *how)
        if self.hierarchical:
            self.words = SentenceEncoder(self.words)
            self.sentences = HCANLevel(*width, self.max_sentences, *how)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Models that were saved before ``norm_epsilon`` was an option have Keras' default."""
        return super().from_config({"norm_epsilon": 1e-3} | config, custom_objects)
