"""How familiar the words of texts are to a run: which texts are unlike those that it learnt from.

A model is often as sure about texts of another kind as about texts like its training texts. The
words of a text say more: the lower their ranks in the vocabulary, which is sorted by frequency in
the training texts, the less familiar the text is.
"""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from zoo.errors import UsageError
from zoo.runs.run_folder import read_scores

LEAST = 100  # with fewer validation texts, the least familiar hundredths are chance
SHARE = 0.02  # share of the validation texts that are less familiar than the limit
WORD = re.compile(r"\w+|[.!?]")


class Familiarity(NamedTuple):
    """What a run knows about words.

    Attributes:
        ranks: the rank of each word of the vocabulary, from 1 on.
        least: the familiarity below which a text is unlike those that the run learnt from.
    """

    ranks: dict[str, int]
    least: float

    def knows(self, text: str) -> bool:
        """Whether a text is like those that the run learnt from."""
        return familiarity(text, self.ranks) >= self.least


def ranked(words: Sequence[str]) -> dict[str, int]:
    """The ranks of single words in a vocabulary.

    Args:
        words: the vocabulary, the most frequent first; n-grams are skipped.
    """
    single = (word for word in words if WORD.fullmatch(word))
    return {word: rank for rank, word in enumerate(single, start=1)}


def familiarity(text: str, ranks: dict[str, int]) -> float:
    """The negative mean logarithm of its words' ranks; unknown words have the rank after the last.

    Example:
        >>> ranks = {"a": 1, "fine": 2, "day": 3}
        >>> familiarity("A fine day", ranks) > familiarity("Ein schöner Tag", ranks)
        True
    """
    last = len(ranks) + 1
    found = [math.log(ranks.get(word, last)) for word in WORD.findall(text.lower())]
    return -sum(found) / len(found) if found else -math.log(last)


def least_familiarity(texts: Iterable[str], words: Sequence[str]) -> float | None:
    """The familiarity below which a text is unlike the given texts.

    Args:
        texts: the texts of the validation split, which are like those that the model learnt from.
        words: the vocabulary, the most frequent first.

    Returns:
        The familiarity that all but 2 in 100 of the texts reach; None where there are fewer than
        100 texts.
    """
    ranks, texts = ranked(words), list(texts)
    if len(texts) < LEAST:
        return None
    return float(np.quantile([familiarity(text, ranks) for text in texts], SHARE))


def familiar_to(run: Path) -> Familiarity | None:
    """What a run knows about words; None if it has no bound.

    Raises:
        UsageError: if ``metrics.json`` or ``vocabulary.txt`` is missing or damaged.
    """
    least = read_scores(run).get("least_familiarity")
    if least is None:
        return None
    try:
        words = (run / "vocabulary.txt").read_text("utf-8").split("\n")
        return Familiarity(ranked(words), float(least))
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{run} is damaged: {error}") from None
