"""Paragraph Vector: Distributed Representations of Sentences and Documents (ICML 2014)."""

from typing import TYPE_CHECKING, Any

import keras
import numpy as np
from keras import ops

from zoo.classifier import TextClassifier, word_mask
from zoo.layers.masking import UNKNOWN, zero_masked
from zoo.layers.types import Tensor
from zoo.models._linear import solved
from zoo.options import Classes, Positive, Size
from zoo.registry import register_model

if TYPE_CHECKING:
    from zoo.datasets.corpus import Split

NEGATIVE = 5  # samples against each word


@register_model("paragraph_vector")
@keras.saving.register_keras_serializable("zoo")
class ParagraphVector(TextClassifier):
    """PV-DBOW (Le and Mikolov 2014, Section 2.3), with a softmax over the document's vector.

    gensim trains word vectors u so that a document's vector d tells its words from random ones.
    They stay fixed then, and any document's vector is inferred by gradient steps on

    ``sum_w [log s(u_w . d) + 5 E log s(-u . d)]``, the mean over its words w,

    where s is the sigmoid and E expects a random word by its frequency to the power of 3/4.
    gensim draws words at random there; we compute the expectation, so that a text has one vector.
    scikit-learn finds the softmax (logistic regression).

    Args:
        steps: of the inference.
        step_size: of the first step; it falls to nothing.
        passes: of gensim over the texts.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("paragraph_vector", num_classes=3)
        >>> tuple(model(np.array([[4, 5, 0]])).shape)  # a text of two words, and padding
        (1, 3)
    """

    single_words = False  # their sums alone are read
    reads_word_vectors = False  # gensim trains them
    solves = True

    def __init__(
        self,
        num_classes: Classes,
        *,
        embedding_dim: Size = 100,
        steps: Size = 20,
        step_size: Positive = 4.0,
        passes: Size = 10,
        max_words: Size = 2_500,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, embedding_dim=embedding_dim, max_words=max_words, **kwargs)
        self.steps = steps
        self.step_size = step_size
        self.passes = passes
        self.noise = self.add_weight(
            name="noise",
            shape=(self.vocabulary_size,),
            initializer=keras.initializers.Constant(1 / self.vocabulary_size),
            trainable=False,
            autocast=False,
        )

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        return self.classify(self.vectors(ids))

    def vectors(self, ids: Tensor) -> Tensor:
        """``[batch, words]`` ids to the documents' vectors, ``[batch, dim]`` float32."""
        mask = ops.logical_and(word_mask(ids), ops.not_equal(ids, UNKNOWN))
        words = ops.cast(zero_masked(self.embed(ids), mask), "float32")
        table = ops.cast(self.embed(ops.arange(self.vocabulary_size)), "float32")  # quantized, too
        share = ops.cast(mask, "float32")
        share = share / ops.maximum(ops.sum(share, axis=-1, keepdims=True), 1)
        some = ops.cast(ops.any(mask, axis=-1, keepdims=True), "float32")
        document = ops.zeros_like(words[:, 0])
        for step in range(self.steps):
            right = share * ops.sigmoid(-ops.einsum("bld,bd->bl", words, document))
            wrong = self.noise * ops.sigmoid(ops.matmul(document, ops.transpose(table)))
            gradient = ops.einsum("bl,bld->bd", right, words)
            gradient = gradient - NEGATIVE * some * ops.matmul(wrong, table)
            document = document + self.step_size * (1 - step / self.steps) * gradient
        return document

    def solve(self, split: "Split", seed: int = 0) -> None:
        """Trains the word vectors with gensim and the softmax with scikit-learn."""
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument

        from zoo.datasets.text.text_tensors import text_chunks, text_dataset

        texts = []
        for batch in text_chunks(split):
            texts += self.preprocessor.encode(batch).to_list()
        documents = [
            TaggedDocument([str(id) for id in ids if id != UNKNOWN], [number])
            for number, ids in enumerate(texts)
        ]
        gensim = Doc2Vec(
            documents,
            dm=0,
            vector_size=self.embedding_dim,
            negative=NEGATIVE,
            min_count=1,
            epochs=self.passes,
            workers=1,
            seed=seed,
        )
        table = np.zeros(self.embed.embeddings.shape, "float32")
        noise = np.zeros(self.vocabulary_size)
        for word, row in gensim.wv.key_to_index.items():
            table[int(word)] = gensim.syn1neg[row]
            noise[int(word)] = gensim.wv.get_vecattr(word, "count") ** 0.75
        self.embed.embeddings.assign(table)
        self.noise.assign(noise / noise.sum())
        features = [
            ops.convert_to_numpy(self.vectors(ids))
            for ids in self.preprocessor.batches(text_dataset(split), 128)
        ]
        features = np.concatenate(features)
        weights, bias = self.kind.solved(
            lambda numbers: solved(features, numbers, "logistic", 1.0, split.weights),
            split.targets,
        )
        self.classify.kernel.assign(weights)
        self.classify.bias.assign(bias)
