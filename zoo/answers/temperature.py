"""The temperature of logits by which probabilities are as often right as they say."""

import numpy as np

from zoo.answers import ONE, check_finite


def fit_temperature(probabilities: np.ndarray, targets: np.ndarray, kind=ONE) -> float:
    """The temperature that makes the targets most probable.

    Of n texts a target counts for ``(n + 1) / (n + 2)``, what it is not for the rest: were all of
    a few answers right, the model would else be as sure as can be of all to come.

    Args:
        probabilities: ``[texts, classes]``, of the validation split.
        targets: ``[texts, ..]``.
        kind: of the answers.

    Returns:
        T: logits divided by it are calibrated. Above 1 makes less sure, below 1 surer.

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
        scaled = kind.with_temperature(probabilities, np.exp(log_temperature))
        return kind.cross_entropy(wanted, scaled)

    return float(np.exp(minimize_scalar(loss, bounds=(-7, 7), method="bounded").x))
