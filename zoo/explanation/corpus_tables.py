"""What a model looks at in a corpus, as tables: from the explanations of many texts.

What only one model has to tell is a table of its method ``corpus_tables``.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd

from zoo.explanation.explanation import Explanation


def weights_by_class(explanations: Iterable[Explanation], word: str) -> pd.DataFrame:
    """How much a word weighs where it stands, with the true class of the text.

    Its distribution tells whether a model reads a word by its context: Yang et al. 2016 (HAN),
    Figures 3 and 4, of "good" and "bad".

    Args:
        explanations: of texts with known labels.
        word: the word; upper and lower case are the same.

    Returns:
        ``class`` and ``weight``, a row for each time that it stands anywhere.
    """
    rows = [
        (one.target, own.weight)
        for one in explanations
        for own in one.words
        if own.weight is not None and own.text.lower() == word.lower()
    ]
    return pd.DataFrame(rows, columns=["class", "weight"])


def attended_ngrams(
    explanations: Iterable[Explanation], size: int = 1, most: int = 10, min_count: int = 2
) -> pd.DataFrame:
    """The n-grams that weigh most where a class was the answer.

    Args:
        explanations: of any texts.
        size: words of an n-gram, of one sentence and with nothing between but what was cleaned.
        most: n-grams of each class.
        min_count: rarer ones are left out.

    Returns:
        ``class``, ``ngram``, the mean of its words' ``weight`` and its ``count``, the heaviest
        first.
    """
    weights = defaultdict(list)
    for one in explanations:
        for start in range(len(one.words) - size + 1):
            words = one.words[start : start + size]
            if words[0].weight is None or words[0].sentence != words[-1].sentence:
                continue
            ngram = " ".join(word.text.lower() for word in words)
            weights[one.label, ngram].append(float(np.mean([word.weight for word in words])))
    rows = [
        (label, ngram, float(np.mean(own)), len(own))
        for (label, ngram), own in weights.items()
        if len(own) >= min_count
    ]
    found = pd.DataFrame(rows, columns=["class", "ngram", "weight", "count"])
    found = found.sort_values(["class", "weight"], ascending=[True, False], kind="stable")
    return found.groupby("class").head(most).reset_index(drop=True)
