"""Tables of what a model looks at in a corpus."""

import numpy as np

import zoo
from zoo.datasets import Preprocessor
from zoo.explanation.corpus_tables import attended_ngrams, filter_ngrams, weights_by_class
from zoo.explanation.explanation import Explanation, Word


def explanation(text, weights, label, target=None, sentences=None):
    words, end = [], 0
    places = sentences or [0] * len(weights)
    for one, weight, sentence in zip(text.split(), weights, places, strict=True):
        start = text.index(one, end)
        end = start + len(one)
        words.append(Word(one, start, end, sentence, True, weight, (weight,)))
    return Explanation(text, label, 1.0, {label: 1.0}, tuple(words), (), None, target)


CORPUS = [
    explanation("Good room", [0.75, 0.25], "yes", "yes"),
    explanation("not good room", [0.5, 0.25, 0.25], "no", "no"),
    explanation("good room here", [0.5, 0.25, 0.25], "yes", "no", [0, 0, 1]),
]


def test_weights_of_a_word_by_true_class():
    found = weights_by_class(CORPUS, "GOOD")
    assert found.values.tolist() == [["yes", 0.75], ["no", 0.25], ["no", 0.5]]
    assert weights_by_class(CORPUS, "missing").empty
    without = [explanation("good", [None], "yes", "yes")]
    assert weights_by_class(without, "good").empty and attended_ngrams(without).empty


def test_attended_ngrams_of_an_answer():
    found = attended_ngrams(CORPUS, size=1)
    assert found.values.tolist() == [["yes", "good", 0.625, 2], ["yes", "room", 0.25, 2]]
    found = attended_ngrams(CORPUS, size=2, min_count=1)
    assert found["ngram"].tolist() == ["not good", "good room", "good room"]  # no, no, yes
    assert found["class"].tolist() == ["no", "no", "yes"]
    np.testing.assert_allclose(found["weight"], [0.375, 0.25, (0.5 + 0.375) / 2])
    assert attended_ngrams(CORPUS, min_count=1, most=1)["ngram"].tolist() == ["not", "good"]


def test_filters_with_the_ngrams_that_excite_them():
    words = [f"w{i}" for i in range(20)]
    model = zoo.build("act", 2, vocabulary_size=22, embedding_dim=12, num_heads=2, filters=3)
    model.preprocessor = Preprocessor(words, max_words=15)
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(words, n)) for n in (1, 15, 7)] + ["", "w3 " * 40]
    found = filter_ngrams(model, texts, most=4, filters=6)
    assert found.groupby(["head", "filter"]).size().to_dict() == {
        (head, one): 4 for head in (1, 2) for one in (1, 2, 3)
    }
    assert not found.duplicated(["head", "filter", "ngram"]).any()
    for (head, one), own in found.groupby(["head", "filter"]):
        expected = {}  # text by text, by the layer itself
        for text in filter(None, texts):
            ids = model.preprocessor([text])
            *_, matches = model.convolutions[0](model.embed(ids), return_attention_scores=True)
            split = text.split()[:15]
            for place, match in enumerate(np.asarray(matches)[0, :, head - 1, one - 1]):
                ngram = " ".join(split[place : place + 3])
                expected[ngram] = max(match, expected.get(ngram, match))
        largest = sorted(expected.values(), reverse=True)[:4]
        np.testing.assert_allclose(own["match"], largest, atol=1e-5)
        np.testing.assert_allclose([expected[ngram] for ngram in own["ngram"]], largest, atol=1e-5)
    assert len(filter_ngrams(model, texts, layer=2, most=1)) == 6
    assert filter_ngrams(zoo.build("ssan", 2, vocabulary_size=5), texts) is None
    assert filter_ngrams(model, [""]).empty


def test_a_word_that_stands_often_pushes_no_other_out():
    model = zoo.build("act", 2, vocabulary_size=7, embedding_dim=12, num_heads=2, kernel_size=1)
    model.preprocessor = Preprocessor(list("abcde"))
    found = filter_ngrams(model, ["a " * 20 + "b c d e"], most=4, filters=80)
    assert (found.groupby(["head", "filter"]).size() == 4).all()


def test_filters_find_in_what_the_model_reads(monkeypatch):
    """Of relations, vectors of words and of their places."""
    model = zoo.build("act", 2, "relations", vocabulary_size=6, subwords=0)
    model.preprocessor = Preprocessor(list("abcd"), clean_up="relations", entities=True)
    text, read, call = "<e1>a</e1> b c <e2>d</e2>", [], model.convolutions[0].call

    def reads(words, **more):
        read.append(np.asarray(words))
        return call(words, **more)

    monkeypatch.setattr(model.convolutions[0], "call", reads)
    model(np.asarray(model.preprocessor([text])), training=False)
    filter_ngrams(model, [text])
    np.testing.assert_allclose(*read, atol=1e-6)
