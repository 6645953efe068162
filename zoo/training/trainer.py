"""Training: data and a model's name in, a run folder out."""

import contextlib
import dataclasses
import itertools
import logging
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from zoo import datasets
from zoo.backend import backend_name
from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.errors import UsageError
from zoo.filesystem.atomic_files import write_json
from zoo.filesystem.folder_locks import alone
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import DATA, RunConfig, read_config
from zoo.runs.run_folder import (
    new_run,
    read_scores,
    resuming,
    versions,
    words_digest,
    write_words,
)
from zoo.settings import Group, TrainSettings, absolute, documented, from_keywords, names
from zoo.shipping.saving import write_model
from zoo.training.classifier_of_corpus import (
    build_classifier,
    check_classifier,
    least_count,
    rebuild_classifier,
)
from zoo.training.deciding import decided
from zoo.training.learning import fit_to, recipe_of, resolved_recipe, session, whole_epochs
from zoo.training.teaching import SHARE_OF_TIME, check_teacher, is_model, taught
from zoo.weights.run_weights import check_run
from zoo.weights.sources import is_run

IDLE = ("epochs", "batch_size", "learning_rate", "schedule", "class_weights", "cache")
IDLE += ("tensorboard", "precision", "devices")  # where a model is solved at once
OF_TEACHER = ("data", "precision", "cache", "safe_csv", "seed", "output")  # as of its pupil

logger = logging.getLogger("zoo")


def train_one(settings: TrainSettings, corpus: Corpus | None = None, least: float = 0.0) -> Path:
    """A training of one model from one seed, in a run folder of its own.

    Args:
        settings: checked, with the name of a model.
        corpus: their data in splits, where it has been read before.
        least: the measure on the validation split that half of the evaluations must reach; else
            the training ends there.

    Returns:
        The run folder; of a process that is not the first, one that is gone.
    """
    if is_run(settings.weights):
        _check_start(settings)
    check_teacher(settings)
    name = f"{settings.model}-{datasets.short_name(settings.data)}"
    with _new_run(settings.output, name, settings.process_id) as folder:
        if corpus is None:
            corpus = in_splits(read_corpus(settings), settings)
        corpus = dataclasses.replace(corpus)  # which further texts are added to
        _announce(corpus)
        started = time.perf_counter()
        if settings.unlabelled is not None:
            _add_unlabelled(corpus, settings)
        if settings.teacher is not None:
            check_classifier(settings, corpus)  # before the teacher works for minutes
        if is_model(settings.teacher):
            settings = _with_trained_teacher(settings, corpus, started)
        learnt = taught(corpus, settings, folder)
        with session(settings) as (precision, share):
            classifier, start = build_classifier(settings, learnt)
            recipe = resolved_recipe(classifier, learnt, settings, started, share)
            _check_batch_size(recipe.batch_size, len(learnt.train), share)
            _warn_if_idle(classifier, settings)
            resolved = _resolved(settings, learnt, classifier, precision, share, folder, start)
            whole = whole_epochs(settings, recipe, len(learnt.train))
            if whole and not classifier.solves:
                resolved = dataclasses.replace(resolved, minutes=None, epochs=whole)
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
            ended = fit_to(folder, classifier, learnt, recipe, resolved, share, least)
            seconds = time.perf_counter() - started
        if not settings.process_id:
            _finish(folder, classifier, corpus, config, ended, seconds)
    return folder


@documented(*{*names()} - {*names(Group.MACHINE)})
def resume(run: str | Path, **settings: Any) -> Path:
    """Continues a training that was killed, stopped or ran out of disk, to the same end.

    On one machine's CPU in float32 the final weights equal those of a training that was never
    interrupted, to the last bit.

    Args:
        run: the run folder of that training, which becomes the folder of the result. With several
            processes all of them need access to it.
        {settings}

    Returns:
        That folder.

    Raises:
        UsageError: if there is nothing to continue, the data is not what it was, or Keras has
            another backend.

    Example:
        >>> import zoo
        >>> try:
        ...     zoo.resume(run)
        ... except zoo.UsageError as error:
        ...     print(error)
        the training of ... has ended: there is nothing to continue
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
    from zoo.evaluation import scores

    data = config.settings.data
    if config.lacking:
        raise UsageError(f"{run / 'config.json'} is damaged: it lacks {', '.join(config.lacking)}")
    corpus = scores.read_corpus(config)
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
    with session(settings) as (_, share):
        _check_batch_size(config.recipe.batch_size, len(learnt.train), share)
        now = 1 if share is None else share.devices
        if (before := config.settings.devices) != now:
            logger.warning(
                "%s began on %d devices and continues on %d, and so ends with other weights",
                *(run, before, now),
            )
        classifier = rebuild_classifier(run, config)
        ended = fit_to(folder, classifier, learnt, config.recipe, settings, share)
        seconds = time.perf_counter() - started
    if not settings.process_id:
        _finish(run, classifier, corpus, config, ended, seconds)
        if any((run / "exports").glob("*")):
            logger.warning("%s has the weights from before: export again", run / "exports")
    return run


def read_corpus(settings: TrainSettings) -> Corpus:
    """The data of a training."""
    return datasets.load(settings.data, **files_of(settings))


def in_splits(corpus: Corpus, settings: TrainSettings) -> Corpus:
    """The same with all splits; the recipe tells whether one for validation is taken out."""
    return corpus.split(settings.seed, least_validation=recipe_of(settings).least_validation)


def files_of(settings: TrainSettings) -> dict[str, Any]:
    """How the data's own files are read: beside a corpus, columns are of the unlabelled texts."""
    of_others = datasets.is_corpus(settings.data) and settings.unlabelled is not None
    others = ("text_column", "on_bad_row", "encoding") if of_others else ()
    return {name: value for name, value in settings.files.items() if name not in others}


