"""A model at a glance: the words and phrases that speak most for its answers over a corpus."""

from collections import defaultdict
from collections.abc import Iterable

import pandas as pd

from zoo.explanation.explanation import Explanation

SIZES = (1, 2, 3)  # words of a phrase
EXAMPLE = 80  # letters of an example


def at_a_glance(
    explanations: Iterable[Explanation], most: int = 10, min_count: int = 2
) -> pd.DataFrame:
    """The words and phrases that add most to the scores of a class, and that take most from them.

    The table shows what a model uses and should not use, such as a name or a mark of a source.

    Args:
        explanations: explanations of any texts; words count for the class that is explained.
        most: number of phrases for each class and side.
        min_count: phrases that occur less often are left out.

    Returns:
        ``class``, ``side`` ("for" or "against"), ``phrase`` in lower case, ``count``, the mean of
        its ``contribution``, and an ``example``, the text to which it contributed most. Phrases
        with the largest sums of contributions come first. Where one phrase contains another, only
        the phrase with the larger sum is listed.
    """
    found = defaultdict(list)
    for one in explanations:
        for size in SIZES:
            for start in range(len(one.words) - size + 1):
                words = one.words[start : start + size]
                if words[0].sentence == words[-1].sentence:
                    phrase = " ".join(word.text.lower() for word in words)
                    added = sum(word.contribution for word in words)
                    found[one.explained, phrase].append((added, one, words))
    rows = defaultdict(list)
    for (label, phrase), own in found.items():
        total = sum(added for added, *_ in own)
        if len(own) >= min_count and total:
            rows[label, "for" if total > 0 else "against"].append((abs(total), phrase, own))
    table = []
    for label, side in sorted(rows, key=lambda key: (key[0], key[1] == "against")):
        shown = []
        for total, phrase, own in sorted(rows[label, side], key=lambda row: (-row[0], row[1])):
            if len(shown) < most and not any(_within(phrase, other) for other in shown):
                shown.append(phrase)
                mean = total / len(own) * (1 if side == "for" else -1)
                strongest = max(own, key=lambda row: abs(row[0]))
                table.append((label, side, phrase, len(own), mean, _example(*strongest[1:])))
    return pd.DataFrame(
        table, columns=["class", "side", "phrase", "count", "contribution", "example"]
    )


def _within(phrase, other):
    return f" {phrase} " in f" {other} " or f" {other} " in f" {phrase} "


def _example(explanation, words):
    """The text around the words, in a line."""
    start, end = words[0].start, words[-1].end
    room = max(0, EXAMPLE - (end - start)) // 2
    before, after = max(0, start - room), end + room
    text = " ".join(explanation.text[before:after].split())
    more = "…" if after < len(explanation.text) else ""
    return ("…" if before else "") + text + more
