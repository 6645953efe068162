"""Training: data and a model's name in, a run folder out."""

import logging
import math
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from zoo import datasets
from zoo.datasets.corpus import class_numbers
from zoo.errors import UsageError, unknown
from zoo.registry import build, check_name
from zoo.runs import finished, new_run, write_json, write_model

PRECISIONS = ("float32", "mixed_bfloat16", "mixed_float16")
STEPS = 1500  # of a training, unless epochs are given: enough for the corpora we tried

logger = logging.getLogger("zoo")


def train(
    model: str = "hcan",
    data: str = "sample",
    *,
    files: dict[str, str] | None = None,
    preset: str | None = None,
    options: dict[str, Any] | None = None,
    epochs: int | None = None,
    batch_size: int = 32,
    learning_rate: float | None = None,
    min_count: int = 2,
    max_vocabulary: int = 30_000,
    precision: str = "float32",
    seed: int = 0,
    output: str | Path = "runs",
    verbose: int | str = "auto",
) -> Path:
    """Trains a classifier and writes a run folder.

    The weights of the best validation accuracy are kept. The recipe: AdamW, a learning rate that
    rises for a tenth of the steps and then falls to zero along a cosine, gradients clipped to a
    norm of 1.

    Args:
        model: a name of :func:`zoo.list_models`.
        data: ``"agnews"``, ``"sample"``, or the path of a CSV, TSV or JSON-lines file.
        files: for a path: ``text_column``, ``label_column``, and the files ``validation`` and
            ``test``; see :func:`zoo.datasets.load_files`.
        preset, options: of the model; see :func:`zoo.build`.
        epochs: by default as many as make about 1,500 steps, 3 to 30.
        batch_size: texts of a batch.
        learning_rate: the highest; by default the model's own.
        min_count, max_vocabulary: of the vocabulary; see :class:`zoo.datasets.Preprocessor`.
        precision: ``"float32"``, ``"mixed_bfloat16"`` or ``"mixed_float16"``, while training.
        seed: of weights, batches, dropout and splits.
        output: the folder of the run folders.
        verbose: Keras' 0, 1, 2 or "auto".

    Returns:
        The run folder.

    Raises:
        UsageError: for bad names, data or options, before anything is written.
    """
    files, options = files or {}, options or {}
    check_name(model)
    if precision not in PRECISIONS:
        raise unknown("precision", precision, PRECISIONS)
    for name, value in (("epochs", epochs), ("batch_size", batch_size)):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1: got {value}")
    if learning_rate is not None and learning_rate <= 0:
        raise UsageError(f"learning_rate must be above 0: got {learning_rate}")
    with new_run(output, f"{model}-{Path(data).stem}") as folder:
        corpus = datasets.load(data, **files).split(seed)
        logger.info(
            "%s: %d training, %d validation and %d test texts, %d classes",
            *(corpus.name, len(corpus.train), len(corpus.validation), len(corpus.test)),
            len(corpus.labels),
        )

        import keras  # takes seconds: only once the input is known to be good

        started = time.perf_counter()
        keras.utils.set_random_seed(seed)
        keras.config.set_dtype_policy(precision)
        try:
            classifier = _build(model, preset, options, corpus, min_count, max_vocabulary)
            learning_rate = learning_rate or classifier.learning_rate
            epochs = _fit(
                classifier, corpus, folder, epochs, batch_size, learning_rate, seed, verbose
            )
        finally:
            keras.config.set_dtype_policy("float32")
        seconds = time.perf_counter() - started

        best = _in_float32(classifier)
        test = class_numbers(corpus.test, corpus.labels, "test")
        from zoo.evaluation import score

        scores = score(best, corpus.test["text"], test)
        scores |= {"parameters": best.count_params(), "seconds": round(seconds, 1)}
        write_json(folder / "metrics.json", scores)
        write_model(folder, best)
        config = {"model": model, "data": _absolute(data), "preset": preset}
        columns = {name: value for name, value in files.items() if name.endswith("_column")}
        config |= {"files": {name: _absolute(path) for name, path in files.items()} | columns}
        config |= {"options": options, "epochs": epochs, "batch_size": batch_size}
        config |= {"learning_rate": learning_rate, "min_count": min_count}
        config |= {"max_vocabulary": max_vocabulary, "precision": precision, "seed": seed}
        config |= {"versions": _versions(), "architecture": best.get_config()}
        write_json(folder / "config.json", config)
    return finished(folder)


