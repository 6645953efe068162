"""How far chance goes: the bootstrap of texts, and McNemar's test."""

from collections.abc import Sequence

import numpy as np

AT_ONCE = 4_000_000  # draws in memory


def resampled(columns: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """The sums of numbers of texts over resamples, each of as many texts, drawn with replacement.

    Columns of several systems are resampled together, so that a difference is of the same texts.

    Args:
        columns: ``[texts, columns]``.
        resamples: how many.
        seed: of the draws.

    Returns:
        ``[resamples, columns]`` float64.

    Source:
        Efron 1979, "Bootstrap Methods: Another Look at the Jackknife".
    """
    random, texts = np.random.default_rng(seed), len(columns)
    columns, sums = np.asarray(columns, "float64"), np.empty((resamples, columns.shape[1]))
    size = max(1, AT_ONCE // texts)
    for start in range(0, resamples, size):
        some = sums[start : start + size]
        drawn = random.integers(texts, size=(len(some), texts))
        drawn += texts * np.arange(len(some))[:, None]
        counts = np.bincount(drawn.ravel(), minlength=len(some) * texts)
        some[:] = counts.reshape(len(some), texts).astype("float64") @ columns
    return sums


def interval(values: np.ndarray, confidence: float) -> tuple[float, float]:
    """The part in the middle of resampled values, ``[resamples]``, that has a share of them."""
    outside = (1 - confidence) / 2
    low, high = np.quantile(values, [outside, 1 - outside])
    return float(low), float(high)


def margin_of_mean(values: Sequence[float], confidence: float = 0.95) -> float:
    """Half the interval of the mean of a few values, by Student's t; NaN of one value."""
    from scipy.stats import sem, t

    if len(values) < 2:
        return float("nan")
    return float(t.ppf((1 + confidence) / 2, len(values) - 1) * sem(values))


def mcnemar(one: np.ndarray, other: np.ndarray) -> tuple[int, int, float]:
    """McNemar's exact test of whether two systems are right equally often.

    Args:
        one, other: ``[texts]`` booleans, which answers of each are right.

    Returns:
        How many texts only one has right, how many only the other, and the probability of numbers
        that are at least as far apart, if each of these texts were a toss of a coin.

    Source:
        McNemar 1947, "Note on the sampling error of the difference between correlated
        proportions or percentages".

    Example:
        >>> mcnemar(np.array([1, 1, 1, 0], bool), np.array([0, 0, 1, 0], bool))
        (2, 0, 0.5)
    """
    from scipy.stats import binomtest

    first, second = int((one & ~other).sum()), int((other & ~one).sum())
    both = first + second
    return first, second, float(binomtest(first, both).pvalue) if both else 1.0
