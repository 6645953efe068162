"""ATT-CNN: Attention-based CNNs for Sentence Classification (Zhao and Wu 2016), and Kim's CNN."""

from typing import Any, Literal

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import EntityPositions, NgramPooling, PairwiseAttention
from zoo.layers.checks import half_of
from zoo.layers.types import Tensor
from zoo.options import Classes, Distance, Positive, Rate, Share, Size, Sizes
from zoo.recipes import GAO2018, Recipe
from zoo.registry import register_model

RECIPE = Recipe(
    keep="best",
    optimizer="Adadelta",  # Kim, Section 3.1
    settings={"rho": 0.95, "epsilon": 1e-6},  # Kim's code
    learning_rate=1.0,  # Adadelta's paper has no learning rate
    schedule="constant",
    batch_size=50,  # Kim, Section 3.1
    epochs=25,  # Kim's code, which keeps the best epoch on the development split
    patience=1,
    class_weights=False,
)


@register_model("cnn_kim")
@register_model(
    "cnn_pe",
    entities=True,
    windows=(2, 3, 4, 5),
    filters=150,
    position_dim=100,
    activation="tanh",
)
@keras.saving.register_keras_serializable("zoo")
class KimCNN(TextClassifier):
    """Kim's CNN (Kim 2014), the basic CNN of ATT-CNN and the shallow-and-wide CNN of HCAN.

    Convolutions of several widths, the maximum of each filter over time, softmax (Zhao and Wu
    2016, Section 2.1; Gao et al. 2018, Section 4.2). Filters start as Keras' do; in Kim's code they
    start between -0.01 and 0.01.

    Args:
        filters: feature maps of each width.
        windows: words in the windows of the convolutions.
        activation: activation of the convolutions, "relu" or "tanh".
        dropout: rate on the pooled vector.
        max_norm: bound on the norm of each class's weights in the softmax, as in Kim's paper; None
            for no bound. Zhao and Wu mention a penalty on it instead (Section 3.1), Gao et al.
            neither.
        entities: whether ids say which words belong to two marked entities, see
            :class:`zoo.datasets.Preprocessor`; then the positions relative to both are concatenated
            to each word's vector (Nguyen and Grishman 2015, Section 3.1).
        position_dim: width of the position embeddings, half of it for each entity; None for no
            positions.
        max_distance: the largest distance in words; larger ones count as this one.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("cnn_kim", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    needs = {"max_distance": ("entities", "position_dim")}
    learning_rate = 3e-3  # 1e-3 is as good on short texts, and too slow on 20 Newsgroups

    preset_weights = dict.fromkeys(("kim2014", "nguyen2015"), "word2vec-google-news-300")
    preset_weights |= {"gao2018": "word2vec"}
    presets = {
        "kim2014": {
            "embedding_dim": 300,  # Kim, Section 3.2: word2vec
            "filters": 100,  # Kim, Section 3.1
            "windows": (3, 4, 5),  # Kim, Section 3.1
            "dropout": 0.5,  # Kim, Section 3.1
            "max_norm": 3.0,  # Kim, Section 3.1
        },
        "gao2018": {  # as in the comparison of HCAN's paper, Sections 4.2 and 4.3
            "embedding_dim": 512,
            "filters": 100,
            "windows": (3, 4, 5),
            "dropout": 0.5,
            "max_norm": None,
        },
        "nguyen2015": {
            "embedding_dim": 300,  # Nguyen and Grishman, Section 4.2: word2vec
            "filters": 150,  # Section 4.2
            "windows": (2, 3, 4, 5),  # Section 4.2
            "position_dim": 100,  # Section 4.2: 50 for each entity
            "dropout": 0.5,  # Section 4.2
            "max_norm": 3.0,  # Section 4.2
            "activation": "tanh",  # authors' code
            "entities": True,
        },
    }
    recipes = {"kim2014": RECIPE, "gao2018": GAO2018}

    def __init__(
        self,
        num_classes: Classes,
        *,
        filters: Size = 100,
        windows: Sizes = (3, 4, 5),
        activation: Literal["relu", "tanh"] = "relu",
        dropout: Rate = 0.5,
        max_norm: Positive | None = 3.0,
        entities: bool = False,
        position_dim: Size | None = 60,
        max_distance: Distance = 50,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        self.filters = filters
        self.windows = tuple(windows)
        self.activation = activation
        self.dropout = dropout
        self.max_norm = max_norm
        self.entities = entities
        self.position_dim = position_dim
        self.max_distance = max_distance
        self.positions = None
        if position_dim and entities:
            self.positions = EntityPositions(max_distance, half_of(position_dim))
        self.pool = NgramPooling(filters, windows, activation)
        self.drop = keras.layers.Dropout(dropout)
        if max_norm is not None:
            self.classify.kernel_constraint = keras.constraints.MaxNorm(max_norm, axis=0)

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        return self.classify_words(self.vectors(ids), word_mask(ids), training)

    def vectors(self, ids: Tensor) -> Tensor:
        """Word vectors, concatenated with position vectors if entities are marked."""
        ids, roles = self.read(ids)
        if self.positions is None:
            return self.embed(ids)
        return ops.concatenate([self.embed(ids), self.positions(roles)], axis=-1)

    def classify_words(self, words: Tensor, mask: Tensor | None, training: bool | None) -> Tensor:
        """Section 2.1: ``[batch, length, dim]`` to ``[batch, num_classes]``."""
        return self.classify(self.drop(self.pool(words, mask=mask), training=training))


@register_model("attcnn")
@keras.saving.register_keras_serializable("zoo")
class ATTCNN(KimCNN):
    """Attention-based CNN (Zhao and Wu 2016).

    Each word is joined by a context vector, a weighted sum of all the other words, before Kim's
    convolutions read it (Section 2.2, Figure 1).

    Args:
        attention_dim: width of the network that scores a pair of words; not given in the paper.
        decay: lambda of the distance decay, 0 to 1; the paper gives no value (Section 3.2.1).

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("attcnn", num_classes=3, decay=0.1)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    learning_rate = 1e-3
    # The paper gives only the width of word vectors (Section 3.1), and mentions dropout and a
    # penalty on the weights. Kim's values are used for the rest, with Kim's bound in place of the
    # penalty; attention_dim is our choice.
    preset_weights = {"zhao2016": "word2vec-google-news-300"}  # Section 3.1
    presets = {"zhao2016": KimCNN.presets["kim2014"] | {"attention_dim": 100}}
    recipes = {"zhao2016": RECIPE}  # Section 3.1: Adadelta; Kim's values for what is not given

    def __init__(
        self, num_classes: Classes, *, attention_dim: Size = 100, decay: Share = 0.1, **kwargs: Any
    ) -> None:
        super().__init__(num_classes, **kwargs)
        self.attention_dim = attention_dim
        self.decay = decay
        self.attention = PairwiseAttention(attention_dim, decay)

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        mask = word_mask(ids)
        words = self.vectors(ids)
        context, scores = self.attention(
            words, mask=mask, training=training, return_attention_scores=True
        )
        extended = ops.concatenate([words, context], axis=-1)  # Equation 7
        probabilities = self.classify_words(extended, mask, training)
        if return_attention_scores:
            return probabilities, Attention(pairs=ops.expand_dims(scores, (1, 2)))
        return probabilities
