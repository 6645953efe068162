"""Which models are for which texts: the one to take unseen, and those that are worth a trial."""

import dataclasses
import logging
from typing import NamedTuple

from zoo import recipes
from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.vectors import english
from zoo.settings import TrainSettings
from zoo.weights.weights_folder import is_here

logger = logging.getLogger("zoo")


class Candidates(NamedTuple):
    """Models for texts of a kind.

    Attributes:
        texts: the kind, in words.
        usual: the model that is mostly best on such texts, of those that train in a minute or two.
        tried: those that are worth a trial, in the order of what they may bring for their time.
    """

    texts: str
    usual: str
    tried: tuple[str, ...]


RELATIONS = Candidates(
    "texts that mark two entities",
    "act",
    ("svm_bigrams", "cnn_kim", "act"),
)
KNOWN = Candidates(
    "texts whose words are mostly known by word vectors",
    "attcnn",
    ("svm_vectors", "svm_characters", "nb_svm", "cnn_kim", "attcnn", "bert"),
)
UNKNOWN = Candidates(
    "texts whose words zoo's English word vectors mostly do not know",
    "svm_characters",
    ("svm_characters", "svm_bigrams", "nb_svm", "cnn_kim", "attcnn"),
)


def candidates(corpus: Corpus, settings: TrainSettings) -> Candidates:
    """Models for the texts of a corpus.

    Args:
        corpus: its training texts are looked at.
        settings: of the training; the weights tell whether words are known.
    """
    clean_up = settings.clean_up or corpus.clean_up
    if clean_up in CLEAN_UPS and CLEAN_UPS[clean_up].marks_entities:
        return RELATIONS
    to_count = settings.unlabelled is not None and settings.teacher is None  # by word2vec
    known = settings.weights not in ("auto", "none") or to_count
    if settings.weights == "auto" and not known:
        share = english.english_share_of(corpus.train, clean_up or "hcan")
        known = share >= english.ENOUGH
    found = KNOWN if known else UNKNOWN
    left_out = set()
    if not is_here("minilm"):
        left_out.add("bert")
    if len(corpus.train) < recipes.FEW:
        left_out.add("nb_svm")  # whose ratios are of counts
    return found._replace(tried=tuple(name for name in found.tried if name not in left_out))


def with_a_model(settings: TrainSettings, corpus: Corpus) -> TrainSettings:
    """The settings with the model that is mostly best on such texts, where they name none."""
    if settings.model is not None:
        return settings
    found = candidates(corpus, settings)
    logger.info("%s, which is mostly best on %s (auto tries several)", found.usual, found.texts)
    settings = dataclasses.replace(settings, model=found.usual)
    settings.check()
    return settings
