"""Global attention of ACT."""

import keras
from keras import ops

from zoo.layers.masking import weighted_sum


@keras.saving.register_keras_serializable("zoo")
class GlobalAttention(keras.layers.Layer):
    """Sums a sequence up by local, global and position information.

    Li et al. 2021 (ACT), Section 2.3, Equation 6:
    ``r = O softmax(f(W_o O + W_p P)^T c + O^T g / sqrt(d))`` with f = gelu.

    Args:
        attention_dim: rows of ``W_o`` and ``W_p``.

    Call arguments:
        inputs: O, ``[batch, length, dim]``.
        overall: g, ``[batch, dim]``, or None to leave its term out (Table 3, row 3).
        positions: P, ``[length, position_dim]`` or ``[batch, length, position_dim]``, or None to
            leave its term out (Table 3, row 4).
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights, ``[batch, length]`` float32.

    Returns:
        r, ``[batch, dim]``; zeros for a sequence that is wholly masked.
    """

    def __init__(self, attention_dim=200, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.attention_dim = attention_dim

    def build(self, inputs_shape, overall_shape=None, positions_shape=None):
        self.local_kernel = self.add_weight(
            name="local_kernel", shape=(inputs_shape[-1], self.attention_dim)
        )
        self.position_kernel = None
        if positions_shape is not None:
            self.position_kernel = self.add_weight(
                name="position_kernel", shape=(positions_shape[-1], self.attention_dim)
            )
        self.context = self.add_weight(name="context", shape=(self.attention_dim, 1))

    def call(self, inputs, overall=None, positions=None, mask=None, return_attention_scores=False):
        hidden = ops.matmul(inputs, self.local_kernel)
        if positions is not None:
            hidden = hidden + ops.matmul(positions, self.position_kernel)
        scores = ops.matmul(ops.gelu(hidden, approximate=False), self.context)
        if overall is not None:
            scaled = overall[:, :, None] * inputs.shape[-1] ** -0.5
            scores = scores + ops.matmul(inputs, scaled)
        outputs, weights = weighted_sum(inputs, scores, mask)
        return (outputs, weights) if return_attention_scores else outputs

    def compute_mask(self, inputs, previous_mask):
        return None

    def get_config(self):
        return super().get_config() | {"attention_dim": self.attention_dim}
