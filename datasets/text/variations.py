"""Variations of texts. They may mean something else, or little, but the teacher's answers to them
tell a small model what the teacher knows about words that the given texts lack."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

# A word, a character of Chinese or a mark, with the blank before it.
TOKEN = re.compile(r"\s*(?:[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’]\w+)*|[^\s\w])")
SHARES = (0.1, 0.3, 0.5)  # of the words with neighbours, which give way to these
NEIGHBOURS = 20  # of a word
PLACES = 200  # of a word, after which a text may go on


class Variations:
    """Draws variations of texts, each kind with the same chance.

    - Some words are replaced by similar ones (Jiao et al. 2020, TinyBERT, algorithm 1).
    - Some words in a row are left out.
    - The start of a text is joined to the end of another text.
    - After one of its words, a text continues as another text does after the same word.

    The last three draw on Tang et al. 2019, "Distilling Task-Specific Knowledge from BERT into
    Simple Neural Networks", section 3.2, which masks words and samples n-grams.

    Args:
        texts: of which variations are drawn.
        near: words in lower case, and those that may take their place.
        seed: of the draws.

    Example:
        >>> list(Variations(["Not bad at all."], near={"bad": ["poor"]}).draw(2))
        ['Not poor at all.', 'bad at all.']
    """

    def __init__(
        self,
        texts: Sequence[str],
        near: dict[str, list[str]] | None = None,
        seed: int = 0,
    ):
        self.near, self.random = near or {}, np.random.default_rng(seed)
        self.split = [words for words in map(TOKEN.findall, texts) if words]
        self.places = defaultdict(list)
        for words in self.split:
            for place, word in enumerate(words[1:-1], start=2):
                if len(found := self.places[_plain(word)]) < PLACES:
                    found.append((words, place))
        self.kinds = [self._shortened, self._joined, self._continued]
        self.kinds += [self._replaced] if self.near else []

    def draw(self, count: int) -> Iterator[str]:
        """Draws variations, without repeats or the texts themselves; fewer if there are no more."""
        seen = {"".join(words) for words in self.split}
        for _ in range(10 * count if self.split else 0):
            words = self.split[self.random.integers(len(self.split))]
            found = "".join(self.kinds[self.random.integers(len(self.kinds))](words)).strip()
            if found and found not in seen:
                seen.add(found)
                yield found
                count -= 1
            if not count:
                return

    def _replaced(self, words):
        known = [place for place, word in enumerate(words) if _plain(word) in self.near]
        if not known:
            return self._shortened(words)
        share, copy = SHARES[self.random.integers(len(SHARES))], list(words)
        some = [place for place in known if self.random.random() < share]
        for place in some or [known[self.random.integers(len(known))]]:
            near = self.near[_plain(copy[place])]
            blank = copy[place][: len(copy[place]) - len(copy[place].lstrip())]
            copy[place] = blank + near[self.random.integers(len(near))]
        return copy

    def _shortened(self, words):
        size = self.random.integers(1, max(2, len(words) // 2 + 1))
        start = self.random.integers(len(words) - size + 1)
        return [*words[:start], *words[start + size :]]

    def _joined(self, words):
        other = self.split[self.random.integers(len(self.split))]
        end = self.random.integers(1, len(words) + 1)
        start = min(len(other) - 1, int(len(other) * end / len(words)))
        blank = "" if start else " "  # which the first word of a text does not have
        return [*words[:end], blank, *other[start:]]

    def _continued(self, words):
        end = self.random.integers(1, len(words) + 1)
        found = self.places.get(_plain(words[end - 1]))
        if not found:
            return self._joined(words)
        other, place = found[self.random.integers(len(found))]
        return [*words[:end], *other[place : place + max(2, len(words) - end)]]


def neighbours(words: Iterable[str], vectors, count: int = NEIGHBOURS) -> dict[str, list[str]]:
    """The nearest words by cosine of those that have a vector.

    Args:
        words: in lower case.
        vectors: gensim's ``KeyedVectors``.
        count: of each word.
    """
    from sklearn.neighbors import NearestNeighbors

    known = [word for word in dict.fromkeys(words) if word in vectors and word.isalnum()]
    if not known:
        return {}
    nearest = NearestNeighbors(n_neighbors=count + 1, metric="cosine").fit(vectors.vectors)
    rows = nearest.kneighbors(vectors[known], return_distance=False)  # the word itself among them
    each = (np.array(vectors.index_to_key)[row].tolist() for row in rows)
    return {
        word: [near for near in own if near != word][:count]
        for word, own in zip(known, each, strict=True)
    }


def words_in(texts: Iterable[str]) -> Counter[str]:
    """How often each word stands in the texts, in lower case; marks are words."""
    return Counter(_plain(word) for text in texts for word in TOKEN.findall(text))


def _plain(word):
    return word.strip().lower()
