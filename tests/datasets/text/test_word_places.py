"""Words stand where they stood in the original text."""

import html
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.datasets import Preprocessor
from zoo.datasets.text.clean_ups import BLANKS, CLEAN_UPS
from zoo.datasets.text.html_entities import ENTITY
from zoo.datasets.text.tokens import split_words
from zoo.datasets.text.word_places import placed_words, places

WORDS = (
    "Don't it’s 'quoted' U.S. 3.5 end... what?! (so) rock&roll -- Été naïve 你好 a_b `tick` İ ΟΣ"
)
ENTITIES = "&amp; &eacute;t&eacute; &#39;s&#x20; &lt;e1&gt; &nbsp; &bogus; &amp;lt; &#304;"
PIECES = st.sampled_from([*WORDS.split(), *ENTITIES.split(), "\n\n", "\t", "\U0001f600"])
TEXTS = st.lists(PIECES, max_size=12).flatmap(
    lambda pieces: st.sampled_from(["", " ", "  "]).map(lambda space: space.join(pieces))
)


def placed(preprocessor, text):
    (found,) = placed_words(preprocessor.tokens([text]))
    return found


def same(slice_, word):
    """Whether a clean-up of the slice could be the word: its characters in order, none added."""
    marks = str.maketrans({"\u2019": "'", "\u03c2": "\u03c3"} | dict.fromkeys("\r\n", " "))
    decoded = re.sub(ENTITY, lambda entity: html.unescape(entity[0]), slice_)
    rest = iter(re.sub(BLANKS, " ", decoded).lower().translate(marks))
    return all(character in rest for character in word.lower().translate(marks))


@pytest.mark.parametrize("clean_up", CLEAN_UPS)
@given(text=TEXTS | st.text(max_size=40))
@settings(max_examples=50)
def test_a_word_is_what_stands_at_its_place(clean_up, text):
    words = [word.decode() for word in split_words([text], clean_up)[0].numpy()]
    spans = places(text, words, clean_up)
    assert len(spans) == len(words)
    before = 0
    for word, (start, end) in zip(words, spans, strict=True):
        assert before <= start <= end <= len(text)
        assert end == start or same(text[start:end], word)
        before = start if end == start else end


def test_words_beyond_the_limits_are_passed_over():
    text = "One two three. ONE two, three!  Don't one"
    flat = Preprocessor(["one"], max_words=2)
    assert placed(flat, text) == [[("one", 0, 3), ("two", 4, 7)]]
    hierarchical = Preprocessor(["one"], max_words=2, max_sentences=3)
    assert placed(hierarchical, text) == [
        [("one", 0, 3), ("two", 4, 7)],
        [("one", 15, 18), ("two", 19, 22)],
        [("dont", 32, 37), ("one", 38, 41)],
    ]
    assert placed(hierarchical, "") == []
    assert placed(flat, "") == [[]]


@pytest.mark.parametrize("blank", "\0 \x1f \n \r".split(" "))
def test_what_the_clean_up_makes_a_space_is_one_here(blank):
    preprocessor = Preprocessor(["a"], clean_up="characters")
    assert placed(preprocessor, f"a{blank}b") == [[("a", 0, 1), (" ", 1, 2), ("b", 2, 3)]]


def test_a_reference_is_the_place_of_its_character():
    text = "Caf&eacute;&nbsp;R&amp;amp;D &#x1F600;! &lt;i&gt;"
    ((cafe, r, et, amp, semicolon, d, smile, mark, *_),) = placed(
        Preprocessor(["a"], clean_up="han"), text
    )
    assert [text[start:end] for _, start, end in (cafe, r, et, amp, semicolon, d, smile, mark)] == (
        "Caf&eacute; R &amp; amp ; D &#x1F600; !".split()
    )
    assert cafe[0] == "caf\u00e9" and smile[0] == "\U0001f600"
    first = Preprocessor(["a"], clean_up="han", version=1)  # as it was read before
    assert [word for word, _, _ in placed(first, "R&amp;D")[0]] == "r & amp ; d".split()


def test_a_reference_of_two_characters_in_two_words_is_in_the_first():
    (words,) = placed(Preprocessor(["a"], clean_up="han"), "a&acE;b")
    assert [one[1:] for one in words] == [(0, 1), (1, 6), (6, 7)]


def test_surrogates_have_a_place():
    preprocessor = Preprocessor(["a"], clean_up="tokens")
    assert placed(preprocessor, "a \ud800") == [[("a", 0, 1), ("\ufffd", 2, 3)]]


def test_a_character_that_is_nowhere_is_looked_for_once():
    """Else each of many such words would be looked for to the end of the text."""
    count = 50_000
    started = time.perf_counter()
    assert places("a" * count, ["\u2c5f"] * count) == [(0, 0)] * count
    assert time.perf_counter() - started < 5


def test_letters_that_tensorflow_does_not_know_have_their_places():
    preprocessor = Preprocessor(["a"], clean_up="tokens")
    ((first, second),) = placed(preprocessor, "\u2c2f \u2c2fb")
    assert first[1:] == (0, 1)
    assert second[1:] == (2, 4)
