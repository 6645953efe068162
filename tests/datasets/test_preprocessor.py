"""Texts to ids."""

import logging
import pickle
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets import Preprocessor
from zoo.datasets import preprocessor as preprocessor_module
from zoo.datasets.clean_ups import CLEAN_UPS, split_roles, split_sentences, split_words
from zoo.datasets.texts import text_dataset


def decoded(ragged):
    return [[word.decode() for word in text] for text in ragged.to_list()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It DOESN'T work; it’s a (bad) mixer!", "it doesnt work its a bad mixer !"),
        ("Rated 3.5 of 5. Wow!!", "rated 3.5 of 5 . wow ! !"),
        ("Wait... really?Yes", "wait ... really ? yes"),
        ("CAFÉ Ünïted Ελλάδα 日本", "café ünïted ελλάδα 日本"),
        ("a|b\tc\u00a0d\ne <br/>", "a b c d e br"),
        ("", ""),
        ("🙂 --", ""),
    ],
)
def test_clean_up_keeps_letters_digits_and_marks(text, words):
    assert decoded(split_words(tf.constant([text]))) == [words.split()]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["one .", "two !", "three ?", "four"]),
        ("So good!!! Really . . . yes", ["so good ! ! !", "really . . .", "yes"]),
        ("Title\n\nbody of\nthe text", ["title", "body of the text"]),
        ("It is 3.5 miles. Fine", ["it is 3.5 miles .", "fine"]),
        ("| .. |", [".."]),
        ("", []),
    ],
)
def test_sentences_end_at_marks_and_empty_lines(text, sentences):
    assert decoded(split_sentences(tf.constant([text]))[0]) == [s.split() for s in sentences]


def test_bytes_that_are_not_utf8_are_replaced():
    assert decoded(split_words(tf.constant([b"good \xff\xfe bad"]))) == [["good", "bad"]]


def test_surrogates_are_replaced_as_bytes_are():
    texts = ["good \ud800 bad", "good \udcff bad"]
    for read in (texts, np.array(texts, object), next(iter(text_dataset(texts).batch(2)))):
        assert decoded(split_words(read, "tokens")) == 2 * [["good", "\ufffd", "bad"]]
    roles = split_roles(["<e1>good</e1> \ud800"])
    assert decoded(roles[0]) == [["good", "\ufffd"]]


@pytest.mark.parametrize("value", [None, float("nan"), 3])
def test_what_is_no_string_is_refused(value):
    with pytest.raises(zoo.UsageError, match=f"texts must be strings: got {value}"):
        split_words(["good", value])


@pytest.mark.parametrize("clean_up", CLEAN_UPS)
def test_a_nul_does_not_end_a_text(clean_up):
    spaced, with_nul = (decoded(split_words([text], clean_up)) for text in ("a b c", "a\0b\0c"))
    assert with_nul == spaced


def test_characters_of_a_vocabulary_stand_a_line_each():
    vocabulary = Preprocessor.fit(["a\nb\r\n"] * 2, clean_up="characters").vocabulary
    assert sorted(vocabulary) == [" ", "a", "b"]


def test_vocabulary_has_the_frequent_words_only():
    texts = ["a a a b b c", "a b d"]
    assert Preprocessor.fit(texts, min_count=2).vocabulary == ["a", "b"]
    assert Preprocessor.fit(texts, min_count=2, max_vocabulary=1).vocabulary == ["a"]
    with pytest.raises(zoo.UsageError, match="clean-up 'kim' leaves no word of the training"):
        Preprocessor.fit(["\u05e9\u05dc\u05d5\u05dd"] * 5, clean_up="kim")
    with pytest.raises(zoo.UsageError, match="no word of the training texts stands there 9 times"):
        Preprocessor.fit(texts, min_count=9)


def test_ever_new_words_do_not_fill_the_memory(monkeypatch):
    """Beyond a number of different words the rarest are forgotten, the frequent never."""
    monkeypatch.setattr(preprocessor_module, "MOST_COUNTED", 2000)
    texts = [f"the number {i} is {i % 7}" for i in range(5000)]
    vocabulary = Preprocessor.fit(texts).vocabulary
    assert vocabulary[:3] == ["the", "number", "is"]
    assert set(vocabulary[3:]) == set("0123456")


