"""Training: data and a model's name in, a run folder out."""

import contextlib
import dataclasses
import glob
import inspect
import itertools
import logging
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo import datasets
from zoo.datasets.own_files.reading import check_data
from zoo.errors import UsageError, unknown
from zoo.filesystem.atomic_files import write_json
from zoo.filesystem.folder_locks import alone, scratch
from zoo.filesystem.paths import expanded
from zoo.recipes import Recipe
from zoo.registry import check_name, find_recipe, import_model
from zoo.runs.run_folder import (
    FILES,
    new_run,
    read_config,
    resuming,
    versions,
    words_digest,
    write_words,
)
from zoo.shipping.saving import write_model
from zoo.training.classifier_of_corpus import (
    NAMES,
    build_classifier,
    clean_up_of,
    for_relations,
    rebuild_classifier,
)
from zoo.training.setting_checks import (
    check_batch_size,
    check_choices,
    check_flags,
    check_numbers,
    check_options,
    check_paths,
    check_seed,
    check_start,
    check_tensorboard,
    warn_if_idle,
    warn_if_solved,
)

if TYPE_CHECKING:
    import pandas as pd

DEVICES = ("devices", "coordinator", "processes", "process_id")  # of zoo.training.devices.spread
RESUMED = {field.name for field in dataclasses.fields(Recipe)}  # settings that it takes to resume
RESUMED |= {"texts", "precision", "calibrate", "cache", "architecture"}

logger = logging.getLogger("zoo")


