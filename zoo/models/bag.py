"""Bags of n-grams: the linear models that the papers compare with, and fastText."""

from typing import TYPE_CHECKING, Any, Literal

import keras
import numpy as np
from keras import ops

from zoo.backend.keras_private import TABLE, with_rows
from zoo.classifier import TextClassifier
from zoo.layers.masking import UNKNOWN, zero_masked
from zoo.layers.types import Tensor
from zoo.models._linear import chosen_weight, solved
from zoo.options import Classes, Positive, Size
from zoo.registry import register_model

if TYPE_CHECKING:
    from zoo.datasets.corpus import Split

TFIDF = ("tfidf", "log_tfidf")
WIDTH = 300  # of the vectors that are clustered (Zhang et al. 2015)


@register_model("bow", solver="logistic")
@register_model("bow_tfidf", solver="logistic", weighting="tfidf")
@register_model("ngrams", solver="logistic", ngrams=5)
@register_model("ngrams_tfidf", solver="logistic", ngrams=5, weighting="tfidf")
@register_model("naive_bayes", solver="naive_bayes", ngrams=2, weighting="tfidf")
@register_model("logistic_l1", solver="logistic_l1", ngrams=2, weighting="tfidf")
@register_model("svm_unigrams", solver="svm", weighting="tfidf")
@register_model("svm_bigrams", solver="svm", ngrams=2, weighting="tfidf")
@register_model("nb_svm", solver="nb_svm", ngrams=3, weighting="presence")
@register_model("ave", solver="logistic", weighting="mean", train_embeddings=False)
@register_model("bag_of_means", solver="logistic", clusters=5000)
@register_model("svm_average", solver="svm", weighting="mean", train_embeddings=False)
@register_model("svm_vectors", solver="svm", ngrams=2, weighting="log_tfidf", vectors=True)
@register_model("fasttext", ngrams=2, weighting="mean", embedding_dim=100)
@keras.saving.register_keras_serializable("zoo")
class BagOfNgrams(TextClassifier):
    """A weighted sum of a text's n-grams, and a softmax.

    With a ``solver`` each n-gram has a weight for each class, which scikit-learn finds: BoW and
    n-grams, with TF-IDF or without (Zhang et al. 2015, Section 3.1), SVMs (Tang et al. 2015,
    Section 3.2; theirs without TF-IDF, and of bigrams alone), TF-IDF with naive Bayes or sparse
    logistic regression (Gao et al. 2018, Section 4.3), NB-SVM (Wang and Manning 2012, Section 2.3).
    Where word vectors are fixed, it finds what to make of their mean: Ave (Barnes et al. 2017), SVM
    + AverageSG (Tang et al. 2015). In a bag of means, words of like word2vec vectors share their
    weights (Zhang et al. 2015, Section 3.1). Without a solver, n-grams have vectors, trained as
    other models are: fastText (Joulin et al. 2017, Section 2).

    Args:
        ngrams: words of the longest n-gram.
        weighting: how n-grams are summed up: "count", each time that one stands there; "presence",
            once; "mean"; "tfidf", the count times the logarithm of how rare its texts are, at
            length 1; or "log_tfidf", the same of 1 and the logarithm of the count.
        solver: "logistic", "logistic_l1", "svm", "naive_bayes", "nb_svm", or None for training by
            gradient.
        clusters: at most so many groups of words with the same weights, by k-means; None for none.
        strength: the inverse of the regularisation; of naive Bayes the smoothing.
        vectors: whether the mean of the words' vectors stands beside the n-grams: as large as they
            are, or, of 1,000 texts and more, as large as folds of them choose. Words that are like
            those of the training texts count then, too. Only what a word adds to each class is
            kept, and not its vector.

    Example:
        >>> import zoo
        >>> model = zoo.build("svm_bigrams", num_classes=2)
        >>> texts, labels = ["A fine day.", "A dull film."] * 4, ["good", "bad"] * 4
        >>> history = model.fit(texts, labels, verbose=0)
        >>> model.classify(["A fine film, a fine day."])[0]["label"]
        'good'
    """

    single_words = False
    max_vocabulary = 500_000  # n-grams (Zhang et al. 2015)

    def __init__(
        self,
        num_classes: Classes,
        *,
        ngrams: Size = 1,
        weighting: Literal["count", "presence", "mean", "tfidf", "log_tfidf"] = "count",
        solver: Literal["logistic", "logistic_l1", "svm", "naive_bayes", "nb_svm"] | None = None,
        clusters: Size | None = None,
        strength: Positive = 1.0,
        vectors: bool = False,
        embedding_dim: Size = 100,
        train_embeddings: bool = True,
        max_words: Size = 2_500,
        **kwargs: Any,
    ) -> None:
        if solver is None and weighting in TFIDF:
            raise ValueError(f"weighting {weighting!r} needs a solver, which counts the texts")
        if clusters is not None and (solver is None or not train_embeddings):
            raise ValueError(
                f"clusters are of a solver's weights: got clusters={clusters}, solver={solver!r} "
                f"and train_embeddings={train_embeddings}"
            )
        if solver in ("naive_bayes", "nb_svm") and not train_embeddings:
            raise ValueError(f"{solver} counts words: train_embeddings=False leaves it none")
        if vectors and (solver not in ("logistic", "svm") or clusters or not train_embeddings):
            raise ValueError(
                "vectors stand beside n-grams that solver 'logistic' or 'svm' weighs, without "
                f"clusters and with train_embeddings: got solver={solver!r}, clusters={clusters} "
                f"and train_embeddings={train_embeddings}"
            )
        dim = embedding_dim
        if solver and train_embeddings:  # what an n-gram adds to a class, and what its vector does
            dim = num_classes * (2 if vectors else 1)
        super().__init__(
            num_classes,
            embedding_dim=dim,
            train_embeddings=train_embeddings,
            max_words=max_words,
            **kwargs,
        )
        self.ngrams = ngrams
        self.weighting = weighting
        self.solver = solver
        self.clusters = clusters
        self.strength = strength
        self.vectors = vectors
        self.word_vectors = None  # gives those that a solver reads; see reads_vectors_apart
        if vectors:
            self.known = self.add_weight(
                name="known",  # 1 for a word that has a vector
                shape=(self.vocabulary_size,),
                initializer="zeros",
                trainable=False,
                autocast=False,
            )
        self.rarity = self.add_weight(
            name="rarity",
            shape=(self.vocabulary_size,),
            initializer="ones",
            trainable=False,
            autocast=False,
        )

    @property
    def reads_word_vectors(self) -> bool:  # type: ignore[override]
        """Unless the table is the solver's weights."""
        return self.solver is None or not self.train_embeddings

    @property
    def reads_vectors_apart(self) -> bool:  # type: ignore[override]
        """Whether the solver reads word vectors beside the n-grams."""
        return self.vectors

    @property
    def grows(self) -> bool:  # type: ignore[override]
        """Whether all that its tables have is what a solver finds."""
        return self.solver is not None and self.train_embeddings

    def make_room(self, rows: int) -> None:
        self.vocabulary_size = self.embed.input_dim = rows
        with_rows(self.embed, TABLE, rows)
        for name in ("known", "rarity") if self.vectors else ("rarity",):
            with_rows(self, name, rows)

    def call(self, ids: Tensor, training: bool | None = None) -> Tensor:
        ids = ops.cast(ids, "int32")
        mask = ops.greater(ids, UNKNOWN)  # what is not in the vocabulary counts for nothing
        weights = ops.cast(mask, "float32")
        if self.weighting == "presence":
            weights = weights / self._of_equals(ids, ops.ones_like(weights))
        elif self.weighting == "mean":
            weights = weights / ops.maximum(ops.sum(weights, axis=-1, keepdims=True), 1)
        elif self.weighting in TFIDF:
            if self.weighting == "log_tfidf":
                counts = ops.maximum(self._of_equals(ids, weights), 1)
                weights = weights * (1 + ops.log(counts)) / counts
            weights = weights * ops.take(self.rarity, ids, axis=0)
            # The length is the root of the sum over the n-grams of (count * rarity)^2.
            square = weights * self._of_equals(ids, weights)
            square = ops.sum(square, axis=-1, keepdims=True)
            weights = weights / ops.sqrt(ops.where(ops.equal(square, 0), 1, square))
        vectors = ops.cast(zero_masked(self.embed(ids), mask), "float32")
        if not self.vectors:
            return self.classify(ops.einsum("bl,bld->bd", weights, vectors))
        known = ops.take(self.known, ids, axis=0)
        known = known / ops.maximum(ops.sum(known, axis=-1, keepdims=True), 1)
        both = zip((weights, known), ops.split(vectors, 2, axis=-1), strict=True)
        return self.classify(ops.concatenate([ops.einsum("bl,bld->bd", *one) for one in both], -1))

    def _of_equals(self, ids, weights):
        """Of each n-gram the sum of the weights of those that are the same, ``[batch, length]``."""
        batch, length = ops.shape(ids)
        order = ops.argsort(ids, axis=-1)
        ids, weights = (ops.take_along_axis(x, order, axis=-1) for x in (ids, weights))
        group = ops.cumsum(ops.cast(first_of_equals(ids), "int32"), axis=-1) - 1
        group = ops.reshape(group + length * ops.expand_dims(ops.arange(batch), -1), (-1,))
        sums = ops.segment_sum(ops.reshape(weights, (-1,)), group, batch * length)
        sums = ops.reshape(ops.take(sums, group), (batch, length))
        return ops.take_along_axis(sums, ops.argsort(order, axis=-1), axis=-1)

    @property
    def solves(self) -> bool:  # type: ignore[override]
        """Whether there is a solver."""
        return self.solver is not None

    def solve(self, split: "Split", seed: int = 0) -> None:
        """Finds the weights with scikit-learn."""
        from scipy.sparse import csr_matrix, hstack
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.preprocessing import normalize

        counts = features = self._counts(split)
        if self.weighting == "mean":
            features = normalize(features, "l1")
        elif self.weighting == "presence":
            features = features.sign()
        elif self.weighting in TFIDF:
            tfidf = TfidfTransformer(sublinear_tf=self.weighting == "log_tfidf")
            features = tfidf.fit_transform(features)
            seen = np.asarray(counts.sum(axis=0)).ravel() > 0  # others have vectors alone
            self.rarity.assign(np.pad(tfidf.idf_ * seen, (UNKNOWN + 1, 0)))
        if not self.train_embeddings:
            features = features @ ops.convert_to_numpy(self.embed.embeddings)[UNKNOWN + 1 :]
        if self.clusters is not None:
            groups = self._groups(split, seed)
            features = features @ groups
        if self.vectors:
            table, means, centre, size = self._means(counts)
            further, told = (means - centre) / size, (self.solver, self.strength)
            weight = chosen_weight(features, further, self.kind.grouped(split.targets), *told, seed)
            features = hstack([features, csr_matrix(weight * further)]).tocsr()
        weights, bias = self.kind.solved(
            lambda numbers: solved(features, numbers, self.solver, self.strength, split.weights),
            split.targets,
        )
        if self.clusters is not None:
            weights = groups @ weights
        if self.vectors:
            weights, of_vectors = np.split(weights, [counts.shape[1]])
            of_vectors = weight / size * of_vectors
            bias = bias - centre @ of_vectors
            weights = np.hstack([weights, table @ of_vectors])
            self.known.assign(np.pad(table.any(axis=1), (UNKNOWN + 1, 0)))
        if self.train_embeddings:
            rest = (UNKNOWN + 1, 0), (0, 0)  # zeros for padding and the unknown
            self.embed.embeddings.assign(np.pad(weights, rest))
            weights = np.concatenate([np.eye(self.num_classes)] * (2 if self.vectors else 1))
        self.classify.kernel.assign(weights)
        self.classify.bias.assign(bias)

    def _counts(self, split):
        """``[texts, n-grams]``, sparse: how often each of the vocabulary stands in each text."""
        from scipy.sparse import csr_matrix

        from zoo.datasets.text.text_tensors import text_chunks

        flat, lengths = [], [np.zeros(1, "int64")]
        for texts in text_chunks(split):
            ids = self.preprocessor.encode(texts)
            flat.append(ids.flat_values.numpy())
            lengths.append(ids.row_lengths().numpy())
        flat, ends = np.concatenate(flat), np.cumsum(np.concatenate(lengths))
        shape = (len(ends) - 1, self.vocabulary_size)
        counts = csr_matrix(((flat > UNKNOWN).astype("float64"), flat, ends), shape)
        counts.sum_duplicates()
        return counts[:, UNKNOWN + 1 :]

    def _means(self, counts):
        """Word vectors, and what a text is beside its n-grams: the mean of its words' vectors.

        Returns:
            ``[n-grams, dim]``, zeros for what has no vector; ``[texts, dim]``; their mean, and
            their size about it.
        """
        from zoo.datasets.vectors.vector_files import vectors_of

        table = np.zeros((counts.shape[1], 1))
        if self.word_vectors is not None:  # they are not kept: tens of megabytes
            words = self.preprocessor.vocabulary
            table = vectors_of(self.word_vectors(words, 0), words)
        known = counts @ table.any(axis=1)
        means = counts @ table / np.maximum(known, 1)[:, None]
        centre = means.mean(axis=0)
        size = np.sqrt(np.mean(np.sum(np.square(means - centre), axis=1)))
        return table, means, centre, size or 1.0

    def _groups(self, split, seed):
        """``[n-grams, groups]``, sparse: the cluster of each word that has a vector."""
        from scipy.sparse import csr_matrix
        from sklearn.cluster import KMeans

        from zoo.datasets.vectors.word2vec import train_word2vec

        vectors = train_word2vec(split, self.preprocessor.all_words, WIDTH, seed=seed, workers=1)
        places = {word: place for place, word in enumerate(self.preprocessor.vocabulary)}
        known = [word for word in vectors.index_to_key if word in places]
        number = min(self.clusters, len(known))
        kmeans = KMeans(number, init="random", max_iter=20, random_state=seed)
        found = kmeans.fit_predict(vectors[known])
        rows = [places[word] for word in known]
        return csr_matrix((np.ones(len(known)), (rows, found)), (len(places), kmeans.n_clusters))


