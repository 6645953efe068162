"""What zoo aims at with few labels and with all, and whether the measured rows reach it.

A row of the table is an aim with one number of labels. Two systems are compared on the corpora and
draws that both were measured on, so that neither has the easier texts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pandas as pd

COUNTED = ("svm_words", "svm_characters")
SMALL_RIVALS = (*COUNTED, "fasttext", "fasttext_tutorial", "model2vec", "model2vec_frozen")
CANDIDATES = ("zoo_attcnn", "zoo_cnn_kim", "zoo_svm_vectors", "zoo_svm_characters", "zoo_bert")
FEW = ("16", "100")
Verdict = tuple[bool, str]  # whether the aim is reached, and what was measured


@dataclass(frozen=True)
class Goal:
    """An aim.

    Attributes:
        aim: what is aimed at, in words.
        numbers: of labels a class.
        judge: says whether it is reached by the rows of one number of labels, and what was
            measured; None if nothing was.
        tried: what was tried to reach it, told where it is missed.
    """

    aim: str
    numbers: tuple[str, ...]
    judge: Callable[[pd.DataFrame, dict[str, str], dict[str, str]], Verdict | None]
    tried: str = ""


def pairs(rows: pd.DataFrame, system: str, other: str, column: str = "accuracy") -> pd.DataFrame:
    """Both systems' means over the draws that both have, by corpus."""
    table = rows.pivot_table(column, ["corpus", "draw"], "system", sort=False)
    return table.reindex(columns=[system, other]).dropna().groupby("corpus").mean()


def everywhere(system: str, others: tuple[str, ...], points: float = 0.0):
    """On every corpus at or above each of the others, or behind by so many points at most."""

    def judge(rows, systems, corpora):
        behind: dict[str, tuple[float, str]] = {}  # of each corpus the strongest other
        for other in others:
            for corpus, (own, theirs) in pairs(rows, system, other).iterrows():
                behind[corpus] = max(behind.get(corpus, (-1.0, "")), (theirs - own, other))
        if not behind:
            return None
        missed = {one: found for one, found in behind.items() if 100 * found[0] > points}
        parts = []
        for corpus, (points_behind, other) in sorted(missed.items(), key=lambda one: -one[1][0]):
            name = f" ({systems[other]})" if len(others) > 1 else ""
            parts.append(f"{corpora[corpus]} {100 * points_behind:.1f}{name}")
        told = f"on {len(behind) - len(missed)} of {len(behind)} corpora"
        return not missed, told + (f"; behind on {', '.join(parts)}" if missed else "")

    return judge


def on_average(system: str, other: str, points: float = 0.0):
    """The mean over corpora is at or above the other's, or behind by so many points at most."""

    def judge(rows, systems, corpora):
        table = 100 * pairs(rows, system, other)
        if table.empty:
            return None
        own, theirs = table.mean()
        return own >= theirs - points, f"{own:.1f} beside {theirs:.1f}, {len(table)} corpora"

    return judge


def by_factor(system: str, other: str, column: str, factor: float):
    """The median over corpora of the quotient of a column is so large."""

    def judge(rows, systems, corpora):
        table = pairs(rows, system, other, column)
        if table.empty:
            return None
        found = (table[system] / table[other]).median()
        return found >= factor, f"{found:.2g} times, {len(table)} corpora"

    return judge


def gap_closed(system: str, start: str, end: str, share: float):
    """The mean over corpora is so far from that of one system to that of a better one."""

    def judge(rows, systems, corpora):
        table = 100 * pairs(rows, system, start).join(pairs(rows, start, end)[[end]], how="inner")
        if table.empty:
            return None
        own, low, high = table[[system, start, end]].mean()
        told = f"{own:.1f} between {low:.1f} and {high:.1f}, {len(table)} corpora"
        return own >= low + share * (high - low), told

    return judge


