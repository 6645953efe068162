"""Linear models that scikit-learn solves, in one form."""

import logging
import warnings
from typing import Any

import numpy as np

from zoo import recipes

BETA = 0.5  # of NB-SVM; Wang and Manning have 0.25, less good on a validation split of IMDB

WEIGHTS = (1.0, 0.5, 0.25, 0.0)  # of word vectors beside n-grams
FOLDS, MOST_FOLDED = 3, 5_000  # texts

logger = logging.getLogger("zoo")


def solved(
    features: Any,
    targets: np.ndarray,
    solver: str,
    strength: float,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weights ``[features, classes]`` and biases ``[classes]`` of a linear model.

    Args:
        features: ``[texts, features]``, sparse or not.
        targets: ``[texts]`` class numbers, of which each is there.
        solver: as :class:`zoo.models.bag.BagOfNgrams` has them.
        strength: the inverse of the regularisation; of naive Bayes the smoothing.
        weights: how much each text counts, ``[texts]``; None where all do alike.
    """
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as told:  # one for each class
        found = _solved(features, targets, solver, strength, weights)
    if any(issubclass(one.category, ConvergenceWarning) for one in told):
        logger.warning("The solver has not converged: the weights are those of its last pass")
    return found


def _solved(features, targets, solver, strength, counted):
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    if solver == "naive_bayes":
        found = MultinomialNB(alpha=strength).fit(features, targets, counted)
        weights = found.feature_log_prob_.T
        # No answer changes, but sums of them stay near zero, where few bits tell classes apart.
        return weights - weights.mean(axis=1, keepdims=True), found.class_log_prior_
    classes = range(targets.max() + 1) if targets.max() > 1 else [1]
    if solver == "nb_svm":
        found = [nb_svm(features, targets == one, strength, counted) for one in classes]
        weights, bias = (np.stack(part) for part in zip(*found, strict=True))
    elif solver == "logistic_l1":
        sparse = LogisticRegression(l1_ratio=1, C=strength, solver="liblinear")
        each = [clone(sparse).fit(features, targets == one, counted) for one in classes]
        weights = np.concatenate([one.coef_ for one in each])
        bias = np.concatenate([one.intercept_ for one in each])
    else:
        found = _estimator(solver, strength).fit(features, targets, counted)
        weights, bias = found.coef_, found.intercept_
    if len(weights) == 1:  # of two classes only the second has weights
        weights, bias = np.concatenate([0 * weights, weights]), np.concatenate([0 * bias, bias])
    return weights.T, bias


def _estimator(solver, strength):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    kinds = {"logistic": LogisticRegression(C=strength, max_iter=1000)}
    kinds |= {"svm": LinearSVC(C=strength)}
    return kinds[solver]


def chosen_weight(
    features: Any, further: np.ndarray, targets: np.ndarray, solver: str, strength: float, seed: int
) -> float:
    """How much further features count beside others, by three folds of the texts.

    Args:
        features: ``[texts, features]``, sparse.
        further: ``[texts, others]``.
        targets, solver, strength: see :func:`solved`; "logistic" or "svm".
        seed: of the folds.

    Returns:
        One of :data:`WEIGHTS`, of equals the first: 1 for few texts, or where a class has fewer
        than three.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    rows = np.random.default_rng(seed).permutation(len(targets))[:MOST_FOLDED]
    rarest = np.unique(targets[rows], return_counts=True)[1].min()
    if len(targets) < recipes.FEW or rarest < FOLDS:
        return WEIGHTS[0]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    right = []
    for weight in WEIGHTS:
        both = hstack([features[rows], csr_matrix(weight * further[rows])]).tocsr()
        estimator = _estimator(solver, strength)
        right.append(cross_val_score(estimator, both, targets[rows], cv=folds).mean())
    return WEIGHTS[right.index(max(right))]


def nb_svm(
    features: Any, targets: np.ndarray, strength: float, weights: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """The weights and the bias of NB-SVM for one class against the others.

    Wang and Manning 2012, Sections 2.1 and 2.3: an SVM on features times their log-count ratio
    ``r``; its weights are drawn towards their mean size, ``w' = (1 - beta) mean|w| + beta w``.

    Args:
        features: ``[texts, features]``, sparse: 1 where a text has the n-gram.
        targets: ``[texts]``, whether a text is of the class.
        strength: the inverse of the regularisation.
        weights: how much each text counts for the SVM.
    """
    from sklearn.svm import LinearSVC

    inside, outside = (
        1 + np.asarray(features[rows].sum(0)).ravel() for rows in (targets, ~targets)
    )
    ratio = np.log((inside / inside.sum()) / (outside / outside.sum()))
    svm = LinearSVC(C=strength).fit(features.multiply(ratio).tocsr(), targets, weights)
    weights = svm.coef_[0]
    drawn = (1 - BETA) * np.abs(weights).mean() + BETA * weights
    return ratio * drawn, svm.intercept_[0]
