"""Training: data and a model's name in, a run folder out."""

import contextlib
import dataclasses
import itertools
import logging
import math
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo import datasets, recipes
from zoo.backend import backend_name
from zoo.datasets.own_files.in_memory import as_table
from zoo.errors import UsageError
from zoo.filesystem.atomic_files import write_json
from zoo.filesystem.folder_locks import alone, scratch
from zoo.filesystem.paths import expanded
from zoo.registry import find_recipe
from zoo.runs.run_config import RunConfig, read_config
from zoo.runs.run_folder import new_run, resuming, versions, words_digest, write_words
from zoo.settings import Group, TrainSettings, absolute, documented, from_keywords, names
from zoo.shipping.saving import write_model
from zoo.training.classifier_of_corpus import build_classifier, least_count, rebuild_classifier
from zoo.training.teaching import check_teacher, taught, thresholds_of
from zoo.weights.run_weights import check_run
from zoo.weights.sources import is_run

if TYPE_CHECKING:
    import pandas as pd

    from zoo.classifier import TextClassifier

FOR_STEPS = 0.8  # of the time of a training, beside evaluations and what comes after them
PARTS = 3  # of the training texts, where no others choose thresholds
IDLE = ("epochs", "batch_size", "learning_rate", "schedule", "class_weights", "cache")
IDLE += ("tensorboard", "precision", "devices")  # where a model is solved at once

logger = logging.getLogger("zoo")


@documented("model", "data")
def train(
    model: str = "hcan", data: "str | Path | pd.DataFrame | tuple" = "sample", **settings: Any
) -> Path:
    """Trains a classifier and writes a run folder.

    The weights of the best validation accuracy are kept. Trainings in threads of one process change
    each other's draws.

    Args:
        model: a name of :func:`zoo.list_models`.
        data: a name of the catalogue, such as ``"agnews"`` or ``"sample"``, one of TensorFlow
            Datasets, such as ``"tfds:ag_news_subset"``, or the path of your own table, folder or
            glob; or what is in memory: a DataFrame, ``(texts, labels)`` or a ``tf.data.Dataset`` of
            these, whose texts and labels are then kept in ``data.jsonl`` of the run folder, from
            where they are read again.
        {settings}

    Returns:
        The run folder; of a process that is not the first, one that is gone.

    Raises:
        UsageError: for bad names, data or options, before anything is written; and where the
            training cannot go on.

    Note:
        ``files``, a dictionary with ``text_column``, ``label_column``, ``on_bad_row``,
        ``encoding``, ``min_class_size``, ``rare_classes``, ``validation`` and ``test``, is an older
        way to give the settings of these names.

    Example:
        >>> run = zoo.train("attcnn", "reviews.csv", text_column="review", epochs=5)
        >>> zoo.load(run).predict(["Not bad at all."])
    """
    table = as_table(data)
    if table is not data and "weight" in table:
        settings = {"weight_column": "weight"} | settings
    data = table
    settings = from_keywords({"model": model, "data": data} | settings)
    settings.check()
    if isinstance(data, str | Path) and not datasets.is_corpus(data):
        settings = dataclasses.replace(settings, data=datasets.as_path(data))
    if is_run(settings.weights):
        _check_start(settings)
    check_teacher(settings)
    name = f"{settings.model}-{datasets.short_name(data)}"
    with _new_run(settings.output, name, settings.process_id) as folder:
        recipe = _recipe_of(settings)
        corpus = datasets.load(settings.data, **files_of(settings))
        corpus.split(settings.seed, least_validation=recipe.least_validation)
        _announce(corpus)
        started = time.perf_counter()
        if settings.unlabelled is not None:
            _add_unlabelled(corpus, settings)
        learnt = taught(corpus, settings, folder)
        with _session(settings) as (precision, share):
            classifier, start = build_classifier(settings, learnt)
            recipe = _resolved_recipe(classifier, learnt, settings, started, share)
            _check_batch_size(recipe.batch_size, len(learnt.train), share)
            _warn_if_idle(classifier, settings)
            resolved = _resolved(settings, learnt, classifier, precision, share, folder, start)
            config = RunConfig(
                resolved,
                recipe=recipe,
                versions=versions(),
                architecture=classifier.get_config(),
                text_version=classifier.preprocessor.version,
                words=words_digest(classifier.preprocessor.vocabulary, corpus.labels),
                texts=_sizes(corpus),
                targets=corpus.digest(),
            )
            write_words(folder, classifier)
            config.write(folder)
            ended = _fit(folder, classifier, learnt, recipe, settings, share)
            seconds = time.perf_counter() - started
        if not settings.process_id:
            _finish(folder, classifier, corpus, config, ended, seconds)
    return folder


