"""HAN, Figures 3 and 4: how much "good" and "bad" weigh, by the rating of the review."""

import pandas as pd

import zoo
from benchmarks.figures import attended, trained
from benchmarks.figures.hcan_time import SETTINGS
from zoo.evaluation.report import figure_of

TITLE = "HAN, Figures 3 and 4: weights of “good” and “bad” by rating"
TEXT = (
    "Yang et al. show that the weight of “good” rises and that of “bad” falls with the rating: a "
    "word counts by its context. Theirs are Yelp's reviews with five ratings; ours IMDB's with "
    "eight, 5,000 of them to learn from, and zoo's default sizes and recipe. A weight is the "
    "word's times the square root of its sentence's, as the paper displays it."
)
WORDS = ("good", "bad")
READ = 3_000  # test texts


def measure() -> pd.DataFrame:
    """``word``, ``rating``, ``count`` and the ``mean`` and quartiles of its weights."""
    model = zoo.load(trained("han", "imdb_rating", **SETTINGS))
    found = [
        (word, int(rating), weight)
        for rating, words, weights in attended(model, "imdb_rating", READ)
        for word, weight in zip(words, weights, strict=True)
        if word in WORDS
    ]
    rows, found = [], pd.DataFrame(found, columns=["word", "rating", "weight"])
    for (word, rating), own in found.groupby(["word", "rating"])["weight"]:
        low, middle, high = own.quantile([0.25, 0.5, 0.75])
        rows.append((word, rating, len(own), own.mean(), low, middle, high))
    names = ["word", "rating", "count", "mean", "lower quartile", "median", "upper quartile"]
    return pd.DataFrame(rows, columns=names)


def draw(table: pd.DataFrame):
    """Means and quartiles of both words, over the ratings."""
    figure, axes = figure_of(1, 2, (9, 3.5))
    for axis, word in zip(axes, WORDS, strict=True):
        own = table[table["word"] == word]
        axis.fill_between(own["rating"], own["lower quartile"], own["upper quartile"], alpha=0.2)
        axis.plot(own["rating"], own["mean"], marker="o", label="mean")
        axis.plot(own["rating"], own["median"], marker=".", linestyle="--", label="median")
        axis.set(title=f"“{word}”", xlabel="rating of the review", ylabel="attention")
        axis.set_ylim(bottom=0)
    axes[0].legend()
    return figure
