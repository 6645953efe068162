"""A training that starts from the weights of a run, of the same model on other texts or labels."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from zoo.errors import UsageError
from zoo.registry import import_model, name_of
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import load
from zoo.weights.start import Start

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

logger = logging.getLogger("zoo")


class RunWeights(Start):
    """The words and layers of a run of the same model.

    Args:
        weights, model, options: see :class:`Start`.
        clean_up: the clean-up that the texts need; None if any will do.

    Raises:
        UsageError: if the run is damaged, has another model, or has a clean-up that the texts
            cannot have.
    """

    def __init__(self, weights, model, options, clean_up: str | None = None):
        super().__init__(weights, model, options)
        check_run(name_of(model), weights)
        self.start = load(weights)
        own = self.start.preprocessor
        if clean_up not in (None, own.clean_up):
            raise UsageError(
                f"the texts need the clean-up {clean_up}, and the run to start from has "
                f"{own.clean_up}"
            )
        its = {name: getattr(self.start, name) for name in self.start.option_defaults()}
        for name in (
            "vocabulary_size",
            "logits",
            "answers",
        ):  # the texts and the training decide these
            del its[name]
        self.options = its | options
        self.reads = {"clean_up": own.clean_up, "version": own.version}
        self.labels = self.start.labels
        self.most = max(self.most, len(own.vocabulary))

    def words(self, preprocessor, room):
        return self.start.preprocessor.vocabulary

    def fill(self, model):
        start_from(model, self.start)


def check_run(model: str, run: str | Path) -> None:
    """Refuses a run that another model cannot start from.

    Raises:
        UsageError: if it is of another model, or of one that always learns anew.
    """
    if (own := read_config(run).settings.model) != model:
        raise UsageError(f"the run to start from has the model {own}, not {model}: train {own}")
    if import_model(model)[0].solves:
        raise UsageError(f"{model} cannot start from a run: train it anew, on all texts")


def start_from(classifier: "TextClassifier", start: "TextClassifier") -> None:
    """Gives a model the weights of another one: vectors of the words that both know, all layers.

    What depends on the number of classes is taken over where that is the same, and the last layer
    where the labels are, be it in another order.

    Args:
        classifier: with its preprocessor and labels.
        start: of the same class, with its own.

    Raises:
        UsageError: if weights have other shapes.
    """
    theirs = {word: row for row, word in enumerate(start.preprocessor.vocabulary, start=2)}
    sources = [0, 1, *map(theirs.get, classifier.preprocessor.vocabulary)]  # padding, unknown
    known = [row for row, source in enumerate(sources) if source is not None]
    table = classifier.embed.embeddings.numpy().copy()
    vectors = start.embed.embeddings.numpy()
    others = [_others(model) for model in (classifier, start)]
    alike = len(others[0]) == len(others[1]) and table.shape[1] == vectors.shape[1]
    classes = (classifier.num_classes, start.num_classes)
    if not alike or not all(
        _alike(a.shape, b.shape, classes) for a, b in zip(*others, strict=True)
    ):
        own, its = classifier.get_config(), start.get_config()
        differing = [
            f"{name}={own[name]!r}, not {its[name]!r}"
            for name in classifier.option_defaults()
            if own[name] != its[name] and name not in ("vocabulary_size", "logits", "answers")
        ]
        raise UsageError(
            f"the run to start from has weights of other shapes: {'; '.join(differing)}"
        )
    table[known] = vectors[[sources[row] for row in known]]
    classifier.embed.embeddings.assign(table)
    same = sorted(classifier.labels or ()) == sorted(start.labels)
    last = {id(weight) for weight in classifier.classify.weights}
    for own, weight in zip(*others, strict=True):
        is_last = id(own) in last
        if own.shape == weight.shape and (same or not is_last):
            numbers = weight.numpy()
            if is_last and classifier.labels != start.labels:  # as before numbers were by size
                numbers = numbers[..., [start.labels.index(label) for label in classifier.labels]]
            own.assign(numbers)
    logger.info(
        "%s of %s words start with the vectors of the run; its %d classes are %s",
        *(f"{len(known) - 2:,}", f"{len(sources) - 2:,}", start.num_classes),
        "these" if same else "others: the last layer starts at random",
    )


def _others(model):
    """Weights without those of words."""
    words = {id(weight) for weight in model.embed.weights}
    return [weight for weight in model.weights if id(weight) not in words]


def _alike(own, other, classes):
    """Whether two shapes are the same but for the number of classes, or a multiple of it."""
    return len(own) == len(other) and all(
        a == b or a * classes[1] == b * classes[0] for a, b in zip(own, other, strict=True)
    )