@documented(*{*names()} - {*names(Group.MACHINE)})
def resume(run: str | Path, **settings: Any) -> Path:
    """Continues a training that was killed, stopped or ran out of disk, to the same end.

    On one machine's CPU in float32 the final weights are those of a training that was never
    interrupted, to the last bit.

    Args:
        run: its folder, which is also that of the result. Several processes all need to see it.
        {settings}

    Returns:
        That folder.

    Raises:
        UsageError: if there is nothing to continue, the data is not what it was, or Keras has
            another backend.
    """
    machine = from_keywords(settings, "zoo.resume", names(Group.MACHINE))
    machine.check()
    run = expanded(run)
    config = read_config(run)
    if not any((run / "checkpoint").glob("state-*.npz")):
        ended = (run / "metrics.json").exists() or config.settings.data is None
        raise UsageError(
            f"the training of {run} "
            + ("has ended: there is nothing to continue" if ended else "had not begun: train anew")
        )
    with contextlib.ExitStack() as stack:
        folder = run
        if machine.process_id:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "run"
            shutil.copytree(run, folder)
        else:
            stack.enter_context(alone(run))
        try:
            return _resume(run, folder, config, machine)
        except KeyboardInterrupt as error:
            error.add_note(f"continue with: {resuming(run)}")
            raise


def _resume(run, folder, config, machine):
    """Goes on in the folder, which is that of the run or a copy."""
    from zoo.evaluation.scores import read_corpus

    data = config.settings.data
    if config.lacking:
        raise UsageError(f"{run / 'config.json'} is damaged: it lacks {', '.join(config.lacking)}")
    corpus = read_corpus(config)
    if _sizes(corpus) != config.texts:
        raise UsageError(
            f"{data} has changed since {run} began: it had {config.texts} texts, now it has "
            f"{_sizes(corpus)}. Train anew"
        )
    if config.targets not in (None, corpus.digest()):
        raise UsageError(
            f"{data} has changed since {run} began: its rows have other texts or classes, or "
            "another order. Train anew"
        )
    backend = config.versions.get("backend")
    if backend not in (None, backend_name()):
        raise UsageError(
            f"{run} began with KERAS_BACKEND={backend}, and would end with other weights under "
            f"{backend_name()}: set that, too"
        )
    _announce(corpus)
    started = time.perf_counter()
    here = {name: getattr(machine, name) for name in names(Group.MACHINE)}
    settings = dataclasses.replace(config.settings, **here)
    learnt = taught(corpus, settings, run)
    with _session(settings) as (_, share):
        _check_batch_size(config.recipe.batch_size, len(learnt.train), share)
        now = 1 if share is None else share.devices
        if (before := config.settings.devices) != now:
            logger.warning(
                "%s began on %d devices and continues on %d, and so ends with other weights",
                *(run, before, now),
            )
        classifier = rebuild_classifier(run, config)
        ended = _fit(folder, classifier, learnt, config.recipe, settings, share)
        seconds = time.perf_counter() - started
    if not settings.process_id:
        _finish(run, classifier, corpus, config, ended, seconds)
        if any((run / "exports").glob("*")):
            logger.warning("%s is of the weights before: export anew", run / "exports")
    return run


def files_of(settings: TrainSettings) -> dict[str, Any]:
    """How the data's own files are read: beside a corpus, columns are of the unlabelled texts."""
    of_others = datasets.is_corpus(settings.data) and settings.unlabelled is not None
    others = ("text_column", "on_bad_row", "encoding") if of_others else ()
    return {name: value for name, value in settings.files.items() if name not in others}


