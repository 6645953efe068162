"""Word vectors that share what they learn with words of the same letters."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import Layer
from zoo.layers.types import InitializerLike, Shape, Tensor

CHUNK = 1024  # words, whose n-grams' vectors are in memory together


@keras.saving.register_keras_serializable("zoo")
class SubwordEmbedding(Layer):
    """A vector of each word, plus those of its character n-grams (Bojanowski et al. 2017, 3.2).

    What is learnt of a word is learnt of its n-grams, and so of all words that have them: most of
    a small corpus' words are rare. The n-grams' sum is divided by the root of their number, as
    vectors that start at random would have long words be the largest; the paper's is not.

    Args:
        input_dim: words, padding and the unknown word included.
        output_dim: width of the vectors.
        subwords: rows of the table of n-grams, of which the first is that of none (the paper: two
            million, into which all n-grams are hashed).
        most: the most n-grams of a word.
        initializer: of both tables.

    Call arguments:
        inputs: ids, ``[...]`` whole numbers.

    Returns:
        ``[..., output_dim]``. The weight ``members``, ``[input_dim, most]`` int32, says which rows
        the n-grams of a word have, see :mod:`zoo.datasets.text.character_ngrams`; until it is
        assigned, words have none.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import SubwordEmbedding
        >>> embedding = SubwordEmbedding(input_dim=100, output_dim=8, subwords=50)
        >>> tuple(embedding(keras.ops.array([[2, 7, 0]])).shape)
        (1, 3, 8)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        subwords: int = 20_000,
        most: int = 24,
        initializer: InitializerLike = "uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.autocast = False  # autocast would round float ids to those of other words
        check_sizes(input_dim=input_dim, output_dim=output_dim, subwords=subwords, most=most)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.subwords = subwords
        self.most = most
        self.initializer = get_initializer(initializer, copied=False)

    def build(self, input_shape: Shape | None = None) -> None:
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.initializer,
        )
        self.ngrams = self.add_weight(
            name="ngrams",
            shape=(self.subwords, self.output_dim),
            initializer=fresh(self.initializer),  # which draws other numbers
        )
        self.members = self.add_weight(
            name="members",
            shape=(self.input_dim, self.most),
            initializer="zeros",
            dtype="int32",
            trainable=False,
            autocast=False,
        )
        self.built = True

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return (*input_shape, self.output_dim)

    def call(self, inputs: Tensor) -> Tensor:
        inputs = ops.cast(inputs, "int32")
        members = ops.take(self.members, inputs, axis=0)
        vectors = ops.take(ops.convert_to_tensor(self.ngrams), members, axis=0)
        real = ops.cast(members > 0, vectors.dtype)
        share = real * ops.rsqrt(ops.maximum(ops.sum(real, axis=-1, keepdims=True), 1))
        words = ops.take(ops.convert_to_tensor(self.embeddings), inputs, axis=0)
        return words + ops.sum(vectors * ops.expand_dims(share, -1), axis=-2)

    def collapsed(self) -> Tensor:
        """The vectors of all words, ``[input_dim, output_dim]``, as a plain table would have."""
        words = range(0, self.input_dim, CHUNK)
        return ops.concatenate(
            [self.call(ops.arange(first, min(first + CHUNK, self.input_dim))) for first in words]
        )
