"""The embedded corpus."""

import re

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from zoo import datasets
from zoo.datasets.catalogue.sample import (
    BAD,
    BRUSHED_ASIDE,
    GOOD,
    OPINIONS,
    TAKEN_BACK,
    load_sample,
)


def test_the_seed_decides():
    sizes = {"train": 20, "validation": 5, "test": 5}
    first, again, other = (load_sample(seed, sizes).frame("train") for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_splits_are_disjoint_and_balanced():
    corpus = datasets.load("sample")
    splits = [set(split) for split in (corpus.train, corpus.validation, corpus.test)]
    assert [len(split) for split in splits] == [5000, 500, 1000]
    assert not (splits[0] & splits[1] or splits[0] & splits[2] or splits[1] & splits[2])
    assert corpus.frame("test")["label"].value_counts().to_dict() == dict.fromkeys("12345", 200)


def test_the_rating_follows_from_the_text():
    """A reader of the rules: what is taken back or brushed aside does not count."""
    patterns = {
        re.compile(
            re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w+)", re.escape(template))
        ): rating
        for rating, templates in OPINIONS.items()
        for template in templates
    }  # fmt: skip

    def rating(sentence):
        for pattern, rating in patterns.items():
            found = pattern.fullmatch(sentence)
            words = found.groupdict() if found else {}
            if found and words.get("good", "good") in GOOD and words.get("bad", "bad") in BAD:
                return rating
        return None

    for text, label in datasets.load("sample").frame("test").to_numpy():
        for marker in TAKEN_BACK:
            text = text.split(marker)[-1]
        for marker in BRUSHED_ASIDE:
            text = re.sub(r"[^.!?]+\. " + re.escape(marker), "", text)
        ratings = [rating(sentence) for sentence in re.findall(r"\S[^.!?]*[.!?]", text)]
        assert [str(r) for r in ratings if r] == [label]


def test_a_bag_of_words_cannot_solve_it():
    corpus = datasets.load("sample")
    bag = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=1000))
    bag.fit(list(corpus.train), corpus.train.targets)
    assert bag.score(list(corpus.test), corpus.test.targets) < 0.75