def _resolved(settings, corpus, classifier, precision, share, folder, start):
    """The settings with nothing left open, as the run folder keeps them."""
    data = settings.data
    if not isinstance(data, str | Path):
        datasets.write_rows(folder / "data.jsonl", data, corpus.columns)
        data = folder / "data.jsonl"
    kept = files_of(settings)
    others = ("text_column", "on_bad_row", "encoding", "label_separator", "weight_column")
    files = {name: kept.get(name) for name in others}
    for split in ("validation", "test"):
        files[f"{split}_data"] = absolute(kept[split]) if split in kept else None
    return dataclasses.replace(
        settings,
        data=data if datasets.is_corpus(data) else absolute(data),
        **files | corpus.columns,
        weights=start.weights,
        clean_up=classifier.preprocessor.clean_up,
        min_count=least_count(settings, classifier, corpus),
        max_vocabulary=settings.max_vocabulary or start.most,
        precision=precision,
        devices=1 if share is None else share.devices,
    )


def _check_start(settings):
    """Refuses a run that this model cannot start from, and settings that such a run decides."""
    check_run(settings.model, settings.weights)
    decided = ("preset", "clean_up", "percentile")
    if decided := [name for name in decided if getattr(settings, name) is not None]:
        raise UsageError(f"the run to start from decides: leave out {', '.join(decided)}")


def _check_batch_size(size, texts, share):
    """Refuses batches that several devices cannot share; ``share`` is a ``Share`` or None."""
    if share is not None and size % share.devices:
        raise UsageError(
            f"batch_size must be a multiple of the {share.devices} devices: got {size}"
        )
    if share is not None and size > texts:
        raise UsageError(f"batch_size must be at most the {texts} training texts: got {size}")


def _warn_if_idle(classifier, settings):
    """Tells of settings and options that change nothing."""
    default = TrainSettings()
    known = IDLE if settings.teacher is not None else (*IDLE, "minutes")
    idle = [name for name in known if getattr(settings, name) != getattr(default, name)]
    if idle and classifier.solves:
        logger.warning("%s is solved at once: no use of %s", classifier.name, " or ".join(idle))
    for option in settings.options.keys() & classifier.needs.keys():
        lacking = [name for name in classifier.needs[option] if not getattr(classifier, name)]
        if settings.options[option] and lacking:
            logger.warning(
                "%s: %s changes nothing without %s", classifier.name, option, " and ".join(lacking)
            )


def _add_unlabelled(corpus, settings):
    """Adds further texts to those of the corpus."""
    column, encoding = settings.text_column, settings.encoding
    if not datasets.is_corpus(settings.data):  # another file may have another one
        column = datasets.column_of(
            settings.unlabelled, corpus.columns.get("text_column"), encoding
        )
    on_bad_row = settings.on_bad_row or "fail"
    texts = datasets.read_texts(settings.unlabelled, column, on_bad_row, encoding)
    corpus.unlabelled = itertools.chain(corpus.unlabelled or (), texts)


@contextlib.contextmanager
def _new_run(output, name, process_id):
    """The folder of the run; of a process that is not the first, one that nobody sees."""
    if not process_id:
        with new_run(output, name) as folder:
            yield folder
        return
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _session(settings):
    """Seeds, precision and devices of a training. Gives the precision, and batches' share."""
    import keras  # takes seconds: only once the input is known to be good

    from zoo.classifier import dtype_policy
    from zoo.training.devices import auto_precision, spread

    machine = settings.devices, settings.coordinator, settings.processes, settings.process_id
    with spread(*machine) as share:
        keras.utils.set_random_seed(settings.seed)
        precision = auto_precision() if settings.precision == "auto" else settings.precision
        with dtype_policy(precision):
            yield precision, share


def _fit(folder, classifier, corpus, recipe, settings, share):
    """Trains, or goes on training. Returns whether that came to its end."""
    from zoo.training.fitting import fit

    seed, cache, verbose = settings.seed, settings.cache, settings.verbose
    if classifier.solves:
        classifier.solve(corpus.judged("train"), seed)
        return True
    if share is not None and share.part:
        verbose = 0
    with scratch(Path(tempfile.gettempdir()), "zoo") as temporary:
        cache = str(temporary / "ids") if cache == "disk" else cache
        further = seed, cache, share, verbose, settings.tensorboard
        return fit(classifier, corpus, recipe, folder, *further)


