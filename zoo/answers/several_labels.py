"""Several labels a text, or none: each class is a question of its own."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from zoo.answers.f1_scores import macro_f1
from zoo.answers.one_label import are_names
from zoo.errors import UsageError, unknown
from zoo.letters import composed

TOGETHER = "; "  # between labels in a cell of a table
GRID = np.arange(0.01, 1, 0.01)  # thresholds that are tried
POOLED = 5.0  # texts of a class, as many as which all classes together count in its threshold
CERTAIN = 10.0  # logit of a class that all texts have; less it, of one that none has


class SeveralLabels:
    """A target is 1 for each class that a text has and 0 for the others, ``[texts, classes]``.

    Probabilities are ``[texts, classes]`` float64, each by itself from 0 to 1. An answer, in the
    form of a target, has the classes whose probability is above their thresholds.

    Its attributes and methods are those of :class:`zoo.answers.one_label.OneLabel`.
    """

    name = "several"
    form = "list"
    activation = "sigmoid"
    measure = "average_precision"  # at any threshold, as these are chosen afterwards
    weighs_classes = False  # as nearly all classes are rare beside the texts that lack them

    has_thresholds = True
    most_epochs = 100  # few texts of a label: attcnn and cnn_kim learn too little in 30
    limit = "A text may get no label; each is given by itself, whatever the others are."

    # Targets

    def labels_in(self, column: Iterable[Sequence[str]]) -> set[str]:
        return {label for labels in column for label in labels}

    def holding(self, column, label: str) -> np.ndarray:
        return np.array([label in labels for labels in column])

    def sizes(self, column) -> dict[str, int]:
        return column.explode().value_counts().to_dict()

    def without(self, column, rare: set[str], merged: str | None):
        def kept(labels):
            named = (merged if label in rare else label for label in labels)
            return tuple(dict.fromkeys(label for label in named if label is not None))

        return column.map(kept), column.map(lambda _: True).astype(bool)

    def encoded(self, column, numbers: dict[str, int]) -> np.ndarray:
        found = np.zeros((len(column), len(numbers)), "float32")
        for row, labels in enumerate(column):
            for one in labels:  # a label, or a pair of it and how sure a teacher is
                label, share = one if isinstance(one, tuple) else (one, 1)
                found[row, numbers[label]] = min(share, 1)
        return found

    def hard(self, targets: np.ndarray) -> np.ndarray:
        return targets

    def named(self, targets: np.ndarray, labels: Sequence[str]) -> list[list[str]]:
        return [[labels[number] for number in np.flatnonzero(row).tolist()] for row in targets]

    def written(self, named: Sequence[str]) -> str:
        return TOGETHER.join(named)

    def parsed(self, target: Any, labels: Sequence[str]) -> list[str]:
        names = target
        if isinstance(target, str):
            names = [target] if target in labels else target.split(TOGETHER) if target else []
        for one in names:
            if one not in labels:
                raise unknown("label", one, labels)
        return list(names)

    def counts(self, targets: np.ndarray, classes: int) -> np.ndarray:
        return targets.sum(axis=0).astype(int)

    def taken(self, targets: np.ndarray, classes: int, share: float, most: int | None, seed: int):
        """Iterative stratification, which keeps the shares of rare labels.

        Source:
            Sechidis et al. 2011, "On the Stratification of Multi-Label Data", Algorithm 1.
        """
        texts = len(targets)
        size = int(np.ceil(texts * share))
        share = (size if most is None else min(size, most)) / texts
        random = np.random.default_rng(seed)
        wanted = targets.sum(axis=0) * np.array([[1 - share], [share]])  # of both parts
        room = np.array([1 - share, share]) * texts
        part = np.full(texts, -1)
        while True:
            left = targets[part < 0].sum(axis=0)
            if not left.any():
                break
            rarest = int(np.where(left > 0, left, np.inf).argmin())
            for row in random.permutation(np.flatnonzero((part < 0) & (targets[:, rarest] > 0))):
                own = wanted[:, rarest]
                to = int(own.argmax()) if own[0] != own[1] else int(room.argmax())
                part[row] = to
                wanted[to] -= targets[row]
                room[to] -= 1
        free = random.permutation(np.flatnonzero(part < 0))  # texts without a label
        part[free[: max(0, round(room[1]))]] = 1
        found = np.flatnonzero(part == 1)
        if not len(found):
            raise UsageError("each text is the only one of a label")
        return found

    # Training

    def loss(self, logits: bool = False):
        import keras

        return keras.losses.BinaryCrossentropy(from_logits=logits)

    def metrics(self, logits: bool = False) -> list[Any]:
        from zoo.answers.average_precision import AveragePrecision

        return [AveragePrecision(logits, name=self.measure)]

    def blank(self, classes: int, loss: Any) -> np.ndarray:
        return np.zeros((1, classes), "float32")

    def only_class(self, targets, classes: int):
        from keras import ops

        single = ops.equal(ops.sum(targets, axis=-1), 1)
        return ops.where(single, ops.argmax(targets, axis=-1), -1)

    def of_each_class(self, classes: int):
        from keras import ops

        return ops.eye(classes)

    def solved(self, solve: Callable, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One class against the rest, each."""
        weights, bias = [], []
        for column in targets.T:
            if len(np.unique(column)) < 2:  # all have it, or none
                weights.append(None)
                bias.append(CERTAIN if column.any() else -CERTAIN)
                continue
            own, biases = solve(column.astype("int32"))
            weights.append(own[:, 1] - own[:, 0])
            bias.append(biases[1] - biases[0])
        known = next((one for one in weights if one is not None), None)
        if known is None:
            raise UsageError(
                "each class is that of all texts or of none: there is nothing to learn"
            )
        weights = [0 * known if one is None else one for one in weights]
        return np.stack(weights, axis=-1), np.array(bias)

    def grouped(self, targets: np.ndarray) -> np.ndarray:
        """Texts with the very same labels are a group."""
        return np.unique(targets, axis=0, return_inverse=True)[1]

    # What a user gives to fit

    def names_in(self, targets: Any) -> set[str] | None:
        """The labels among lists of them, or the names of a table's columns."""
        if hasattr(targets, "columns"):
            return set(map(str, targets.columns))
        found = [one for row in targets for one in (row if isinstance(row, Iterable) else [row])]
        return {composed(one) for one in found} if are_names(found) else None

    def checked(self, targets: Any, classes: int, loss: Any, labels: Sequence[str] | None) -> Any:
        """Targets of a list of labels for each text, or of a table of 0 and 1."""
        if targets is None:
            return None
        if hasattr(targets, "columns") and labels and {*targets.columns} == {*labels}:
            targets = targets[list(labels)]
        if hasattr(targets, "to_numpy"):
            targets = targets.to_numpy()
        if isinstance(targets, list | tuple) or np.asarray(targets).dtype.kind == "O":
            rows = list(targets)
            if any(isinstance(one, str) for one in rows):
                raise UsageError(
                    "each text needs a list of labels: got a single one; a model with answers="
                    '"one" learns one label a text'
                )
            if {len(row) for row in rows} != {classes} or _have_names(rows):
                return self._of_lists(rows, classes, labels)
        found = np.asarray(targets)
        if found.ndim != 2 or found.shape[1] != classes or found.dtype.kind not in "biuf":
            raise ValueError(
                f"targets of the shape {found.shape}: several labels a text need a list of labels "
                f"for each, or a table of 0 and 1 with {classes} columns"
            )
        wrong = ~((found >= 0) & (found <= 1))
        if wrong.any():
            place = tuple(map(int, np.argwhere(wrong)[0]))
            raise ValueError(f"target {place} is {found[place]}: they are 0 or 1, or between them")
        return found.astype("float32")

    def _of_lists(self, rows, classes, labels):
        numbers = {composed(label): number for number, label in enumerate(labels or ())}
        found = np.zeros((len(rows), classes), "float32")
        for row, own in enumerate(rows):
            for one in own:
                number = numbers.get(composed(one)) if isinstance(one, str) else one
                if number is None:
                    raise unknown(f"label, of target {row},", one, labels or ())
                if not 0 <= number < classes:
                    raise ValueError(f"target {row} has {one}: classes are 0 to {classes - 1}")
                found[row, int(number)] = 1
        return found

    def checked_stream(self, data: Any, classes: int, loss: Any, labels=None) -> Any:
        spec = data.element_spec[1]
        if hasattr(spec, "shape") and (
            spec.shape.rank != 2 or spec.shape[1] not in (classes, None)
        ):
            raise ValueError(
                f"targets of the dataset have the shape {spec.shape}: several labels a text need a "
                f"row of 0 and 1 with {classes} columns for each"
            )
        return data

    # Answers

    def probabilities(self, outputs: np.ndarray, logits: bool) -> np.ndarray:
        if not logits:
            return outputs
        from scipy.special import expit

        return expit(outputs)

    def thresholds(self, probabilities: np.ndarray, targets: np.ndarray) -> list[float]:
        """The threshold of the best F1 of each class, on texts that nothing was learnt from.

        All classes together count as much as :data:`POOLED` texts of the class: the best threshold
        of a class with few texts is mostly chance.
        """
        above = probabilities[:, None] > GRID[:, None]  # [texts, thresholds, classes]
        right = (above & (targets[:, None] > 0)).sum(axis=0)
        given, wanted = above.sum(axis=0), targets.sum(axis=0)
        pooled = POOLED / max(1, wanted.sum())
        right, given, wanted = (
            one + pooled * one.sum(axis=-1, keepdims=True) for one in (right, given, wanted)
        )
        f1 = 2 * right / np.maximum(given + wanted, 1e-9)
        best = f1 >= f1.max(axis=0) - 1e-9
        return [float(GRID[column].mean()) for column in best.T]

    def decide(self, probabilities: np.ndarray, thresholds: Sequence[float] | None = None):
        above = 0.5 if thresholds is None else np.asarray(thresholds)
        return (probabilities > above).astype("float32")

    def includes(self, answers: np.ndarray, number: int) -> np.ndarray:
        return answers[:, number].astype(bool)

    def odds(self, logits, classes):
        from keras import ops

        return ops.take_along_axis(logits, ops.expand_dims(classes, -1), axis=-1)[:, 0]

    def sureness(self, answers: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """The probability of all labels of an answer together, were they independent."""
        return np.where(answers > 0, probabilities, 1 - probabilities).prod(axis=-1)

    def right(self, targets: np.ndarray, answers: np.ndarray) -> np.ndarray:
        return (targets == answers).all(axis=-1)

    def gains(self, targets: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """The average precision of each text's labels among all classes, without thresholds,
        ``[texts]`` from 0 to 1 (Schapire and Singer 2000, "BoosTexter", Section 2)."""
        from sklearn.metrics import label_ranking_average_precision_score as of_text

        pairs = zip(targets, probabilities, strict=True)
        return np.array([of_text(known[None], said[None]) for known, said in pairs])

    def served(self, probabilities, labels: Sequence[str], thresholds: Sequence[float] | None):
        import tensorflow as tf

        names = tf.broadcast_to(tf.constant(list(labels)), tf.shape(probabilities))
        above = tf.constant([0.5] * len(labels) if thresholds is None else thresholds, "float32")
        above = tf.broadcast_to(above, tf.shape(probabilities))
        given = tf.ragged.boolean_mask(names, probabilities > above)
        return {
            "label": tf.strings.reduce_join(given, axis=-1, separator=TOGETHER),
            "labels": names,
            "thresholds": above,
        }

    def label_in_onnx(self, graph, probabilities, labels, thresholds=None):
        above = [0.5] * len(labels) if thresholds is None else list(thresholds)
        room = 2 ** (len(labels) - 1).bit_length() - len(labels)  # so that halves are equal
        names = [*labels, *[""] * room]
        has = probabilities > np.array(above, "float32")
        has = graph.Pad(has, [0, 0, 0, room], np.array(False))
        written = graph.Where(has, names, "")
        size = len(names)
        while size > 1:  # neighbours, then pairs of them, and so on

            def half(start, of, size=size):
                return graph.Slice(of, [start], [size], [1], [2])

            between = graph.Where(half(0, has) & half(1, has), TOGETHER, "")
            behind = graph.StringConcat(between, half(1, written))
            written, has = graph.StringConcat(half(0, written), behind), half(0, has) | half(1, has)
            size //= 2
        return graph.Squeeze(written, [1])

    # How good answers are

    def scores(
        self,
        targets: np.ndarray,
        answers: np.ndarray,
        probabilities: np.ndarray,
        labels: Sequence[str],
    ) -> dict[str, Any]:
        """Micro and macro F1, average precision of all labels together and the mean of those of the
        classes, Hamming loss, exact match, cross-entropy.

        Macro F1 is the mean over the classes that are among the targets or the answers, mean
        average precision over those that are among the targets and not of all texts.
        """
        from sklearn.metrics import average_precision_score, precision_recall_fscore_support

        found = precision_recall_fscore_support(targets, answers, average=None, zero_division=0)
        rows = [map(float, row) for row in zip(*found, strict=True)]
        names = ("precision", "recall", "f1-score", "support")
        there = (targets + answers).any(axis=0)
        right, both = (targets * answers).sum(), targets.sum() + answers.sum()
        told = [
            float(average_precision_score(own, said))
            for own, said in zip(targets.T, probabilities.T, strict=True)
            if 0 < own.sum() < len(own)
        ]
        overall = float(average_precision_score(targets.ravel(), probabilities.ravel()))
        return {
            "answers": self.name,
            "micro_f1": float(2 * right / both) if both else 0.0,
            "macro_f1": float(found[2][there].mean()) if there.any() else 0.0,
            "average_precision": overall,
            "mean_average_precision": float(np.mean(told)) if told else 0.0,
            "hamming_loss": float((targets != answers).mean()),
            "exact_match": float(self.right(targets, answers).mean()),
            "loss": float(self.cross_entropy(targets, probabilities) / len(labels)),
            "classes": {
                label: dict(zip(names, row, strict=True))
                for label, row in zip(labels, rows, strict=True)
            },
        }

    def indicators(self, targets: np.ndarray, classes: int) -> np.ndarray:
        return (targets > 0).astype("float64")

    def losses(self, targets: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        own = np.where(targets > 0, probabilities, 1 - probabilities)
        return -np.log(np.clip(own, 1e-15, 1)).mean(axis=-1)

    def measures(self, right, both, given, wanted) -> dict[str, np.ndarray]:
        """Micro and macro F1 and exact match."""
        micro = 2 * both.sum(axis=-1) / np.maximum((given + wanted).sum(axis=-1), 1)
        return {"micro_f1": micro, "macro_f1": macro_f1(both, given, wanted), "exact_match": right}

    def summary(self, scores: dict[str, Any]) -> dict[str, str]:
        names = ("micro_f1", "macro_f1", "mean_average_precision", "exact_match", "hamming_loss")
        return {
            name.replace("_f1", " F1").replace("_", " "): f"{scores[name]:.2%}" for name in names
        }

    def confusions(self, targets: np.ndarray, answers: np.ndarray, labels: Sequence[str]):
        """A label that is given stands for itself, or else for each that the text lacks."""
        nothing = len(labels)
        wanted, given = [], []
        for own, said in zip(targets > 0, answers > 0, strict=True):
            missed = np.flatnonzero(own & ~said).tolist() or [nothing]
            wrong = np.flatnonzero(said & ~own).tolist() or [nothing]
            pairs = [(one, one) for one in np.flatnonzero(own & said).tolist()]
            pairs += [
                pair for pair in ((a, b) for a in missed for b in wrong) if pair[0] != pair[1]
            ]
            wanted += [pair[0] for pair in pairs]
            given += [pair[1] for pair in pairs]
        return np.array(wanted, int), np.array(given, int), [*labels, "(no label)"]

    # Calibration

    def with_temperature(self, probabilities: np.ndarray, temperature: float) -> np.ndarray:
        from scipy.special import expit, logit

        inside = np.clip(probabilities.astype("float64"), 1e-15, 1 - 1e-15)
        return expit(logit(inside) / temperature)

    def expected(self, targets: np.ndarray, classes: int) -> np.ndarray:
        texts = len(targets)
        return np.where(targets > 0, (texts + 1) / (texts + 2), 1 / (texts + 2))

    def cross_entropy(self, wanted: np.ndarray, probabilities: np.ndarray) -> float:
        inside = np.clip(probabilities, 1e-15, 1 - 1e-15)
        each = wanted * np.log(inside) + (1 - wanted) * np.log1p(-inside)
        return -each.sum(axis=-1).mean()

    def claims(self, probabilities: np.ndarray, targets: np.ndarray):
        """Of each class: that the text has it."""
        return probabilities.reshape(-1), targets.reshape(-1) > 0


def _have_names(rows):
    return any(isinstance(one, str) for row in rows for one in row)
