"""What the first fit on texts makes, where nobody has: words, labels, an optimizer and a loss."""

import logging
import types
from typing import Any

import tensorflow as tf

from zoo.answers.class_labels import in_label_order
from zoo.datasets import Preprocessor
from zoo.datasets.text_streams import as_dataset, holds_texts, rows
from zoo.datasets.vectors import english
from zoo.errors import UsageError
from zoo.recipes import Recipe, least_count
from zoo.text_inputs import is_text

logger = logging.getLogger("zoo")


def make_ready(model, x: Any, y: Any = None) -> Any:
    """Gives a model the preprocessor and the labels that it lacks, and compiles it.

    Args:
        model: a classifier.
        x: what :meth:`zoo.TextClassifier.fit` takes; what is no texts tells nothing.
        y: targets, where ``x`` does not give them.

    Returns:
        ``x``; of a generator, which is read but once, another that gives the same, or a dataset.

    Raises:
        UsageError: for texts of which there is no counting, and labels that are not as many as the
            model's classes.
    """
    lacks_labels = model.labels is None
    if is_text(x):
        if lacks_labels and y is not None:
            learn_labels(model, y)
        if model.preprocessor is None and len(x):
            learn_words(model, x)
    elif (model.preprocessor is None or lacks_labels) and y is None:
        data = as_dataset(x)
        if holds_texts(data):
            _learn_stream(model, x, data, lacks_labels)
        x = data if isinstance(x, types.GeneratorType) else x
    if not model.compiled:
        compile_by_default(model)
    return x


def _learn_stream(model, x, data, lacks_labels):
    """Words and labels of a dataset, which is read through."""
    learns_words = model.preprocessor is None
    texts_of_labels = len(data.element_spec) > 1 and getattr(data.element_spec[1], "dtype", 0)
    if not (learns_words or (lacks_labels and texts_of_labels == tf.string)):
        return
    if data is not x or data.cardinality() == tf.data.INFINITE_CARDINALITY:
        raise UsageError(
            "the words of texts are counted first, which come but once here: give a list or a "
            "tf.data.Dataset that ends, or set model.preprocessor"
        )
    found = list(rows(data).as_numpy_iterator())
    if learns_words:
        learn_words(model, [one[0].decode("utf-8", "replace") for one in found])
    names = getattr(x, "class_names", None)
    if lacks_labels and names and len(names) == model.num_classes:
        model.labels = names
    elif lacks_labels and texts_of_labels == tf.string:
        learn_labels(model, [one[1].decode("utf-8", "replace") for one in found])


def learn_words(model, texts: Any) -> None:
    """Counts the words of texts, as many as the model's table has rows for, or may have.

    A model that reads word vectors beside its n-grams knows the words of these, too; where it was
    not built with any, of English texts it reads those that come with zoo.
    """
    if not tf.is_tensor(texts):
        texts = list(texts)
    clean_up = "relations" if model.entities else model.clean_up
    most, default = model.vocabulary_size - 2, model.option_defaults()["vocabulary_size"]
    if grows := model.grows and model.vocabulary_size == default:
        most = model.max_vocabulary
    preprocessor = Preprocessor.fit(
        texts,
        model.max_words,
        model.max_sentences,
        clean_up=clean_up,
        min_count=least_count(model.solves, len(texts)),
        max_vocabulary=most,
        ngrams=model.ngrams,
        entities=model.entities,
    )
    if model.reads_vectors_apart:
        if model.word_vectors is None and not tf.is_tensor(texts):
            model.word_vectors = _of_english(texts, clean_up, model.english_dim)
        if model.word_vectors is not None:
            vectors = model.word_vectors(preprocessor.vocabulary, most)
            preprocessor = preprocessor.extended(vectors.index_to_key[: english.MOST], most)
    if grows:
        model.make_room(preprocessor.vocabulary_size)
    model.preprocessor = preprocessor


def _of_english(texts, clean_up, dim):
    """What gives zoo's word vectors, where they know most of the words of texts; or None."""
    if english.english_share_of(texts, clean_up) < english.ENOUGH:
        return None
    return lambda known, room: english.english_vectors(dim)


def learn_labels(model, targets: Any) -> None:
    """Names the classes of a model as targets do; those without names by their numbers."""
    names = model.kind.names_in(targets)
    if names is None:
        model.labels = range(model.num_classes)
        return
    names = in_label_order(names)
    if len(names) != model.num_classes:
        shown = ", ".join(map(repr, names[:10])) + ", .." * (len(names) > 10)
        raise UsageError(
            f"the targets have {len(names)} labels ({shown}), the model "
            f"{model.num_classes} classes: build it with num_classes={len(names)}, or set "
            "model.labels to the names of all"
        )
    model.labels = names


def compile_by_default(model) -> None:
    """Compiles a model by zoo's default recipe, at a constant learning rate.

    Keras' ``fit`` may be called again and again: no schedule knows the end.
    """
    recipe = Recipe(learning_rate=model.learning_rate, schedule="constant")
    kind, logits = model.kind, model.logits
    model.compile(recipe.build_optimizer(), kind.loss(logits), metrics=kind.metrics(logits))
