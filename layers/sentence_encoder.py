"""A sequence encoder run over the sentences of documents."""

from typing import Any

import keras
from keras import ops

from zoo.layers.types import Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class SentenceEncoder(keras.layers.Wrapper):
    """Encodes each sentence of each document to a vector, with one encoder for all.

    The sentences are folded into the batch, so that the encoder sees one large batch of
    sentences instead of a loop (``TimeDistributed`` is slower and loses masks).

    Args:
        layer: an encoder, ``[sentences, words, dim]`` -> ``[sentences, features]``, whose call
            takes ``mask`` and ``return_attention_scores`` (scores: ``[sentences, ...]``, or
            several, of which some may be None).

    Call arguments:
        inputs: ``[batch, sentences, words, dim]``.
        mask: ``[batch, sentences, words]`` boolean, True where there is a word.
        return_attention_scores: also return the encoder's scores, ``[batch, sentences, ...]``.

    Returns:
        ``[batch, sentences, features]``. The mask of the sentences is ``any(mask, axis=-1)``.

    Example:
        >>> import keras
        >>> from zoo.layers import SentenceEncoder, TargetAttention
        >>> encoder = SentenceEncoder(TargetAttention(num_heads=2, filters=6))
        >>> tuple(encoder(keras.ops.ones((2, 3, 5, 8))).shape)  # 3 sentences of 5 words
        (2, 3, 6)
    """

    def __init__(self, layer: keras.layers.Layer, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Shape) -> None:
        super().build((None, *input_shape[2:]))

    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Tensor | tuple[Tensor, Any]:
        batch, sentences, words, dim = ops.shape(inputs)

        def fold(x, *tail):
            return None if x is None else ops.reshape(x, (batch * sentences, words, *tail))

        def unfold(x):
            return ops.reshape(x, (batch, sentences, *ops.shape(x)[1:]))

        folded, folded_mask = fold(inputs, dim), fold(mask)
        if not return_attention_scores:
            return unfold(self.layer(folded, mask=folded_mask, training=training))
        outputs, scores = self.layer(
            folded, mask=folded_mask, training=training, return_attention_scores=True
        )
        return unfold(outputs), keras.tree.map_structure(unfold, scores, none_is_leaf=False)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Of all outputs, the encoder's scores too: see :class:`zoo.layers.layer.Layer`."""
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        encoded = self.layer.compute_output_shape((None, *input_shape[2:]))
        return (*input_shape[:2], *encoded[1:])

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor | None) -> Tensor | None:
        return None if previous_mask is None else ops.any(previous_mask, axis=-1)
