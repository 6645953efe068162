"""What only ACT has: n-grams that excite its filters."""

import numpy as np

import zoo
from zoo.datasets import Preprocessor


def test_filters_with_the_ngrams_that_excite_them():
    words = [f"w{i}" for i in range(20)]
    model = zoo.build("act", 2, vocabulary_size=22, embedding_dim=12, num_heads=2, filters=3)
    model.preprocessor = Preprocessor(words, max_words=15)
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(words, n)) for n in (1, 15, 7)] + ["", "w3 " * 40]
    found = model.filter_ngrams(texts, most=4, filters=6)
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
    assert len(model.filter_ngrams(texts, layer=2, most=1)) == 6
    (table,) = model.corpus_tables(texts).values()
    assert table.equals(model.filter_ngrams(texts))
    assert zoo.build("act_transformer", 2, vocabulary_size=5).corpus_tables(texts) == {}
    assert model.filter_ngrams([""]).empty


def test_a_word_that_stands_often_pushes_no_other_out():
    model = zoo.build("act", 2, vocabulary_size=7, embedding_dim=12, num_heads=2, kernel_size=1)
    model.preprocessor = Preprocessor(list("abcde"))
    found = model.filter_ngrams(["a " * 20 + "b c d e"], most=4, filters=80)
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
    model.filter_ngrams([text])
    np.testing.assert_allclose(*read, atol=1e-6)
