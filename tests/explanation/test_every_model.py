"""What holds of attention and of explanations, whatever the model."""

import json

import numpy as np

import zoo
from tests.explanation.small_models import TEXTS, built
from tests.kinds import every_kind
from zoo.explanation.attention import attention_of, weights_of_heads, word_weights
from zoo.explanation.contributions import computed
from zoo.explanation.explain import explain
from zoo.explanation.faithfulness import faithfulness
from zoo.registry import import_model

FILES = ("act", "attcnn", "bert", "bi_blosan", "han", "hcan", "leam", "pa_lstm", "ssan")
ATTENTIVE = {
    name
    for name in zoo.list_models()
    if import_model(name)[0].__module__.rpartition(".")[2] in FILES
} - {"cnn_kim", "cnn_pe", "han_ave", "han_max"}

ROUGH = ("skim_lstm", "char_cnn", "vdcnn", "vdcnn_17", "vdcnn_29")  # steep, and not trained


@every_kind
def test_every_model(name):
    model = built(name)
    check_attention(model, name in ATTENTIVE)
    check_contributions(model)
    check_explanations(model)
    check_faithfulness(model, name in ATTENTIVE)


def check_attention(model, attentive):
    """The axes are the same everywhere, and words alone have weights, which sum up to 1."""
    ids = np.array([[[2, 3, 4, 5], [6, 7, 0, 0], [0] * 4], [[2, 0, 0, 0], [0] * 4, [0] * 4]])
    if not model.hierarchical:
        ids = np.array([[2, 3, 4, 5, 6], [2, 3, 0, 0, 0], [0, 0, 0, 0, 0]])
    attention = attention_of(model, ids)
    weights = word_weights(model, ids)
    assert (attention.words is None and attention.pairs is None) == (weights is None)
    assert attentive == (weights is not None)
    if not attentive:
        return
    texts, sentences, words = ids.shape if model.hierarchical else (3, 1, 5)
    axes = {
        "words": (texts, sentences, words),
        "pairs": (texts, sentences, words, words),
        "sentences": (texts, sentences),
    }
    for level, given in attention._asdict().items():  # heads are on the second axis
        assert given is None or (given.shape[0], *given.shape[2:]) == axes[level]
    assert (attention.sentences is None) or model.hierarchical
    heads = np.asarray(weights_of_heads(attention, ids))
    weights = np.asarray(weights)
    np.testing.assert_allclose(weights, heads.mean(1).reshape(ids.shape), atol=1e-6)
    assert np.isfinite(weights).all() and (weights >= 0).all() and not weights[ids == 0].any()
    sums = weights.reshape(len(ids), -1).sum(1)[:2]
    if model.hierarchical:  # shares of sentences under a square root
        assert (sums >= 1 - 1e-5).all()
    else:
        np.testing.assert_allclose(sums, 1, atol=1e-5)


def check_contributions(model):
    """They sum up to the difference of scores, and padding neither has any nor changes any."""
    ids, classes = np.asarray(model.preprocessor(TEXTS)), np.array([0, 1, 1, 0])
    found = computed(model, ids, classes)
    assert found.words.shape == ids.shape and np.isfinite(found.words).all()
    sums, difference = found.words.reshape(len(ids), -1).sum(1), found.score - found.start
    np.testing.assert_allclose(sums, difference, atol=1e-4)
    # A maximum may change its word between two steps.
    most = max(0.5 if model.name in ROUGH else 0.15, 0.3 * np.abs(difference).max())
    assert np.abs(found.rest).max() < most
    words = model.preprocessor.tokens(TEXTS).single_words
    real = np.zeros(ids.shape, bool)
    for row, own in enumerate(words):
        count = len(getattr(own, "flat_values", own))
        real[row][tuple(place[:count] for place in np.nonzero(ids[row]))] = True
    assert not found.words[~real].any() and not found.words[1].any()
    padded = np.pad(ids, [(0, 0)] + [(0, 3)] * (ids.ndim - 1))
    more = computed(model, padded, classes).words[tuple(map(slice, ids.shape))]
    np.testing.assert_allclose(more, found.words, atol=1e-4)
    for row in (0, 3):
        alone = np.asarray(model.preprocessor([TEXTS[row]]))
        own = computed(model, alone, classes[row : row + 1]).words
        np.testing.assert_allclose(own[alone != 0], found.words[row][ids[row] != 0], atol=1e-4)


def check_explanations(model):
    """They have the model's answers, and its weights at the words' places in the texts."""
    targets = ["no", "yes", "no", "yes"]
    found = explain(model, TEXTS, targets)
    assert [one.text for one in found] == TEXTS
    assert [one.target for one in found] == targets
    assert [one.explained for one in found] == [one.label for one in found]
    np.testing.assert_allclose(
        [list(one.probabilities.values()) for one in found],
        model(model.preprocessor(TEXTS)),
        atol=1e-6,
    )
    ids = np.asarray(model.preprocessor(TEXTS))
    classes = np.array([model.labels.index(one.label) for one in found])
    added = computed(model, ids, classes).words
    attention, weights = attention_of(model, ids), word_weights(model, ids)
    for row, one in enumerate(found):
        assert one.probability == max(one.probabilities.values()) == one.probabilities[one.label]
        assert all(one.text[word.start : word.end] == word.text for word in one.words)
        real = ids[row] != 0
        known = model.read(ids[row][real])[0][: len(one.words)] != 1  # n-grams stand behind them
        assert [word.known for word in one.words] == known.tolist()
        got = [word.contribution for word in one.words]
        np.testing.assert_allclose(got, added[row][real][: len(got)], atol=1e-4)
        assert not added[row][real][len(got) :].any()
        if weights is None:
            assert all(word.weight is None and not word.heads for word in one.words)
        else:
            got = [word.weight for word in one.words]
            np.testing.assert_allclose(got, np.asarray(weights)[row][real], atol=1e-5)
        assert len(one.sentences) == real.any(-1).sum() * (attention.sentences is not None)
        if attention.pairs is None:
            assert one.pairs is None
        else:
            same = np.equal.outer(*[[word.sentence for word in one.words]] * 2)
            assert one.pairs.shape[1:] == same.shape and not one.pairs[:, ~same].any()
        json.dumps(one.to_dict())
    first = [word.text for word in found[0].words]
    start = ["Do", "n't", "go"] if model.entities else ["Don't", "go", "there"]
    assert first[:3] == start and "d\u00e9j\u00e0" in first


def check_faithfulness(model, attentive):
    """It is tried on texts of two words and more, for each view that there is."""
    found = faithfulness(model, explain(model, ["bad room. Fine x", "", "bad"]))
    assert list(found) == ["contributions", *["attention weights"] * attentive]
    for one in found.values():
        assert one.texts == 1 or model.preprocessor.clean_up == "characters"
        assert abs(one.comprehensiveness) < 1
    assert faithfulness(model, []) == {}
