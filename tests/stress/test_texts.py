"""Any text gets one answer, the same from a loaded model, a SavedModel and an explanation.

The models are tiny, trained and loaded as users do.
"""

import csv
import json

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.html_entities import decoded
from zoo.datasets.text.tokens import split_sentences
from zoo.datasets.text.word_places import placed_words
from zoo.evaluation.prediction import predict

SAME = 1e-5  # of a probability, between paths and batches
MODELS = {  # a kind each: options, clean-up
    "attcnn": ({"filters": 4, "attention_dim": 4}, "han"),
    "act": ({"num_heads": 2, "filters": 4, "attention_dim": 4}, "relations"),  # with entities
    "han": ({"units": 4, "attention_dim": 4}, "hcan"),
    "hcan": ({"num_heads": 2, "max_sentences": 4, "max_words": 6}, "kim"),
    "char_cnn": ({"filters": 4, "hidden_dim": 8}, "characters"),
    "svm_bigrams": ({}, "tokens"),
}

WORDS = "Good bad stay . ! ? , n't don't 's 'tis U.S. 3.5 ... [UNK] room-mate".split()
SPACES = (" ", "  ", "\t", "\n", "\r\n", "\n\n", "\r", "\v", "\f", "\x85", "\u2028", "\u3000")
MARKS = ("<e1>", "</e1>", "<E2>", "</e2>", "<e1", "\x01", "\x02", "\x03", "\x04", "\x1f", "\x00")
ODD = (
    *"\ud800 \udfff \ud83d\ude00 \udcff e\u0301 \u0301 \u200b\u200d \u202e \ufeff".split(" "),
    *"\ufffd \u1e9e \u0130 \ufb01 \u03a3\u03a3 \u2c2f \U00010570 \u2019".split(" "),
    *"\u4f60\u597d \U0001f469\u200d\U0001f467 \U0010ffff".split(" "),
)
SCRIPTS = (  # words and sentence ends
    *("\u0939\u094b\u091f\u0932", "\u597d\u5403", "\u0e14\u0e35", "\u062c\u064a\u062f"),
    *("\uff13\uff0e\uff15", "\u0531\u0576", "\u2026", "\uff0e"),
    *"\u0964\u3002\uff01\uff1f\u061f\u06d4\u0589\u1362\u17d4\u104b\uff61\u203d",
)
ENTITIES = (
    *"&amp; &amp;lt; &lt;e1&gt; &eacute; &nbsp; &#39; &#x1F600; &#0; &#31; &#128; &#xD800;".split(),
    *"&#99999999999; &#x110000; &#; &#x; &bogus; &acE; &fjlig; &AMP &NewLine; &#1;".split(),
)
KINDS = (*WORDS, *SPACES, *MARKS, *ODD, *SCRIPTS, *ENTITIES)
PIECES = st.sampled_from(KINDS) | st.text(st.characters(), max_size=8)
TEXTS = st.lists(PIECES, max_size=20).flatmap(
    lambda pieces: st.sampled_from(("", " ")).map(lambda between: between.join(pieces))
)
LONG = {
    "words": "good " * 100_000,
    "one word": "x" * 100_000,
    "marks": ". " * 50_000,
    "sentences": "Bad stay.\n\n" * 10_000,
    "entities": "<e1>good</e1> <e2>" * 10_000,
    "NULs": "\0" * 100_000,
    "combining marks": "e" + "\u0301" * 100_000,
    "apostrophes": "'" * 100_000,
    "letters that TensorFlow does not lower": "\u2c2f" * 100_000,
    "letters that are two in lower case": "\u0130 " * 50_000,
    "surrogates": "\ud800 " * 50_000,
    "references of HTML": "&eacute;&#128512; &amp;amp;" * 10_000,
    "a long number": f"&#{'9' * 100_000};",
    "an ampersand": "&" * 100_000,
    "a name without an end": "&" + "a" * 100_000,
    "texts without blanks": "\u597d\u5403\u3002" * 30_000,
    "dandas": "\u0939\u0948\u0964 " * 30_000,
    "spaces": " " * 100_000,
    "line ends": "\r\n" * 50_000,
    "emoji": "\U0001f600" * 100_000,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Texts of several lines, with two entities in each."""
    path = tmp_path_factory.mktemp("data") / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("text", "label"))
        for i in range(60):
            for word, label in (("good", "yes"), ("bad", "no")):
                text = f"A {word}, {word} <e1>stay {i}</e1>.\nWasn't it?\r\n\r\n<e2>We</e2> {word}!"
                rows.writerow((text, label))
    return path


@pytest.fixture(scope="module", params=MODELS)
def both(request, data, tmp_path_factory, saved_models):
    """A loaded model, and its SavedModel."""
    options, clean_up = MODELS[request.param]
    with saved_models():
        run = zoo.train(
            request.param,
            str(data),
            options={"embedding_dim": 4} | options,
            clean_up=clean_up,
            epochs=1,
            output=tmp_path_factory.mktemp("runs"),
            verbose=0,
        )
    model = zoo.load(run)
    if model.reads_word_vectors:  # which a SavedModel stores in 16 bits
        vectors = model.embed.embeddings
        vectors.assign(vectors.numpy().astype("float16").astype("float32"))
    return model, tf.saved_model.load(run / "saved_model")


def answers(rows, model):
    """Rows of probabilities, checked to be such."""
    rows = np.asarray(rows)
    assert rows.shape[1:] == (model.num_classes,) and np.isfinite(rows).all()
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(-1), 1, atol=SAME)
    return rows


def check_explanation(one, model, row):
    json.dumps(one.to_dict(), ensure_ascii=False).encode()
    np.testing.assert_allclose(list(one.probabilities.values()), row, atol=SAME)
    before = 0
    for word in one.words:
        assert before <= word.start <= word.end <= len(one.text)
        assert one.text[word.start : word.end] == word.text
        before = word.start if word.start == word.end else word.end
        assert np.isfinite(word.contribution)
        if word.weight is not None:
            assert np.isfinite(word.weight) and 0 <= word.weight <= 1 + SAME
    weights = [word.weight for word in one.words if word.weight is not None]
    if weights and not model.hierarchical and model.name == "act":
        assert sum(weights) == pytest.approx(1, abs=1e-4)
    if one.sentences:
        assert sum(one.sentences) == pytest.approx(1, abs=1e-4)
        assert [word.sentence for word in one.words] == sorted(word.sentence for word in one.words)


def check_paths(texts, model, served):
    """All paths from texts to answers."""
    rows = answers(model.predict(texts, verbose=0), model)
    utf8 = [well_formed(text) for text in texts]
    result = served.serve(tf.constant(np.array(utf8, object)))
    np.testing.assert_allclose(result["probabilities"], rows, atol=SAME)
    explained = model.explain(texts)
    assert [one.text for one in explained] == utf8
    assert [len(text) for text in utf8] == [len(text) for text in texts]
    for one, row in zip(explained, rows, strict=True):
        check_explanation(one, model, row)
    return rows


@settings(max_examples=60)
@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
def test_every_path_gives_the_same_answer(both, texts, cases):
    model, served = both
    cases("texts: predicted, served, explained", len(texts))
    rows = check_paths(texts, model, served)
    alone = answers(model.predict(texts[-1:], verbose=0), model)
    np.testing.assert_allclose(alone, rows[-1:], atol=SAME)
    turned = answers(model.predict([*texts[::-1], "good " * 9], verbose=0), model)
    np.testing.assert_allclose(turned[:-1], rows[::-1], atol=SAME)


@settings(max_examples=4)
@given(texts=st.lists(TEXTS, min_size=33, max_size=60))
def test_the_pipeline_gives_the_same_answers(both, texts, cases):
    model, _ = both
    cases("texts: through the pipeline", len(texts))
    rows = np.concatenate([model.predict(texts[i : i + 9]) for i in range(0, len(texts), 9)])
    np.testing.assert_allclose(model.predict(texts, verbose=0), rows, atol=SAME)
    found = list(predict(model, texts))
    assert [one["text"] for one in found] == [well_formed(text) for text in texts]
    own = [list(one["probabilities"].values()) for one in found]
    np.testing.assert_allclose(own, rows, atol=SAME)
    json.dumps(found, ensure_ascii=False).encode()


@settings(max_examples=30)
@given(texts=st.lists(st.binary(max_size=60), min_size=1, max_size=5))
def test_bytes_that_are_not_utf8_get_an_answer(both, texts, cases):
    model, served = both
    cases("texts: bytes", len(texts))
    rows = answers(model.predict(texts, verbose=0), model)
    result = served.serve(tf.constant(np.array(texts, object)))
    np.testing.assert_allclose(result["probabilities"], rows, atol=SAME)


@settings(max_examples=60)
@given(text=TEXTS)
def test_references_read_as_their_characters(both, text, cases):
    """Each character of the text may be written as its number; nothing is decoded twice."""
    model, _ = both
    cases("texts: scripts, marks, entities")
    text = well_formed(decoded(text)[0])
    numbers = "".join(f"&#{ord(one)};" if not 128 <= ord(one) < 160 else one for one in text)
    words, plain = (
        model.preprocessor.words([one]).to_list() for one in (numbers, text.replace("&", "&amp;"))
    )
    assert words == plain


@settings(max_examples=60)
@given(texts=st.lists(st.sampled_from(SCRIPTS + tuple("ab ")), max_size=9).map("".join))
def test_sentences_end_at_their_marks(both, texts, cases):
    """No sentence has a word after a mark that ends it, but for further marks."""
    model, _ = both
    cases("texts: scripts, marks, entities")
    if model.hierarchical and model.preprocessor.clean_up != "kim":
        ends = set("\u0964\u3002\uff01\uff1f\u061f\u06d4\u0589\u1362\u17d4\u104b\uff61\u203d")
        for sentence in split_sentences([texts], model.preprocessor.clean_up).to_list()[0]:
            marks = [word.decode() in ends for word in sentence]
            assert not any(ends & set(word.decode()) for word in sentence if len(word.decode()) > 1)
            first = marks.index(True) if True in marks else len(marks)
            rest = [word.decode() for word in sentence[first:]]
            assert all(set(word) <= ends | set("\uff0e.!?") for word in rest)  # "..." is one


@settings(max_examples=60)
@given(text=TEXTS)
def test_what_cannot_be_read_is_a_space(both, text, cases):
    """Nothing ends a text before its end: a known word after it counts."""
    model, _ = both
    cases("texts: read to their end")
    texts = [text[:40] + " zebra"]
    (placed,) = placed_words(model.preprocessor.tokens(texts))
    if not model.hierarchical:  # which may have too many sentences
        assert "zebra" in "".join(word for word, _, _ in placed[0])


@pytest.mark.parametrize("kind", LONG)
def test_long_texts(both, kind, cases):
    model, served = both
    cases("texts: long")
    rows = check_paths(["good", LONG[kind], ""], model, served)
    np.testing.assert_allclose(model.predict(["good", ""]), rows[[0, 2]], atol=SAME)
