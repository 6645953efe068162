"""The factory, with what a model may know before it sees a text of yours."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras

from zoo.datasets import Preprocessor
from zoo.datasets.text.preprocessor import whole_words
from zoo.errors import UsageError
from zoo.recipes import Recipe
from zoo.registry import create, told_options
from zoo.settings import WEIGHTS, check_weights
from zoo.weights.run_weights import check_run, load_start, options_of, start_from
from zoo.weights.sources import is_run
from zoo.weights.word_vectors import (
    check_reads_vectors,
    check_width,
    fill_word_table,
    most_words,
    read_word_vectors,
    width_of,
)

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier


def build(
    name: str,
    num_classes: int,
    preset: str | None = None,
    *,
    weights: str | Path | None = None,
    **options: Any,
) -> "TextClassifier":
    """Builds a model.

    Args:
        name: a name of :func:`list_models`.
        num_classes: number of classes, at least 2.
        preset: a named set of options, usually a paper's; see :func:`describe`.
        weights: None, for a model that starts at random and reads ids of words; "english", for
            word vectors that come with zoo; a name of gensim's downloader, such as
            "glove-wiki-gigaword-300", which is fetched once; a file of word vectors; or a run of
            the same model. With any of these the model knows words: it reads texts, and has been
            compiled with zoo's default recipe at the model's learning rate, which you may replace.
        options: constructor options; they win over the preset.

    Returns:
        A built :class:`zoo.TextClassifier`: ids in, or texts where it knows words; ``[batch,
        num_classes]`` probabilities out.

    Raises:
        UsageError: for an unknown name, preset, option or weights, with the nearest matches, for a
            value that an option cannot take, and for weights that the model cannot have.

    Note:
        Inside a functional model two of the same name need names of their own: set
        ``model.name``. Keras loads such a model once the files of the models in it are imported,
        as by ``import zoo.models.hcan``.

    Example:
        >>> import numpy as np
        >>> model = zoo.build("hcan", num_classes=5)
        >>> model.predict(np.array([[[4, 5, 0], [6, 0, 0]]])).shape
        (1, 5)
        >>> model = zoo.build("cnn_kim", num_classes=2, weights="english")
        >>> history = model.fit(["A fine day.", "A dull film."], [1, 0], epochs=5)
        >>> model.predict(["A fine film."]).shape
        (1, 2)
    """
    weights = "none" if weights is None else weights
    check_weights(weights)
    if weights in ("auto", "word2vec"):
        others = [one for one in WEIGHTS if one not in ("auto", "word2vec")]
        raise UsageError(
            f"weights {weights!r} need texts: use zoo.train; allowed here are {', '.join(others)}, "
            "a file of word vectors, or a run"
        )
    if weights == "none":
        model = create(name, num_classes, preset, **options)
        model.build()
        return model
    make = _with_run if is_run(weights) else _with_vectors
    model = make(name, num_classes, preset, weights, options)
    recipe = Recipe(learning_rate=model.learning_rate, schedule="constant")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=model.logits)
    model.compile(recipe.build_optimizer(), loss, metrics=["accuracy"])
    return model


def _with_vectors(name, num_classes, preset, weights, options):
    """A model whose words are those that have vectors."""
    limits = create(name, num_classes, preset, **options)
    check_reads_vectors(limits, weights)
    most = most_words(limits, weights)
    dim = width_of(limits, weights, told_options(name, preset, options))
    vectors = read_word_vectors(weights, (), most, dim)
    check_width(vectors, weights, options)
    clean_up = "relations" if limits.entities else limits.clean_up
    words = whole_words(vectors.index_to_key, clean_up)[:most]
    if not words:
        raise UsageError(f"the clean-up {clean_up!r} of {name} leaves no word of {weights}")
    length = limits.max_words, limits.max_sentences
    more = {"clean_up": clean_up, "ngrams": limits.ngrams, "entities": limits.entities}
    preprocessor = Preprocessor(words, *length, **more)
    sizes = {"vocabulary_size": preprocessor.vocabulary_size, "embedding_dim": vectors.vector_size}
    model = create(name, num_classes, preset, **options | sizes)
    model.build()
    model.preprocessor = preprocessor
    fill_word_table(model, vectors, weights)
    return model


def _with_run(name, num_classes, preset, weights, options):
    """A model that goes on from one that was trained."""
    check_run(name, weights)
    if preset is not None:
        raise UsageError("the run to start from decides: leave out preset")
    start = load_start(weights)
    sizes = {"vocabulary_size": start.preprocessor.vocabulary_size}
    model = create(name, num_classes, **options_of(start) | options | sizes)
    model.build()
    model.preprocessor = start.preprocessor
    if num_classes == start.num_classes:
        model.labels = start.labels
    start_from(model, start)
    return model
