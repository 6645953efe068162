"""Training: data and a model's name in, a run folder out."""

import itertools
import logging
import math
import platform
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from zoo import datasets
from zoo.datasets.embeddings import embedding_matrix, read_vectors, train_word2vec
from zoo.errors import UsageError, unknown
from zoo.registry import build, check_name
from zoo.runs import finished, new_run, write_json, write_model

PRECISIONS = ("float32", "mixed_bfloat16", "mixed_float16")
CACHES = ("auto", "memory", "disk", "none")
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
    clean_up: str = "hcan",
    min_count: int = 2,
    max_vocabulary: int = 30_000,
    percentile: float | None = None,
    embeddings: str | None = None,
    unlabelled: str | None = None,
    cache: str = "auto",
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
        data: a name of the catalogue, such as ``"agnews"`` or ``"sample"``, or the path of your
            own table, folder or glob.
        files: for a path: ``text_column``, ``label_column``, ``on_bad_row``, and the files
            ``validation`` and ``test``; see :func:`zoo.datasets.load_files`.
        preset, options: of the model; see :func:`zoo.build`.
        epochs: by default as many as make about 1,500 steps, 3 to 30.
        batch_size: texts of a batch.
        learning_rate: the highest; by default the model's own.
        clean_up, min_count, max_vocabulary, percentile: of the words; see
            :meth:`zoo.datasets.Preprocessor.fit`.
        embeddings: "word2vec" trains word vectors on the training texts, and on the corpus'
            unlabelled ones; or the path of a file of word vectors, see
            :func:`zoo.datasets.embeddings.read_vectors`. By default words start at random.
        unlabelled: a table, folder, glob or ``.txt`` of further texts for word2vec.
        cache: keeps word ids in "memory" or on "disk" while training; "none" computes them anew
            each epoch; "auto" keeps those of up to 200,000 texts in memory.
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
    if cache not in CACHES:
        raise unknown("cache", cache, CACHES)
    if unlabelled is not None and embeddings != "word2vec":
        raise UsageError("unlabelled texts are for word2vec: add --embeddings word2vec")
    for name, value in (("epochs", epochs), ("batch_size", batch_size)):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1: got {value}")
    if percentile is not None and not 0 < percentile <= 100:
        raise UsageError(f"percentile must be above 0 and at most 100: got {percentile}")
    if learning_rate is not None and learning_rate <= 0:
        raise UsageError(f"learning_rate must be above 0: got {learning_rate}")
    with new_run(output, f"{model}-{datasets.short_name(data)}") as folder:
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
            words = {"clean_up": clean_up, "min_count": min_count, "percentile": percentile}
            words |= {"max_vocabulary": max_vocabulary}
            if unlabelled is not None:
                texts = datasets.read_texts(unlabelled, corpus.columns.get("text_column"))
                corpus.unlabelled = datasets.Split(texts, [-1] * len(texts))
            classifier = _build(model, preset, options, corpus, words, embeddings, seed)
            learning_rate = learning_rate or classifier.learning_rate
            with tempfile.TemporaryDirectory(prefix="zoo-") as scratch:
                cache = str(Path(scratch) / "ids") if cache == "disk" else cache
                epochs = _fit(
                    classifier, corpus, folder, epochs, batch_size, learning_rate, seed, cache,
                    verbose,
                )  # fmt: skip
        finally:
            keras.config.set_dtype_policy("float32")
        seconds = time.perf_counter() - started

        best = _in_float32(classifier)
        from zoo.evaluation import score

        scores = score(best, corpus.test)
        scores |= {"parameters": best.count_params(), "seconds": round(seconds, 1)}
        write_json(folder / "metrics.json", scores)
        write_model(folder, best)
        config = {"model": model, "data": _absolute(data), "preset": preset}
        own = {name: files[name] for name in files.keys() & {"validation", "test"}}
        own = files | {name: _absolute(path) for name, path in own.items()} | corpus.columns
        config |= {"files": own}
        config |= {"options": options, "epochs": epochs, "batch_size": batch_size}
        config |= {"learning_rate": learning_rate, "precision": precision, "seed": seed}
        config |= words
        config |= {"embeddings": _absolute(embeddings), "unlabelled": _absolute(unlabelled)}
        config |= {"versions": _versions(), "architecture": best.get_config()}
        write_json(folder / "config.json", config)
    return finished(folder)


def _build(name, preset, options, corpus, words, embeddings, seed):
    """The untrained classifier with its preprocessor."""
    labels = len(corpus.labels)
    limits = build(name, labels, preset, **options | {"vocabulary_size": 2})
    preprocessor = datasets.Preprocessor.fit(
        corpus.train, limits.max_words, limits.max_sentences, **words
    )
    sizes = {"vocabulary_size": preprocessor.vocabulary_size}
    if words["percentile"] is not None:
        sizes |= {"max_words": preprocessor.max_words}
        sizes |= {"max_sentences": preprocessor.max_sentences}
    if embeddings is not None:
        vectors = _word_vectors(
            embeddings, corpus, preprocessor, limits.embedding_dim, words["min_count"], seed
        )
        sizes |= {"embedding_dim": vectors.vector_size}
        if options.get("embedding_dim", vectors.vector_size) != vectors.vector_size:
            raise UsageError(
                f"embedding_dim is {options['embedding_dim']}, but the vectors of {embeddings} are "
                f"{vectors.vector_size} wide: leave it out"
            )
    classifier = build(name, labels, preset, **options | sizes)
    if embeddings is not None:
        classifier.embed.embeddings.assign(embedding_matrix(vectors, preprocessor.vocabulary, seed))
    classifier.preprocessor = preprocessor
    classifier.labels = corpus.labels
    logger.info(
        "%s: %d parameters, %d words in the vocabulary",
        *(name, classifier.count_params(), len(preprocessor.vocabulary)),
    )
    return classifier


def _word_vectors(embeddings, corpus, preprocessor, dim, min_count, seed):
    if embeddings != "word2vec":
        return read_vectors(embeddings, preprocessor.vocabulary)
    from zoo.datasets.preprocessor import split_words

    return train_word2vec(
        itertools.chain(corpus.train, corpus.unlabelled or ()),
        lambda texts: split_words(texts, preprocessor.clean_up),
        dim,
        min_count=min_count,
        seed=seed,
    )


def _fit(classifier, corpus, folder, epochs, batch_size, learning_rate, seed, cache, verbose):
    """Trains; the classifier has its best weights afterwards. Returns the number of epochs."""
    import keras

    from zoo.datasets.batches import share_of_words

    train, validation = (  # both by length: the order of the validation texts does not matter
        classifier.preprocessor.batches(split.dataset(), batch_size, True, seed, kept)
        for split, kept in ((corpus.train.shuffled(seed), cache), (corpus.validation, "auto"))
    )
    steps = int(train.cardinality())
    share = share_of_words(train, steps=steps if len(corpus.train) <= 20_000 else 200)
    logger.info("%.0f%% of the positions in a batch are words, the rest is padding", 100 * share)
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
    """A path that is still right from elsewhere; names stay as they are."""
    names = (None, *datasets.CATALOGUE, "sample", "word2vec")
    return name if name in names else str(Path(name).resolve())


def _versions():
    import keras

    packages = ("attention-zoo", "keras", "tensorflow", "numpy", "pandas", "scikit-learn")
    return {
        "python": platform.python_version(),
        "backend": keras.backend.backend(),
        **{package: version(package) for package in packages},
    }
