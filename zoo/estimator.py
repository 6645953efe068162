"""The trainings of zoo as a classifier of scikit-learn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from zoo.answers import ONE, SEVERAL, probabilities_of
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.given_texts import check_texts
from zoo.errors import UsageError
from zoo.settings import from_keywords
from zoo.training.candidates import with_a_model
from zoo.training.deciding import learn


class Classifier(ClassifierMixin, BaseEstimator):
    """Learns texts as :func:`zoo.train` does, in scikit-learn's pipelines, searches and folds.

    Args:
        model: a name of :func:`zoo.list_models`; None for the one that is mostly best on such
            texts, as in :func:`zoo.train`.
        preset, options, weights, recipe, epochs, batch_size, learning_rate, schedule,
        class_weights, keep, clean_up, min_count, max_vocabulary, precision, calibrate, seed,
        verbose: as for :func:`zoo.train`, with the same defaults, except that nothing is printed.

    Attributes:
        classes_: the labels, in the order of the columns of probabilities.
        model_: the :class:`zoo.TextClassifier`; :func:`zoo.save` makes a run folder of it.

    Example:
        >>> import zoo
        >>> texts, labels = ["A fine day.", "A dull film."] * 8, ["good", "bad"] * 8
        >>> classifier = zoo.Classifier("svm_bigrams").fit(texts, labels)
        >>> classifier.predict(["A fine film, a fine day."]).tolist()
        ['good']
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        preset: str | None = None,
        options: dict[str, Any] | None = None,
        weights: str = "auto",
        recipe: str = "default",
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        schedule: str | None = None,
        class_weights: bool | None = None,
        keep: str | None = None,
        clean_up: str | None = None,
        min_count: int | None = None,
        max_vocabulary: int | None = None,
        precision: str = "auto",
        calibrate: bool = True,
        seed: int = 0,
        verbose: int | str = 0,
    ):
        self.model = model
        self.preset = preset
        self.options = options
        self.weights = weights
        self.recipe = recipe
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.class_weights = class_weights
        self.keep = keep
        self.clean_up = clean_up
        self.min_count = min_count
        self.max_vocabulary = max_vocabulary
        self.precision = precision
        self.calibrate = calibrate
        self.seed = seed
        self.verbose = verbose

    def fit(self, X: Sequence[str], y: Any, sample_weight: Any = None) -> "Classifier":
        """Learns texts.

        Args:
            X: texts: a list, an array or a column of strings.
            y: a label of each, of any type; or, of several labels a text, a list of them for each,
                or a table of 0 and 1.
            sample_weight: of each text; None where all count the same.

        Raises:
            UsageError: for settings that cannot be, and what are no texts or labels.
        """
        settings = from_keywords(self.get_params(), "zoo.Classifier")
        settings.check()
        texts = _texts(X)
        self.classes_, targets, kind = _classes(y)
        for name, one in (("labels", targets), ("weights", sample_weight)):
            if one is not None and len(one) != len(texts):
                raise ValueError(f"{len(texts)} texts need as many {name}: got {len(one)}")
        if len(self.classes_) < 2:
            raise ValueError(
                f"there is one class only, {str(self.classes_[0])!r}: nothing to learn"
            )
        train = Split(texts, targets, sample_weight)
        nothing = train.take(np.zeros(len(train), bool))
        labels = list(map(str, self.classes_))
        corpus = Corpus("texts", labels, train, test=nothing, kind=kind)
        self.model_ = learn(corpus, with_a_model(settings, corpus))
        return self

    def predict_proba(self, X: Sequence[str]) -> np.ndarray:
        """``[texts, classes]`` float64 probabilities, in the order of ``classes_``."""
        check_is_fitted(self, "model_")
        return probabilities_of(self.model_, _texts(X))

    def predict(self, X: Sequence[str]) -> np.ndarray:
        """The label of each text; of several labels a text, a table of 0 and 1."""
        probabilities = self.predict_proba(X)
        answers = self.model_.kind.decide(probabilities, self.model_.thresholds)
        return answers.astype(int) if answers.ndim > 1 else self.classes_[answers]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.input_tags.one_d_array = True
        tags.classifier_tags.multi_label = True
        tags.non_deterministic = False
        tags.no_validation = True
        return tags


def _texts(X):
    check_texts(X)
    texts = list(X)
    if odd := [one for one in texts if not isinstance(one, str)]:
        raise UsageError(f"texts are strings: got {odd[0]!r}")
    return [well_formed(text) for text in texts]


def _classes(y):
    """The classes, targets of them, and the kind of answers that they are."""
    if getattr(y, "ndim", 1) == 2 or any(isinstance(one, list | tuple | set) for one in y):
        names = SEVERAL.names_in(y)
        classes = np.array(sorted(names)) if names else np.arange(np.asarray(y).shape[1])
        labels = list(map(str, classes))
        return classes, SEVERAL.checked(y, len(classes), None, labels), SEVERAL
    classes, targets = np.unique(np.asarray(y), return_inverse=True)
    return classes, targets, ONE
