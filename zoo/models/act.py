"""ACT: an Attentive Convolutional Transformer for Efficient Text Classification (AAAI 2021)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
from keras import ops

from zoo.backend.keras_private import share_of_device
from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers import (
    AttentiveConv,
    CenterLoss,
    EntityPositions,
    GlobalAttention,
    MaskedAveragePooling,
    PositionEmbedding,
    SinusoidalPositions,
    TransformerLayer,
)
from zoo.layers.checks import check_heads, half_of
from zoo.layers.entity_positions import entity_masks
from zoo.layers.types import Tensor
from zoo.options import Classes, Distance, Positive, Rate, Share, Size, Sizes, Weight
from zoo.recipes import Recipe
from zoo.registry import register_model

if TYPE_CHECKING:
    import pandas as pd

SEARCHED_AT_ONCE = 32  # texts whose n-grams are searched together
HEAD = {  # what all presets share
    "embedding_dim": 300,  # Section 3.3
    "attention_dim": 200,  # Section 3.3
    "position_dim": 60,  # Section 3.3
    "hidden_dim": 100,  # Section 3.3
    "dropout": 0.4,  # Section 3.3
    "word_dropout": 0.0,  # none in the paper
    "center_weight": 0.001,  # Section 3.3
    "center_rate": 0.1,  # Section 3.3
}

GLOVE = dict.fromkeys(("li2021", "li2021_relations"), "glove-wiki-gigaword-300")  # Section 3.3
RECIPE = Recipe(  # Section 3.3
    keep="best",
    optimizer="SGD",
    settings={"momentum": 0.9},
    learning_rate=0.01,
    schedule="plateau",
    batch_size=100,
    epochs=70,
    patience=1,
    class_weights=False,
)


class GlobalAttentionClassifier(TextClassifier):
    """Global attention and classification, over any encoder of words.

    Section 2.3. Options that the paper does not have are off, except for ``word_dropout``.

    Args:
        attention_dim: width of the global attention.
        num_contexts: number of weighted sums of the words that the global attention returns; the
            paper has one.
        position_dim: width of a position embedding; None for no positions (Table 3, row 4).
        entities: whether ids say which words belong to two marked entities, see
            :class:`zoo.datasets.Preprocessor`; then positions are relative to both, each with half
            of ``position_dim`` (Section 3.3).
        word_positions: whether positions are also added to the words that the encoder reads; the
            paper has them in the global attention only.
        max_distance: the largest distance in words; larger ones count as this one.
        entity_vectors: whether the mean of the words of each entity is concatenated to these sums;
            the paper has none.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on the output of that layer.
        word_dropout: share of words dropped in training; the paper has none, and overfits small
            corpora.
        embedding_dropout: share of the numbers in word vectors dropped in training; the paper has
            none.
        center_weight: weight of the centre loss, which pulls that layer's vectors of a class
            together; 0 leaves it out. It is part of this model's ``compute_loss``, so it is missing
            where the model is part of another model, or trained in a custom loop.
        center_rate: the learning rate of the centres.
    """

    # Chosen on a development split of AG News, as embedding_range was. At higher rates the global
    # representation, a sum over all filters, soon fixes the attention on a word or two. Small word
    # vectors learn faster, as the first layer normalisation undoes much of their scale.
    learning_rate = 5e-4
    english_dim = 252  # divisible by its 6 heads

    needs = {
        "max_distance": ("entities", "position_dim"),
        "entity_vectors": ("entities",),
        "word_positions": ("position_dim",),
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 120,
        embedding_range: Positive = 0.01,
        attention_dim: Size = 200,
        num_contexts: Size = 1,
        position_dim: Size | None = 60,
        entities: bool = False,
        word_positions: bool = False,
        max_distance: Distance = 50,
        entity_vectors: bool = False,
        hidden_dim: Size = 100,
        dropout: Rate = 0.4,
        word_dropout: Rate = 0.5,
        embedding_dropout: Rate = 0.0,
        center_weight: Weight = 0.001,
        center_rate: Share = 0.1,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_classes, embedding_dim=embedding_dim, embedding_range=embedding_range, **kwargs
        )
        self.attention_dim = attention_dim
        self.num_contexts = num_contexts
        self.position_dim = position_dim
        self.entities = entities
        self.word_positions = word_positions
        self.max_distance = max_distance
        self.entity_vectors = entity_vectors
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.embedding_dropout = embedding_dropout
        self.center_weight = center_weight
        self.center_rate = center_rate
        self.drop_words = keras.layers.Dropout(word_dropout, noise_shape=(None, None, 1))
        self.drop_numbers = keras.layers.Dropout(embedding_dropout)
        self.positions = None
        if position_dim and entities:
            self.positions = EntityPositions(max_distance, half_of(position_dim))
        elif position_dim:
            self.positions = PositionEmbedding(self.max_words, position_dim)
        self.place = None
        if self.positions is not None and word_positions:
            self.place = keras.layers.Dense(embedding_dim, use_bias=False)
        self.attention = GlobalAttention(attention_dim, num_contexts)
        self.mean = MaskedAveragePooling() if entity_vectors else None
        self.hidden = keras.layers.Dense(hidden_dim, activation="gelu")
        self.drop = keras.layers.Dropout(dropout)
        self.centers = None
        if center_weight:
            self.centers = CenterLoss(num_classes, center_rate, dtype="float32")
            self.centers.build((None, hidden_dim))  # no call builds it before the first loss

    def encode(
        self, words: Tensor, mask: Tensor | None, training: bool | None
    ) -> tuple[Tensor, Tensor | None]:
        """Local representations, ``[batch, length, dim]``; the global representation, or None."""
        raise NotImplementedError

    def vectors(
        self, ids: Tensor, training: bool | None = None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Word vectors, ``[batch, length, embedding_dim]``; positions and entity roles, or None."""
        ids, roles = self.read(ids)
        words = self.drop_words(self.embed(ids), training=training)
        positions = (
            None if self.positions is None else self.positions(ids if roles is None else roles)
        )
        if self.place is not None:
            words = words + self.place(positions)
        return self.drop_numbers(words, training=training), positions, roles

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        mask = word_mask(ids)
        words, positions, roles = self.vectors(ids, training)
        words, overall = self.encode(words, mask, training)
        document, scores = self.attention(
            words, overall, positions, mask=mask, return_attention_scores=True
        )
        if self.entity_vectors and roles is not None:
            entities = [self.mean(words, mask=inside) for inside in entity_masks(roles)]
            document = ops.concatenate([document, *entities], axis=-1)
        hidden = self.hidden(document)
        self.features = hidden  # for compute_loss, in the same step
        probabilities = self.classify(self.drop(hidden, training=training))
        if return_attention_scores:
            return probabilities, Attention(words=ops.expand_dims(scores, 2))
        return probabilities

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool | None = True,
    ) -> Tensor:
        """The compiled loss and, in training, the centre loss."""
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if self.centers is None or not training:
            return loss
        targets = self.kind.only_class(y, self.num_classes)
        if sample_weight is not None:  # texts of weight 0 count as texts without a class
            targets = ops.where(ops.reshape(sample_weight, (-1,)) > 0, targets, -1)
        own = self.center_weight * self.centers(self.features, targets, training=True)
        return loss + share_of_device(self, own)