def _build(name, preset, options, corpus, min_count, max_vocabulary):
    """The untrained classifier with its preprocessor."""
    labels = len(corpus.labels)
    limits = build(name, labels, preset, **options | {"vocabulary_size": 2})
    preprocessor = datasets.Preprocessor.fit(
        corpus.train["text"], limits.max_words, limits.max_sentences, min_count, max_vocabulary
    )
    size = {"vocabulary_size": preprocessor.vocabulary_size}
    classifier = build(name, labels, preset, **options | size)
    classifier.preprocessor = preprocessor
    classifier.labels = corpus.labels
    logger.info(
        "%s: %d parameters, %d words in the vocabulary",
        *(name, classifier.count_params(), len(preprocessor.vocabulary)),
    )
    return classifier


def _fit(classifier, corpus, folder, epochs, batch_size, learning_rate, seed, verbose):
    """Trains; the classifier has its best weights afterwards. Returns the number of epochs."""
    import keras

    train, validation = (
        classifier.preprocessor.batches(
            split["text"],
            class_numbers(split, corpus.labels, "validation"),
            batch_size,
            shuffle=split is corpus.train,
            seed=seed,
        )
        for split in (corpus.train, corpus.validation)
    )
    steps = int(train.cardinality())
    epochs = epochs or min(30, max(3, round(STEPS / steps)))
    warmup = max(1, epochs * steps // 10)
    schedule = keras.optimizers.schedules.CosineDecay(
        0.0, epochs * steps - warmup, warmup_target=learning_rate, warmup_steps=warmup
    )
    classifier.compile(
        optimizer=keras.optimizers.AdamW(schedule, global_clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=classifier.logits),
        metrics=["accuracy"],
        # On TensorFlow XLA would compile anew for each shape of a batch.
        jit_compile="auto" if keras.backend.backend() == "jax" else False,
    )
    best = keras.callbacks.EarlyStopping(
        "val_accuracy", mode="max", patience=epochs, restore_best_weights=True
    )
    log = keras.callbacks.CSVLogger(str(folder / "history.csv"))
    try:
        history = classifier.fit(
            train,
            validation_data=validation,
            epochs=epochs,
            callbacks=[best, log, keras.callbacks.TerminateOnNaN()],
            shuffle=False,  # the batches are
            verbose=verbose,
        ).history
    except KeyboardInterrupt:
        if best.best_weights is None:
            raise
        classifier.set_weights(best.best_weights)
        logger.warning("Stopped; the best weights so far are kept.")
    else:
        if not math.isfinite(history["loss"][-1]):
            raise UsageError("the loss became infinite: try a lower --learning-rate")
    return epochs


def _in_float32(classifier):
    """A copy that gives probabilities in float32, whatever the training's precision."""
    copy = type(classifier).from_config(
        classifier.get_config() | {"dtype": "float32", "logits": False}
    )
    copy.build()
    copy.set_weights(classifier.get_weights())
    copy.preprocessor, copy.labels = classifier.preprocessor, classifier.labels
    return copy


def _absolute(name):
    """A path that is still right from elsewhere; other names stay as they are."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _versions():
    import keras

    packages = ("attention-zoo", "keras", "tensorflow", "numpy", "pandas", "scikit-learn")
    return {
        "python": platform.python_version(),
        "backend": keras.backend.backend(),
        **{package: version(package) for package in packages},
    }