@register_model("svm_characters", solver="svm", ngrams=5, weighting="log_tfidf")
@keras.saving.register_keras_serializable("zoo")
class BagOfCharacterNgrams(BagOfNgrams):
    """The same of characters, spaces among them, in place of words.

    It is for texts whose words are inflected, misspelt or not set apart: one to five characters in
    a row (as Cavnar and Trenkle 1994, "N-Gram-Based Text Categorization", Section 3, within
    words), weighed as TF-IDF of scikit-learn with ``sublinear_tf`` does.

    Args:
        max_words: characters that are read.
        kwargs: of :class:`BagOfNgrams`.

    Example:
        >>> import zoo
        >>> model = zoo.build("svm_characters", num_classes=2)
        >>> texts, labels = ["A fine day.", "A dull film."] * 4, ["good", "bad"] * 4
        >>> history = model.fit(texts, labels, verbose=0)
        >>> model.classify(["A fine film, a fine day."])[0]["label"]
        'good'
    """

    clean_up = "characters"
    max_vocabulary = 100_000  # n-grams

    def __init__(self, num_classes: Classes, *, max_words: Size = 10_000, **kwargs: Any) -> None:
        super().__init__(num_classes, max_words=max_words, **kwargs)


def first_of_equals(ids: Tensor) -> Tensor:
    """Of sorted ids ``[batch, length]``: True where one differs from that before it."""
    differs = ops.not_equal(ids[:, 1:], ids[:, :-1])
    return ops.concatenate([ops.ones_like(ids[:, :1], "bool"), differs], axis=-1)