def _finish(folder, classifier, corpus, config, ended, seconds):
    """Calibrates, scores, and writes all about the trained classifier."""
    from zoo.answers import answers_of, probabilities_of
    from zoo.evaluation import calibration, sureness
    from zoo.evaluation import report as summary
    from zoo.evaluation.scores import score_model

    test = corpus.judged("test")
    classifier, temperature, held_out = _decided(classifier, corpus, config.settings)
    kind, calibrated = classifier.kind, {}
    targets, probabilities = test.targets, probabilities_of(classifier, test)
    if temperature is not None:
        before = calibration.with_temperature(probabilities, 1 / temperature, kind)
        error = calibration.expected_calibration_error(before, targets, kind)
        calibrated = {"temperature": temperature, "calibration_error_before": error}
    scores = score_model(classifier, test, probabilities) | calibrated
    scores |= {"parameters": classifier.count_params(), "seconds": round(seconds, 1)}
    write_model(folder, classifier)
    if (folder / "history.csv").exists():
        summary.draw_learning_curves(folder)
    answers = answers_of(classifier, probabilities)
    confusions = kind.confusions(targets, answers, classifier.labels)
    summary.draw_confusion_matrix(folder, *confusions)
    sure, right = kind.sureness(answers, probabilities), kind.right(targets, answers)
    sureness.draw_sureness(folder, sureness.surest(sure, right))
    if held_out is not None:
        known, said = held_out
        found = answers_of(classifier, said)
        sure, right = kind.sureness(found, said), kind.right(known.targets, found)
        sureness.write_sureness(folder, sure, right)
    safe = config.settings.safe_csv
    summary.write_predictions(folder, classifier, targets, probabilities, safe)
    summary.write_mistakes(folder, classifier, test, probabilities, safe)
    write_json(folder / "metrics.json", scores)
    if ended:
        for state in (folder / "checkpoint").glob("state-*.npz"):
            state.unlink()  # before the best weights, without which they are of no use
        shutil.rmtree(folder / "checkpoint", ignore_errors=True)


def _decided(classifier, corpus, settings):
    """In float32, calibrated and with thresholds; the temperature, or None; and :func:`_held_out`
    with that temperature."""
    from zoo.evaluation import calibration
    from zoo.runs.model_file import in_float32

    classifier = in_float32(classifier)
    kind, temperature = classifier.kind, None
    held_out = _held_out(classifier, corpus, settings)
    if held_out is not None:
        known, said = held_out
        own = len(corpus.validation) > 0
        if settings.calibrate and (own or not kind.has_thresholds):
            most = math.inf if own else calibration.MOST_OF_OTHERS
            temperature = calibration.calibrate(classifier, known, said, most)
            said = calibration.with_temperature(said, temperature or 1.0, kind)
        if kind.has_thresholds and settings.processes == 1:
            classifier.thresholds = kind.thresholds(said, known.targets)
        held_out = known, said
    elif kind.has_thresholds and settings.teacher is not None:
        classifier.thresholds = thresholds_of(settings.teacher)
    return classifier, temperature, held_out


def _held_out(classifier, corpus, settings):
    """Texts that a model has not learnt from, and its probabilities of them: the validation split.

    Where there is none: the training texts, by models that each lack a part of them, if thresholds
    need these, or few texts are solved again in a moment. Else None.
    """
    from zoo.answers import probabilities_of

    if len(corpus.validation):
        validation = corpus.judged("validation")
        return validation, probabilities_of(classifier, validation)
    if settings.teacher is not None or settings.processes > 1:
        return None
    train = corpus.judged("train")
    if classifier.kind.has_thresholds:
        part = np.random.default_rng(settings.seed).permutation(len(train)) % PARTS
        return train, _of_parts(corpus, settings, part, "thresholds are chosen")
    counts = corpus.kind.counts(corpus.train.targets, classifier.num_classes)
    few = len(train) < recipes.FEW and counts.min() >= PARTS
    if classifier.solves and few and settings.calibrate:
        part = _parts(train, settings.seed)
        return train, _of_parts(corpus, settings, part, "probabilities are calibrated")
    return None