GOALS = (
    Goal(
        "attcnn at or above TF-IDF, fastText and Model2Vec on every corpus",
        FEW,
        everywhere("zoo_attcnn", SMALL_RIVALS),
    ),
    Goal(
        "svm_vectors at or above TF-IDF, fastText and Model2Vec on every corpus",
        FEW,
        everywhere("zoo_svm_vectors", SMALL_RIVALS),
    ),
    Goal("attcnn on average above frozen MiniLM", FEW, on_average("zoo_attcnn", "minilm")),
    Goal(
        "attcnn at ten times the texts a second of frozen MiniLM",
        FEW,
        by_factor("zoo_attcnn", "minilm", "texts_a_second", 10),
    ),
    Goal(
        "bert above frozen MiniLM on every corpus",
        FEW,
        everywhere("zoo_bert", ("minilm",)),
        "Of 16 labels, and with another start of the last layer, a third of the learning rate was "
        "better on SST-2 and worse on TREC (training texts).",
    ),
    Goal(
        "bert on average level with MiniLM fine-tuned in PyTorch",
        FEW,
        on_average("zoo_bert", "minilm_tuned"),
    ),
    Goal(
        "bert at twice the texts a second of MiniLM in PyTorch",
        FEW,
        by_factor("zoo_bert", "minilm_tuned", "texts_a_second", 2),
        "The layers are the same, and texts have not much fewer words than pieces. Matrices of 8 "
        "bits are twice as fast in onnxruntime only with one scale for a whole batch, so that "
        "texts would change each other's answers; with a scale for each word they are slower.",
    ),
    Goal(
        "attcnn with all labels at or above both TF-IDF systems on every corpus",
        ("all",),
        everywhere("zoo_attcnn", COUNTED),
    ),
    Goal(
        "svm_vectors with all labels at or above both TF-IDF systems on every corpus",
        ("all",),
        everywhere("zoo_svm_vectors", COUNTED),
    ),
    Goal(
        "attcnn, taught, on average within 2 points of its teacher",
        ("16",),
        on_average("zoo_attcnn_taught", "zoo_bert", 2),
    ),
    Goal(
        "attcnn, taught, on average within half a point of its teacher",
        ("100",),
        on_average("zoo_attcnn_taught", "zoo_bert", 0.5),
        "On texts held out of TREC's training split the teacher is ahead of attcnn even where that "
        "learns the true labels of all the texts that it is taught with: there the model is the "
        "bound, not the teaching. On training texts of several corpora, neither more passes, a "
        "higher learning rate, more variations nor the teacher's most probable label alone were "
        "clearly better. cnn_kim was better on TREC and OpeNER, and worse on SST-2.",
    ),
    Goal(
        "attcnn, taught, above frozen MiniLM on every corpus",
        FEW,
        everywhere("zoo_attcnn_taught", ("minilm",)),
    ),
    Goal(
        "attcnn, taught, at a fifth of its teacher's size",
        FEW,
        by_factor("zoo_bert", "zoo_attcnn_taught", "megabytes", 5),
    ),
    Goal(
        "attcnn, taught without other texts, closes half of the gap to its teacher",
        FEW,
        gap_closed("zoo_attcnn_varied", "zoo_attcnn", "zoo_bert", 0.5),
        "On training texts: a word table that stays as it is was better on TREC and worse on "
        "SemEval-2013; the mean of the answers of bert and of small models taught more on the "
        "second and less on the first. Common English words in half of the variations helped a "
        "little on four corpora, and not once answers were learnt at a temperature.",
    ),
    Goal(
        "auto within a point of the best single model on every corpus",
        (*FEW, "all"),
        everywhere("zoo_auto", CANDIDATES, 1),
    ),
    Goal(
        "auto above both TF-IDF systems on every corpus",
        (*FEW, "all"),
        everywhere("zoo_auto", COUNTED),
    ),
)


def goals(rows: pd.DataFrame, systems: dict[str, str], corpora: dict[str, str]) -> Iterator[str]:
    """The table: each aim, reached or missed, of what was measured."""
    yield "| aim | labels a class | reached | measured |"
    yield "|---|--:|---|---|"
    for goal in GOALS:
        for number in goal.numbers:
            verdict = goal.judge(rows[rows["labels"] == number], systems, corpora)
            if verdict is not None:
                reached, measured = verdict
                measured += f". {goal.tried}" if goal.tried and not reached else ""
                yield f"| {goal.aim} | {number} | {'yes' if reached else 'no'} | {measured} |"
