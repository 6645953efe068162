"""What a model looks at in a corpus, as tables: from the explanations of many texts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from keras import ops

from zoo.explanation.explanation import Explanation
from zoo.layers import AttentiveConv
from zoo.layers.masking import word_mask

TOGETHER = 32  # texts computed at once


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


def filter_ngrams(
    model, texts: Sequence[str], layer: int = 0, most: int = 5, filters: int = 10
) -> pd.DataFrame | None:
    """The n-grams that excite the filters of an ACT most: what each filter has learnt to find.

    Li et al. 2021 (ACT), Equation 2: the match M of a filter with an n-gram.

    Args:
        model: a classifier with ``preprocessor``.
        texts: where n-grams are looked for.
        layer: of attentive convolution, from 0; n-grams of the first are of words, those of the
            next of what came out of it.
        most: n-grams of each filter, all different.
        filters: how many filters, those with the largest matches.

    Returns:
        ``head`` and ``filter``, from 1, ``ngram`` and its ``match``, the largest first; None for
        a model without such filters.
    """
    convolutions = getattr(model, "convolutions", [])
    if not all(isinstance(one, AttentiveConv) for one in convolutions) or not convolutions:
        return None
    found = defaultdict(dict)  # of each head and filter: n-grams and their largest match
    for start in range(0, len(texts), TOGETHER):
        part = texts[start : start + TOGETHER]
        ids = model.preprocessor(part)
        words, mask = model.vectors(ids)[0], word_mask(ids)
        for convolution, norm in zip(convolutions[: layer + 1], model.norms, strict=False):
            local, _, matches = convolution(words, mask=mask, return_attention_scores=True)
            words = norm(words + local)
        split = model.preprocessor.words(part).to_list()
        ngrams = [
            b" ".join(own[place : place + model.kernel_size]).decode()
            for own in split
            for place in range(len(own))
        ]
        matches = ops.convert_to_numpy(matches)
        matches = np.concatenate([row[: len(own)] for own, row in zip(split, matches, strict=True)])
        names = list(dict.fromkeys(ngrams))
        places = {ngram: place for place, ngram in enumerate(names)}
        numbers = np.array([places[ngram] for ngram in ngrams], int)
        best = np.full((len(names), *matches.shape[1:]), -np.inf)  # of each n-gram
        np.maximum.at(best, numbers, matches)
        largest = np.argsort(-best, axis=0, kind="stable")[:most]
        for one in np.ndindex(best.shape[1:]):
            for number in largest[:, *one]:
                ngram, match = names[number], float(best[number, *one])
                found[one][ngram] = max(match, found[one].get(ngram, match))
    strongest = sorted(found, key=lambda one: -max(found[one].values(), default=0))[:filters]
    rows = [
        (one[0] + 1, one[1] + 1, ngram, match)
        for one in strongest
        for ngram, match in sorted(found[one].items(), key=lambda item: -item[1])[:most]
    ]
    return pd.DataFrame(rows, columns=["head", "filter", "ngram", "match"])