def _resolved(settings, corpus, classifier, precision, share, folder, start):
    """The settings with nothing left open, as the run folder keeps them."""
    data = settings.data
    if not isinstance(data, str | Path):
        datasets.write_rows(folder / DATA, data, corpus.columns)
        data = folder / DATA
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


def _with_trained_teacher(settings, corpus, started):
    """Trains the teacher that is named, on the same splits, and puts its run into the settings."""
    own = [*names(Group.MACHINE), *OF_TEACHER]
    given = {name: getattr(settings, name) for name in own}
    given |= {"model": settings.teacher, "keep": recipe_of(settings).keep}
    given["files"] = files_of(settings)  # without what is for the unlabelled texts alone
    if settings.minutes is not None:
        given["minutes"] = SHARE_OF_TIME * settings.minutes
    logger.info("First the teacher is trained: %s", settings.teacher)
    corpus = dataclasses.replace(corpus, unlabelled=None)
    run = train_one(from_keywords(given), corpus)
    if (run / "checkpoint").exists():  # as it was stopped
        error = KeyboardInterrupt()
        error.add_note(
            f"the teacher goes on with: {resuming(run)}; then give it as --teacher {run}"
        )
        raise error
    measure = corpus.kind.measure
    told = run, measure.replace("_", " "), 100 * read_scores(run)[measure]
    logger.info("The teacher is %s, whose %s on the test split is %.1f%%", *told)
    minutes = settings.minutes
    if minutes is not None:
        minutes = max(minutes - (time.perf_counter() - started) / 60, minutes / 100)
    return dataclasses.replace(settings, teacher=run, minutes=minutes)


def _check_start(settings):
    """Refuses a run that this model cannot start from, and settings that such a run decides."""
    check_run(settings.model, settings.weights)
    decided = ("preset", "clean_up", "percentile")
    if decided := [name for name in decided if getattr(settings, name) is not None]:
        raise UsageError(
            f"the run to start from decides these settings: leave out {', '.join(decided)}"
        )


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
        logger.warning(
            "%s is solved at once and does not use %s", classifier.name, " or ".join(idle)
        )
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


def _finish(folder, classifier, corpus, config, ended, seconds):
    """Calibrates, scores, and writes all about the trained classifier."""
    from zoo.answers import answers_of, probabilities_of
    from zoo.evaluation import calibration, sureness
    from zoo.evaluation import report as summary
    from zoo.evaluation.familiarity import least_familiarity
    from zoo.evaluation.scores import score_model

    test = corpus.judged("test")
    classifier, temperature, held_out = decided(classifier, corpus, config.settings)
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
        reads = classifier.preprocessor
        by_character = CLEAN_UPS[reads.clean_up].by_character
        least = None if by_character else least_familiarity(known, reads.vocabulary)
        scores |= {} if least is None else {"least_familiarity": least}
    safe = config.settings.safe_csv
    summary.write_predictions(folder, classifier, targets, probabilities, safe)
    summary.write_mistakes(folder, classifier, test, probabilities, safe)
    write_json(folder / "metrics.json", scores)
    if ended:
        for state in (folder / "checkpoint").glob("state-*.npz"):
            state.unlink()  # before the best weights, without which they are of no use
        shutil.rmtree(folder / "checkpoint", ignore_errors=True)


def _announce(corpus):
    logger.info(
        "%s: %s training, %s validation and %s test texts, %d classes",
        *(corpus.name, *(f"{size:,}" for size in _sizes(corpus).values()), len(corpus.labels)),
    )
    if not len(corpus.validation):
        logger.info(
            "Without a validation split, all texts are learnt from; keep=best (--keep best) takes "
            "one out of the training texts"
        )


def _sizes(corpus):
    splits = ("train", "validation", "test")
    return {split: len(getattr(corpus, split)) for split in splits}