def train(
    model: str = "hcan",
    data: "str | Path | pd.DataFrame" = "sample",
    *,
    files: dict[str, str] | None = None,
    preset: str | None = None,
    options: dict[str, Any] | None = None,
    recipe: str = "default",
    epochs: int | None = None,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    schedule: str | None = None,
    class_weights: bool | None = None,
    clean_up: str | None = None,
    min_count: int = 2,
    max_vocabulary: int | None = None,
    percentile: float | None = None,
    embeddings: str | None = None,
    unlabelled: str | None = None,
    start_from: str | Path | None = None,
    cache: str = "auto",
    precision: str = "auto",
    calibrate: bool = True,
    safe_csv: bool = False,
    seed: int = 0,
    output: str | Path = "runs",
    verbose: int | str = "auto",
    tensorboard: bool = False,
    **devices: Any,
) -> Path:
    """Trains a classifier and writes a run folder.

    The weights of the best validation accuracy are kept.

    Args:
        model: a name of :func:`zoo.list_models`.
        data: a name of the catalogue, such as ``"agnews"`` or ``"sample"``, or the path of your
            own table, folder or glob; or a DataFrame, whose texts and labels are then kept in
            ``data.jsonl`` of the run folder, from where they are read again.
        files: for your own: ``text_column``, ``label_column``, ``on_bad_row``, ``encoding``,
            ``min_class_size``, ``rare_classes``, and the files ``validation`` and ``test``; see
            :func:`zoo.datasets.load_files`.
        preset, options: of the model; see :func:`zoo.build`. Relations of entities have a preset
            "relations" in some models, which is then the default.
        recipe: "default", or a paper's, under the name of its preset; see
            :class:`zoo.recipes.Recipe`.
        epochs, batch_size, learning_rate, schedule, class_weights: in place of the recipe's. A
            batch is that of all devices together.
        clean_up, min_count, max_vocabulary, percentile: of the words; see
            :meth:`zoo.datasets.Preprocessor.fit`. The percentile is 1 to 100.
        embeddings: "word2vec" trains word vectors on the training texts, and on the corpus'
            unlabelled ones; "english" takes those of :mod:`zoo.datasets.vectors.english`; or the
            path of a file of word vectors, see :mod:`zoo.datasets.vectors.vector_files`. The most
            frequent words that have one fill the vocabulary up. By default words start at random.
        unlabelled: a table, folder, glob or ``.txt`` of further texts for word2vec.
        start_from: a run folder of the same model, whose weights this one starts with, in place of
            random ones: on few texts, one trained on many like them; see
            :mod:`zoo.training.starting_weights`. Its options, its clean-up and the version of
            its rules are this one's; the words that it knows fill the vocabulary up.
        cache: keeps word ids in "memory" or on "disk" while training; "none" computes them anew
            each epoch; "auto" keeps those of up to 200,000 texts in memory.
        precision: "float32", "mixed_bfloat16" or "mixed_float16", while training; "auto" takes
            16 bits where a GPU is made for them.
        calibrate: whether probabilities are made as often right as they say, by a temperature
            that fits the validation split.
        safe_csv: whether ``mistakes.csv`` and ``predictions.csv`` are made safe to open in a
            spreadsheet; see :func:`zoo.datasets.own_files.spreadsheet_cells.safe_cell`.
        seed: of weights, batches, dropout and splits. Trainings in threads of one process change
            each other's draws.
        output: the folder of the run folders.
        verbose: Keras' 0, 1, 2 or "auto".
        tensorboard: whether to log for TensorBoard into ``tensorboard/`` of the run folder.
        devices: ``devices``, ``coordinator``, ``processes``, ``process_id``; see
            :func:`zoo.training.devices.spread`.

    Returns:
        The run folder; of a process that is not the first, one that is gone.

    Raises:
        UsageError: for bad names, data or options, before anything is written; and where the
            training cannot go on.
    """
    files, options = files or {}, options or {}
    check_name(model)
    check_data(data)
    check_names(files, devices)
    check_seed(seed)
    seed = int(seed)  # Keras takes no number of NumPy
    paths = [files.get(split) for split in ("validation", "test")]
    is_frame = not isinstance(data, str | Path)
    own = None if is_frame else data
    check_paths(own, output, embeddings, unlabelled, start_from, *paths, names=files.values())
    data = data if is_frame or datasets.is_corpus(data) else datasets.as_path(data)
    check_choices(precision, cache, schedule)
    check_flags(class_weights=class_weights, calibrate=calibrate, safe_csv=safe_csv)
    if recipe != "default":
        find_recipe(model, recipe)
    if unlabelled is not None and embeddings != "word2vec":
        raise UsageError(
            "unlabelled texts are for word2vec: set embeddings to word2vec (--embeddings word2vec)"
        )
    check_options(model, options)
    if start_from is not None:
        check_start(
            model,
            read_config(start_from),
            preset=preset,
            clean_up=clean_up,
            embeddings=embeddings,
            percentile=percentile,
        )
    check_numbers(
        learning_rate,
        percentile,
        epochs=epochs,
        batch_size=batch_size,
        min_count=min_count,
        max_vocabulary=max_vocabulary,
    )
    own = {"epochs": epochs, "batch_size": batch_size}
    own |= {"learning_rate": None if learning_rate is None else float(learning_rate)}
    own |= {"schedule": schedule, "class_weights": class_weights}
    check_tensorboard(tensorboard)
    idle = own | {"cache": None if cache == "auto" else cache, "tensorboard": tensorboard or None}
    idle |= {"precision": None if precision == "auto" else precision}
    own_files = files_of(data, files, unlabelled)
    with _new_run(output, f"{model}-{datasets.short_name(data)}", devices) as folder:
        corpus = datasets.load(data, **own_files).split(seed)
        _announce(corpus)
        started = time.perf_counter()
        with _session(precision, seed, devices) as (precision, share):
            if unlabelled is not None:
                _add_unlabelled(corpus, data, files, unlabelled)
            defaults = import_model(model)[0]
            words = {"min_count": min_count, "percentile": percentile}
            if start_from is None:
                words |= {"clean_up": clean_up or clean_up_of(corpus, defaults)}
                preset, options = for_relations(model, words["clean_up"], preset, options)
                start, built = None, options
            else:
                from zoo.training.starting_weights import load_start

                start, built = load_start(start_from, options, corpus)
                words |= {"clean_up": start.preprocessor.clean_up}
            words |= {"max_vocabulary": max_vocabulary or defaults.max_vocabulary}
            workers = None if devices.get("processes", 1) == 1 else 1  # the same vectors for all
            classifier = build_classifier(
                model, preset, built, corpus, words, embeddings, seed, workers, start
            )
            del start  # which would stay in memory while training
            resolved = find_recipe(model, recipe).resolved(
                classifier, len(corpus.train), **{k: v for k, v in own.items() if v is not None}
            )
            check_batch_size(resolved.batch_size, len(corpus.train), share)
            warn_if_solved(classifier, idle)
            warn_if_idle(classifier, options)
            given = {name: files[name] for name in files.keys() & {"validation", "test"}}
            given = own_files | {name: _absolute(path) for name, path in given.items()}
            if is_frame:
                datasets.write_rows(folder / "data.jsonl", data, corpus.columns)
                data = folder / "data.jsonl"
            config = {"model": model, "data": data if datasets.is_corpus(data) else _absolute(data)}
            config |= {"preset": preset, "label_order": "by number"}  # as text, before
            config |= {"files": given | corpus.columns, "options": options, "recipe": recipe}
            config |= dataclasses.asdict(resolved) | words
            config |= {"precision": precision, "calibrate": calibrate, "cache": cache, "seed": seed}
            config |= {"safe_csv": safe_csv, "devices": 1 if share is None else share.devices}
            config |= {"processes": devices.get("processes", 1)}
            vectors = embeddings if embeddings in NAMES else _absolute(embeddings)
            config |= {"embeddings": vectors, "unlabelled": _absolute(unlabelled)}
            config |= {"start_from": _absolute(start_from)}
            config |= {"text_version": classifier.preprocessor.version}
            config |= {"texts": _sizes(corpus), "targets": corpus.digest(), "versions": versions()}
            config |= {"architecture": classifier.get_config()}
            config |= {"words": words_digest(classifier.preprocessor.vocabulary, corpus.labels)}
            write_words(folder, classifier)
            write_json(folder / "config.json", config)
            ended = _fit(folder, classifier, corpus, resolved, config, share, verbose, tensorboard)
            seconds = time.perf_counter() - started
        if not devices.get("process_id"):
            _finish(folder, classifier, corpus, config, ended, seconds)
    return folder


