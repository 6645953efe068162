"""A layer of the Transformer's encoder."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.frozen import freeze_within
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import Layer
from zoo.layers.normalization import LayerNormalization
from zoo.layers.relative_position_attention import RelativePositionAttention
from zoo.layers.types import ActivationLike, InitializerLike, Shape, Tensor


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
        norm_epsilon: of the normalisation; Keras' own, as the papers give none.
        kernel_initializer: of all kernels, each for itself; by default Glorot's uniform one.
        bias_initializer: of all biases.

    Call arguments:
        inputs: ``[batch, length, dim]``.
        mask: ``[batch, length]`` boolean, True where there is a word.
        return_attention_scores: also return the weights,
            ``[batch, num_heads, length, length]`` float32.

    Returns:
        ``[batch, length, dim]``. What it holds at masked positions means nothing.

    Raises:
        ValueError: if a size is below 1, or ``num_heads`` does not divide the input's width.

    Example:
        >>> import keras
        >>> from zoo.layers import TransformerLayer
        >>> tuple(TransformerLayer(num_heads=2, hidden_dim=16)(keras.ops.ones((1, 5, 8))).shape)
        (1, 5, 8)
    """

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        max_distance: int | None = None,
        activation: ActivationLike | None = "relu",
        use_bias: bool = True,
        dropout: float = 0.0,
        norm_epsilon: float = 1e-3,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
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
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.bias_initializer = get_initializer(bias_initializer)
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape: Shape) -> None:
        dim, policy = input_shape[-1], self.dtype_policy
        self.attention = RelativePositionAttention(
            self.num_heads,
            dim,
            self.max_distance,
            use_bias=self.use_bias,
            dropout=self.dropout,
            kernel_initializer=self.kernel_initializer,
            bias_initializer=self.bias_initializer,
            dtype=policy,
        )
        self.attention_norm = self._norm()
        self.hidden = self._dense(self.hidden_dim, self.activation)
        self.output_projection = self._dense(dim)
        self.output_norm = self._norm()
        for layer in (self.attention, self.attention_norm, self.hidden, self.output_norm):
            layer.build(input_shape)
        self.output_projection.build((*input_shape[:-1], self.hidden_dim))
        freeze_within(self)

    def _dense(self, units, activation=None):
        return keras.layers.Dense(
            units,
            activation,
            kernel_initializer=fresh(self.kernel_initializer),
            bias_initializer=fresh(self.bias_initializer),
            dtype=self.dtype_policy,
        )

    def _norm(self):
        return LayerNormalization(epsilon=self.norm_epsilon, dtype=self.dtype_policy)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape,)

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        inputs = ops.cast(inputs, self.compute_dtype)  # integers, too
        outputs, weights = self.attention(
            inputs, mask=mask, training=training, return_attention_scores=True
        )
        attended = self.attention_norm(inputs + outputs)
        outputs = self.output_projection(self.hidden(attended))
        outputs = self.output_norm(attended + self.drop(outputs, training=training))
        return (outputs, weights) if return_attention_scores else outputs

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"activation": keras.activations.serialize(self.activation)}
