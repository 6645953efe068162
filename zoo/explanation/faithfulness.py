"""How good a ranking of words is: what an answer loses without the first words, or with only them.

Comprehensiveness and sufficiency (DeYoung et al. 2020, Section 4.3), over 10 to 50 % of the words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zoo.explanation.deletion import ReadText, answers_without, read_texts
from zoo.explanation.explanation import Explanation

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # of a text's words
FEWEST_TEXTS = 20  # with fewer texts there is no verdict
READ_TOGETHER = 32  # texts


@dataclass(frozen=True)
class Faithfulness:
    """How much the probability of a class falls: the mean over texts, and over 10 to 50 % of words.

    Attributes:
        view: what ranks the words, such as "contributions".
        comprehensiveness: the fall without the first words, 0 to 1; higher is better.
        sufficiency: the fall with only the first words; lower is better, and it may be below 0.
        random_comprehensiveness: the fall without as many random words.
        random_sufficiency: the fall with only as many random words.
        comprehensiveness_interval: the 95 % interval (bootstrap over texts) of the difference from
            random words.
        sufficiency_interval: the same for sufficiency; below 0 is good.
        texts: number of texts that were tried.
    """

    view: str
    comprehensiveness: float
    sufficiency: float
    random_comprehensiveness: float
    random_sufficiency: float
    comprehensiveness_interval: tuple[float, float]
    sufficiency_interval: tuple[float, float]
    texts: int

    def __str__(self) -> str:
        low, high = self.comprehensiveness_interval
        if self.texts < FEWEST_TEXTS:
            verdict = f"too few to tell what {self.view} are worth"
        elif low > 0:
            verdict = f"{self.view} point to words that matter more than others"
        elif high < 0:
            verdict = f"{self.view} point to words that matter less than others"
        else:
            verdict = "no difference is sure: do not read the shading as a reason"
        texts = "1 text" if self.texts == 1 else f"{self.texts:,} texts"
        return (
            f"Tried on {texts}: without the words that have most of these {self.view}, the "
            f"probability of the class falls by {100 * self.comprehensiveness:.1f} points on "
            f"average, without as many random words by {100 * self.random_comprehensiveness:.1f}; "
            f"with them alone by {100 * self.sufficiency:.1f}, with random ones alone by "
            f"{100 * self.random_sufficiency:.1f}; {verdict}."
        )


def faithfulness(
    model, explanations: Sequence[Explanation], draws: int = 5
) -> dict[str, Faithfulness]:
    """Measures each view of an explanation by leaving out words in the order of the view.

    Args:
        model: the classifier that was explained.
        explanations: explanations of texts; texts of fewer than two words are skipped.
        draws: how often random words are drawn for each text and share; they are the same in each
            call.

    Returns:
        The outcome for "contributions", and for "attention weights" if the model has them; it is
        empty without texts.
    """
    explanations = [one for one in explanations if len(one.words) > 1]
    texts = [
        one
        for start in range(0, len(explanations), READ_TOGETHER)
        for one in read_texts(model, [x.text for x in explanations[start : start + READ_TOGETHER]])
    ]
    classes = [model.labels.index(one.explained) for one in explanations]
    views = {
        "contributions": [[word.contribution for word in one.words] for one in explanations],
        "attention weights": [[word.weight for word in one.words] for one in explanations],
    }
    views = {name: rows for name, rows in views.items() if rows and None not in rows[0]}
    return compared(model, texts, classes, views, draws)


def compared(
    model,
    texts: Sequence[ReadText],
    classes: Sequence[int],
    views: Mapping[str, Sequence[Sequence[float]]],
    draws: int = 5,
) -> dict[str, Faithfulness]:
    """The same as :func:`faithfulness` for any rankings.

    Args:
        model: a classifier with ``preprocessor``.
        texts: texts of at least two words.
        classes: for each text the number of the class whose probability is watched.
        views: for each view, by its name, the weights of each text's words; words with the largest
            weights are left out first.
        draws: how often random words are drawn.
    """
    losses = lost(model, texts, classes, views, draws)
    return {
        name: _outcome(name, losses[:, number], losses[:, len(views) :].mean(axis=1))
        for number, name in enumerate(views if len(texts) else ())
    }


def lost(model, texts, classes, views, draws: int = 5) -> np.ndarray:
    """What the probability of each text's class loses without the words, and with only them.

    Returns:
        ``[texts, views and then draws, 2]``.
    """
    random = np.random.default_rng(0)
    kept = []
    for row, text in enumerate(texts):
        count = len(text.words)
        orders = [
            np.argsort(-np.asarray(own[row], "float64"), kind="stable") for own in views.values()
        ]
        orders += [random.permutation(count) for _ in range(draws)]
        choices = [np.ones(count, bool)]
        for order in orders:
            for share in SHARES:
                first = np.isin(np.arange(count), order[: math.ceil(share * count)])
                choices += [~first, first]
        kept.append(np.array(choices))
    answers = answers_without(model, texts, kept)
    falls = [
        (rows[0, one] - rows[1:, one]).reshape(-1, len(SHARES), 2).mean(axis=1)
        for rows, one in zip(answers, classes, strict=True)
    ]
    return np.array(falls)


def _outcome(view, own, random):
    """The outcome of a view, from its losses and those of random words, both ``[texts, 2]``."""
    draws = np.random.default_rng(0).integers(0, len(own), (2000, len(own)))
    intervals = np.percentile((own - random)[draws].mean(axis=1), (2.5, 97.5), axis=0)
    means = [*own.mean(axis=0), *random.mean(axis=0)]
    return Faithfulness(view, *map(float, means), *map(tuple, intervals.T.tolist()), len(own))
