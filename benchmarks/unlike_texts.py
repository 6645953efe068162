"""Whether texts of another kind are told apart from those of a model's own.

``python -m benchmarks.unlike_texts`` trains models on some training texts of a corpus, and has them
answer others of it and those of other corpora. No test split is read.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import zoo
from benchmarks.folds import BEDS, bed, drawn
from benchmarks.report import machine
from zoo.answers import probabilities_of
from zoo.evaluation.familiarity import SHARE, familiarity, ranked
from zoo.filesystem.atomic_files import whole

RESULTS = Path(__file__).parent / "results" / "unlike_texts.md"
MODELS = ("svm_bigrams", "svm_vectors")
LABELS = 100  # of each class
PROBABILITY, FAMILIARITY = "the answer's probability", "how familiar the words are"


def measured(model: str) -> pd.DataFrame:
    """For each corpus that a model learns and each other one: how well both are told apart."""
    rows = []
    parts = {name: drawn(name, LABELS, 0) for name in BEDS}
    judged = {name: [bed(name)[0][row] for row in parts[name][1]] for name in BEDS}
    for name in BEDS:
        texts, classes = bed(name)
        learnt = [texts[row] for row in parts[name][0]]
        found = zoo.Classifier(model).fit(learnt, [str(classes[row]) for row in parts[name][0]])
        ranks = ranked(found.model_.preprocessor.vocabulary)
        scores = {
            other: {
                PROBABILITY: probabilities_of(found.model_, those).max(axis=1),
                FAMILIARITY: np.array([familiarity(text, ranks) for text in those]),
            }
            for other, those in judged.items()
        }
        for other, by in itertools.product(BEDS, (PROBABILITY, FAMILIARITY)):
            own, unlike = scores[name][by], scores[other][by]
            half = len(own) // 2
            least = np.quantile(own[:half], SHARE)
            rows.append(
                {
                    "model": model,
                    "corpus": name,
                    "other": other,
                    "by": by,
                    "area": roc_auc_score(
                        np.arange(len(own) + len(unlike)) < len(own), [*own, *unlike]
                    ),
                    "found": 100 * (unlike < least).mean(),
                    "wrongly": 100 * (own[half:] < least).mean(),
                }
            )
    rows = pd.DataFrame(rows)
    return rows[rows["corpus"] != rows["other"]]


def report(rows: pd.DataFrame) -> str:
    """Means over the other corpora, as Markdown."""
    lines = [
        f"| model | by | {' | '.join(BEDS)} | mean area | found, % | wrongly, % |",
        "|---|---|" + "--:|" * (len(BEDS) + 3),
    ]
    for (model, by), own in rows.groupby(["model", "by"], sort=False):
        areas = own.groupby("corpus", sort=False)["area"].mean()
        cells = [f"{areas[name]:.3f}" for name in BEDS]
        means = f"{areas.mean():.3f} | {own['found'].mean():.0f} | {own['wrongly'].mean():.0f}"
        lines.append(f"| `{model}` | {by} | {' | '.join(cells)} | {means} |")
    table = "\n".join(lines)
    return f"""# Texts unlike those that were learnt

A model learns {LABELS} training texts of each class of a corpus, and answers other texts of it and
those of other corpora. By the probability of its answer, or by how familiar the words are (the mean
of minus the logarithm of their ranks in the vocabulary): the area under the curve (0.5 is chance),
the mean over the other corpora. `zoo predict --sure` leaves to a person what is below a bound that
{SHARE:.0%} of the validation texts do not reach. Found, % is the share of unlike texts below such a
bound, wrongly, % that of like ones; here half of the other texts of the corpus give the bound.

{table}

Written by `python -m benchmarks.unlike_texts` on {machine()}.
"""


def main() -> None:
    """Measures, and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", default=MODELS, help="names of zoo list")
    rows = pd.concat([measured(model) for model in parser.parse_args().models])
    with whole(RESULTS) as partial:
        partial.write_text(report(rows), "utf-8")


if __name__ == "__main__":
    main()
