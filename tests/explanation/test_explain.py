"""Explanations: the model's answer and its attention, at the words' places in the text."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from tests.explanation.small_models import TEXTS, built
from zoo.explanation.attention import attention_of
from zoo.explanation.explain import _batches, explain


def test_attention_between_words_is_kept_within_its_sentence():
    model = built("hcan")
    (one,) = explain(model, ["bad room. fine was the room"])
    alone = attention_of(model, model.preprocessor(["fine was the room"])).pairs
    np.testing.assert_allclose(one.pairs[:, 3:, 3:], alone[0, :, 0], atol=1e-5)


@pytest.mark.parametrize("name", ["attcnn", "hcan"])
def test_pairs_may_be_left_out_and_are_where_they_are_many(name, monkeypatch):
    model = built(name)
    (one,) = explain(model, TEXTS[:1])
    size = one.pairs.nbytes
    assert explain(model, TEXTS[:1], pairs=False)[0].pairs is None
    for largest, left_out in ((size, False), (size - 1, True)):
        monkeypatch.setattr("zoo.explanation.explain.LARGEST", largest)
        assert (explain(model, TEXTS[:1])[0].pairs is None) == left_out


@given(st.lists(st.integers(0, 30_000), max_size=100))
def test_long_texts_are_explained_a_few_at_a_time(lengths):
    texts = ["a" * length for length in lengths]
    batches = list(_batches(texts))
    assert sorted(row for batch in batches for row in batch) == list(range(len(texts)))
    for batch in batches:
        longest = max(lengths[row] for row in batch)
        assert len(batch) <= 32 and (len(batch) == 1 or len(batch) * longest <= 20_000)


def test_one_text_is_not_a_list_of_its_characters():
    with pytest.raises(ValueError, match="a list of texts is needed"):
        explain(built("act"), "bad room")


def test_surrogates_are_replaced_in_their_places():
    (one,) = explain(built("act"), ["bad \ud800 room"])
    assert one.text == "bad \ufffd room"
    assert [(word.start, word.end) for word in one.words] == [(0, 3), (6, 10)]


def test_true_labels_may_be_numbers():
    """As pandas reads a column of stars."""
    model = built("cnn_kim")
    model.labels = ["1", "2"]
    found = explain(model, ["bad", "room"], pd.Series([1, 2]))
    assert [one.target for one in found] == ["1", "2"]
    with pytest.raises(zoo.UsageError, match="unknown label '3'"):
        explain(model, ["bad"], [3])


def test_of_logits_it_gives_probabilities():
    model = built("cnn_kim")
    (expected,) = explain(model, ["bad room"])
    logits = type(model).from_config(model.get_config() | {"logits": True})
    logits.build()
    logits.set_weights(model.get_weights())
    logits.preprocessor, logits.labels = model.preprocessor, model.labels
    (found,) = explain(logits, ["bad room"])
    assert found.label == expected.label
    assert list(found.probabilities.values()) == pytest.approx(
        list(expected.probabilities.values()), abs=1e-6
    )


def test_a_model_without_its_words_or_labels():
    model = zoo.build("ave", 2, vocabulary_size=5)
    with pytest.raises(ValueError, match="needs model.preprocessor and model.labels"):
        model.explain(["a"])


def test_as_many_targets_as_texts():
    with pytest.raises(ValueError, match="2 texts need as many targets: got 1"):
        explain(built("act"), ["a", "b"], ["no"])