def resume(
    run: str | Path, verbose: int | str = "auto", tensorboard: bool = False, **devices: Any
) -> Path:
    """Continues a training that was killed, stopped or ran out of disk, to the same end.

    On one machine's CPU in float32 the final weights are those of a training that was never
    interrupted, to the last bit.

    Args:
        run: its folder, which is also that of the result. Several processes all need to see it.
        verbose, tensorboard, devices: see :func:`train`.

    Returns:
        That folder.

    Raises:
        UsageError: if there is nothing to continue, the data is not what it was, or Keras has
            another backend.
    """
    check_tensorboard(tensorboard)
    for name in devices:
        if name not in DEVICES:
            raise unknown("argument of zoo.resume", name, ("verbose", "tensorboard", *DEVICES))
    run = expanded(run)
    config = read_config(run)
    if not any((run / "checkpoint").glob("state-*.npz")):
        ended = (run / "metrics.json").exists() or config["data"] is None
        raise UsageError(
            f"the training of {run} "
            + ("has ended: there is nothing to continue" if ended else "had not begun: train anew")
        )
    with contextlib.ExitStack() as stack:
        folder = run
        if devices.get("process_id"):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "run"
            shutil.copytree(run, folder)
        else:
            stack.enter_context(alone(run))
        try:
            return _resume(run, folder, config, verbose, tensorboard, devices)
        except KeyboardInterrupt as error:
            error.add_note(f"continue with: {resuming(run)}")
            raise


def _resume(run, folder, config, verbose, tensorboard, devices):
    """Goes on in the folder, which is that of the run or a copy."""
    from zoo.evaluation.scores import read_corpus

    lacking = sorted(name for name in RESUMED if name not in config)
    if lacking:
        raise UsageError(f"{run / 'config.json'} is damaged: it lacks {', '.join(lacking)}")
    corpus = read_corpus(config)
    if _sizes(corpus) != config["texts"]:
        raise UsageError(
            f"{config['data']} has changed since {run} began: it had {config['texts']} texts, now "
            f"it has {_sizes(corpus)}. Train anew"
        )
    if config.get("targets") not in (None, corpus.digest()):
        raise UsageError(
            f"{config['data']} has changed since {run} began: its rows have other texts or "
            "classes, or another order. Train anew"
        )
    import keras  # takes seconds: only once the input is known to be good

    backend = config["versions"].get("backend")
    if backend not in (None, keras.backend.backend()):
        raise UsageError(
            f"{run} began with KERAS_BACKEND={backend}, and would end with other weights under "
            f"{keras.backend.backend()}: set that, too"
        )
    _announce(corpus)
    started = time.perf_counter()
    resolved = Recipe(**{f.name: config[f.name] for f in dataclasses.fields(Recipe)})
    with _session(config["precision"], config["seed"], devices) as (_, share):
        check_batch_size(resolved.batch_size, len(corpus.train), share)
        now = 1 if share is None else share.devices
        if (before := config.get("devices", now)) != now:
            logger.warning(
                "%s began on %d devices and continues on %d, and so ends with other weights",
                *(run, before, now),
            )
        classifier = rebuild_classifier(run, config)
        ended = _fit(folder, classifier, corpus, resolved, config, share, verbose, tensorboard)
        seconds = time.perf_counter() - started
    if not devices.get("process_id"):
        _finish(run, classifier, corpus, config, ended, seconds)
        if any((run / "exports").glob("*")):
            logger.warning("%s is of the weights before: export anew", run / "exports")
    return run


def files_of(data: str | Path, files: Mapping[str, Any], unlabelled: Any) -> dict[str, Any]:
    """What of ``files`` is for the data: beside a corpus, columns are of the unlabelled texts."""
    of_others = datasets.is_corpus(data) and unlabelled is not None
    others = ("text_column", "on_bad_row", "encoding") if of_others else ()
    return {name: value for name, value in files.items() if name not in others}


