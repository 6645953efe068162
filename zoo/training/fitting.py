"""Fitting: trains a classifier by a recipe, and keeps its best weights."""

import logging
import math
import re
import time
from pathlib import Path
from typing import get_args

import keras
import tensorflow as tf
from keras import ops

from zoo.backend import steps_per_execution
from zoo.datasets.batches import Share, share_of_words
from zoo.datasets.corpus import Corpus
from zoo.errors import DivergedError, UsageError
from zoo.recipes import PATIENCE, Recipe, class_weights
from zoo.settings import Cache
from zoo.training.checkpoints import Checkpoint
from zoo.training.timed_log import TimedLog

TIMED = 20  # steps, after as many in which graphs are compiled
NO_ROOM = re.compile("OOM when allocating|RESOURCE_EXHAUSTED: .*memory")  # TensorFlow's and JAX's

logger = logging.getLogger("zoo")


def fit(
    classifier,
    corpus: Corpus,
    recipe: Recipe,
    folder: Path,
    seed: int = 0,
    cache: str = "auto",
    share: Share | None = None,
    verbose: int | str = "auto",
    tensorboard: bool = False,
    least: float = 0.0,
) -> bool:
    """Trains, or continues from the checkpoint in the folder.

    Args:
        classifier: a model with ``preprocessor``; it has its best weights afterwards.
        corpus: a corpus with a validation split, unless the recipe keeps the last weights.
        recipe: a resolved recipe.
        folder: the run folder, which gets ``history.csv`` and ``checkpoint/``.
        seed: the seed of the order of the texts.
        cache: see :func:`zoo.datasets.batches.batches`.
        share: see :func:`zoo.training.devices.spread`.
        verbose: Keras' 0, 1, 2 or "auto".
        tensorboard: whether to log for TensorBoard.
        least: the measure that half of the evaluations must reach, or the training ends there.

    Returns:
        True at the end; False after an interrupt (Ctrl-C).

    Raises:
        UsageError: if the loss is infinite or NaN before the first evaluation, or the disk is full.
    """
    steps = recipe.evaluate_every // recipe.batch_size
    # On several devices some texts stand twice, once with no weight. Elsewhere an accuracy is of
    # texts, beside that of validation, and not of class weights, unless texts have their own.
    metrics = corpus.kind.metrics(classifier.logits)
    plain = share is None and corpus.train.weights is None
    measured = {"metrics" if plain else "weighted_metrics": metrics}
    classifier.compile(
        optimizer=recipe.build_optimizer(),
        loss=corpus.kind.loss(classifier.logits),
        **measured,
        steps_per_execution=steps_per_execution(steps),
    )
    _build_metrics(classifier, corpus.kind)
    history, rounds = folder / "history.csv", recipe.evaluations
    checkpoint = Checkpoint(
        folder / "checkpoint",
        history,
        patience=max(PATIENCE, math.ceil(recipe.patience * rounds)),
        plateau=recipe.schedule == "plateau",
        last=recipe.keep == "last",
        measure=corpus.kind.measure,
        least=least,
        half=math.ceil(rounds / 2),
    )
    done = checkpoint.restore(classifier)
    callbacks = [
        keras.callbacks.TerminateOnNaN(),
        TimedLog(history),
        checkpoint,
    ]
    if tensorboard:
        callbacks.append(keras.callbacks.TensorBoard(str(folder / "tensorboard")))
    if done:
        logger.info("Continuing after %d of %d evaluations", done, rounds)
    ended = True
    try:
        if not checkpoint.exhausted:
            train, validation = _batches(
                classifier, corpus, recipe, seed, cache, share, first=done * steps
            )
            classifier.fit(
                train,
                validation_data=validation,
                steps_per_epoch=steps,
                initial_epoch=done,
                epochs=rounds,
                callbacks=callbacks,
                shuffle=False,  # the batches are
                verbose=verbose,
            )
    except KeyboardInterrupt:
        if not checkpoint.best.exists():
            raise
        ended = False
        logger.warning("Stopped; the best weights so far are kept.")
    except BrokenPipeError:  # of standard output
        raise
    except OSError as error:
        raise UsageError(
            f"cannot write to {folder}: {error.strerror or error}. What is there is complete"
        ) from None
    except (tf.errors.OpError, RuntimeError) as error:
        if Path(cache).name != cache and cache in str(error):  # it is a path, and that of the error
            raise UsageError(
                f"cannot keep word ids in {Path(cache).parent}: set TMPDIR to a folder of a larger "
                "disk, or train anew with another cache than disk (--cache)"
            ) from None
        if NO_ROOM.search(str(error)):
            raise UsageError(
                f"there is no room in memory for batches of {recipe.batch_size} texts: train anew "
                "with a smaller batch_size (--batch-size), a lower percentile (--percentile) or "
                "fewer max_words (--set max_words=...), or continue where there is more"
            ) from None
        raise
    if len(checkpoint.scores) < rounds and ended and not checkpoint.exhausted:
        way_out = (
            "train anew with a lower learning_rate (--learning-rate), or with precision float32 "
            "(--precision)"
        )
        if not checkpoint.scores:
            raise DivergedError(f"the loss became infinite or NaN: {way_out}")
        logger.warning(
            "The loss became infinite or NaN after %d of %d evaluations. The best weights "
            "so far are kept; for others %s",
            *(len(checkpoint.scores), rounds, way_out),
        )
    checkpoint.restore_best(classifier)
    return ended


