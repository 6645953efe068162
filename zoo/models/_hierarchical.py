"""The base class of models that read documents sentence by sentence."""

from typing import Any

import keras
from keras import ops

from zoo.classifier import Attention, TextClassifier, word_mask
from zoo.layers.types import Tensor
from zoo.options import Classes, Rate, Size


class HierarchicalClassifier(TextClassifier):
    """One level reads the words of each sentence, a second one the sentence vectors.

    A subclass sets ``words``, a :class:`zoo.layers.SentenceEncoder`, and ``sentences``: levels
    that turn ``[batch, length, dim]`` into ``[batch, features]`` and on request give the weights by
    which they sum up, ``[batch, heads, length]``, and those between all pairs,
    ``[batch, heads, length, length]``, each None where there are none. A flat variant, with
    ``max_sentences=None`` where a subclass allows it, has a single level, ``words``.

    Documents may come as the sentences that exist, grouped by length
    (:func:`zoo.datasets.batches.pack`): the same probabilities with less padding computed.

    Args:
        max_words: the most words of a sentence; see :class:`TextClassifier`.
        max_sentences: the most sentences of a document.
        output_dropout: rate on the document vector.
    """

    sentence_groups = 12

    def __init__(
        self,
        num_classes: Classes,
        *,
        max_words: Size = 100,
        max_sentences: Size = 100,
        output_dropout: Rate = 0.1,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, max_words=max_words, max_sentences=max_sentences, **kwargs)
        self.output_dropout = output_dropout
        self.drop = keras.layers.Dropout(output_dropout)

    def call(
        self, ids: Tensor, training: bool | None = None, return_attention_scores: bool = False
    ) -> Tensor | tuple[Tensor, Attention]:
        if isinstance(ids, dict):
            if return_attention_scores or not self.hierarchical:
                raise ValueError("packed documents are for a model with sentences, without scores")
            return self._call_packed(ids["sentences"], ids["places"], training)
        mask = word_mask(ids)
        asked = {"training": training, "return_attention_scores": True}
        vectors, scores = self.words(self.embed(ids), mask=mask, **asked)
        sentences = None
        if self.hierarchical:
            mask = ops.any(mask, axis=-1)
            vectors, (sentences, _) = self.sentences(vectors, mask=mask, **asked)
        probabilities = self.classify(self.drop(vectors, training=training))
        if not return_attention_scores:
            return probabilities
        words, pairs = keras.tree.map_structure(self._heads_first, scores, none_is_leaf=False)
        return probabilities, Attention(words, pairs, sentences)

    def _heads_first(self, scores):
        """``[batch, heads, sentences, ...]``, of one sentence in a flat variant."""
        if not self.hierarchical:
            return ops.expand_dims(scores, 2)
        # No transpose: of a single head tf2onnx makes a reshape of it that ONNX refuses.
        return ops.stack(ops.unstack(scores, axis=2), axis=1)

    def _call_packed(self, groups, places, training):
        vectors = [
            self.words.layer(self.embed(ids), mask=word_mask(ids), training=training)
            for ids in groups
        ]
        vectors = ops.concatenate([ops.zeros_like(vectors[0][:1]), *vectors])  # place 0: padding
        vectors = ops.take(vectors, places, axis=0)
        vector = self.sentences(vectors, mask=ops.greater(places, 0), training=training)
        return self.classify(self.drop(vector, training=training))
