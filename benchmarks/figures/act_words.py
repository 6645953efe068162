"""ACT, Table 4: which words ACT attends to, and which a Transformer."""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import zoo
from benchmarks.figures import attended, attention_to, trained
from zoo.evaluation.report import figure_of

TITLE = "ACT, Table 4: the words that attention is on"
TEXT = (
    "Li et al. show sentences in which a Transformer attends to many words, stop words and "
    "punctuation among them, and ACT to the phrases that decide. Ours are trained on SST's five "
    "classes with zoo's default sizes and recipe and its English words. The sentence is ours. The "
    "titles tell how much of all attention is on scikit-learn's stop words, without the negations, "
    "and on punctuation, in test texts, beside the share of words that are such."
)
MODELS = ("transformer", "act")
SENTENCE = "the story is n't bad , but the acting is hardly worth the price of the ticket ."
NEGATIONS = {"no", "not", "nor", "never", "cannot"}
READ = 1_000  # test texts


def measure() -> pd.DataFrame:
    """A row for each ``model`` and ``word`` of the sentence, and the ``attention`` to the word.

    Further columns are of the model, in percent: ``on_stop_words``, their share of all attention in
    test texts, and ``stop_words``, their share of the words.
    """
    rows = []
    for name in MODELS:
        model = zoo.load(trained(name, "sst_fine", weights="english", clean_up="kim"))
        attention, stops = [], []
        for _, words, weights in attended(model, "sst_fine", READ):
            attention.append(weights / weights.sum())
            stops.append([_is_stop_word(word) for word in words])
        stop = np.concatenate(stops)
        on_stop_words = np.concatenate(attention)[stop].sum() / len(attention)
        ((words, weights),) = attention_to(model, [SENTENCE])
        rows += [
            (name, word, weight, 100 * on_stop_words, 100 * stop.mean())
            for word, weight in zip(words, weights / weights.sum(), strict=True)
        ]
    return pd.DataFrame(rows, columns=["model", "word", "attention", "on_stop_words", "stop_words"])


def _is_stop_word(word):
    return word in ENGLISH_STOP_WORDS - NEGATIONS or not any(map(str.isalnum, word))


def draw(table: pd.DataFrame):
    """A bar for each word of the sentence, a panel for each model."""
    figure, axes = figure_of(len(MODELS), 1, (8, 6))
    for axis, (name, own) in zip(axes, table.groupby("model", sort=False), strict=True):
        own = own.reset_index(drop=True)
        axis.bar(own.index, own["attention"])
        axis.set_xticks(own.index, own["word"], rotation=60, ha="right")
        on, of = own.loc[0, ["on_stop_words", "stop_words"]]
        axis.set(
            ylabel="share of attention",
            title=f"{name}: {on:.0f} % of attention on stop words, which are {of:.0f} % of words",
        )
    return figure