def test_of_ever_new_words_the_most_frequent_are_found(monkeypatch):
    """However often memory runs short, few of the most frequent are lost."""
    monkeypatch.setattr(preprocessor_module, "MOST_COUNTED", 2000)
    ranks = np.random.default_rng(0).zipf(1.2, (20_000, 20)) % 10**6
    texts = [" ".join(f"w{rank}" for rank in row) for row in ranks]
    counts = Counter(" ".join(texts).split())
    assert len(counts) > 20 * 2000
    vocabulary = Preprocessor.fit(texts, max_vocabulary=500).vocabulary
    frequent = {word for word, _ in counts.most_common(500)}
    assert len(vocabulary) == 500 and len(frequent & set(vocabulary)) >= 490


def test_ids_of_padding_unknown_and_known_words():
    flat = Preprocessor(["good", "bad"])
    ids = flat(tf.constant(["good bad new", "bad"]))
    np.testing.assert_array_equal(ids, [[2, 3, 1], [3, 0, 0]])
    sentences = Preprocessor(["good", "bad"], max_sentences=9)(tf.constant(["good! bad"]))
    np.testing.assert_array_equal(sentences, [[[2, 1], [3, 0]]])


@settings(max_examples=60)
@given(texts=st.lists(st.text(), min_size=1, max_size=3), hierarchical=st.booleans())
def test_any_text_gives_ids_of_at_least_one_word(texts, hierarchical):
    preprocessor = Preprocessor(["a"], 5, 3 if hierarchical else None)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ids = preprocessor(tf.constant(encoded)).numpy()
    assert ids.shape[0] == len(texts)
    assert all(1 <= size <= limit for size, limit in zip(ids.shape[:0:-1], (5, 3), strict=False))
    assert ids.min() >= 0
    assert ids.max() <= 2


@pytest.mark.parametrize("max_sentences", [None, 2])
def test_cut_texts_are_reported(max_sentences, caplog):
    with caplog.at_level(logging.WARNING, "zoo"):
        Preprocessor.fit(["a a a", "a a", "a a a a"], 3, max_sentences)
    limit = "3 words" if max_sentences is None else "2 sentences or 3 words a sentence"
    assert caplog.messages == [f"1 of 3 training texts are longer than {limit} and are cut"]


@settings(max_examples=6)
@given(
    lengths=st.lists(st.lists(st.integers(1, 9), max_size=5), min_size=1, max_size=30),
    percentile=st.integers(1, 100),
)
def test_limits_by_percentile_hold_for_that_share_of_texts(lengths, percentile):
    texts = ["\n\n".join("a " * words for words in text) for text in [*lengths, [1]]]
    fitted = Preprocessor.fit(texts, 100, 100, min_count=1, percentile=percentile)
    longest, sentences = zip(*((max(x, default=0), len(x)) for x in [*lengths, [1]]), strict=True)
    for limit, sizes in ((fitted.max_words, longest), (fitted.max_sentences, sentences)):
        assert np.mean(np.array(sizes) <= limit) >= percentile / 100
        assert limit == 1 or np.mean(np.array(sizes) <= limit - 1) < percentile / 100


@pytest.mark.parametrize(
    ("clean_up", "words"),
    [
        ("hcan", "he doesnt like 3.5 of 1 000 well made s cats tails !"),
        ("han", "he does n't like 3.5 of 1,000 ( well-made ) 's , cats ' tails !"),
        ("kim", "he does n't like 3 5 of 1 , 000 ( well made ) 's , cats' tails !"),
        ("tokens", "he doesn't like 3.5 of 1,000 (well-made) 's , cats' tails !"),
    ],
)
def test_clean_ups_of_the_papers(clean_up, words):
    text = "He doesn't like 3.5 of 1,000 (well-made) 's , cats' tails !"
    assert decoded(split_words(tf.constant([text]), clean_up)) == [words.split()]


def test_kims_contractions():
    """His process_sentence: each ending is a word; quotes and backticks stay in theirs."""
    text = "I've, we're I'd it'll can't `quoted' don't-know"
    words = "I 've , we 're I 'd it 'll ca n't `quoted' do n't know"
    assert decoded(split_words(tf.constant([text]), "kim")) == [words.lower().split()]


def test_an_unknown_clean_up_has_a_nearest_match():
    with pytest.raises(zoo.UsageError, match="unknown clean-up 'hcam'. Did you mean 'hcan'"):
        Preprocessor(["a"], clean_up="hcam")


