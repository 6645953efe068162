"""A view that points to what decides is told from one that does not."""

import math

import numpy as np
import pytest

import zoo
from zoo.answers import ONE
from zoo.datasets import Preprocessor
from zoo.explanation.deletion import read_texts
from zoo.explanation.explain import explain
from zoo.explanation.faithfulness import compared, faithfulness

WORDS = ["good", *(f"filler{i}" for i in range(20))]


class Counts:
    """Says "yes" the surer the more of the words are "good"."""

    preprocessor, logits, num_classes = Preprocessor(WORDS), False, 2
    kind, thresholds = ONE, None
    hierarchical, run_eagerly = False, True

    def __call__(self, ids, training):
        ids = np.asarray(ids)
        yes = 0.5 + 0.5 * (ids == 2).sum(1) / np.maximum((ids != 0).sum(1), 1)
        return np.stack([1 - yes, yes], 1)


def tried(texts, *views, draws=5):
    """The outcomes for views that look at "good", at fillers, or at all words alike."""
    read = read_texts(Counts(), texts)
    good = [[word == b"good" for word in one.words] for one in read]
    weights = {
        "good": good,
        "fillers": [[not one for one in row] for row in good],
        "all": [np.ones(len(row)) for row in good],
    }
    weights = {view: weights[view] for view in views}
    return list(compared(Counts(), read, [1] * len(read), weights, draws).values())


def texts(count=30):
    random = np.random.default_rng(0)
    for _ in range(count):
        words = random.permutation([*["good"] * 3, *random.choice(WORDS[1:], 9)])
        yield " ".join(words)


def test_verdicts():
    for found, sign, said in zip(
        tried(list(texts()), "good", "fillers", "all"),
        (1, -1, 0),
        ("good point to words that matter more", "matter less", "do not read"),
        strict=True,
    ):
        low, high = found.comprehensiveness_interval
        assert low <= found.comprehensiveness - found.random_comprehensiveness <= high
        assert (low > 0) - (high < 0) == sign
        low, high = found.sufficiency_interval
        assert low <= found.sufficiency - found.random_sufficiency <= high
        assert (low > 0) - (high < 0) == -sign
        assert said in str(found) and "30 texts" in str(found)


def test_of_few_texts_there_is_no_verdict():
    assert "1 text: " in str(*tried(["good filler1"], "good"))
    for found in tried(list(texts(19)), "good", "fillers", "all"):
        assert "too few to tell" in str(found)
    assert tried([], "good") == []


def test_known_fall():
    """Of two words, one is deleted in each share, or kept alone: the one that decides."""
    (found,) = tried(["good filler1"], "good", draws=200)
    assert found.comprehensiveness == pytest.approx(0.25)  # 0.75 to 0.5
    assert found.sufficiency == pytest.approx(-0.25)  # to 1
    assert found.random_comprehensiveness == pytest.approx((0.25 - 0.25) / 2, abs=0.05)


def test_from_a_tenth_to_half_of_the_words_are_deleted():
    """Of twenty words ten decide: 2, 4, 6, 8 and 10 of them go first."""
    text = " ".join(["good"] * 10 + [f"filler{i}" for i in range(10)])
    falls = [0.75 - (0.5 + 0.5 * (10 - gone) / (20 - gone)) for gone in (2, 4, 6, 8, 10)]
    (found,) = tried([text], "good")
    assert found.comprehensiveness == pytest.approx(np.mean(falls))
    assert found.sufficiency == pytest.approx(0.75 - 1)


@pytest.mark.long
def test_the_interval_is_that_of_the_mean():
    """Of 200 texts nearly normal: 1.96 standard errors on each side, for 95 % of samples."""
    random = np.random.default_rng(0)
    some = []
    for _ in range(200):
        number = random.integers(1, 9)
        words = [*["good"] * number, *random.choice(WORDS[1:], 10 - number)]
        some.append(" ".join(random.permutation(words)))
    alone = [one for text in some for one in tried([text], "good", draws=50)]
    differences = [one.comprehensiveness - one.random_comprehensiveness for one in alone]
    error = np.std(differences) / math.sqrt(len(some))
    low, high = tried(some, "good", draws=50)[0].comprehensiveness_interval
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.08)  # of 90 %: 16 % narrower
    assert (low + high) / 2 == pytest.approx(np.mean(differences), abs=0.3 * error)


def small(name, **options):
    model = zoo.build(name, 2, vocabulary_size=len(WORDS) + 2, embedding_dim=24, **options)
    model.preprocessor = Preprocessor(WORDS, model.max_words, model.max_sentences)
    model.labels = ["no", "yes"]
    model.run_eagerly = True  # tracing takes seconds
    return model


def outcome(model, texts, view="contributions"):
    return faithfulness(model, explain(model, texts), draws=1)[view].comprehensiveness


def test_of_logits_it_is_the_same():
    model = small("cnn_kim")
    logits = type(model).from_config(model.get_config() | {"logits": True})
    logits.build()
    logits.set_weights(model.get_weights())
    logits.preprocessor, logits.labels = model.preprocessor, model.labels
    of_both = [outcome(one, ["good filler1 filler2"]) for one in (model, logits)]
    assert of_both[0] == pytest.approx(of_both[1], abs=1e-6)


@pytest.mark.parametrize("name", ["act", "hcan"])
def test_texts_beside_a_text_do_not_matter(name):
    """They are computed together, padded to the longest."""
    model = small(name)
    some = ["good filler1. filler2", "filler3 good filler4. good. filler5 filler6 filler7. good x"]
    for view in ("contributions", "attention weights"):
        alone = [outcome(model, [text], view) for text in some]
        assert abs(alone[0] - alone[1]) > 1e-6
        assert outcome(model, some, view) == pytest.approx(np.mean(alone), abs=1e-6)
