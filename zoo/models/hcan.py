"""HCAN: Hierarchical Convolutional Attention Networks for Text Classification (Gao et al. 2018)."""

from typing import Any

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
from zoo.recipes import Recipe
from zoo.registry import register_model


@keras.saving.register_keras_serializable("zoo")
class HCANLevel(keras.layers.Layer):
    """One hierarchy of HCAN: ``[batch, length, dim]`` to ``[batch, dim]`` (Section 3, Figure 1).

    With ``return_attention_scores`` also two weights: the target's, ``[batch, num_heads, length]``,
    None for max-pooling; and what each word gives the others in the self-attention,
    ``[batch, num_heads, length, length]``, of both self-attentions one after the other where there
    are two.
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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        # Of deviation 0.05, about that of our word vectors; 0.1 in the authors' code.
        self.positions = PositionEmbedding(max_length, dim, initializer="random_normal")
        self.drop = keras.layers.Dropout(dropout)
        self.attention = ConvMultiHeadAttention(num_heads, dim, kernel_size, dropout=dropout)
        self.parallel = None
        if two_attentions:
            self.parallel = ConvMultiHeadAttention(
                num_heads, dim, kernel_size, value_activation="tanh", dropout=dropout
            )
        self.norm = LayerNormalization(epsilon=norm_epsilon)
        if target:
            self.summary = TargetAttention(
                num_heads, dim, kernel_size, project_values, dropout=dropout
            )
        else:
            self.summary = MaskedMaxPooling()

    def build(self, input_shape: Shape) -> None:
        parts: list[Any] = [self.positions, self.attention, self.parallel, self.norm, self.summary]
        for part in parts:
            if part is not None:
                part.build(input_shape)

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Any]:
        # Section 3.6, and 3.8 for the dropout
        inputs = self.drop(inputs + self.positions(inputs), training=training)
        # Section 3.4, Equation 4
        asked = {"mask": mask, "training": training, "return_attention_scores": True}
        outputs, pairs = self.attention(inputs, **asked)
        if self.parallel is not None:
            others, more_pairs = self.parallel(inputs, **asked)
            outputs, pairs = outputs * others, ops.concatenate([pairs, more_pairs], axis=1)
        outputs = self.norm(outputs)
        # Section 3.5, Equation 5
        vector, words = self.summary(outputs, mask=mask, return_attention_scores=True)
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
    Defaults are smaller than the paper's, which are the preset ``gao2018``.

    Args:
        num_heads: heads of each attention; divides ``embedding_dim``, which is also the width of
            all attentions.
        kernel_size: words in the window of the convolutions.
        two_attentions: two self-attentions in parallel, multiplied, or one (Section 3.4).
        target: target attention, or max-pooling.
        project_values: the paper's target attention convolves its values (Equation 5); False
            averages its input, as the authors' code does.
        dropout: rate on embeddings and attention weights (Section 3.8).
        norm_epsilon: of the layer normalisation (Section 3.8, which tells none). The product of two
            averages has a variance of 1e-8 to 1e-3: Keras' 1e-3 leaves it as small as it is. It is
            also there with one self-attention, of which the paper does not tell.
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
            "output_dropout": 0.0,  # Section 3.8 names none; the authors' code has 0.1
        },
    }
    recipes = {
        "gao2018": Recipe(  # Section 4.3
            keep="best",
            optimizer="Adam",
            settings={"beta_1": 0.9, "beta_2": 0.99},
            learning_rate=2e-5,
            schedule="constant",
            batch_size=1,
            epochs=30,  # until it converges: not told after how long
            evaluate_every=50_000,
            patience=0.2,
            class_weights=False,
        ),
    }

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
        width = embedding_dim, num_heads
        how: Any = kernel_size, two_attentions, target, project_values, dropout, norm_epsilon
        self.words = HCANLevel(*width, self.max_words, *how)
        if self.hierarchical:
            self.words = SentenceEncoder(self.words)
            self.sentences = HCANLevel(*width, self.max_sentences, *how)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Models that were saved before ``norm_epsilon`` have Keras' own."""
        return super().from_config({"norm_epsilon": 1e-3} | config, custom_objects)
