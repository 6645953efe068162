"""One label a text: its classes exclude each other."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from zoo.answers import class_numbers
from zoo.answers.f1_scores import macro_f1
from zoo.errors import UsageError, unknown
from zoo.letters import composed


class OneLabel:
    """A target is the number of a class, of all texts ``[texts]`` int32.

    Probabilities are ``[texts, classes]`` float64 and sum to 1. An answer, in the form of a target,
    is the most probable class.

    Attributes:
        name: as models have it as their option ``answers``.
        form: of labels in the cells of a table: a "text", a "list" of them, or a "distribution".
        activation: of a model's last layer.
        measure: by which the best weights are chosen, and trials of a search compared.
        weighs_classes: whether texts of rare classes may count for more.
        has_thresholds: whether :meth:`thresholds` gives any.
        most_epochs: passes over few texts, by the default recipe.
        limit: what whoever uses a model should know of its answers.
    """

    name = "one"
    form = "text"
    activation = "softmax"
    measure = "accuracy"
    weighs_classes = True
    has_thresholds = False
    most_epochs = 30
    limit = "Every text gets one of the labels, also one that has nothing to do with them."

    # Targets

    def labels_in(self, column: Iterable[Any]) -> set[str]:
        """The labels in a column of a table, which has a name for each text."""
        return set(column)

    def holding(self, column, label: str) -> np.ndarray:
        """Which cells of a column have a label, ``[texts]`` booleans."""
        return np.asarray(column == label)

    def sizes(self, column) -> dict[str, int]:
        """How many texts of a column each label has, the largest first."""
        return column.value_counts().to_dict()

    def without(self, column, rare: set[str], merged: str | None):
        """A column without rare labels, and which of its texts stay, ``[texts]`` booleans.

        Args:
            column: of labels.
            rare: some of these.
            merged: the label in their place; None for none.
        """
        where = column.isin(rare)
        return (column, ~where) if merged is None else (column.mask(where, merged), where | True)

    def encoded(self, column, numbers: dict[str, int]) -> np.ndarray:
        """Targets of a column, by the numbers of its labels."""
        return column.map(numbers).to_numpy("int32")

    def hard(self, targets: np.ndarray) -> np.ndarray:
        """Targets by which a model is judged."""
        return targets

    def named(self, targets: np.ndarray, labels: Sequence[str]) -> list[str]:
        """The label of each text."""
        return [labels[number] for number in targets]

    def written(self, named: str) -> str:
        """A label of :meth:`named` in a cell of a table."""
        return named

    def parsed(self, target: Any, labels: Sequence[str]) -> str:
        """What a user says that a text is, as :meth:`named`.

        Raises:
            UsageError: for what is no label.
        """
        if str(target) not in labels:
            raise unknown("label", str(target), labels)
        return str(target)

    def known(self, target: Any, labels: Sequence[str]) -> str:
        """The same, as :meth:`written`."""
        return self.written(self.parsed(target, labels))

    def counts(self, targets: np.ndarray, classes: int) -> np.ndarray:
        """How many texts each class has, ``[classes]``."""
        return np.bincount(targets, minlength=classes)

    def taken(self, targets: np.ndarray, classes: int, share: float, most: int | None, seed: int):
        """Rows of a part of the texts that is like the whole; a text of each class stays.

        Args:
            targets: of all texts, at least one of each class.
            classes: how many.
            share: of the texts.
            most: texts of the part; None where there is no limit.
            seed: of the choice.

        Raises:
            UsageError: if no class has a text to spare.
        """
        from sklearn.model_selection import train_test_split

        counts = self.counts(targets, classes)
        several = np.flatnonzero(counts[targets] > 1)
        if not len(several):
            raise UsageError(f"each of the {classes} classes has one")
        enough = len(targets) * share >= classes
        size = int(np.ceil((len(targets) if enough else len(several)) * share))
        if most is not None:
            size = max(min(size, most), classes if enough else 1)
        if size >= np.count_nonzero(counts > 1):
            _, taken = train_test_split(
                several, test_size=size, random_state=seed, stratify=targets[several]
            )
            return taken
        # scikit-learn takes a text of each class or does not stratify. In the order of the classes,
        # texts at equal distances are of as many classes as fit, each by its share. No two of them
        # are neighbours, so that none takes all of a class.
        random = np.random.default_rng(seed)
        mixed = random.permutation(several)
        mixed = mixed[np.argsort(random.permutation(classes)[targets[mixed]], kind="stable")]
        size = min(size, len(mixed) // 2)
        places = (np.arange(size) + random.random()) * len(mixed) / size
        return mixed[places.astype(int)]

    # Training

    def loss(self, logits: bool = False):
        """Keras' loss of targets and a model's outputs."""
        import keras

        return keras.losses.SparseCategoricalCrossentropy(from_logits=logits)

    def metrics(self, logits: bool = False) -> list[Any]:
        """Keras' metrics, :attr:`measure` the first of them."""
        return ["accuracy"]

    def weights(self, of_classes, targets):
        """The weights of texts, ``[texts]``, by those of their classes; in a graph."""
        import tensorflow as tf

        return tf.gather(of_classes, targets)

    def blank(self, classes: int, loss: Any) -> np.ndarray:
        """The target of a text, as a loss wants it, be it another than :meth:`loss`."""
        if class_numbers.is_sparse(loss):
            return np.zeros(1, "int64")
        return np.zeros((1, classes), "float32")

    def only_class(self, targets, classes: int):
        """The number of the only class of each text, ``[texts]``, -1 where there is none; in a
        graph, and also of targets that are one-hot."""
        from keras import ops

        one_hot = len(targets.shape) == 2 and targets.shape[-1] == classes
        return ops.argmax(targets, axis=-1) if one_hot else ops.reshape(targets, (-1,))

    def of_each_class(self, classes: int):
        """Targets of a text of each class, in their order; in a graph."""
        from keras import ops

        return ops.arange(classes)

    def solved(self, solve: Callable, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights ``[features, classes]`` and biases ``[classes]`` of a linear model.

        Args:
            solve: gives them for numbers of classes.
            targets: of the texts.
        """
        return solve(targets)

    def grouped(self, targets: np.ndarray) -> np.ndarray:
        """Numbers of groups of texts that are alike, ``[texts]``, by which folds are stratified."""
        return targets

    # What a user gives to fit

    def names_in(self, targets: Any) -> set[str] | None:
        """The labels among targets; None where these are numbers, or nothing that is known."""
        found = np.asarray(targets).reshape(-1).tolist()
        return {composed(one) for one in found} if are_names(found) else None

    def checked(self, targets: Any, classes: int, loss: Any, labels: Sequence[str] | None) -> Any:
        """Targets as the loss wants them; see :func:`zoo.answers.class_numbers.check_targets`."""
        return class_numbers.check_targets(targets, classes, loss, labels)

    def checked_stream(
        self, data: Any, classes: int, loss: Any, labels: Sequence[str] | None = None
    ) -> Any:
        """A tf.data.Dataset of (ids, targets, ..) that stops at a target that is none.

        Targets may be labels, where there are ``labels``.
        """
        if labels is not None and getattr(data.element_spec[1], "dtype", None) == "string":
            data = class_numbers.numbered_stream(data, labels)
        spec = data.element_spec[1]
        if not hasattr(spec, "shape") or not class_numbers.is_sparse(loss):
            return data
        class_numbers.check_target_spec(spec, classes)
        wanted = class_numbers.wanted_targets(classes)
        return class_numbers.with_classes(data, wanted, classes, class_numbers.ignored_class(loss))

    # Answers

    def probabilities(self, outputs: np.ndarray, logits: bool) -> np.ndarray:
        """Probabilities of a model's outputs in float64, which may be logits."""
        if not logits:
            return outputs / outputs.sum(-1, keepdims=True)
        from scipy.special import softmax

        return softmax(outputs, axis=-1)

    def thresholds(self, probabilities: np.ndarray, targets: np.ndarray) -> None:
        """Nothing: classes are compared with each other."""

    def decide(self, probabilities: np.ndarray, thresholds: Sequence[float] | None = None):
        """Answers, in the form of targets."""
        return probabilities.argmax(axis=-1)

    def includes(self, answers: np.ndarray, number: int) -> np.ndarray:
        """Which answers say that a class is there, ``[texts]`` booleans."""
        return answers == number

    def odds(self, logits, classes):
        """The logarithms of the odds of a class of each text, ``[texts]``; a tensor.

        Args:
            logits: ``[texts, classes]`` float32.
            classes: their numbers, ``[texts]``.
        """
        from keras import ops

        from zoo.layers.masking import LOWEST

        own = ops.one_hot(classes, logits.shape[-1], dtype="bool")
        others = ops.logsumexp(ops.where(own, LOWEST, logits), axis=-1)
        return ops.sum(ops.where(own, logits, 0), axis=-1) - others

    def sureness(self, answers: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """The probability of each answer, ``[texts]``."""
        return np.take_along_axis(probabilities, answers[:, None], -1)[:, 0]

    def right(self, targets: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Which answers are the targets, ``[texts]`` booleans."""
        return targets == answers

    def gains(self, targets: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """What each text counts where models are compared, ``[texts]`` from 0 to 1: a right answer
        counts 1."""
        return self.right(self.hard(targets), self.decide(probabilities)).astype("float64")

    def served(self, probabilities, labels: Sequence[str], thresholds: Sequence[float] | None):
        """What a SavedModel gives beside ``probabilities``, a row for each text; in a graph."""
        import tensorflow as tf

        labels = tf.constant(list(labels))
        return {
            "label": tf.gather(labels, tf.argmax(probabilities, axis=-1)),
            "labels": tf.broadcast_to(labels, tf.shape(probabilities)),
        }

    def label_in_onnx(self, graph, probabilities, labels, thresholds=None):
        """The answer of each text, ``[texts]`` strings, in a graph of ONNX.

        Args:
            graph: a :class:`zoo.shipping.onnx_graph.Graph`.
            probabilities: a value of it.
            labels, thresholds: of the classes.
        """
        return graph.Gather(list(labels), graph.ArgMax(probabilities, axis=1, keepdims=0))

    # How good answers are

    def scores(
        self,
        targets: np.ndarray,
        answers: np.ndarray,
        probabilities: np.ndarray,
        labels: Sequence[str],
    ) -> dict[str, Any]:
        """Accuracy, macro F1, mean cross-entropy and, of each class, what a table of them shows.

        Macro F1 is the mean over the classes that are among the targets or the answers.
        """
        from sklearn.metrics import classification_report, f1_score, log_loss

        classes = range(len(labels))
        numbers = list(map(str, classes))  # a label may be "accuracy", a key of the report
        report = classification_report(
            *(targets, answers),
            labels=classes,
            target_names=numbers,
            output_dict=True,
            zero_division=0,
        )
        return {
            "accuracy": float((answers == targets).mean()),
            "macro_f1": f1_score(targets, answers, average="macro", zero_division=0),
            "loss": log_loss(targets, probabilities, labels=classes),
            "classes": dict(zip(labels, map(report.get, numbers), strict=True)),
        }

    def indicators(self, targets: np.ndarray, classes: int) -> np.ndarray:
        """Which classes targets or answers say that a text has, ``[texts, classes]`` float64."""
        return np.eye(classes)[targets]

    def losses(self, targets: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """The cross-entropy of each text, ``[texts]``, of which the loss is the mean."""
        own = self.sureness(targets, probabilities)
        return -np.log(np.clip(own, np.finfo(own.dtype).eps, 1))

    def measures(self, right, both, given, wanted) -> dict[str, np.ndarray]:
        """Accuracy and macro F1 by counts, of any number of samples of texts.

        Args:
            right: ``[..]``, the share of the texts whose answer is right.
            both: ``[.., classes]``, texts that have a class, and whose answer says so.
            given: the same, whose answer says so.
            wanted: the same, that have the class.
        """
        return {"accuracy": right, "macro_f1": macro_f1(both, given, wanted)}

    def summary(self, scores: dict[str, Any]) -> dict[str, str]:
        """The scores of all classes together, the first one the most telling, by their names."""
        return {
            "accuracy": f"{scores['accuracy']:.2%}",
            "macro F1": f"{scores['macro_f1']:.2%}",
        }

    def confusions(self, targets: np.ndarray, answers: np.ndarray, labels: Sequence[str]):
        """Class numbers of what is wanted and what is given, pair by pair, and names of classes."""
        return targets, answers, labels

    # Calibration

    def with_temperature(self, probabilities: np.ndarray, temperature: float) -> np.ndarray:
        """Probabilities whose logits are divided by the temperature."""
        from scipy.special import softmax

        logits = np.log(np.maximum(probabilities.astype("float64"), 1e-30))
        return softmax(logits / temperature, axis=-1)

    def expected(self, targets: np.ndarray, classes: int) -> np.ndarray:
        """``[texts, classes]`` probabilities, of which few texts are not as sure as many.

        Of n texts a target counts for ``(n + 1) / (n + 2)``, the other classes for the rest.
        """
        texts = len(targets)
        wanted = np.full((texts, classes), 1 / (texts + 2) / (classes - 1))
        wanted[np.arange(texts), targets] = (texts + 1) / (texts + 2)
        return wanted

    def cross_entropy(self, wanted: np.ndarray, probabilities: np.ndarray) -> float:
        """The mean over the texts, between ``[texts, classes]`` probabilities."""
        return -(wanted * np.log(np.maximum(probabilities, 1e-30))).sum(-1).mean()

    def claims(self, probabilities: np.ndarray, targets: np.ndarray):
        """What is claimed, ``[claims]`` probabilities, and whether it is right, booleans."""
        return probabilities.max(axis=-1), probabilities.argmax(axis=-1) == targets


def are_names(values: Sequence[Any]) -> bool:
    """Whether all are texts, and there are some."""
    return len(values) > 0 and all(isinstance(one, str) for one in values)
