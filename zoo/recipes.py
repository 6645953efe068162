"""Recipes: optimiser, schedule, batch, length and selection of a training."""

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

STEPS = 1500  # of a training by the default recipe: enough for most corpora we tried
MANY_CLASSES = 20  # from which on it has twice as many
EVALUATE_EVERY = 2000  # steps, at most: so much is lost when a training is killed
PATIENCE = 5  # evaluations, at least
Schedule = Literal["cosine", "constant", "plateau"]
Kept = Literal["auto", "best", "last"]
FEW = 1_000  # training texts: of fewer, a tenth for validation chooses weights by chance
FEWEST = 100  # training texts: of fewer, each word is known
CHECKPOINTS = 10  # of a training that keeps the last weights
UNBALANCED = 5
LARGEST_WEIGHT = 10.0  # of a text: of a class of one text in 8,000 it would be hundreds


@dataclass(frozen=True)
class Recipe:
    """How a model is trained. The weights of the best validation accuracy (then loss) are kept.

    The defaults are ours, for a user's data without tuning. AdamW forgives a wrong learning rate
    more than SGD does. Attention needs the warm-up: at full rate, first gradients fix it on a few
    words. The fall to zero finds a better end than a constant rate, at no cost. Gradients are
    clipped, as one odd batch can undo a small model. Dropout is the model's own option. There is
    no label smoothing: it makes a model unsure where it should be sure, and probabilities are
    calibrated afterwards anyway.

    Attributes:
        optimizer: Keras' class of it.
        settings: its options, other than the learning rate.
        learning_rate: the highest one; None for the model's own.
        schedule: "cosine" rises for a tenth of the steps and falls to zero along a cosine;
            "constant" stays; "plateau" takes nine tenths after each epoch that brings no better
            validation accuracy (of equals, no lower loss), after the first 10.
        batch_size: texts of a batch.
        epochs: passes over the training texts; None for as many as make about 1,500 steps, of 20
            classes and more 3,000, but 3 to 30, or to 100 where texts have several labels.
        steps: batches in all, in place of ``epochs``.
        evaluate_every: texts between two evaluations on the validation split; None for an epoch,
            but at most 2,000 steps unless the schedule is "plateau".
        patience: the share of the evaluations, but at least 5 of them, that may pass without a
            better validation accuracy before the training ends; 1 never ends it. A validation split
            that is learnt, all answers right at a loss below 0.01, does.
        class_weights: whether a text of a rare class counts for more, where the largest class has
            over :data:`UNBALANCED` times the texts of the smallest.
        keep: "best" keeps the weights of the best validation accuracy; "last" learns from all
            texts, those of a validation split that is not given included, and keeps the last
            weights; "auto" is "last" where a validation split would have fewer than 100 texts.
    """

    optimizer: str = "AdamW"
    settings: dict[str, Any] = field(default_factory=lambda: {"global_clipnorm": 1.0})
    learning_rate: float | None = None
    schedule: str = "cosine"
    batch_size: int = 32
    epochs: int | None = None
    steps: int | None = None
    evaluate_every: int | None = None
    patience: float = 1 / 3
    class_weights: bool = True
    keep: Kept = "auto"

    @property
    def least_validation(self) -> float:
        """Texts that a validation split has, where it is taken out of the training texts."""
        return {"auto": FEW / 10, "best": 0, "last": math.inf}[self.keep]

    def __str__(self):
        """What differs from zoo's default."""
        given = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(Recipe(), field.name)
        }
        return ", ".join(f"{name}={value}" for name, value in given.items()) or "zoo's own"

    def resolved(self, classifier, texts: int, validation: int = 1, **own: Any) -> "Recipe":
        """The recipe with nothing left open.

        Args:
            classifier: the model.
            texts: number of training texts.
            validation: number of validation texts.
            own: the user's values.
        """
        if "epochs" in own:
            own = own | {"steps": None}
        recipe = dataclasses.replace(self, **own)
        keep = recipe.keep
        if keep == "auto":
            keep = "best" if validation else "last"
        epoch = math.ceil(texts / recipe.batch_size)  # steps
        most = STEPS * (2 if classifier.num_classes >= MANY_CLASSES else 1)
        epochs = min(classifier.kind.most_epochs, max(3, round(most / epoch)))
        epochs = recipe.epochs or epochs
        steps = recipe.steps or epochs * epoch
        every = math.ceil(epoch / math.ceil(epoch / EVALUATE_EVERY))
        if recipe.evaluate_every is not None:
            every = max(1, recipe.evaluate_every // recipe.batch_size)
        if keep == "last":
            every = max(every, math.ceil(steps / CHECKPOINTS))  # which take longer than few texts
        every = math.ceil(steps / math.ceil(steps / every))  # so that the last one is as long
        if recipe.schedule == "plateau":  # which counts epochs
            every = epoch
        return dataclasses.replace(
            recipe,
            learning_rate=recipe.learning_rate or classifier.learning_rate,
            epochs=math.ceil(steps / epoch),
            steps=steps,
            keep=keep,  # type: ignore[arg-type]  # checked above
            evaluate_every=min(every, steps) * recipe.batch_size,
        )

    @property
    def evaluations(self) -> int:
        """How often a resolved recipe evaluates."""
        return math.ceil(self.steps * self.batch_size / self.evaluate_every)

    def build_optimizer(self):
        """The Keras optimizer of a resolved recipe, for the global precision."""
        import keras

        from zoo import optimizers

        rate = self.learning_rate
        if self.schedule == "cosine" and self.steps > 1:
            warmup = max(1, self.steps // 10)
            rate = keras.optimizers.schedules.CosineDecay(
                0.0, self.steps - warmup, warmup_target=rate, warmup_steps=warmup
            )
        kinds = optimizers if hasattr(optimizers, self.optimizer) else keras.optimizers
        kind = getattr(kinds, self.optimizer)
        optimizer = kind(rate, **self.settings)
        if keras.config.dtype_policy().name == "mixed_float16":
            # From Keras' 2**15 on down, gradients overflow at first and those steps are lost.
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=2.0**10)
        return optimizer


# Of HCAN and of the systems that its paper compares (Gao et al. 2018, Section 4.3).
GAO2018 = Recipe(
    keep="best",
    optimizer="Adam",
    settings={"beta_1": 0.9, "beta_2": 0.99},
    learning_rate=2e-5,
    schedule="constant",
    batch_size=1,
    epochs=4,  # Table 2's hours and milliseconds a document are 3 to 4 passes
    evaluate_every=50_000,
    patience=0.2,
    class_weights=False,
)


def least_count(solves: bool, texts: int) -> int:
    """How often a word must stand in training texts to be known, unless told otherwise.

    Each is known of fewer than :data:`FEWEST` texts; and of fewer than :data:`FEW` by a model that
    ``solves``, whose regularisation keeps words that stand once from deciding alone.
    """
    return 1 if texts < (FEW if solves else FEWEST) else 2


def class_weights(counts: np.ndarray) -> np.ndarray | None:
    """The weight of a text of each class, ``[classes]`` float32: the rarer, the more.

    A class is weighed by the mean number of texts of a class over its own, up to
    :data:`LARGEST_WEIGHT`.

    Args:
        counts: texts of each class, ``[classes]``.

    Returns:
        None where the largest class has at most :data:`UNBALANCED` times the texts of the
        smallest.
    """
    present = counts[counts > 0]
    if present.max() <= UNBALANCED * present.min():
        return None
    weights = counts.sum() / (len(present) * np.maximum(counts, 1))
    return np.minimum(weights, LARGEST_WEIGHT).astype("float32")
