"""HAN: Hierarchical Attention Networks for Document Classification (Yang et al. 2016)."""

from typing import Any, Literal

import keras
from keras import ops

from zoo.layers import ContextAttention, MaskedAveragePooling, MaskedMaxPooling, SentenceEncoder
from zoo.layers.bidirectional import Bidirectional
from zoo.layers.recurrent import GRU
from zoo.layers.types import Shape, Tensor
from zoo.models._hierarchical import HierarchicalClassifier
from zoo.options import Classes, Size
from zoo.recipes import GAO2018, Recipe
from zoo.registry import register_model

POOLINGS = {
    "attention": ContextAttention,
    "average": lambda attention_dim: MaskedAveragePooling(),
    "max": lambda attention_dim: MaskedMaxPooling(),
}


@keras.saving.register_keras_serializable("zoo")
class HANLevel(keras.layers.Layer):
    """One level of HAN: ``[batch, length, dim]`` to ``[batch, 2 * units]`` (Sections 2.1-2.2).

    With ``return_attention_scores`` it also returns two values: the attention weights, with one
    head, ``[batch, 1, length]``, or None without attention; and None, as words do not attend to
    one another.
    """

    def __init__(self, units: int, attention_dim: int, pooling: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.encoder = Bidirectional(GRU(units, return_sequences=True))
        self.summary = POOLINGS[pooling](attention_dim)

    def build(self, input_shape: Shape) -> None:
        self.encoder.build(input_shape)
        self.summary.build(self.encoder.compute_output_shape(input_shape))

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Any]:
        # Equations 1-4. Keras' GRU has a second, recurrent bias in each gate.
        annotations = self.encoder(inputs, mask=mask, training=training)
        # Equations 5-7, and 8-10
        vector, weights = self.summary(annotations, mask=mask, return_attention_scores=True)
        words = None if weights is None else ops.expand_dims(weights, 1)
        return (vector, (words, None)) if return_attention_scores else vector

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor | None) -> None:
        return None


@register_model("han")
@register_model("han_ave", pooling="average")
@register_model("han_max", pooling="max")
@keras.saving.register_keras_serializable("zoo")
class HAN(HierarchicalClassifier):
    """Hierarchical Attention Network (Yang et al. 2016).

    A bidirectional GRU reads the words of each sentence and attention sums them up; a second
    level does the same with the sentence vectors. The three names are the rows HN-ATT, HN-AVE
    and HN-MAX of Table 2.

    Args:
        units: width of each GRU, in each direction.
        attention_dim: width of the attention, and of its context vector.
        pooling: "attention", "average" or "max", at both levels.
        output_dropout: rate on the document vector; the paper has none.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("han", num_classes=3, units=16)
        >>> tuple(model(np.array([[[4, 5, 0], [6, 0, 0]]])).shape)  # two sentences, and padding
        (1, 3)
    """

    learning_rate = 2e-3
    sentence_groups = 4  # one more GRU step costs more than a padded word in a step

    preset_weights = dict.fromkeys(("yang2016", "gao2018"), "word2vec")  # Section 3.3; HCAN's 4.3
    presets = {
        "yang2016": {
            "embedding_dim": 200,  # Section 3.3
            "units": 50,  # Section 3.3
            "attention_dim": 100,  # Section 3.3
            "output_dropout": 0.0,  # the paper has none
        },
        "gao2018": {  # as in the comparison of HCAN's paper, Sections 4.2 and 4.3
            "embedding_dim": 512,
            "units": 50,
            "attention_dim": 200,
            "output_dropout": 0.0,
        },
    }
    recipes = {
        "gao2018": GAO2018,
        "yang2016": Recipe(
            keep="best",
            optimizer="SGD",  # Section 3.3
            settings={"momentum": 0.9},  # Section 3.3
            learning_rate=0.1,  # the paper: by grid search on the validation split, no value given
            schedule="constant",
            batch_size=64,  # Section 3.3
            epochs=20,  # not given in the paper
            patience=1,
            class_weights=False,
        ),
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 100,
        units: Size = 50,
        attention_dim: Size = 100,
        pooling: Literal["attention", "average", "max"] = "attention",
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, embedding_dim=embedding_dim, **kwargs)
        self.units = units
        self.attention_dim = attention_dim
        self.pooling = pooling
        self.words = SentenceEncoder(HANLevel(units, attention_dim, pooling))
        self.sentences = HANLevel(units, attention_dim, pooling)
