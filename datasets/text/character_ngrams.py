"""Character n-grams of words."""

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

SIZES = (3, 5)  # letters, from and to; fastText has 3 to 6


def character_ngrams(vocabulary: Sequence[str], rows: int, most: int) -> np.ndarray:
    """The rows that each word's character n-grams have in a table.

    A word, in lower case, is put between two spaces, so that n-grams at its beginning and end
    differ from those within it. An n-gram has a row if several words have it; if there are more
    such n-grams than rows, those of the most words have one. fastText hashes n-grams into rows
    instead, so that some share a row by chance.

    Args:
        vocabulary: the words, without padding and the unknown word.
        rows: of the table; the first one is that of no n-gram.
        most: n-grams of a word, of which the shortest are taken first.

    Returns:
        ``[len(vocabulary) + 2, most]`` int32, in the order of the preprocessor's ids; zeros where
        there are no more.

    Source:
        Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information", 3.2.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    split = CountVectorizer(analyzer="char_wb", ngram_range=SIZES).build_analyzer()
    ngrams = [dict.fromkeys(split(word)) for word in vocabulary]
    counts = Counter(itertools.chain.from_iterable(ngrams))
    shared = [ngram for ngram, count in counts.most_common(rows - 1) if count > 1]
    row_of = {ngram: row for row, ngram in enumerate(shared, start=1)}
    members = np.zeros((len(vocabulary) + 2, most), "int32")
    for word, found in enumerate(ngrams, start=2):
        own = [row_of[ngram] for ngram in found if ngram in row_of][:most]
        members[word, : len(own)] = own
    return members
