"""The classifier of a training: fitted to its texts, as settings tell it, or for answering."""

import itertools
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo import datasets
from zoo.datasets.corpus import Corpus
from zoo.datasets.vectors.english import english_vectors
from zoo.datasets.vectors.vector_files import embedding_matrix, read_vectors
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.errors import UsageError
from zoo.registry import build, create, import_model
from zoo.runs.run_folder import read_words

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

NAMES = ("word2vec", "english")  # of word vectors that are in no file of the user's

logger = logging.getLogger("zoo")


def clean_up_of(corpus: Corpus, classifier: type["TextClassifier"]) -> str:
    """The corpus' own, but of models of characters, which read no words."""
    own = classifier.clean_up
    return own if own == "characters" else corpus.clean_up or own


def for_relations(
    model: str, clean_up: str | None, preset: str | None, options: dict[str, Any]
) -> tuple[str | None, dict[str, Any]]:
    """The preset and the options where texts mark their entities, which some models read."""
    classifier = import_model(model)[0]
    if clean_up == "relations" and "entities" in classifier.option_defaults():
        options = {"entities": True} | options
        if preset is None and "relations" in classifier.presets:
            preset = "relations"
    return preset, options


def build_classifier(
    name: str,
    preset: str | None,
    options: dict[str, Any],
    corpus: Corpus,
    words: dict[str, Any],
    embeddings: str | Path | None,
    seed: int,
    workers: int | None,
    start: "TextClassifier | None" = None,
) -> "TextClassifier":
    """The untrained classifier with its preprocessor.

    Args:
        name, preset, options: of the model.
        corpus: in splits.
        words: ``clean_up``, ``min_count``, ``max_vocabulary`` and ``percentile``, as
            :meth:`zoo.datasets.Preprocessor.fit` takes them.
        embeddings: see :func:`zoo.train`.
        seed: of word vectors.
        workers: threads of word2vec; None for as many as there are cores.
        start: a model whose weights it starts with; see :mod:`zoo.training.starting_weights`.
    """
    labels = len(corpus.labels)
    limits = create(name, labels, preset, **options)
    if embeddings is not None and not limits.reads_word_vectors:
        raise UsageError(f"{name} has no word vectors: leave out embeddings (--embeddings)")
    preprocessor = datasets.Preprocessor.fit(
        corpus.train,
        limits.max_words,
        limits.max_sentences,
        ngrams=limits.ngrams,
        entities=limits.entities,
        **words,
        **({} if start is None else {"version": start.preprocessor.version}),
    )
    sizes = {}
    if words["percentile"] is not None:
        sizes |= {"max_words": preprocessor.max_words}
        sizes |= {"max_sentences": preprocessor.max_sentences}
    if embeddings is not None:
        width = limits.embedding_dim
        vectors = _word_vectors(embeddings, corpus, preprocessor, width, words, seed, workers)
        preprocessor = _filled_up(preprocessor, vectors.index_to_key, "vectors", words)
        sizes |= {"embedding_dim": vectors.vector_size}
        if options.get("embedding_dim", vectors.vector_size) != vectors.vector_size:
            raise UsageError(
                f"embedding_dim is {options['embedding_dim']}, but the vectors of {embeddings} are "
                f"{vectors.vector_size} wide: leave it out"
            )
    elif start is not None:
        preprocessor = _filled_up(preprocessor, start.preprocessor.vocabulary, "run", words)
    sizes |= {"vocabulary_size": preprocessor.vocabulary_size}
    classifier = build(name, labels, preset, **options | sizes)
    try:
        type(classifier).from_config(classifier.get_config())
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"{name} could not be saved, as its options do not make it again: keep each under its "
            f"name, and pass on those of TextClassifier ({' '.join(str(error).split())[:200]})"
        ) from None
    if embeddings is not None:
        classifier.embed.embeddings.assign(embedding_matrix(vectors, preprocessor.vocabulary, seed))
    elif not classifier.train_embeddings and start is None:
        told = "%s: word vectors stay as random as they are; set embeddings (--embeddings)"
        logger.warning(told, name)
    classifier.preprocessor = preprocessor
    classifier.labels = corpus.labels
    if start is not None:
        from zoo.training.starting_weights import start_from

        start_from(classifier, start)
    logger.info(
        "%s: %d parameters, %d words in the vocabulary",
        *(name, classifier.count_params(), len(preprocessor.vocabulary)),
    )
    return classifier


def _filled_up(preprocessor, further, of, words):
    """One that also knows further words, which have vectors."""
    of_texts = len(preprocessor.vocabulary)
    preprocessor = preprocessor.extended(further, words["max_vocabulary"])
    if more := len(preprocessor.vocabulary) - of_texts:
        logger.info(
            "%d words of the %s are rare in the training texts or not in them; "
            "max_vocabulary=%d (--max-vocabulary) would leave them out and make the model smaller",
            *(more, of, of_texts),
        )
    return preprocessor


def _word_vectors(embeddings, corpus, preprocessor, dim, words, seed, workers):
    """Vectors of the vocabulary and, while there is room in it, of further words."""
    if embeddings == "english":
        return english_vectors()
    if embeddings != "word2vec":
        room = max(0, words["max_vocabulary"] - len(preprocessor.vocabulary))
        return read_vectors(embeddings, preprocessor.vocabulary, room)
    from zoo.datasets.text.clean_ups import split_words

    return train_word2vec(
        itertools.chain(corpus.train, corpus.unlabelled or ()),
        lambda texts: split_words(texts, preprocessor.clean_up, preprocessor.version),
        dim,
        min_count=words["min_count"],
        seed=seed,
        workers=workers,
    )


def rebuild_classifier(run: Path, config: dict[str, Any]) -> "TextClassifier":
    """The classifier that the settings of a run tell, with new weights."""
    from zoo.runs.model_file import check_plain

    path = run / "config.json"
    check_plain(config["architecture"], path)
    try:
        classifier = import_model(config["model"])[0].from_config(config["architecture"])
        classifier.build()
    except UsageError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} is damaged: {' '.join(str(error).split())}") from None
    read_words(run, config, classifier)
    return classifier
