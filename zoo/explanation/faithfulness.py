"""Whether attention tells what decided: what the answer loses with the most attended words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from zoo.answers import answers_of, as_probabilities
from zoo.explanation.attention import weights_of_texts
from zoo.progress import progress

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # of a text's words that are deleted
FEWEST_TEXTS = 20  # fewer texts have no verdict


@dataclass(frozen=True)
class Faithfulness:
    """How much deleted words lower the probability of the answer that the whole text got.

    The mean over the texts and over 10 to 50 % of their words: the area over the perturbation
    curve (Samek et al. 2017; the comprehensiveness of DeYoung et al. 2020).

    Attributes:
        attended: when the most attended words are deleted, 0 to 1.
        random: when as many random words are.
        interval: of their difference, for 95 % of samples of such texts (bootstrap).
        texts: how many were tried.
    """

    attended: float
    random: float
    interval: tuple[float, float]
    texts: int

    def __str__(self) -> str:
        low, high = self.interval
        if self.texts < FEWEST_TEXTS:
            verdict = "too few to tell what attention points to"
        elif low > 0:
            verdict = "attention points to words that matter more than others"
        elif high < 0:
            verdict = "attention points to words that matter less than others"
        else:
            verdict = "no difference is sure: do not read the shading as a reason"
        texts = "1 text" if self.texts == 1 else f"{self.texts:,} texts"
        return (
            f"Tried on {texts}: without their most attended words, the probability of the answer "
            f"falls by {100 * self.attended:.1f} points on average, without as many random words "
            f"by {100 * self.random:.1f}; {verdict}."
        )


def faithfulness(model, texts: Sequence[str], draws: int = 5) -> Faithfulness | None:
    """Deletes a text's most attended words, and random ones beside it.

    Args:
        model: a classifier with ``preprocessor``.
        texts: texts; those of fewer than two words are left out.
        draws: how often random words are drawn, for each text and share; the same ones each time.

    Returns:
        The outcome; None for a model without attention, or without texts.
    """
    random = np.random.default_rng(0)
    lost = []  # of each text: by attention, by chance
    weighed = weights_of_texts(model, texts)
    for ids, weights in progress(weighed, "Deleting words", len(texts), shown=True):
        count = np.count_nonzero(ids)
        if count < 2:
            continue
        orders = [np.argsort(-weights, kind="stable")]
        orders += [random.permutation(count) for _ in range(draws)]
        numbers = [math.ceil(share * count) for share in SHARES]
        deleted = [orders[0][:0], *(order[:number] for order in orders for number in numbers)]
        variants = tf.ragged.constant([without(ids, one) for one in deleted], "int64", ids.ndim)
        padded = np.asarray(model.preprocessor.pad(variants))
        answers = model.predict_on_batch(padded)[: len(padded)]  # as in predict_texts
        rows = as_probabilities(model, answers)
        answer = np.repeat(answers_of(model, rows[:1]), len(rows), axis=0)
        sure = model.kind.sureness(answer, rows)
        falls = sure[0] - sure[1:].reshape(len(orders), -1).mean(1)
        lost.append((falls[0], falls[1:].mean()))
    if not lost:
        return None
    lost = np.array(lost)
    differences = lost[:, 0] - lost[:, 1]
    samples = random.choice(differences, (2000, len(lost))).mean(1)
    low, high = map(float, np.percentile(samples, (2.5, 97.5)))
    return Faithfulness(*map(float, lost.mean(0)), (low, high), len(lost))


def without(ids: np.ndarray, deleted: np.ndarray) -> list:
    """A text's ids without some of its words, by their numbers in reading order.

    Args:
        ids: ``[(sentences,) words]``, padded with 0.
        deleted: ``[n]`` numbers.

    Returns:
        Ids, or lists of those of each sentence that still has any.
    """
    kept = ids != 0
    kept[tuple(place[deleted] for place in np.nonzero(kept))] = False
    if ids.ndim == 1:
        return ids[kept].tolist()
    return [row[own].tolist() for row, own in zip(ids, kept, strict=True) if own.any()]
