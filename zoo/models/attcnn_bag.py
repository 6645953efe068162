"""ATT-CNN and a linear model of the same words, whose scores are added."""

import keras
import numpy as np
from keras import ops

from zoo.answers.temperature import fit_temperature
from zoo.classifier import Attention, word_mask
from zoo.datasets.vectors.vector_files import vectors_of
from zoo.layers.masking import UNKNOWN
from zoo.models.attcnn import ATTCNN
from zoo.models.bag import BagOfNgrams
from zoo.registry import register_model

FOLDS, MOST_FOLDED = 3, 5_000  # texts


@register_model("attcnn_bag")
@keras.saving.register_keras_serializable("zoo")
class ATTCNNAndBag(ATTCNN):
    """ATT-CNN beside a support vector machine on TF-IDF of the words.

    Two models that err differently are better together (Hansen and Salamon 1990, "Neural Network
    Ensembles"), most of all with few labels. ATT-CNN is trained as it is alone. Then the machine is
    solved on the same texts, and its scores are added, divided by the temperature by which folds of
    the texts have probable answers. It reads the mean of word vectors beside the TF-IDF, as
    ``svm_vectors`` does, where the model starts with any: as they were before training.

    Args:
        kwargs: of :class:`zoo.models.attcnn.ATTCNN`.
    """

    completes = True
    presets = {}
    preset_weights = {}
    recipes = {}

    def __init__(self, num_classes, **kwargs):
        super().__init__(num_classes, **kwargs)
        self.bag = BagOfNgrams(
            num_classes,
            weighting="log_tfidf",
            solver="svm",
            vectors=True,
            vocabulary_size=self.vocabulary_size,
            max_words=self.max_words,
            answers=self.answers,
            logits=True,
            name="bag",
        )
        self.bag.trainable = False
        self.word_vectors = None  # gives those it has started with; see zoo.weights.word_vectors
        self.share = self.add_weight(
            name="share",  # of its scores; 0 until it is solved
            shape=(),
            initializer="zeros",
            trainable=False,
            autocast=False,
        )

    @property
    def completed(self):
        return [*self.bag.weights, self.share]

    @property
    def word_tables(self):
        return [self.embed, self.bag.embed]

    def call(self, ids, training=None, return_attention_scores=False):
        mask = word_mask(ids)
        words, scores = self.with_contexts(ids, mask, training)
        pooled = self.drop(self.pool(words, mask=mask), training=training)
        words_alone, _ = self.read(ids)
        counted = self.share * self.bag(words_alone)
        both = ops.concatenate([ops.cast(pooled, "float32"), counted], axis=-1)
        probabilities = self.classify(both)
        if return_attention_scores:
            return probabilities, Attention(pairs=ops.expand_dims(scores, (1, 2)))
        return probabilities

    def complete(self, split, seed: int = 0) -> None:
        """Solves the machine, and adds its scores."""
        self.bag.preprocessor = self.preprocessor
        self.bag.table = self._vectors()
        temperature = self._temperature(split, seed)
        self.bag.solve(split, seed)
        self.bag.preprocessor = self.bag.table = None
        kernel, bias = self.classify.get_weights()
        kernel[-self.num_classes :] = np.eye(self.num_classes)
        self.classify.set_weights([kernel, bias])
        self.share.assign(1 / temperature)

    def _vectors(self):
        """Word vectors as they were before training, ``[words, dim]``; None if there were none."""
        if not self.train_embeddings:
            return ops.convert_to_numpy(self.embed.embeddings)[UNKNOWN + 1 :]
        if self.word_vectors is None:
            return None
        words = self.preprocessor.vocabulary
        return vectors_of(self.word_vectors(words, 0), words)

    def _temperature(self, split, seed):
        """That of machines which each lack a part of the texts."""
        from sklearn.model_selection import KFold

        some = np.random.default_rng(seed).permutation(len(split)) < MOST_FOLDED
        some = split.take(some)
        if len(some) < FOLDS:
            return 1.0
        said = np.empty((len(some), self.num_classes))
        for _, outside in KFold(FOLDS, shuffle=True, random_state=seed).split(said):
            rest = np.isin(np.arange(len(some)), outside)
            self.bag.solve(some.take(~rest), seed)
            said[rest] = self.bag.predict_texts(some.take(rest), verbose=0)
        said = self.kind.probabilities(said, logits=True)
        return fit_temperature(said, np.asarray(some.targets), self.kind)