def _parts(split, seed):
    """The number of a part for each text, ``[texts]``; each class is in all parts alike."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(PARTS, shuffle=True, random_state=seed)
    part = np.empty(len(split), int)
    for number, (_, outside) in enumerate(folds.split(split.targets, split.targets)):
        part[outside] = number
    return part


def _of_parts(corpus, settings, part, done):
    """Probabilities of the training texts, ``[texts, classes]``, by models that lack them.

    Args:
        part: of each text, ``[texts]``.
        done: what they are for, in a message.
    """
    from zoo.answers import probabilities_of

    logger.info(
        "Without a validation split, %s by %d further trainings, which each leave a part of the "
        "texts out",
        *(done, PARTS),
    )
    train, settings = corpus.train, dataclasses.replace(settings, verbose=0)
    found = np.zeros((len(train), len(corpus.labels)))
    nothing = train.take(np.zeros(len(train), bool))
    for number in range(PARTS):
        inside = part != number
        own = dataclasses.replace(
            corpus, train=train.take(inside), validation=nothing, test=nothing
        )
        found[~inside] = probabilities_of(_learnt(own, settings), train.take(~inside))
    return found


def learn(corpus: datasets.Corpus, settings: TrainSettings) -> "TextClassifier":
    """What :func:`train` does with a corpus in memory, and no run folder is left: the classifier.

    Args:
        corpus: with a training and a test split, which may be empty; a validation split is taken
            where it lacks and the recipe wants one.
        settings: of the training; ``data``, ``output`` and what is of the machine are not read.

    Raises:
        UsageError: as :func:`train` does.
    """
    corpus.split(settings.seed, least_validation=_recipe_of(settings).least_validation)
    return _decided(_learnt(corpus, settings), corpus, settings)[0]


def _learnt(corpus, settings):
    """A classifier of a corpus in splits."""
    with contextlib.ExitStack() as stack:
        started = time.perf_counter()
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="zoo-"))
        corpus = taught(corpus, settings, Path(folder))
        _, share = stack.enter_context(_session(settings))
        classifier, _ = build_classifier(settings, corpus)
        recipe = _resolved_recipe(classifier, corpus, settings, started, share)
        if not _fit(Path(folder), classifier, corpus, recipe, settings, share):
            raise KeyboardInterrupt
    return classifier


def _recipe_of(settings):
    """The recipe of a training, with what settings replace of it."""
    recipe = find_recipe(settings.model, settings.recipe)
    return dataclasses.replace(recipe, **settings.of_recipe)


def _resolved_recipe(classifier, corpus, settings, started, share):
    """With nothing left open, and no more steps than there is time for since the start."""
    sizes, own = (len(corpus.train), len(corpus.validation)), settings.of_recipe
    recipe = _recipe_of(settings)
    found = recipe.resolved(classifier, *sizes, **own)
    if settings.minutes is None or classifier.solves:
        return found
    from zoo.training.fitting import seconds_a_step

    step = seconds_a_step(classifier, corpus, found, settings.seed, share)
    left = 60 * settings.minutes - (time.perf_counter() - started)
    steps = max(1, int(FOR_STEPS * left / step))
    if steps >= found.steps:
        return found
    logger.info("A step takes %.0f ms: there is time for %s of %s", 1000 * step, steps, found.steps)
    own.pop("epochs", None)
    return dataclasses.replace(recipe, steps=steps, epochs=None).resolved(classifier, *sizes, **own)


def _announce(corpus):
    logger.info(
        "%s: %d training, %d validation and %d test texts, %d classes",
        *(corpus.name, *_sizes(corpus).values(), len(corpus.labels)),
    )
    if not len(corpus.validation):
        logger.info(
            "Without a validation split, all texts are learnt from and the last weights kept; "
            "keep=best (--keep best) takes one out of the training texts"
        )


def _sizes(corpus):
    splits = ("train", "validation", "test")
    return {split: len(getattr(corpus, split)) for split in splits}
