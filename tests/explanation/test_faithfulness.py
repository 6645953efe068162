"""Attention that points to what decides is told from attention that does not."""

import numpy as np
import pytest

import zoo
from zoo.answers import ONE
from zoo.datasets import Preprocessor
from zoo.explanation.attention import Attention
from zoo.explanation.faithfulness import faithfulness, without

WORDS = ["good", *(f"filler{i}" for i in range(20))]


class Counts:
    """Says "yes" the surer the more of the words are "good"; looks where it is told."""

    preprocessor, logits, kind, thresholds = Preprocessor(WORDS), False, ONE, None

    def __init__(self, looks_at):
        self.looks_at = looks_at

    def call(self, ids, training=None, return_attention_scores=False):
        ids = np.asarray(ids)
        yes = 0.5 + 0.5 * (ids == 2).sum(1) / np.maximum((ids != 0).sum(1), 1)
        weights = {"good": ids == 2, "fillers": ids > 2, "all": ids != 0}[self.looks_at]
        weights = weights / np.maximum(weights.sum(1), 1)[:, None]
        return np.stack([1 - yes, yes], 1), Attention(words=weights[:, None, None])

    __call__ = call

    def predict_on_batch(self, ids):
        return self.call(ids)[0]


def texts(count=30):
    random = np.random.default_rng(0)
    for _ in range(count):
        words = random.permutation([*["good"] * 3, *random.choice(WORDS[1:], 9)])
        yield " ".join(words)


@pytest.mark.parametrize(
    ("looks_at", "sign", "said"),
    [("good", 1, "matter more"), ("fillers", -1, "matter less"), ("all", 0, "do not read")],
)
def test_verdicts(looks_at, sign, said):
    found = faithfulness(Counts(looks_at), list(texts()))
    low, high = found.interval
    assert low <= found.attended - found.random <= high
    assert (low > 0) - (high < 0) == sign
    assert said in str(found) and "30 texts" in str(found)


def test_of_few_texts_there_is_no_verdict():
    assert "1 text: " in str(faithfulness(Counts("good"), ["good filler1"]))
    for looks_at in ("good", "fillers", "all"):
        assert "too few to tell" in str(faithfulness(Counts(looks_at), list(texts(19))))


def test_known_fall():
    """Of two words, one is deleted in each share: by attention the one that decides."""
    found = faithfulness(Counts("good"), ["good filler1"], draws=200)
    assert found.attended == pytest.approx(0.25)  # 0.75 to 0.5
    assert found.random == pytest.approx((0.25 - 0.25) / 2, abs=0.05)  # or to 1


def test_from_a_tenth_to_half_of_the_words_are_deleted():
    """Of twenty words ten decide: 2, 4, 6, 8 and 10 of them go first."""
    text = " ".join(["good"] * 10 + [f"filler{i}" for i in range(10)])
    falls = [0.75 - (0.5 + 0.5 * (10 - gone) / (20 - gone)) for gone in (2, 4, 6, 8, 10)]
    assert faithfulness(Counts("good"), [text]).attended == pytest.approx(np.mean(falls))


@pytest.mark.long
def test_the_interval_is_that_of_the_mean():
    """Of 200 texts nearly normal: 1.96 standard errors on each side, for 95 % of samples."""
    random = np.random.default_rng(0)
    tried = []
    for _ in range(200):
        number = random.integers(1, 9)
        words = [*["good"] * number, *random.choice(WORDS[1:], 10 - number)]
        tried.append(" ".join(random.permutation(words)))
    alone = [faithfulness(Counts("good"), [text], draws=50) for text in tried]
    differences = [one.attended - one.random for one in alone]
    error = np.std(differences) / len(tried) ** 0.5
    low, high = faithfulness(Counts("good"), tried, draws=50).interval
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.08)  # of 90 %: 16 % narrower
    assert (low + high) / 2 == pytest.approx(np.mean(differences), abs=0.3 * error)


def test_words_are_deleted_in_reading_order():
    ids = np.array([[3, 4, 0], [5, 0, 0], [6, 7, 8], [0, 0, 0]])
    assert without(ids, np.array([2, 4])) == [[3, 4], [6, 8]]
    assert without(ids, np.array([], int)) == [[3, 4], [5], [6, 7, 8]]
    assert without(ids[2], np.array([0])) == [7, 8]


def test_of_logits_it_is_the_same():
    model = zoo.build("act", 2, vocabulary_size=len(WORDS) + 2, embedding_dim=24)
    logits = type(model).from_config(model.get_config() | {"logits": True})
    logits.build()
    logits.set_weights(model.get_weights())
    model.preprocessor = logits.preprocessor = Preprocessor(WORDS)
    of_both = [faithfulness(one, ["good filler1 filler2"]).attended for one in (model, logits)]
    assert of_both[0] == pytest.approx(of_both[1], abs=1e-6)


@pytest.mark.parametrize("name", ["act", "hcan"])
def test_texts_beside_a_text_do_not_matter(name):
    """Attention is computed for some together, padded to the longest."""
    model = zoo.build(name, 2, vocabulary_size=len(WORDS) + 2, embedding_dim=24)
    model.preprocessor = Preprocessor(WORDS, model.max_words, model.max_sentences)
    model.run_eagerly = True  # tracing takes seconds
    some = ["good filler1. filler2", "filler3 good filler4. good. filler5 filler6 filler7. good x"]
    alone = [faithfulness(model, [text], draws=1).attended for text in some]
    assert abs(alone[0] - alone[1]) > 1e-6
    together = faithfulness(model, some, draws=1)
    assert together.attended == pytest.approx(np.mean(alone), abs=1e-6)
