"""The classifier of a training: fitted to its texts, as settings tell it, or for answering."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo import datasets, recipes
from zoo.datasets.corpus import Corpus
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.errors import UsageError
from zoo.progress import quiet_log
from zoo.registry import create, import_model, told_options
from zoo.runs.run_config import RunConfig
from zoo.runs.run_folder import read_words
from zoo.settings import TrainSettings
from zoo.weights.sources import automatic, find_start, is_run
from zoo.weights.start import Start

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


def least_count(settings: TrainSettings, model: "TextClassifier", corpus: Corpus) -> int:
    """How often a word must stand in the training texts to be known."""
    return settings.min_count or recipes.least_count(model.solves, len(corpus.train))


def check_classifier(settings: TrainSettings, corpus: Corpus) -> None:
    """Raises the UsageError of :func:`build_classifier` for most mistakes, at once."""
    with quiet_log():
        _beginning(settings, corpus)


def _beginning(settings, corpus):
    """A model with all options but the size of its vocabulary, its start, and how it reads."""
    name, classes = settings.model, len(corpus.labels)
    kind = import_model(name)[0]
    clean_up = settings.clean_up or clean_up_of(corpus, kind)
    preset, weights = settings.preset, settings.weights
    options = settings.options | {"answers": corpus.kind.name}
    if not is_run(weights):  # a run has its own words
        preset, options = for_relations(name, clean_up, preset, options)
    limits = create(name, classes, preset, **options)
    if weights == "auto":
        weights = automatic(limits, settings, corpus.train, clean_up)
    min_count = least_count(settings, limits, corpus)
    word2vec = {"min_count": min_count, "seed": settings.seed}
    word2vec |= {"workers": None if settings.processes == 1 else 1}  # the same vectors for all
    options = told_options(name, preset, options)
    start = find_start(weights, limits, options, corpus, **word2vec)
    if start.options != options:  # a run or a BERT decides more
        limits = create(name, classes, **start.options)
    return limits, start, {"clean_up": clean_up, "min_count": min_count} | start.reads


def build_classifier(settings: TrainSettings, corpus: Corpus) -> tuple["TextClassifier", Start]:
    """The untrained classifier with its preprocessor, and what it has started with.

    Args:
        settings: of the training.
        corpus: in splits.

    Raises:
        UsageError: if no such model can be built, or start with such weights.
    """
    limits, start, reads = _beginning(settings, corpus)
    name, most = settings.model, settings.max_vocabulary or start.most
    preprocessor = datasets.Preprocessor.fit(
        corpus.train,
        limits.max_words,
        limits.max_sentences,
        max_vocabulary=most,
        percentile=settings.percentile,
        ngrams=limits.ngrams,
        entities=limits.entities,
        **reads,
    )
    lengths = {}
    if settings.percentile is not None:
        lengths = {name: getattr(preprocessor, name) for name in ("max_words", "max_sentences")}
    room = max(0, most - len(preprocessor.vocabulary))
    preprocessor = _filled_up(preprocessor, start.words(preprocessor, room), most)
    sizes = start.options | lengths | {"vocabulary_size": preprocessor.vocabulary_size}
    try:
        classifier = type(limits).from_config(limits.get_config() | sizes)
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"{name} could not be saved, as its options do not rebuild it: store each under its "
            f"name, and pass on those of TextClassifier ({' '.join(str(error).split())[:200]})"
        ) from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    classifier.build()
    classifier.preprocessor = preprocessor
    classifier.labels = corpus.labels
    start.fill(classifier)
    logger.info(
        "%s: %s parameters, %s words in the vocabulary",
        *(name, f"{classifier.count_params():,}", f"{len(preprocessor.vocabulary):,}"),
    )
    return classifier, start


def _filled_up(preprocessor, further, most):
    """One that also knows further words, which have weights."""
    of_texts = len(preprocessor.vocabulary)
    preprocessor = preprocessor.extended(further, most)
    if more := len(preprocessor.vocabulary) - of_texts:
        logger.info(
            "%s words of the vocabulary come from the weights, as the training texts hardly have "
            "them; max_vocabulary=%d (--max-vocabulary) leaves them out, for a smaller model",
            *(f"{more:,}", of_texts),
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
