"""Keras' LSTM and GRU, safe on a GPU, where TensorFlow has cuDNN compute them.

cuDNN refuses sequences that are wholly masked, and what it computes runs on no CPU. So it computes
in training only, from which no SavedModel is made, and reads the padding of an empty sequence. It
also refuses a hole, such as an empty sentence between others: what zoo trains on has none.
"""

import keras
from keras import ops

from zoo.layers.types import Tensor


class CuDNNInTraining:
    """The difference to Keras' layers, of which it comes first."""

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool | None = False,
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        self.use_cudnn = "auto" if training else False
        inner_loop = super().inner_loop  # type: ignore[misc]  # of Keras' layer, beside this class
        if mask is None or not training:
            return inner_loop(sequences, initial_state, mask, training)
        some = ops.any(mask, axis=1, keepdims=True)
        mask = ops.where(some, mask, ops.equal(ops.arange(ops.shape(mask)[1]), 0))
        last, outputs, states = inner_loop(sequences, initial_state, mask, training)
        return ops.where(some, last, ops.zeros_like(last)), outputs, states


@keras.saving.register_keras_serializable("zoo.layers")
class LSTM(CuDNNInTraining, keras.layers.LSTM):
    """Keras' LSTM. What it gives at masked positions means nothing."""


@keras.saving.register_keras_serializable("zoo.layers")
class GRU(CuDNNInTraining, keras.layers.GRU):
    """Keras' GRU. What it gives at masked positions means nothing."""
