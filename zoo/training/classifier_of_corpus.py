"""The classifier of a training: fitted to its texts, as settings tell it, or for answering."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo import datasets
from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.errors import UsageError
from zoo.registry import create, import_model, told_options
from zoo.runs.run_config import RunConfig
from zoo.runs.run_folder import read_words
from zoo.settings import TrainSettings
from zoo.weights.run_weights import load_start, options_of, start_from
from zoo.weights.sources import automatic, is_run
from zoo.weights.word_vectors import (
    check_reads_vectors,
    check_width,
    fill_word_table,
    most_words,
    width_of,
    word_vectors_for,
)

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

logger = logging.getLogger("zoo")


def clean_up_of(corpus: Corpus, classifier: type["TextClassifier"]) -> str:
    """The corpus' own, but of models of characters, which read no words."""
    own = classifier.clean_up
    return own if CLEAN_UPS[own].by_character else corpus.clean_up or own


def for_relations(
    model: str, clean_up: str | None, preset: str | None, options: dict[str, Any]
) -> tuple[str | None, dict[str, Any]]:
    """The preset and the options where texts mark their entities, which some models read."""
    classifier = import_model(model)[0]
    marked = clean_up in CLEAN_UPS and CLEAN_UPS[clean_up].marks_entities
    if marked and "entities" in classifier.option_defaults():
        options = {"entities": True} | options
        if preset is None and "relations" in classifier.presets:
            preset = "relations"
    return preset, options


def build_classifier(
    settings: TrainSettings, corpus: Corpus
) -> tuple["TextClassifier", str | Path]:
    """The untrained classifier with its preprocessor, and where its weights are from.

    Args:
        settings: of the training.
        corpus: in splits.
    """
    name, options, weights = settings.model, settings.options, settings.weights
    kind, preset = import_model(name)[0], settings.preset
    start = load_start(weights, corpus) if is_run(weights) else None
    if start is None:
        clean_up = settings.clean_up or clean_up_of(corpus, kind)
        preset, options = for_relations(name, clean_up, preset, options)
    else:
        clean_up, options = start.preprocessor.clean_up, options_of(start) | options
    limits = create(name, len(corpus.labels), preset, **options)
    if weights == "auto":
        weights = automatic(limits, settings, corpus.train, clean_up)
    has_vectors = start is None and weights != "none"
    if has_vectors:
        check_reads_vectors(limits, weights)
    max_vocabulary = settings.max_vocabulary or most_words(kind, weights)
    preprocessor = datasets.Preprocessor.fit(
        corpus.train,
        limits.max_words,
        limits.max_sentences,
        clean_up=clean_up,
        min_count=settings.min_count,
        max_vocabulary=max_vocabulary,
        percentile=settings.percentile,
        ngrams=limits.ngrams,
        entities=limits.entities,
        **({} if start is None else {"version": start.preprocessor.version}),
    )
    sizes = {}
    if settings.percentile is not None:
        sizes |= {"max_words": preprocessor.max_words}
        sizes |= {"max_sentences": preprocessor.max_sentences}
    if has_vectors:
        room = max(0, max_vocabulary - len(preprocessor.vocabulary))
        dim = width_of(limits, weights, told_options(name, preset, options))
        workers = None if settings.processes == 1 else 1  # the same vectors for all processes
        vectors = word_vectors_for(
            *(weights, corpus, preprocessor, dim, room),
            min_count=settings.min_count,
            seed=settings.seed,
            workers=workers,
        )
        preprocessor = _filled_up(preprocessor, vectors.index_to_key, "vectors", max_vocabulary)
        sizes |= {"embedding_dim": vectors.vector_size}
        check_width(vectors, weights, options)
    elif start is not None:
        known = start.preprocessor.vocabulary
        preprocessor = _filled_up(preprocessor, known, "run", max_vocabulary)
    sizes |= {"vocabulary_size": preprocessor.vocabulary_size}
    try:
        classifier = kind.from_config(limits.get_config() | sizes)
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"{name} could not be saved, as its options do not make it again: keep each under its "
            f"name, and pass on those of TextClassifier ({' '.join(str(error).split())[:200]})"
        ) from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    classifier.build()
    classifier.preprocessor = preprocessor
    classifier.labels = corpus.labels
    if has_vectors:
        fill_word_table(classifier, vectors, weights, settings.seed)
    elif start is not None:
        start_from(classifier, start)
    elif not classifier.train_embeddings:
        told = "%s: word vectors stay as random as they are; set weights (--weights)"
        logger.warning(told, name)
    logger.info(
        "%s: %d parameters, %d words in the vocabulary",
        *(name, classifier.count_params(), len(preprocessor.vocabulary)),
    )
    return classifier, weights


def _filled_up(preprocessor, further, of, most):
    """One that also knows further words, which have vectors."""
    of_texts = len(preprocessor.vocabulary)
    preprocessor = preprocessor.extended(further, most)
    if more := len(preprocessor.vocabulary) - of_texts:
        logger.info(
            "%d words of the %s are rare in the training texts or not in them; "
            "max_vocabulary=%d (--max-vocabulary) would leave them out and make the model smaller",
            *(more, of, of_texts),
        )
    return preprocessor


def rebuild_classifier(run: Path, config: RunConfig) -> "TextClassifier":
    """The classifier that the settings of a run tell, with new weights."""
    from zoo.runs.model_file import check_plain

    path = run / "config.json"
    check_plain(config.architecture, path)
    try:
        classifier = import_model(config.settings.model)[0].from_config(config.architecture)
        classifier.build()
    except UsageError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} is damaged: {' '.join(str(error).split())}") from None
    read_words(run, config, classifier)
    return classifier
