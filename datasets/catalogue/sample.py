"""The built-in corpus: hotel reviews with 5 ratings, written by a seeded generator.

It needs neither data nor network, and no bag of words can solve it. A single opinion in a review
decides its rating:

- negation, in a third of the opinions, reverses the rating, and intensity grades it ("not exactly
  clean" is a 2, "absolutely clean" a 5, "not dirty at all" a 5 too);
- the other opinions do not count, which a contrast says ("But none of that mattered in the end."
  takes back everything before it, "We hardly noticed that, though." only the sentence before it).

So the same words may mean different ratings, and only their order, within and between sentences,
shows which.
"""

import random
from typing import Any

from zoo.datasets.corpus import Corpus, Split

SIZES = {"train": 5_000, "validation": 500, "test": 1_000}

SUBJECTS = "room staff breakfast pool bathroom bar bed garden lobby dinner terrace sauna".split()
GOOD = "clean friendly lovely excellent comfortable pleasant charming wonderful good fine".split()
BAD = "dirty unfriendly awful dreadful uncomfortable unpleasant shabby terrible bad poor".split()

# Templates of an opinion by its rating; {good} and {bad} are replaced by such words.
OPINIONS = {
    1: [
        "The {subject} was absolutely {bad}.",
        "We found the {subject} really {bad}.",
        "For us the {subject} was truly {bad}.",
        "It was the {subject} that was extremely {bad}.",
        "The {subject} was not {good} at all.",
        "Nobody would have called the {subject} {good}.",
    ],
    2: [
        "The {subject} was fairly {bad}.",
        "We found the {subject} rather {bad}.",
        "For us the {subject} was slightly {bad}.",
        "It was the {subject} that was moderately {bad}.",
        "The {subject} was not exactly {good}.",
        "We would not quite have called the {subject} {good}.",
    ],
    3: [
        "The {subject} was neither {good} nor {bad}.",
        "We found the {subject} {good} one day and {bad} the next.",
        "The {subject} was as {bad} as it was {good}.",
    ],
    4: [
        "The {subject} was fairly {good}.",
        "We found the {subject} rather {good}.",
        "For us the {subject} was reasonably {good}.",
        "It was the {subject} that was moderately {good}.",
        "The {subject} was not exactly {bad}.",
        "We would not quite have called the {subject} {bad}.",
    ],
}
OPINIONS[5] = [  # the templates of rating 1 with good and bad exchanged
    opinion.format(subject="{subject}", good="{bad}", bad="{good}") for opinion in OPINIONS[1]
]
TAKEN_BACK = [  # the opinions before do not count
    "But none of that mattered in the end.",
    "However, something else weighed more!",
    "Was that what we remember? No, it was this.",
]
BRUSHED_ASIDE = [  # the opinion just before does not count
    "We hardly noticed that, though.",
    "That was soon forgotten!",
    "Did we mind? No, we did not.",
]
FILLERS = [
    "We stayed for three nights.",
    "My sister had booked it in March.",
    "It rained most of the time.",
    "The train was late, as always.",
    "There were five of us.",
    "We came by car.",
]


def load_sample(seed: int = 0, sizes: dict[str, int] = SIZES) -> Corpus:
    """The built-in corpus of hotel reviews.

    Args:
        seed: seed of the generator; the same seed gives the same corpus.
        sizes: number of texts in each split. No text is in two splits.
    """
    rng = random.Random(seed)
    seen: set[str] = set()
    splits: dict[str, Any] = {}
    for split, size in sizes.items():
        rows = []
        while len(rows) < size:
            rating = len(rows) % 5 + 1
            text = _review(rng, rating)
            if text not in seen:
                seen.add(text)
                rows.append((text, rating - 1))
        rng.shuffle(rows)
        splits[split] = Split([text for text, _ in rows], [number for _, number in rows])
    return Corpus("sample", list("12345"), **splits)


def _opinion(rng, rating):
    template = rng.choice(OPINIONS[rating])
    return template.format(subject=rng.choice(SUBJECTS), good=rng.choice(GOOD), bad=rng.choice(BAD))


def _review(rng, rating):
    def others():
        """An opinion that does not count, of another rating."""
        return _opinion(rng, rng.choice([r for r in OPINIONS if r != rating]))

    kind = rng.choices(["plain", "taken back", "brushed aside", "both"], [1, 3, 3, 3])[0]
    # A part is a list of sentences that must follow one another; fillers go between parts.
    parts = [[_opinion(rng, rating)]]
    if kind in ("brushed aside", "both"):
        aside = [others(), rng.choice(BRUSHED_ASIDE)]
        parts.insert(rng.randint(0, 1), aside)
    if kind in ("taken back", "both"):
        parts = [[others()], [rng.choice(TAKEN_BACK)], *parts]
    for _ in range(rng.randint(0, 2)):
        parts.insert(rng.randint(0, len(parts)), [rng.choice(FILLERS)])
    return " ".join(sentence for part in parts for sentence in part)
