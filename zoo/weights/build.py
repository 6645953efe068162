"""The factory of models, which may start with word vectors or other weights."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import UsageError
from zoo.registry import create, told_options
from zoo.settings import WEIGHTS, check_weights
from zoo.weights.sources import find_start, is_run

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
            "glove-wiki-gigaword-300", which is fetched once; a file of word vectors; for bert
            "minilm", a folder in Hugging Face's format or a name of its hub; or a run of the same
            model. With any of these the model has a vocabulary: it reads texts, and is compiled
            with zoo's default recipe at the model's learning rate, which you may replace. A model
            that is solved at once gets its vocabulary from its first fit.
        options: constructor options; they override the preset.

    Returns:
        A built :class:`zoo.TextClassifier`. It reads ids, or texts where it has a vocabulary, and
        gives probabilities, ``[batch, num_classes]``.

    Raises:
        UsageError: for an unknown name, preset, option or weights, with the nearest matches, for a
            value that an option cannot take, and for weights that the model cannot have.

    Note:
        Two models with the same name inside one functional model need different names: set
        ``model.name``. Keras loads such a functional model only after the files of the models in
        it are imported, as by ``import zoo.models.hcan``.

    Example:
        >>> import numpy as np
        >>> import zoo
        >>> model = zoo.build("hcan", num_classes=5)
        >>> model.predict(np.array([[[4, 5, 0], [6, 0, 0]]]), verbose=0).shape
        (1, 5)
        >>> model = zoo.build("cnn_kim", num_classes=2, weights="english")
        >>> texts, labels = ["A fine day.", "A dull film."], ["good", "bad"]
        >>> history = model.fit(texts, labels, epochs=5, verbose=0)
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
    if is_run(weights) and preset is not None:
        raise UsageError("the run to start from decides these settings: leave out preset")
    if weights == "none":
        model = create(name, num_classes, preset, **options)
        model.build()
        return model
    from zoo.datasets import Preprocessor
    from zoo.datasets.text.preprocessor import whole_words
    from zoo.first_fit import compile_by_default

    options = told_options(name, preset, options)
    start = find_start(weights, create(name, num_classes, **options), options)
    words = start.words(None, start.most)
    model = create(name, num_classes, **start.options)
    reads = {"clean_up": "relations" if model.entities else model.clean_up} | start.reads
    if model.reads_vectors_apart:  # at its first fit, beside the words of the texts
        model.build()
        start.fill(model)
        return model
    words = whole_words(words, **reads)[: start.most]
    if not words:
        raise UsageError(
            f"the clean-up {reads['clean_up']!r} of {name} leaves no word of {weights}"
        )
    more = reads | {"ngrams": model.ngrams, "entities": model.entities}
    preprocessor = Preprocessor(words, model.max_words, model.max_sentences, **more)
    sizes = {"vocabulary_size": preprocessor.vocabulary_size}
    model = create(name, num_classes, **start.options | sizes)
    model.build()
    model.preprocessor = preprocessor
    if num_classes == len(start.labels or ()):
        model.labels = start.labels
    start.fill(model)
    compile_by_default(model)
    return model
