"""Attention by a learned context vector, of HAN."""

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.frozen import freeze_within
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.masking import weighted_sum


@keras.saving.register_keras_serializable("zoo")
class ContextAttention(UnmaskedLayer):
    """Sums a sequence up by the likeness of its items to a learned context vector.

    Yang et al. 2016 (HAN), Section 2.2, Equations 5-7 and 8-10: ``u_t = tanh(W h_t + b)``,
    ``a = softmax(u_t . u_w)``, ``s = sum of a_t h_t``.

    Args:
        attention_dim: width of u and of the context vector.

    Call arguments:
        inputs: h, ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word (or a sentence).
        return_attention_scores: also return the weights, ``[batch, length]`` float32.

    Returns:
        ``[batch, dim]``; zeros for a sequence that is wholly masked.

    Raises:
        ValueError: if a size is below 1.
    """

    def __init__(self, attention_dim=100, **kwargs):
        super().__init__(**kwargs)
        check_sizes(attention_dim=attention_dim)
        self.attention_dim = attention_dim
        self.hidden = keras.layers.Dense(attention_dim, activation="tanh", dtype=self.dtype_policy)

    def build(self, input_shape):
        self.hidden.build(input_shape)
        self.context = self.add_weight(name="context", shape=(self.attention_dim, 1))
        freeze_within(self)

    def call(self, inputs, mask=None, return_attention_scores=False):
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        scores = ops.matmul(self.hidden(inputs), self.context)
        outputs, weights = weighted_sum(inputs, scores, mask)
        return (outputs, weights) if return_attention_scores else outputs
