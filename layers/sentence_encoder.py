"""A sequence encoder run over the sentences of documents."""

import keras
from keras import ops


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
    """

    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        super().build((None, *input_shape[2:]))

    def call(self, inputs, mask=None, training=None, return_attention_scores=False):
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

    def compute_mask(self, inputs, previous_mask):
        return None if previous_mask is None else ops.any(previous_mask, axis=-1)
