"""A trained model's temperature and thresholds, chosen on texts that it has not learnt from."""

import logging
import math
from typing import TYPE_CHECKING

import numpy as np

from zoo import recipes
from zoo.datasets.corpus import Corpus, Split
from zoo.settings import TrainSettings
from zoo.training.folds import PARTS, a_tenth, answers_of_folds, part_of_each
from zoo.training.learning import learnt, recipe_of
from zoo.training.teaching import thresholds_of

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

logger = logging.getLogger("zoo")


def learn(corpus: Corpus, settings: TrainSettings) -> "TextClassifier":
    """Trains a classifier as :func:`train` does, on a corpus in memory and without a run folder.

    Args:
        corpus: a corpus with a training split and a test split, which may be empty; a missing
            validation split is taken out of the training split if the recipe needs one.
        settings: the settings of the training; ``data``, ``output`` and those of the machine are
            not read.

    Raises:
        UsageError: as :func:`train` does.
    """
    corpus.split(settings.seed, least_validation=recipe_of(settings).least_validation)
    return decided(learnt(corpus, settings), corpus, settings)[0]


def decided(
    classifier: "TextClassifier", corpus: Corpus, settings: TrainSettings
) -> "tuple[TextClassifier, float | None, tuple[Split, np.ndarray] | None]":
    """The trained classifier in float32, calibrated and with thresholds.

    Returns:
        The classifier; its temperature, or None; and texts that it has not learnt from, with its
        probabilities for them at that temperature, ``[texts, classes]``, or None.
    """
    from zoo.evaluation import calibration
    from zoo.runs.model_file import in_float32

    classifier = in_float32(classifier)
    kind, temperature = classifier.kind, None
    held_out = _held_out(classifier, corpus, settings)
    if held_out is not None:
        known, said = held_out
        if settings.calibrate:
            most = math.inf if len(corpus.validation) else calibration.MOST_OF_OTHERS
            temperature = calibration.calibrate(classifier, known, said, most)
            said = calibration.with_temperature(said, temperature or 1.0, kind)
        if kind.has_thresholds and settings.processes == 1:
            classifier.thresholds = kind.thresholds(said, known.targets)
        held_out = known, said
    elif kind.has_thresholds and settings.teacher is not None:
        classifier.thresholds = thresholds_of(settings.teacher)
    return classifier, temperature, held_out


def _held_out(classifier, corpus, settings):
    """Texts that a model has not learnt from, and its probabilities for them.

    These are the validation split. Without one they are training texts, each answered by a model
    that was trained without it, if thresholds need them or if solving again is fast: a tenth of
    the texts, or each of few ones. Else None.
    """
    from zoo.answers import probabilities_of

    if len(corpus.validation):
        validation = corpus.judged("validation")
        return validation, probabilities_of(classifier, validation)
    if settings.teacher is not None or settings.processes > 1:
        return None
    train, done = corpus.judged("train"), "thresholds are chosen"
    if not classifier.kind.has_thresholds:
        counts = corpus.kind.counts(corpus.train.targets, classifier.num_classes)
        enough = counts.min() >= PARTS if len(train) < recipes.FEW else counts.max() > 1
        if not (classifier.solves and enough and settings.calibrate):
            return None
        done = "probabilities are calibrated"
    if len(train) < recipes.FEW:
        part = part_of_each(train, settings.seed)
        how = f"{PARTS} further trainings, which each leave a part of the texts out"
    else:
        part = a_tenth(corpus, settings.seed)
        how = "a further training, which leaves a tenth of the texts out"
    logger.info("Without a validation split, %s by %s", done, how)
    found = np.zeros((len(train), len(corpus.labels)))
    for outside, probabilities in answers_of_folds(corpus, settings, part):
        found[outside] = probabilities
    return train.take(part >= 0), found[part >= 0]
