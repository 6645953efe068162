"""Scores of relations are those of the tasks' own scorers, to the digits they print."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoo.cli.terminal import print_scores
from zoo.datasets.catalogue.corpora import DIRECTED, TACRED_LABELS
from zoo.evaluation.relation_f1 import relation_f1, semeval2010_f1, tacred_f1
from zoo.evaluation.scores import score


def scorer(targets, answers, labels):
    """The macro F1 that semeval2010_task8_scorer-v1.2 prints, by its definition.

    It counts pairs of undirected relations, those in the wrong direction apart, and averages over
    the relations of the answer key, Other left out; precision and recall are in percent.
    """
    confusion, wrong_direction = {}, {}
    for target, answer in zip(targets, answers, strict=True):
        target, answer = labels[target], labels[answer]
        wanted, given = target.split("(")[0], answer.split("(")[0]
        if wanted == given and target != answer:
            wrong_direction[wanted] = wrong_direction.get(wanted, 0) + 1
        else:
            confusion[given, wanted] = confusion.get((given, wanted), 0) + 1
    key = [labels[target].split("(")[0] for target in targets]
    total = 0.0
    relations = {*key} - {"Other"}
    for relation in sorted(relations):
        right = confusion.get((relation, relation), 0)
        said = sum(n for (given, _), n in confusion.items() if given == relation)
        precision = 100 * right / (said + wrong_direction.get(relation, 0)) if said else 0
        recall = 100 * right / key.count(relation)
        total += 2 * precision * recall / (precision + recall) if precision + recall else 0
    return f"{total / len(relations):.2f}" if relations else "0.00"


CLASSES = st.integers(0, len(DIRECTED) - 1)


@pytest.mark.long
@given(st.lists(st.tuples(CLASSES, CLASSES), min_size=1, max_size=300))
def test_semeval_on_random_answers(pairs):
    targets, answers = np.array(pairs).T
    assert f"{100 * semeval2010_f1(targets, answers, DIRECTED):.2f}" == scorer(
        targets, answers, DIRECTED
    )


def turned(numbers):
    """Every relation in the other direction."""
    ends = {"(e1,e2)": "(e2,e1)", "(e2,e1)": "(e1,e2)"}
    return np.array(
        [
            DIRECTED.index(DIRECTED[n][:-7] + ends[DIRECTED[n][-7:]])
            if DIRECTED[n] != "Other"
            else n
            for n in numbers
        ]
    )


OTHER = DIRECTED.index("Other")
KEY = np.random.default_rng(0).integers(0, len(DIRECTED), 2717)
ADVERSARIAL = {
    "all right": (KEY, KEY, "100.00"),
    "all in the wrong direction": (KEY, turned(KEY), "0.00"),
    "nothing but Other": (KEY, np.full_like(KEY, OTHER), "0.00"),
    "one relation throughout": (KEY, np.zeros_like(KEY), None),
    "a key without a relation": (np.full(9, OTHER), np.arange(9), "0.00"),
    "a key of few relations": (KEY[KEY < 3], (KEY[KEY < 3] + 1) % 4, None),
    "half in the wrong direction": (KEY, np.where(np.arange(2717) % 2, KEY, turned(KEY)), None),
    "Other for relations, relations for Other": (
        KEY, np.where(KEY == OTHER, 0, np.where(np.arange(2717) % 3, KEY, OTHER)), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_semeval_on_adversarial_answers(name):
    targets, answers, known = ADVERSARIAL[name]
    score = f"{100 * semeval2010_f1(targets, answers, DIRECTED):.2f}"
    assert score == scorer(targets, answers, DIRECTED)
    assert known is None or score == known


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_tacred_is_a_micro_average(pairs):
    labels = [*"abcd", "no_relation"]
    targets, answers = np.array(pairs).T
    right = sum(a == b != 4 for a, b in pairs)
    said, wanted = sum(b != 4 for _, b in pairs), sum(a != 4 for a, _ in pairs)
    precision, recall = right / max(said, 1), right / max(wanted, 1)
    expected = 2 * precision * recall / max(precision + recall, 1e-12)
    assert tacred_f1(targets, answers, labels) == pytest.approx(expected, abs=1e-9)


def test_labels_tell_the_task():
    one = np.array([0, 1])
    assert relation_f1(one, one, DIRECTED) == {"semeval2010_f1": 1.0}
    assert set(relation_f1(one, one, TACRED_LABELS)) == {"tacred_f1"}
    assert relation_f1(one, one, ["good", "Other"]) == {}


def test_the_official_score_is_among_the_others(capsys):
    targets, probabilities = np.array([0, 1, 2]), np.eye(len(DIRECTED))[[0, 1, 3]] + 1e-6
    found = score(targets, probabilities / probabilities.sum(-1, keepdims=True), DIRECTED)
    official = semeval2010_f1(targets, probabilities.argmax(-1), DIRECTED)
    assert found["semeval2010_f1"] == official and 0 < official < 1
    print_scores(found, "Test split")
    assert f"Official F1 of SemEval-2010 task 8: {official:.2%}" in capsys.readouterr().out
