"""VDCNN: Very Deep Convolutional Networks for Text Classification (EACL 2017)."""

from typing import Any, Literal

import keras
from keras import ops

from zoo.backend.devices import is_mirrored
from zoo.classifier import TextClassifier, word_mask
from zoo.layers.masking import zero_masked
from zoo.layers.ngrams import ngrams
from zoo.layers.types import Shape, Tensor
from zoo.options import Classes, Positive, Size
from zoo.registry import register_model

BLOCKS = {9: (1, 1, 1, 1), 17: (2, 2, 2, 2), 29: (5, 5, 2, 2), 49: (8, 8, 5, 3)}  # Table 2
KEPT = 8  # the largest matches of each filter (Section 3.1)


@keras.saving.register_keras_serializable("zoo")
class ConvolutionalBlock(keras.layers.Layer):
    """Two convolutions of three characters, each with batch normalisation and ReLU (Figure 2)."""

    def __init__(self, filters: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.convolutions = [
            keras.layers.Dense(
                filters, use_bias=False, kernel_initializer="he_normal", dtype=self.dtype_policy
            )
            for _ in range(2)
        ]
        synchronized = is_mirrored()  # over all devices, as JAX does by itself
        self.norms = [
            keras.layers.BatchNormalization(synchronized=synchronized, dtype=self.dtype_policy)
            for _ in range(2)
        ]

    def build(self, input_shape: Shape) -> None:
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            convolution.build((*input_shape[:-1], 3 * input_shape[-1]))
            input_shape = (*input_shape[:-1], convolution.units)
            norm.build(input_shape)

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            inputs = ops.relu(norm(convolution(ngrams(inputs, 3, 1)), training=training))
        return inputs


@register_model("vdcnn")
@register_model("vdcnn_17", depth=17)
@register_model("vdcnn_29", depth=29)
@keras.saving.register_keras_serializable("zoo")
class VDCNN(TextClassifier):
    """Very deep CNN over characters (Conneau et al. 2017).

    Blocks of convolutions; three times half of the characters go and the filters double. The eight
    largest matches of each filter go to three dense layers. No shortcuts, which the paper found to
    help in its deepest network alone. Texts are as long as the longest, whatever the batch. Kernels
    start as He et al. 2015 have them.

    Args:
        depth: convolutions: 9, 17, 29 or 49 (Table 2).
        filters: of the first block.
        hidden_dim: width of the dense layers (Section 3.1).
        max_words: characters of a text (Section 3.1).

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("vdcnn", num_classes=3, filters=4, hidden_dim=8)
        >>> tuple(model(np.array([[4, 5, 6, 0]])).shape)  # three characters, and padding
        (1, 3)
    """

    # Found on a development split of AG News: at 0.001 it gives, with the paper's widths, the same
    # answer to all texts.
    learning_rate = 3e-4
    single_words = False
    clean_up = "characters"
    presets = {"conneau2017": {"filters": 64, "hidden_dim": 2048}}  # Section 3.1

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 16,
        embedding_range: Positive = 1.0,
        depth: Literal[9, 17, 29, 49] = 9,
        filters: Size = 32,
        hidden_dim: Size = 256,
        max_words: Size = 1024,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_classes,
            embedding_dim=embedding_dim,
            embedding_range=embedding_range,
            max_words=max_words,
            **kwargs,
        )
        self.depth = depth
        self.filters = filters
        self.hidden_dim = hidden_dim
        self.first = keras.layers.Dense(filters, kernel_initializer="he_normal")
        self.blocks = [
            [ConvolutionalBlock(filters * 2**level) for _ in range(count)]
            for level, count in enumerate(BLOCKS[depth])
        ]
        self.pool = keras.layers.MaxPooling1D(3, strides=2, padding="same")
        self.hidden = [
            keras.layers.Dense(hidden_dim, activation="relu", kernel_initializer="he_normal")
            for _ in range(2)
        ]

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        features = zero_masked(self.embed(ids), word_mask(ids))
        length = max(self.max_words, 8 * KEPT)  # of which 8 are left
        features = ops.pad(features, [[0, 0], [0, length], [0, 0]])[:, :length]
        features = self.first(ngrams(features, 3, 1))
        for level, blocks in enumerate(self.blocks):
            features = self.pool(features) if level else features
            for block in blocks:
                features = block(features, training=training)
        features = ops.transpose(features, (0, 2, 1))
        places = ops.sort(ops.top_k(features, KEPT)[1], axis=-1)  # in their order
        features = ops.take_along_axis(features, places, axis=-1)
        features = ops.reshape(features, (-1, KEPT * features.shape[1]))
        for hidden in self.hidden:
            features = hidden(features)
        return self.classify(features)
