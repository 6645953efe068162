"""What a model's outputs say: probabilities that sum to 1, and are numbers."""

from collections.abc import Sequence

import numpy as np

from zoo.datasets.corpus import Split
from zoo.errors import UsageError


def probabilities_of(model, texts: Split | Sequence[str]) -> np.ndarray:
    """``[texts, classes]`` float64 probabilities that sum to 1, in the order of the texts.

    Raises:
        UsageError: if any is not finite.
    """
    return as_probabilities(model, model.predict_texts(texts))


def as_probabilities(model, outputs: np.ndarray) -> np.ndarray:
    """A model's outputs, also logits: ``[texts, classes]`` in float64 that sum to 1.

    Raises:
        UsageError: if any is not finite.
    """
    from scipy.special import softmax

    outputs = np.asarray(outputs, "float64")
    check_finite(outputs)
    return softmax(outputs, axis=-1) if model.logits else outputs / outputs.sum(-1, keepdims=True)


def check_finite(probabilities: np.ndarray) -> None:
    """Refuses answers that are no numbers: their largest would be the first class, in silence.

    Args:
        probabilities: ``[texts, classes]``.

    Raises:
        UsageError: if any is NaN or infinite.
    """
    wrong = np.count_nonzero(~np.isfinite(probabilities).all(axis=-1))
    if wrong:
        raise UsageError(
            f"the model answers {wrong:,} of {len(probabilities):,} texts with NaN or infinity, "
            "not with probabilities: its weights are damaged, or have grown out of all bounds; "
            "train it again, with a lower learning rate or in float32"
        )
