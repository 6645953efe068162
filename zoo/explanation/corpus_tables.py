"""What a model looks at in a corpus, as tables made from the explanations of many texts.

Tables that only a single model has come from its method ``corpus_tables``.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd

from zoo.explanation.explanation import Explanation


def weights_by_class(explanations: Iterable[Explanation], word: str) -> pd.DataFrame:
    """How much a word weighs at each place where it occurs, with the true class of the text.

    The distribution shows whether a model reads a word by its context: see Yang et al. 2016 (HAN),
    Figures 3 and 4, for "good" and "bad".

    Args:
        explanations: explanations of texts with known labels.
        word: the word; case does not matter.

    Returns:
        ``class`` and ``weight``, a row for each occurrence of the word.
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
    """The n-grams that weigh most in texts for which a class was the answer.

    Args:
        explanations: explanations of any texts.
        size: number of words in an n-gram. They follow one another in the same sentence, apart from
            what the clean-up removes between them.
        most: number of n-grams for each class.
        min_count: n-grams that occur less often are left out.

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