def check_names(files: Any, others: Iterable[str]) -> None:
    """Refuses unknown names in ``files``, and unknown ones of other arguments of :func:`train`."""
    if not isinstance(files, Mapping):
        raise UsageError(f"files must be a dictionary, or None: got {files!r}")
    for name in files:
        if name not in FILES:
            raise unknown("name in files", name, FILES)
    own = inspect.signature(train).parameters.keys() - {"devices"}
    for name in others:
        if name not in own.union(DEVICES):
            raise unknown("argument of zoo.train", name, sorted(own.union(DEVICES)))


def _add_unlabelled(corpus, data, files, unlabelled):
    """Adds further texts to those of the corpus."""
    column = files.get("text_column")
    if not datasets.is_corpus(data):  # another file may have another one
        column = datasets.column_of(
            unlabelled, corpus.columns.get("text_column"), files.get("encoding")
        )
    on_bad_row, encoding = files.get("on_bad_row", "fail"), files.get("encoding")
    texts = datasets.read_texts(unlabelled, column, on_bad_row, encoding)
    corpus.unlabelled = itertools.chain(corpus.unlabelled or (), texts)


@contextlib.contextmanager
def _new_run(output, name, devices):
    """The folder of the run; of a process that is not the first, one that nobody sees."""
    if not devices.get("process_id"):
        with new_run(output, name) as folder:
            yield folder
        return
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _session(precision, seed, devices):
    """Seeds, precision and devices of a training. Gives the precision, and batches' share."""
    import keras  # takes seconds: only once the input is known to be good

    from zoo.classifier import dtype_policy
    from zoo.training.devices import auto_precision, spread

    with spread(**devices) as share:
        keras.utils.set_random_seed(seed)
        precision = auto_precision() if precision == "auto" else precision
        with dtype_policy(precision):
            yield precision, share


def _fit(folder, classifier, corpus, recipe, config, share, verbose, tensorboard):
    """Trains, or goes on training. Returns whether that came to its end."""
    from zoo.training.fitting import fit

    if classifier.solves:
        classifier.solve(corpus.train, config["seed"])
        return True
    if share is not None and share.part:
        verbose = 0
    with scratch(Path(tempfile.gettempdir()), "zoo") as temporary:
        cache = str(temporary / "ids") if config["cache"] == "disk" else config["cache"]
        return fit(
            classifier, corpus, recipe, folder, config["seed"], cache, share, verbose, tensorboard
        )


def _finish(folder, classifier, corpus, config, ended, seconds):
    """Calibrates, scores, and writes all about the trained classifier."""
    from zoo.answers import probabilities_of
    from zoo.evaluation import calibration
    from zoo.evaluation import report as summary
    from zoo.evaluation.scores import score
    from zoo.runs.model_file import in_float32

    classifier = in_float32(classifier)
    calibrated, temperature = {}, None
    if config["calibrate"]:
        temperature = calibration.calibrate(classifier, corpus.validation)
    targets, probabilities = corpus.test.numbers, probabilities_of(classifier, corpus.test)
    if temperature is not None:
        before = calibration.with_temperature(probabilities, 1 / temperature)
        error = calibration.expected_calibration_error(before, targets)
        calibrated = {"temperature": temperature, "calibration_error_before": error}
    scores = score(targets, probabilities, classifier.labels) | calibrated
    scores |= {"parameters": classifier.count_params(), "seconds": round(seconds, 1)}
    write_model(folder, classifier)
    if (folder / "history.csv").exists():
        summary.draw_learning_curves(folder)
    summary.draw_confusion_matrix(folder, targets, probabilities.argmax(-1), classifier.labels)
    safe = config.get("safe_csv", False)
    summary.write_predictions(folder, targets, probabilities, classifier.labels, safe)
    summary.write_mistakes(folder, classifier, corpus.test, probabilities, safe)
    write_json(folder / "metrics.json", scores)
    if ended:
        for state in (folder / "checkpoint").glob("state-*.npz"):
            state.unlink()  # before the best weights, without which they are of no use
        shutil.rmtree(folder / "checkpoint", ignore_errors=True)


def _announce(corpus):
    logger.info(
        "%s: %d training, %d validation and %d test texts, %d classes",
        *(corpus.name, *_sizes(corpus).values(), len(corpus.labels)),
    )


def _sizes(corpus):
    splits = ("train", "validation", "test")
    return {split: len(getattr(corpus, split)) for split in splits}


def _absolute(path):
    """A path or a glob that is still right from elsewhere, under its own name; or None."""
    if path is None:
        return None
    path = expanded(path)
    is_glob = glob.has_magic(str(path)) and not path.exists()
    return str(Path(glob.escape(str(Path.cwd())), path) if is_glob else path.absolute())