def test_characters_make_no_sentences():
    for make in (Preprocessor, Preprocessor.fit):
        with pytest.raises(zoo.UsageError, match="for models without sentences"):
            make(["a"], max_sentences=3, clean_up="characters")


@pytest.mark.parametrize("make", [Preprocessor, Preprocessor.fit])
@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_words": 0}, "max_words must be a whole number of at least 1: got 0"),
        ({"max_sentences": -1}, "max_sentences must be a whole number of at least 1: got -1"),
        ({"ngrams": 0}, "ngrams must be a whole number of at least 1: got 0"),
        ({"ngrams": 2, "max_sentences": 3}, "ngrams must be 1 where there are sentences: got 2"),
    ],
)
def test_limits_that_leave_no_word_are_refused(make, limits, message):
    with pytest.raises(ValueError, match=message):
        make(["a"], **limits)


@pytest.mark.parametrize("clean_up", [name for name in CLEAN_UPS if name != "characters"])
@settings(max_examples=30)
@given(texts=st.lists(st.text(), min_size=1, max_size=3))
def test_sentences_are_the_words_of_the_text(clean_up, texts):
    texts = tf.constant([text.encode("utf-8", "surrogatepass") for text in texts])
    sentences = split_sentences(texts, clean_up)
    words = split_words(texts, clean_up)
    assert sentences.merge_dims(1, 2).to_list() == words.to_list()


@pytest.mark.parametrize("clean_up", ["hcan", "han", "kim", "tokens", "relations"])
def test_further_words_are_those_that_a_text_can_have(clean_up):
    first = Preprocessor(["good", "stay"], 7, None, clean_up)
    further = ["Good", "new york", "Dull", "dull", "", "a\u0300b.!", "sad", "bad"]
    known = first.extended(further, max_vocabulary=4)
    assert known.vocabulary[:3] == ["good", "stay", "dull"] and len(known.vocabulary) == 4
    ids = known(tf.constant(["GOOD DULL never stay"])).numpy().tolist()
    assert ids == [[2, 4, 1, 3]]
    assert known.max_words == 7 and known.clean_up == clean_up
    assert first.extended(further, max_vocabulary=1).vocabulary == ["good", "stay"]
    assert first.extended([], 9).vocabulary == ["good", "stay"]


def test_words_are_the_same_under_any_locale(monkeypatch):
    """Under a Turkish one, TensorFlow's lower case of I is another letter, or I itself."""
    monkeypatch.setattr(tf.strings, "lower", lambda texts, encoding: texts)
    assert split_words(["IN \u0130t"])[0].numpy().tolist() == [b"iN", "i\u0307t".encode()]


@pytest.mark.parametrize("how", [{"ngrams": 2}, {"clean_up": "relations", "entities": True}])
def test_copies_and_extensions_read_alike(how):
    preprocessor = Preprocessor(["a", "b", "a b"], max_words=5, **how)
    texts = ["<e1>a</e1> b <e2>c</e2>"] if "entities" in how else ["a b c"]
    copy = pickle.loads(pickle.dumps(preprocessor))
    np.testing.assert_array_equal(copy(texts), preprocessor(texts))
    extended = preprocessor.extended(["d"], 9)
    assert (extended.ngrams, extended.entities) == (preprocessor.ngrams, preprocessor.entities)
    np.testing.assert_array_equal(extended(texts), preprocessor(texts))


def test_ngrams_are_of_the_words_that_are_read():
    preprocessor = Preprocessor(["a", "b", "c", "b c"], max_words=2, ngrams=2)
    np.testing.assert_array_equal(preprocessor(["a b c"]), [[2, 3, 1]])  # "a b" is unknown


def test_emojis_that_a_clean_up_leaves_out_are_told(caplog):
    texts = ["fine \U0001f600", "bad \u2639", "so so", "fine"]
    Preprocessor.fit(texts, clean_up="han", min_count=1)
    Preprocessor.fit(["plain"] * 200 + texts[:1], clean_up="hcan")  # too few to matter
    assert not caplog.text
    Preprocessor.fit(texts, clean_up="hcan", min_count=1)
    told = "2 of the first 4 training texts have emojis, which the clean-up 'hcan'"
    assert told in caplog.text
    as_bytes = [text.encode() for text in texts]
    for others in (as_bytes, np.array(as_bytes), tf.constant(as_bytes)):
        caplog.clear()
        Preprocessor.fit(others, clean_up="hcan", min_count=1)
        assert told in caplog.text