@register_model("act")
@register_model("act_feature_maps", attentive=False)
@register_model("act_one_head", num_heads=1)
@register_model("act_no_global", global_representation=False)
@register_model("act_no_positions", position_dim=None)
@keras.saving.register_keras_serializable("zoo")
class ACT(GlobalAttentionClassifier):
    """Attentive Convolutional Transformer (Li et al. 2021).

    Layers of multi-head attentive convolution, each with a residual connection and layer
    normalisation, hand local representations upward (Section 2.2); global attention sums the top
    layer up with its global representation and absolute positions (Section 2.3). The other names
    are the ablations of Table 3.
    Layer normalisation has Keras' epsilon, 1e-3, as the paper gives none: the first layer's words,
    which start small, come out of it with a deviation of about 0.2 and not 1.
    Defaults are smaller than the paper's, which are the preset ``li2021``: better on a few
    thousand texts, and several times as fast.

    Args:
        num_layers: layers of attentive convolution (Section 4.2).
        num_heads: heads of each layer; divides ``embedding_dim``.
        filters: m, filters of each head.
        kernel_size: n, words of an n-gram; or several sizes, whose filters' outputs are added up,
            which did not help in the paper (Section 4.2).
        attentive: False uses the feature maps themselves (Table 3, row 1).
        global_representation: False leaves the global representation out of the attention (Table 3,
            row 3).

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("act", num_classes=3, num_layers=1, filters=10)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    recipes = {"li2021": RECIPE}
    preset_weights = GLOVE
    presets = {
        "li2021": {
            **HEAD,
            "num_layers": 3,  # Section 3.3
            "num_heads": 6,  # Section 3.3
            "filters": 100,  # Section 3.3
            "kernel_size": 3,  # Section 3.3
        },
        "li2021_relations": {
            **HEAD,  # position_dim: 30 for each entity
            "num_layers": 1,  # Section 3.3
            "num_heads": 6,  # Section 3.3
            "filters": 40,  # Section 3.3
            "kernel_size": 3,  # Section 3.3
            "entities": True,  # Section 3.3
        },
        # Not the paper's: options that it does not have, chosen on development splits and folds of
        # the training split of SemEval-2010 task 8.
        "relations": {
            "num_layers": 2,
            "num_contexts": 4,
            "entities": True,
            "entity_vectors": True,
            "word_positions": True,
            "max_distance": 15,
            "word_dropout": 0.0,
            "embedding_dropout": 0.5,
            "embedding_range": 0.05,
            "subwords": 20_000,
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        num_layers: Size = 3,
        num_heads: Size = 6,
        filters: Size = 40,
        kernel_size: Size | Sizes = 3,
        attentive: bool = True,
        global_representation: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        check_heads(num_heads, self.embedding_dim, "embedding_dim")
        if self.entities:
            self.learning_rate = 1e-3  # chosen as for "relations"; a Transformer fails with it
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.filters = filters
        sizes = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        self.kernel_size = kernel_size if isinstance(kernel_size, int) else sizes
        self.attentive = attentive
        self.global_representation = global_representation

        def convolution(size: int) -> AttentiveConv:
            return AttentiveConv(num_heads, filters, size, attentive)

        self.convolutions = [convolution(sizes[0]) for _ in range(num_layers)]
        self.more_convolutions = [
            [convolution(size) for size in sizes[1:]] for _ in range(num_layers)
        ]
        self.norms = [keras.layers.LayerNormalization() for _ in range(num_layers)]

    def encode(
        self, words: Tensor, mask: Tensor | None, training: bool | None
    ) -> tuple[Tensor, Tensor | None]:
        for layer in range(self.num_layers):
            words, overall = self.attend(layer, words, mask)
        return words, overall if self.global_representation else None

    def attend(
        self, layer: int, words: Tensor, mask: Tensor | None, **asked: Any
    ) -> tuple[Tensor, ...]:
        """One layer: local representations, the global one, and what else ``asked`` requests."""
        local, overall, *matches = self.convolutions[layer](words, mask=mask, **asked)
        for convolution in self.more_convolutions[layer]:
            others, more = convolution(words, mask=mask)
            local, overall = local + others, overall + more
        return self.norms[layer](words + local), overall, *matches

    def corpus_tables(self, texts: Sequence[str]) -> dict[str, "pd.DataFrame"]:
        return {"Filters, and what excites them most": self.filter_ngrams(texts)}

    def filter_ngrams(
        self, texts: Sequence[str], layer: int = 0, most: int = 5, filters: int = 10
    ) -> "pd.DataFrame":
        """The n-grams that excite the filters most: what each filter has learnt to detect.

        A match is M of Equation 2, between a filter and an n-gram.

        Args:
            texts: the texts whose n-grams are searched.
            layer: number of the layer of attentive convolution, from 0. The first layer reads
                n-grams of words, the next one n-grams of the first layer's output. Where there are
                several kernel sizes, only the first is used.
            most: how many different n-grams to return for each filter.
            filters: how many filters to return: those with the largest matches.

        Returns:
            ``head`` and ``filter``, both from 1, ``ngram`` and its ``match``, the largest first.
        """
        import pandas as pd

        found = defaultdict(dict)  # for each head and filter: n-grams and their largest match
        for start in range(0, len(texts), SEARCHED_AT_ONCE):
            part = texts[start : start + SEARCHED_AT_ONCE]
            tokens = self.preprocessor.tokens(part)
            ids = self.preprocessor.pad(tokens.inputs)
            words, mask = self.vectors(ids)[0], word_mask(ids)
            for number in range(layer + 1):
                words, _, matches = self.attend(number, words, mask, return_attention_scores=True)
            split = tokens.words.to_list()
            ngrams = [
                b" ".join(own[place : place + self.convolutions[layer].kernel_size]).decode()
                for own in split
                for place in range(len(own))
            ]
            rows = zip(split, ops.convert_to_numpy(matches), strict=True)
            matches = np.concatenate([row[: len(own)] for own, row in rows])
            names = list(dict.fromkeys(ngrams))
            places = {ngram: place for place, ngram in enumerate(names)}
            numbers = np.array([places[ngram] for ngram in ngrams], int)
            best = np.full((len(names), *matches.shape[1:]), -np.inf)  # for each n-gram
            np.maximum.at(best, numbers, matches)
            largest = np.argsort(-best, axis=0, kind="stable")[:most]
            for one in np.ndindex(best.shape[1:]):
                for number in largest[:, *one]:
                    ngram, match = names[number], float(best[number, *one])
                    found[one][ngram] = max(match, found[one].get(ngram, match))
        strongest = sorted(found, key=lambda one: -max(found[one].values(), default=0))[:filters]
        rows = [
            (one[0] + 1, one[1] + 1, ngram, match)
            for one in strongest
            for ngram, match in sorted(found[one].items(), key=lambda item: -item[1])[:most]
        ]
        return pd.DataFrame(rows, columns=["head", "filter", "ngram", "match"])


@register_model("act_transformer")
@keras.saving.register_keras_serializable("zoo")
class ACTTransformer(GlobalAttentionClassifier):
    """The Transformer that the ACT paper compares with (Li et al. 2021, Section 4.4).

    Encoder layers of Vaswani et al. 2017 on words with sinusoidal positions, under ACT's global
    attention; there is no global representation, as a Transformer has none.

    Args:
        num_layers: layers of the encoder.
        num_heads: heads of each layer; divides ``embedding_dim``.
        feed_forward_dim: inner width of the feed-forward networks.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("act_transformer", num_classes=3, num_layers=1)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    recipes = {"li2021": RECIPE}
    preset_weights = GLOVE
    presets = {
        "li2021": {
            **HEAD,
            "num_layers": 3,  # Section 4.4: as in ACT
            "num_heads": 6,  # Section 4.4: as in ACT
            "feed_forward_dim": 1200,  # 4 * embedding_dim (Vaswani et al.); fits Table 5's count
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        num_layers: Size = 3,
        num_heads: Size = 6,
        feed_forward_dim: Size = 480,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, **kwargs)
        check_heads(num_heads, self.embedding_dim, "embedding_dim")
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.feed_forward_dim = feed_forward_dim
        self.encoding = SinusoidalPositions(self.embedding_dim)
        self.encoder = [
            TransformerLayer(num_heads, feed_forward_dim, activation="gelu")
            for _ in range(num_layers)
        ]

    def encode(
        self, words: Tensor, mask: Tensor | None, training: bool | None
    ) -> tuple[Tensor, Tensor | None]:
        words = words * self.embedding_dim**0.5  # Vaswani et al. 2017, Section 3.4
        words = words + self.encoding(words)
        for layer in self.encoder:
            words = layer(words, mask=mask, training=training)
        return words, None
