"""A layer of the Transformer's encoder."""

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.frozen import freeze_within
from zoo.layers.layer import Layer
from zoo.layers.normalization import LayerNormalization
from zoo.layers.relative_position_attention import RelativePositionAttention


@keras.saving.register_keras_serializable("zoo")
class TransformerLayer(Layer):
    """Self-attention and a feed-forward network, each with residual and layer normalisation.

    Vaswani et al. 2017, Sections 3.1-3.3 and 5.4; with ``max_distance`` its attention has the
    relative positions of Shaw et al. 2018.

    Args:
        num_heads: number of heads; divides the input's width.
        hidden_dim: inner width of the feed-forward network.
        max_distance: see :class:`RelativePositionAttention`; None leaves positions out.
        activation: of the feed-forward network.
        use_bias: whether the attention's projections have biases.
        dropout: rate on the output of both sublayers.
        norm_epsilon: of the normalisation; Keras' own, as the papers tell none.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights,
            ``[batch, num_heads, length, length]`` float32.

    Returns:
        ``[batch, length, dim]``. What it holds at masked positions means nothing.

    Raises:
        ValueError: if a size is below 1, or ``num_heads`` does not divide the input's width.
    """

    def __init__(
        self,
        num_heads,
        hidden_dim,
        max_distance=None,
        activation="relu",
        use_bias=True,
        dropout=0.0,
        norm_epsilon=1e-3,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes(num_heads=num_heads, hidden_dim=hidden_dim)
        if max_distance is not None:
            check_sizes(0, max_distance=max_distance)
        self.num_heads = num_heads
        self.hidden_dim = hidden_dim
        self.max_distance = max_distance
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias
        self.dropout = dropout
        self.norm_epsilon = norm_epsilon
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        dim, policy = input_shape[-1], self.dtype_policy
        self.attention = RelativePositionAttention(
            self.num_heads,
            dim,
            self.max_distance,
            use_bias=self.use_bias,
            dropout=self.dropout,
            dtype=policy,
        )
        self.attention_norm = self._norm()
        self.hidden = keras.layers.Dense(self.hidden_dim, self.activation, dtype=policy)
        self.output_projection = keras.layers.Dense(dim, dtype=policy)
        self.output_norm = self._norm()
        for layer in (self.attention, self.attention_norm, self.hidden, self.output_norm):
            layer.build(input_shape)
        self.output_projection.build((*input_shape[:-1], self.hidden_dim))
        freeze_within(self)

    def _norm(self):
        return LayerNormalization(epsilon=self.norm_epsilon, dtype=self.dtype_policy)

    def call(self, inputs, mask=None, training=None, return_attention_scores=False):
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        outputs, weights = self.attention(
            inputs, mask=mask, training=training, return_attention_scores=True
        )
        attended = self.attention_norm(inputs + outputs)
        outputs = self.output_projection(self.hidden(attended))
        outputs = self.output_norm(attended + self.drop(outputs, training=training))
        return (outputs, weights) if return_attention_scores else outputs

    def get_config(self):
        return super().get_config() | {"activation": keras.activations.serialize(self.activation)}
