"""The words and phrases that say most over a corpus."""

from tests.explanation.test_corpus_tables import explanation
from zoo.explanation.glance import at_a_glance


def added(text, numbers, label, sentences=None):
    """An explanation whose words have these contributions."""
    import dataclasses

    one = explanation(text, numbers, label, sentences=sentences)
    words = [
        dataclasses.replace(word, contribution=number)
        for word, number in zip(one.words, numbers, strict=True)
    ]
    return dataclasses.replace(one, words=tuple(words), explained=label)


CORPUS = [
    added("Good room", [2.0, -0.5], "yes"),
    added("a good bed", [0.0, 1.0, 0.0], "yes"),
    added("not good", [3.0, -1.0], "no"),
    added("so not good", [0.0, 3.0, -1.5], "no"),
]


def test_words_and_phrases_of_each_class_and_side():
    found = at_a_glance(CORPUS)
    assert found.values.tolist() == [
        ["no", "for", "not", 2, 3.0, "not good"],
        ["no", "against", "good", 2, -1.25, "so not good"],
        ["yes", "for", "good", 2, 1.5, "Good room"],
    ]
    assert len(at_a_glance(CORPUS, min_count=1)) > 3
    assert at_a_glance([]).empty


def test_a_phrase_is_of_one_sentence():
    apart = [added("bad good", [1.0, 1.5], "a", [0, 1])] * 2
    assert at_a_glance(apart)["phrase"].tolist() == ["good", "bad"]
    together = [added("bad good", [1.0, 1.5], "a")] * 2
    assert at_a_glance(together)["phrase"].tolist() == ["bad good"]


def test_the_example_is_cut():
    (row,) = at_a_glance([added("x " * 100 + "good", [0.0] * 100 + [1.0], "a")], min_count=1)[
        lambda table: table["phrase"] == "good"
    ].to_dict("records")
    assert row["example"].startswith("\u2026") and row["example"].endswith("good")
    assert len(row["example"]) <= 82
