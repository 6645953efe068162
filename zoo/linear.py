"""Linear models that scikit-learn solves, in one form."""

import numpy as np

SOLVERS = ("logistic", "logistic_l1", "svm", "naive_bayes")


def solved(features, targets, solver, strength):
    """Weights ``[features, classes]`` and biases ``[classes]`` of a linear model.

    Args:
        features: ``[texts, features]``, sparse or not.
        targets: ``[texts]`` class numbers, of which each is there.
        solver: of :data:`SOLVERS`.
        strength: the inverse of the regularisation.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    if solver == "naive_bayes":
        found = MultinomialNB(alpha=strength).fit(features, targets)
        return found.feature_log_prob_.T, found.class_log_prior_
    if solver == "logistic_l1":
        sparse = LogisticRegression(l1_ratio=1, C=strength, solver="liblinear")
        each = OneVsRestClassifier(sparse).fit(features, targets).estimators_
        weights = np.concatenate([one.coef_ for one in each])
        bias = np.concatenate([one.intercept_ for one in each])
    else:
        kinds = {"logistic": LogisticRegression(C=strength, max_iter=1000)}
        kinds |= {"svm": LinearSVC(C=strength)}
        found = kinds[solver].fit(features, targets)
        weights, bias = found.coef_, found.intercept_
    if len(weights) == 1:  # of two classes only the second has weights
        weights, bias = np.concatenate([0 * weights, weights]), np.concatenate([0 * bias, bias])
    return weights.T, bias
