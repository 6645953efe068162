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


def test_several_kernel_sizes_add_up():
    """Section 4.2: the filters of each size read the words, and what they put out is summed."""
    model = zoo.build("act", 2, kernel_size=(3, 5), num_layers=1, vocabulary_size=20)
    ids = np.arange(1, 9)[None]
    words, _, _ = model.vectors(ids)
    convolutions = [*model.convolutions, *model.more_convolutions[0]]
    assert [one.kernel_size for one in convolutions] == [3, 5]
    outputs = [one(words) for one in convolutions]
    local, overall = (sum(np.asarray(one) for one in part) for part in zip(*outputs, strict=True))
    ours = model.attend(0, words, None)
    np.testing.assert_allclose(ours[0], model.norms[0](words + local), rtol=1e-5)
    np.testing.assert_allclose(ours[1], overall, rtol=1e-5)
    one_size = zoo.build("act", 2, num_layers=1, vocabulary_size=20)
    assert model.parameter_count() > one_size.parameter_count()
    copy = type(model).from_config(model.get_config())
    assert copy.kernel_size == (3, 5)
