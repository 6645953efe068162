"""Bi-BloSAN: Bi-Directional Block Self-Attention for Fast and Memory-Efficient Sequence Modeling.

Shen et al., ICLR 2018.
"""

from typing import Any

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import masked_softmax
from zoo.layers.types import ActivationLike, Shape, Tensor
from zoo.options import Classes, Positive, Rate, Size
from zoo.registry import register_model

SCALE = 5.0  # c of the scores (Section 3.1)


class Wide(UnmaskedLayer):
    """What the mechanisms share: ``dim`` features go in and come out; no mask does."""

    def __init__(self, dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dim = dim

    def dense(
        self, activation: ActivationLike | None = None, use_bias: bool = True
    ) -> keras.layers.Dense:
        return keras.layers.Dense(self.dim, activation, use_bias, dtype=self.dtype_policy)


@keras.saving.register_keras_serializable("zoo")
class MaskedSelfAttention(Wide):
    """mSA: a word attends to the words before it, in each feature apart (Section 3.1).

    ``f(x_i, x_j) = c tanh((W1 x_i + W2 x_j + b) / c)`` has a score for each feature; their softmax
    over all i < j, or over all i > j where ``backward``, weighs the features of x_i. A word with
    none to attend to gets zeros, as in the authors' code.
    """

    def __init__(self, dim: int, backward: bool = False, **kwargs: Any) -> None:
        super().__init__(dim, **kwargs)
        self.backward = backward
        self.attended = self.dense(use_bias=False)  # W1
        self.attending = self.dense()  # W2 and b

    def build(self, input_shape: Shape) -> None:
        self.attended.build(input_shape)
        self.attending.build(input_shape)

    def call(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        # [batch, j, dim, i]: the softmax is fastest over the last axis
        i = ops.expand_dims(ops.transpose(self.attended(inputs), (0, 2, 1)), 1)
        j = ops.expand_dims(self.attending(inputs), -1)
        scores = SCALE * ops.tanh((i + j) / SCALE)
        places = ops.arange(ops.shape(inputs)[1])
        i, j = ops.expand_dims(places, 0), ops.expand_dims(places, 1)
        direction = ops.greater(i, j) if self.backward else ops.less(i, j)
        allowed = ops.logical_and(direction, ops.expand_dims(mask, 1))
        weights = masked_softmax(scores, ops.expand_dims(allowed, 2))
        values = ops.expand_dims(ops.transpose(inputs, (0, 2, 1)), 1)
        return ops.sum(ops.cast(weights, values.dtype) * values, axis=-1)


@keras.saving.register_keras_serializable("zoo")
class Source2Token(Wide):
    """A sequence's vector: attention in each feature apart (Section 2).

    The softmax of ``f(x_i) = W elu(W1 x_i + b1) + b`` over all i weighs the features of x_i. Here b
    is left out: it adds the same to all, which changes no softmax.
    """

    def __init__(self, dim: int, **kwargs: Any) -> None:
        super().__init__(dim, **kwargs)
        self.hidden = self.dense("elu")
        self.score = self.dense(use_bias=False)

    def build(self, input_shape: Shape) -> None:
        self.hidden.build(input_shape)
        self.score.build(input_shape)

    def call(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        scores = ops.transpose(self.score(self.hidden(inputs)), (0, 2, 1))
        weights = masked_softmax(scores, ops.expand_dims(mask, 1))  # [batch, dim, words]
        values = ops.transpose(inputs, (0, 2, 1))
        return ops.sum(ops.cast(weights, values.dtype) * values, axis=-1), weights


@keras.saving.register_keras_serializable("zoo")
class MaskedBlockSelfAttention(Wide):
    """mBloSA: attention within blocks of words, and between the blocks (Section 3.2).

    Never more than ``[batch, blocks, block_words, block_words, dim]`` or
    ``[batch, blocks, blocks, dim]`` weights.
    """

    def __init__(self, dim: int, block_words: int, backward: bool = False, **kwargs: Any) -> None:
        super().__init__(dim, **kwargs)
        self.block_words = block_words
        self.backward = backward
        self.intra = MaskedSelfAttention(dim, backward, dtype=self.dtype_policy)
        self.source2token = Source2Token(dim, dtype=self.dtype_policy)
        self.inter = MaskedSelfAttention(dim, backward, dtype=self.dtype_policy)
        self.gate = self.dense("sigmoid")
        self.fusion = self.dense("elu")
        self.fusion_gate = self.dense("sigmoid")

    def build(self, input_shape: Shape) -> None:
        for layer in (self.intra, self.source2token, self.inter):
            layer.build(input_shape)
        self.gate.build((None, None, 2 * self.dim))
        self.fusion.build((None, None, 3 * self.dim))
        self.fusion_gate.build((None, None, 3 * self.dim))

    def call(self, inputs: Tensor, mask: Tensor | None) -> Tensor:
        blocks = ops.shape(inputs)[1] // self.block_words
        # Intra-block: h of each word, v of each block
        block_mask = ops.reshape(mask, (-1, self.block_words))
        x = ops.reshape(inputs, (-1, self.block_words, self.dim))
        local = self.intra(x, mask=block_mask)
        vectors, _ = self.source2token(local, mask=block_mask)
        # Inter-block: G = sigmoid(W o + W' v + b), e = G o + (1 - G) v
        v = ops.reshape(vectors, (-1, blocks, self.dim))
        o = self.inter(v, mask=ops.any(ops.reshape(mask, (-1, blocks, self.block_words)), -1))
        gate = self.gate(ops.concatenate([o, v], axis=-1))
        context = gate * o + (1 - gate) * v
        # Context fusion of [x; h; E]: u = G F + (1 - G) x
        local = ops.reshape(local, ops.shape(inputs))
        context = ops.repeat(context, self.block_words, axis=1)
        all_three = ops.concatenate([inputs, local, context], axis=-1)
        gate = self.fusion_gate(all_three)
        return gate * self.fusion(all_three) + (1 - gate) * inputs


@register_model("bi_blosan")
@keras.saving.register_keras_serializable("zoo")
class BiBloSAN(TextClassifier):
    """Bi-directional Block Self-Attention Network (Shen et al. 2018).

    One block self-attention reads forward and one backward; source2token attention makes a vector
    of what they give (Section 3.3). The weight of a word is the mean of its features' weights.

    Args:
        units: width of the word maps and of each direction.
        block_words: r, words of a block. The authors take the cube root of twice the words of the
            batch's longest text: so a text's answer would depend on its batch, and here r is
            fixed; 10 is what they would take for 500 words.
        hidden_dim: width of the layer before the softmax.
        dropout: rate on word vectors, on the text's vector and on that layer; the authors' code has
            it within the attention, too, and a decay of weights.
        embedding_range: of new word vectors, about GloVe's: small words attend to all alike, and
            learn slowly.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("bi_blosan", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    presets = {
        "shen2018": {  # authors' code for CR, MPQA and SUBJ
            "embedding_dim": 300,  # GloVe
            "units": 300,
            "hidden_dim": 300,
            "dropout": 0.4,
            "train_embeddings": False,
        },
    }

    def __init__(
        self,
        num_classes: Classes,
        *,
        units: Size = 64,
        block_words: Size = 10,
        hidden_dim: Size = 100,
        dropout: Rate = 0.3,
        embedding_range: Positive = 0.5,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, embedding_range=embedding_range, **kwargs)
        self.units = units
        self.block_words = block_words
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.drop = keras.layers.Dropout(dropout)
        self.maps = [keras.layers.Dense(units, activation="elu") for _ in range(2)]
        self.directions = [
            MaskedBlockSelfAttention(units, block_words, backward) for backward in (False, True)
        ]
        self.source2token = Source2Token(2 * units)
        self.hidden = keras.layers.Dense(hidden_dim, activation="relu")

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        length = ops.shape(ids)[1]
        whole = (length + self.block_words - 1) // self.block_words * self.block_words
        ids = ops.pad(ids, [[0, 0], [0, whole - length]])  # to whole blocks
        mask = word_mask(ids)
        words = self.drop(self.embed(ids), training=training)
        both = [
            direction(dense(words), mask=mask)
            for dense, direction in zip(self.maps, self.directions, strict=True)
        ]
        text, weights = self.source2token(ops.concatenate(both, axis=-1), mask=mask)
        hidden = self.hidden(self.drop(text, training=training))
        probabilities = self.classify(self.drop(hidden, training=training))
        if return_attention_scores:
            weights = ops.mean(weights, axis=1)[:, :length]
            return probabilities, Attention(words=ops.expand_dims(weights, (1, 2)))
        return probabilities
