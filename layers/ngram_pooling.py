"""Convolution and max-pooling over time, of Kim's CNN."""

import keras
from keras import ops

from zoo.layers.masking import masked_max, zero_masked
from zoo.layers.ngrams import ngrams


@keras.saving.register_keras_serializable("zoo")
class NgramPooling(keras.layers.Layer):
    """For each filter, its largest match with an n-gram of the text, for several n.

    Kim 2014, Section 2: ``c_i = relu(w . x_(i:i+n-1) + b)``, then the maximum over i. An n-gram
    starts at every word; beyond the last one there are zeros.

    Args:
        filters: filters of each window.
        windows: n of the n-grams.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.

    Returns:
        ``[batch, len(windows) * filters]``; zeros for a sequence that is wholly masked.
    """

    def __init__(self, filters=100, windows=(3, 4, 5), **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.filters = filters
        self.windows = tuple(windows)
        self.convolutions = [
            keras.layers.Dense(filters, activation="relu", dtype=self.dtype_policy)
            for _ in self.windows
        ]

    def build(self, input_shape):
        for size, convolution in zip(self.windows, self.convolutions, strict=True):
            convolution.build((*input_shape[:-1], size * input_shape[-1]))

    def call(self, inputs, mask=None):
        inputs = zero_masked(inputs, mask)
        pooled = [
            masked_max(convolution(ngrams(inputs, size)), mask)
            for size, convolution in zip(self.windows, self.convolutions, strict=True)
        ]
        return ops.concatenate(pooled, axis=-1)

    def compute_mask(self, inputs, previous_mask):
        return None

    def get_config(self):
        return super().get_config() | {"filters": self.filters, "windows": self.windows}
