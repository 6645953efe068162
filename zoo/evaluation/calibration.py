"""Calibration: answers with a probability of p are right in a share p of cases."""

import logging

import numpy as np

from zoo.answers import ONE, check_finite, probabilities_of

logger = logging.getLogger("zoo")

BINS = 15
MOST_OF_OTHERS = 4.0  # temperature from models of the same kind, which may know less of the texts


def fit_temperature(probabilities: np.ndarray, targets: np.ndarray, kind=ONE) -> float:
    """The temperature that makes the targets most probable.

    With n texts a target has the probability ``(n + 1) / (n + 2)``, and the other classes share the
    rest. Otherwise a model that has all of a few answers right would become as sure as possible of
    all future answers.

    Args:
        probabilities: ``[texts, classes]``, of the validation split.
        targets: ``[texts, ..]``.
        kind: the kind of answers.

    Returns:
        T: logits divided by T are calibrated. Above 1 it makes answers less sure, below 1 surer.

    Raises:
        UsageError: if a probability is not finite.

    Source:
        Guo et al. 2017, "On Calibration of Modern Neural Networks", 4.2; Platt 1999,
        "Probabilistic Outputs for Support Vector Machines", 2.2, for the targets.
    """
    from scipy.optimize import minimize_scalar

    check_finite(probabilities)
    wanted = kind.expected(targets, probabilities.shape[1])

    def loss(log_temperature):
        scaled = with_temperature(probabilities, np.exp(log_temperature), kind)
        return kind.cross_entropy(wanted, scaled)

    return float(np.exp(minimize_scalar(loss, bounds=(-7, 7), method="bounded").x))


def with_temperature(probabilities: np.ndarray, temperature: float, kind=ONE) -> np.ndarray:
    """``[texts, classes]`` probabilities whose logits are divided by the temperature."""
    return kind.with_temperature(probabilities, temperature)


def expected_calibration_error(probabilities: np.ndarray, targets: np.ndarray, kind=ONE) -> float:
    """How far, on average, the probability of a claim is from the share of right claims.

    Args:
        probabilities: ``[texts, classes]``.
        targets: ``[texts, ..]``.
        kind: the kind of answers, which tells what an answer claims.

    Returns:
        0 to 1: the mean over 15 bins of equal width, weighted by their claims.

    Raises:
        UsageError: if a probability is not finite.

    Source:
        Guo et al. 2017, equation 3.
    """
    check_finite(probabilities)
    confidence, right = kind.claims(probabilities, targets)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, right - confidence, BINS)
    return float(np.abs(gaps).sum() / len(right))


def calibrate(
    model, validation, probabilities: np.ndarray | None = None, most: float = np.inf
) -> float | None:
    """Divides a classifier's logits by the temperature that fits the validation split.

    No answer changes, only how sure it is. The temperature goes into the weights of the last
    layer, so that whatever is made of the model is calibrated too.

    Where the probabilities of the validation split would be off by more than before, as those of
    few texts can be that are all answered right, they stay as they are.

    Args:
        model: the classifier.
        validation: texts that it has not learnt from; or, with ``probabilities``, that those which
            gave these have not.
        probabilities: ``[texts, classes]``, of models like it; by default its own.
        most: the highest temperature.

    Returns:
        The temperature, 1 where they stay; None for a model of one's own that does not end in a
        Dense ``classify``.
    """
    if not ends_in_logits(model):
        logger.warning(
            "Probabilities are not calibrated: the model does not end in a Dense self.classify"
        )
        return None
    targets = validation.targets
    if probabilities is None:
        probabilities = probabilities_of(model, validation)
    temperature = min(fit_temperature(probabilities, targets, model.kind), most)
    scaled = with_temperature(probabilities, temperature, model.kind)
    before, after = (
        expected_calibration_error(one, targets, model.kind) for one in (probabilities, scaled)
    )
    if after > before:
        logger.info(
            "Probabilities stay as they are: on texts to calibrate by they are off by %.1f%% on "
            "average, and would be by %.1f%% with a temperature of %.2f",
            *(100 * before, 100 * after, temperature),
        )
        return 1.0
    divide_logits(model, temperature)
    return temperature


def ends_in_logits(model) -> bool:
    """Whether a classifier ends in a Dense ``classify``, whose weights can take a temperature."""
    import keras  # takes seconds

    return isinstance(model.classify, keras.layers.Dense) and bool(model.classify.weights)


def divide_logits(model, temperature: float) -> None:
    """Divides the logits of a classifier that :func:`ends_in_logits` by a temperature."""
    model.classify.set_weights([one / temperature for one in model.classify.get_weights()])
