"""Recipes: the optimiser, schedule, batch size and length of a training, and what it keeps."""

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

MANY_CLASSES = 20  # from this number on a training has twice as many steps
EVALUATE_EVERY = 2000  # steps at most, which are lost when a training is killed
PATIENCE = 5  # evaluations, at least
Schedule = Literal["cosine", "constant", "plateau"]
Kept = Literal["auto", "best", "last"]
FEW = 1_000  # with fewer training texts, a tenth for validation would choose weights by chance
FEWEST = 100  # with fewer training texts, every word is in the vocabulary
CHECKPOINTS = 10  # of a training that keeps the last weights
UNBALANCED = 5
LARGEST_WEIGHT = 10.0  # of a text; without it, one in a class of 1 of 8,000 would have hundreds


@dataclass(frozen=True)
class Recipe:
    """How a model is trained. The weights of the best validation accuracy (then loss) are kept.

    The defaults are ours, for a user's data without tuning. AdamW tolerates a wrong learning rate
    better than SGD does. Attention needs the warm-up: at the full rate, the first gradients fix it
    on a few words. Decay to zero ends better than a constant rate, at no cost. Gradients are
    clipped, as a single unusual batch can ruin a small model. Dropout is an option of the model.
    There is no label smoothing: it makes a model unsure where it should be sure, and probabilities
    are calibrated afterwards anyway.

    Attributes:
        optimizer: the name of Keras' class of optimiser.
        settings: the optimiser's options, other than the learning rate.
        learning_rate: the highest learning rate; None for the model's.
        schedule: "cosine" rises for a tenth of the steps and falls to zero along a cosine;
            "constant" stays; "plateau" multiplies the rate by 0.9 after each epoch without a better
            validation accuracy (or an equal one with a lower loss), after the first 10 epochs.
        batch_size: texts in a batch.
        epochs: passes over the training texts; None for as many as make the model's
            ``training_steps``, 1,500 of most, or twice as many steps with 20 classes and more, but
            at least 3 and at most 30 epochs, or 100 where texts have several labels.
        steps: batches in all, in place of ``epochs``.
        evaluate_every: texts between two evaluations on the validation split; None for an epoch,
            but at most 2,000 steps unless the schedule is "plateau".
        patience: the share of the evaluations, but at least 5 of them, that may pass without a
            better validation accuracy before the training ends; 1 never ends it. A training also
            ends when all answers on the validation split are right at a loss below 0.01.
        class_weights: whether texts of rare classes count more, where the largest class has more
            than :data:`UNBALANCED` times as many texts as the smallest.
        keep: "best" keeps the weights of the best validation accuracy; "last" learns from all
            texts, also those that would be the validation split, and keeps the last weights;
            "auto" means "last" where a validation split would have fewer than 100 texts, and for a
            model that is solved at once.
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
        """The least size of a validation split that is taken out of the training texts."""
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
        """The recipe with a value for everything that was left open.

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
        most = classifier.training_steps * (2 if classifier.num_classes >= MANY_CLASSES else 1)
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
