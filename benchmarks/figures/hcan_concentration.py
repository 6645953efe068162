"""HCAN, Appendix B: how concentrated the attention of HAN and HCAN is."""

import numpy as np
import pandas as pd

import zoo
from benchmarks.figures import attended, trained
from benchmarks.figures.hcan_time import SETTINGS
from zoo.evaluation.report import figure_of

TITLE = "HCAN, Appendix B: how concentrated attention is"
TEXT = (
    "Gao et al. find that HAN spreads its attention over many words and sentences where HCAN "
    "looks at few. For each document: the share of all attention that its heaviest words have. "
    "Ours are zoo's default sizes and recipe on 5,000 of IMDB's reviews with eight ratings; of "
    "HCAN's heads the mean is taken, which spreads what each of them looks at."
)
SHARES = (1, 2, 5, 10, 20, 50)  # percent of a document's words
READ = 1_000  # test texts


def measure() -> pd.DataFrame:
    """``model``, percent of the ``words``, and the percent of ``attention`` that they have."""
    rows = []
    for name in ("han", "hcan"):
        model = zoo.load(trained(name, "imdb_rating", **SETTINGS))
        found = {share: [] for share in SHARES}
        for _, _, weights in attended(model, "imdb_rating", READ):
            sums = np.cumsum(np.sort(weights)[::-1]) / weights.sum()
            for share in SHARES:
                found[share].append(sums[max(1, round(share / 100 * len(sums))) - 1])
        rows += [(name, share, 100 * np.mean(own)) for share, own in found.items()]
    return pd.DataFrame(rows, columns=["model", "words", "attention"])


def draw(table: pd.DataFrame):
    """A curve for each model."""
    figure, axis = figure_of(1, 1, (6, 3.5))
    for model, own in table.groupby("model"):
        axis.plot(own["words"], own["attention"], marker="o", label=model)
    axis.plot([1, 50], [1, 50], "--", color="grey", label="all words alike")
    axis.set(xlabel="heaviest words, % of a document", ylabel="% of its attention", xscale="log")
    axis.set_xticks(SHARES, [str(share) for share in SHARES])
    axis.legend()
    return figure
