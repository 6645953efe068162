"""Learning: trains a classifier from a corpus in memory and settings."""

import contextlib
import dataclasses
import gc
import logging
import math
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.datasets.corpus import Corpus
from zoo.evaluation.calibration import divide_logits
from zoo.filesystem.folder_locks import scratch
from zoo.recipes import Recipe
from zoo.registry import find_recipe, solves
from zoo.settings import TrainSettings
from zoo.training.classifier_of_corpus import build_classifier
from zoo.training.teaching import at_temperature, taught, temperature_of

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.datasets.batches import Share

FOR_STEPS = 0.8  # of the time of a training, beside evaluations and what comes after them

logger = logging.getLogger("zoo")


def learnt(corpus: Corpus, settings: TrainSettings) -> "TextClassifier":
    """Trains a classifier on a corpus in splits, without leaving a run folder."""
    with contextlib.ExitStack() as stack:
        started = time.perf_counter()
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="zoo-"))
        corpus = taught(corpus, settings, Path(folder))
        _, share = stack.enter_context(session(settings))
        classifier, start = build_classifier(settings, corpus)
        settings = dataclasses.replace(settings, weights=start.weights)
        recipe = resolved_recipe(classifier, corpus, settings, started, share)
        if not fit_to(Path(folder), classifier, corpus, recipe, settings, share):
            raise KeyboardInterrupt
    return classifier


def recipe_of(settings: TrainSettings) -> Recipe:
    """The recipe of a training, with the values that the settings replace.

    A model that is solved at once has no weights to choose between, so that it learns from all
    texts unless the settings say otherwise.
    """
    recipe = find_recipe(settings.model, settings.recipe)
    recipe = dataclasses.replace(recipe, **settings.of_recipe)
    if recipe.keep == "auto" and solves(settings.model, settings.preset, **settings.options):
        return dataclasses.replace(recipe, keep="last")
    return recipe


def resolved_recipe(
    classifier: "TextClassifier",
    corpus: Corpus,
    settings: TrainSettings,
    started: float,
    share: "Share | None",
) -> Recipe:
    """The recipe with all values, and no more steps than fit into the settings' minutes."""
    sizes, own = (len(corpus.train), len(corpus.validation)), settings.of_recipe
    recipe = recipe_of(settings)
    found = recipe.resolved(classifier, *sizes, **own)
    if settings.minutes is None or classifier.solves:
        return found
    from zoo.training.fitting import seconds_a_step

    step = seconds_a_step(classifier, corpus, found, settings.seed, share)
    left = 60 * settings.minutes - (time.perf_counter() - started)
    steps = max(1, int(FOR_STEPS * left / step))
    if steps >= found.steps:
        return found
    epoch = math.ceil(len(corpus.train) / found.batch_size)
    steps = max(steps // epoch * epoch, min(steps, epoch))  # whole epochs, which can be asked for
    logger.info("A step takes %.0f ms: there is time for %s of %s", 1000 * step, steps, found.steps)
    own.pop("epochs", None)
    return dataclasses.replace(recipe, steps=steps, epochs=None).resolved(classifier, *sizes, **own)


def whole_epochs(settings: TrainSettings, recipe: Recipe, texts: int) -> int | None:
    """The epochs that repeat a training with ``minutes``; None if no whole number does.

    Args:
        settings: the settings of the training.
        recipe: the recipe from :func:`resolved_recipe`.
        texts: the number of training texts.
    """
    if settings.minutes is None or settings.teacher is not None:  # whose answers take time, too
        return None
    epochs, rest = divmod(recipe.steps, math.ceil(texts / recipe.batch_size))
    return None if rest else epochs


@contextlib.contextmanager
def session(settings: TrainSettings) -> "Iterator[tuple[str, Share | None]]":
    """Sets seed, precision and devices for a training. Gives the precision and the share."""
    import keras  # takes seconds: only once the input is known to be good

    from zoo.classifier import dtype_policy
    from zoo.training.devices import auto_precision, spread

    gc.collect()  # models of earlier trainings, which refer to themselves, would pile up
    machine: Any = settings.devices, settings.coordinator, settings.processes, settings.process_id
    with spread(*machine) as share:
        keras.utils.set_random_seed(settings.seed)
        precision = auto_precision() if settings.precision == "auto" else settings.precision
        with dtype_policy(precision):
            yield precision, share


def fit_to(
    folder: Path,
    classifier: "TextClassifier",
    corpus: Corpus,
    recipe: Recipe,
    settings: TrainSettings,
    share: "Share | None",
    least: float = 0.0,
) -> bool:
    """Trains, or goes on training, with a checkpoint in the folder.

    Args:
        settings: with weights other than "auto".
        least: see :func:`zoo.training.trainer.train_one`.

    Returns:
        Whether that came to its end.
    """
    from zoo.training.fitting import fit
    from zoo.weights.word_vectors import round_words

    seed, cache, verbose = settings.seed, settings.cache, settings.verbose
    if classifier.solves:
        classifier.solve(corpus.judged("train"), seed)
        return True
    if share is not None and share.part:
        verbose = 0
    temperature = temperature_of(classifier, settings)
    if temperature != 1:
        corpus = at_temperature(corpus, temperature)
    with scratch(Path(tempfile.gettempdir()), "zoo") as temporary:
        cache = str(temporary / "ids") if cache == "disk" else cache
        further = seed, cache, share, verbose, settings.tensorboard, least
        ended = fit(classifier, corpus, recipe, folder, *further)
    if temperature != 1:
        divide_logits(classifier, 1 / temperature)  # as sure as its teacher
    if settings.weights == "english":
        round_words(classifier)
    return ended