def seconds_a_step(
    classifier, corpus: Corpus, recipe: Recipe, seed: int = 0, share: Share | None = None
) -> float:
    """How long a step of the training takes, measured on a copy of the classifier.

    Args:
        classifier, corpus, recipe, seed, share: as of :func:`fit`.
    """
    copy = type(classifier).from_config(classifier.get_config())
    copy.build()
    copy.compile(optimizer=recipe.build_optimizer(), loss=corpus.kind.loss(classifier.logits))
    batches = classifier.preprocessor.batches(
        *(corpus.train.shuffled(seed).dataset(), recipe.batch_size, True, seed, "none", 0, share),
        groups=classifier.sentence_groups,
    )
    ends = []
    told = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: ends.append(time.perf_counter()))
    batches = _for_devices(batches, share)
    copy.fit(batches, steps_per_epoch=TIMED, epochs=2, callbacks=[told], shuffle=False, verbose=0)
    return (ends[1] - ends[0]) / TIMED


def _build_metrics(classifier, kind):
    """Else the first step would build them, and TensorFlow trace that step twice, for seconds."""
    classes = classifier.num_classes
    blank = ops.convert_to_tensor(kind.blank(classes, classifier.loss))
    classifier.compute_metrics(None, blank, ops.full((1, classes), 1 / classes), ops.ones(1))
    classifier.reset_metrics()


def _batches(classifier, corpus, recipe, seed, cache, share, first):
    """What Keras' fit reads: batches for training without end, and those for validation."""
    preprocessor = classifier.preprocessor
    size, kind = recipe.batch_size, corpus.kind
    texts = corpus.train.shuffled(seed).dataset()
    groups = classifier.sentence_groups
    train = preprocessor.batches(texts, size, True, seed, cache, first, share, groups=groups)
    validation = None
    if recipe.keep == "best":
        # By length too, as the order of the validation texts does not matter; but always the same,
        # as the last bit of the loss depends on it.
        validation = preprocessor.batches(
            corpus.validation.dataset(),
            size,
            True,
            seed,
            cache if cache in get_args(Cache) else f"{cache}-validation",
            share=share,
            reshuffle=False,
            groups=groups,
        )
    steps = recipe.steps if len(corpus.train) <= 20_000 else 200
    logger.info(
        "%.0f%% of the positions in a batch are words, the rest is padding",
        100 * share_of_words(train, min(steps, math.ceil(len(corpus.train) / size))),
    )
    weights, own = None, corpus.train.weights is not None
    if own and share is not None:
        raise UsageError("weights of texts work on one device only: set devices=1")
    if recipe.class_weights and kind.weighs_classes:
        weights = class_weights(kind.counts(corpus.train.targets, classifier.num_classes))
    if weights is not None:
        logger.info("Texts of rare classes count for more, up to %.1f times", weights.max())
        # In place of those of devices that share batches, which are 1 where there is no end.
        train = train.map(
            lambda ids, targets, *others: (
                *(ids, targets),
                kind.weights(weights, targets) * (others[0] if own else 1.0),
            )
        )
        train = train.prefetch(1)
    return _for_devices(train, share), validation and _for_devices(validation, share)


def _for_devices(data, share):
    """Batches as the devices of a strategy of TensorFlow read them; others as they are."""
    if share is None or share.part is not None:
        return data
    return tf.distribute.get_strategy().distribute_datasets_from_function(lambda _: data)
