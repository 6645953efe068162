"""The scores by which relation extraction is compared: F1 that leaves "no relation" out."""

from collections.abc import Sequence

import numpy as np

DIRECTIONS = ("(e1,e2)", "(e2,e1)")
OTHER, NO_RELATION = "Other", "no_relation"
TASKS = {"semeval2010_f1": "SemEval-2010 task 8", "tacred_f1": "TACRED"}  # by their score


def relation_f1(
    targets: np.ndarray, answers: np.ndarray, labels: Sequence[str]
) -> dict[str, float]:
    """The official score of the labels' task, under its name; nothing if they are of none.

    Args:
        targets: ``[texts]`` class numbers; of another form, they are of none.
        answers: ``[texts]`` class numbers.
        labels: names of the classes: relations with a direction and ``Other`` are those of
            SemEval-2010 task 8; ``no_relation`` among them, those of TACRED.
    """
    if targets.ndim > 1:
        return {}
    relations = [label for label in labels if label != OTHER]
    if OTHER in labels and all(label.endswith(DIRECTIONS) for label in relations):
        return {"semeval2010_f1": semeval2010_f1(targets, answers, labels)}
    if NO_RELATION in labels:
        return {"tacred_f1": tacred_f1(targets, answers, labels)}
    return {}


def semeval2010_f1(targets: np.ndarray, answers: np.ndarray, labels: Sequence[str]) -> float:
    """The mean of the F1 of each relation that is among the targets, ``Other`` left out.

    The (9+1)-way evaluation of Hendrickx et al. 2010 that takes direction into account, as its
    scorer (version 1.2) computes it: a relation in the wrong direction is a false positive and a
    false negative of it.
    """
    undirected = [label.removesuffix(DIRECTIONS[0]).removesuffix(DIRECTIONS[1]) for label in labels]
    names = np.array(undirected, dtype=object)
    wanted, given = names[targets], names[answers]
    right = targets == answers
    relations, total = sorted({*wanted} - {OTHER}), 0.0
    for relation in relations:  # in percent, as the scorer: the last digit printed is the same
        of_it, said = (wanted == relation).sum(), (given == relation).sum()
        correct = (right & (wanted == relation)).sum()
        precision = 100.0 * correct / said if said else 0.0
        recall = 100.0 * correct / of_it
        total += 2 * precision * recall / (precision + recall) if correct else 0.0
    return float(total / len(relations) / 100) if relations else 0.0


def tacred_f1(targets: np.ndarray, answers: np.ndarray, labels: Sequence[str]) -> float:
    """F1 over all texts together, ``no_relation`` left out (Zhang et al. 2017, Section 4.1)."""
    from sklearn.metrics import f1_score

    related = [number for number, label in enumerate(labels) if label != NO_RELATION]
    return float(f1_score(targets, answers, labels=related, average="micro", zero_division=0))
