"""Texts to ids."""

import html
import logging
import pickle
import re
import unicodedata
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets import Preprocessor
from zoo.datasets.text import preprocessor as preprocessor_module
from zoo.datasets.text.clean_ups import CLEAN_UPS, DOTS, ENDS, RULES
from zoo.datasets.text.html_entities import CHARACTERS, decode
from zoo.datasets.text.html_entities import decoded as decoded_in_python
from zoo.datasets.text.text_tensors import text_dataset
from zoo.datasets.text.tokens import split_roles, split_sentences, split_words


def decoded(ragged):
    return [[word.decode() for word in text] for text in ragged.to_list()]


def in_python(characters):
    """What stands between brackets, from RE2's syntax to that of ``re``."""
    return re.sub(r"\\x\{(\w+)\}", lambda found: f"\\U{found[1]:0>8}", characters)


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


MARKED = [name for name in CLEAN_UPS if name not in ("tokens", "characters")]
UNICODE = "".join(map(chr, range(0x20000)))
TERMINALS = re.findall(f"[{in_python(ENDS)}]", UNICODE)
AMBIGUOUS = [".", *re.findall(f"[{in_python(DOTS)}]", UNICODE)]


def test_the_terminals_are_those_of_unicode():
    """By the names that Unicode gives most of them; the numbers are those of Unicode 18."""
    assert len(TERMINALS) + len(AMBIGUOUS) == 172
    known = "\u0964\u0965\u3002\uff01\uff1f\uff61\u061f\u06d4\u0589\u1362\u1367\u17d4\u104a\u104b"
    assert set(known) < set(TERMINALS)
    assert not {"\u2026", ",", ";", ":", "\u3001", "\uff0c", "\u00bf", "\u00a1", "\u0e2f"} & set(
        TERMINALS
    )
    kinds = ("FULL STOP", "QUESTION MARK", "EXCLAMATION MARK", "DANDA", "INTERROBANG")
    names = [unicodedata.name(mark, "") for mark in TERMINALS]
    assert sum(any(kind in name for kind in kinds) for name in names) > 50


@pytest.mark.parametrize("clean_up", MARKED)
def test_sentences_end_at_every_terminal_of_unicode(clean_up):
    """Also where no blank follows; dots need one, as numbers and abbreviations have them."""
    texts = [f"one two{mark}three {mark} four{mark}" for mark in TERMINALS]
    texts += [f"one two{mark} three {mark} four{mark}" for mark in AMBIGUOUS]
    for mark, found in zip(
        [*TERMINALS, *AMBIGUOUS], split_sentences(texts, clean_up).to_list(), strict=True
    ):
        words = [
            [word.decode() for word in sentence if word != mark.encode()] for sentence in found
        ]
        assert words == [["one", "two"], ["three"], ["four"]], hex(ord(mark))
        if clean_up != "kim" or mark in "!?":  # Kim's leaves other marks out
            assert all(sentence[-1] == mark.encode() for sentence in found)


@pytest.mark.parametrize("clean_up", ["hcan", "han", "relations"])
@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "\u597d\u5403\u3002\u63a8\u8350\uff01\uff1f\u5dee",
            ["\u597d\u5403 \u3002", "\u63a8\u8350 \uff01 \uff1f", "\u5dee"],
        ),
        ("\uff13\uff0e\uff15\u70b9\uff0e\u6b21", ["\uff13\uff0e\uff15\u70b9 \uff0e", "\u6b21"]),
        ("3.5 u.s today. So", ["3.5 u.s today .", "so"]),
        ("\u0939\u0948\u0964\u0964 \u0915\u0932", ["\u0939\u0948 \u0964 \u0964", "\u0915\u0932"]),
        ("wait\u2026 really", None),
    ],
)
def test_sentences_of_other_scripts(clean_up, text, sentences):
    found = decoded(split_sentences([text], clean_up)[0])
    assert len(found) == 1 if sentences is None else found == [s.split() for s in sentences]


def test_sentences_of_a_text_with_dandas_are_not_one():
    """Twelve sentences of twelve words: none is cut."""
    text = ("\u0915\u092e\u0930\u093e " * 11 + "\u0905\u091a\u094d\u091b\u093e\u0964 ") * 12
    for clean_up in MARKED[:2]:
        sizes = split_sentences([text], clean_up)[0].row_lengths().numpy().tolist()
        assert sizes == 12 * [13]


def test_the_first_version_is_as_it_was():
    """Models that were trained with it read as before."""
    texts = ["One\u3002two\u0964 three &amp; caf&eacute;\u00a0x", "It's 3.5. So!"]
    for clean_up, words in {
        "hcan": "one two three amp caf eacute x",
        "han": "one \u3002 two \u0964 three & amp ; caf & eacute ; \u00a0 x",
        "kim": "one two three amp caf eacute x",
        "tokens": "one\u3002two\u0964 three &amp; caf&eacute;\u00a0x",
    }.items():
        ours = decoded(split_words(texts, clean_up, version=1))
        assert ours[0] == words.split(" ")
        assert len(split_sentences(texts, clean_up, version=1).to_list()[0]) == 1
    first = Preprocessor(["one"], max_sentences=3, clean_up="han", version=1)
    for copy in (first, pickle.loads(pickle.dumps(first)), first.extended(["two"], 9)):
        assert decoded(copy.words(texts)[0])[0] == decoded(split_words(texts, "han", 1))[0]
    for wrong in (0, 3, "2", True, None):
        with pytest.raises(ValueError, match="version must be 1 or 2: got"):
            Preprocessor(["a"], version=wrong)
        with pytest.raises(ValueError, match="version must be 1 or 2: got"):
            Preprocessor.fit(["a a"], version=wrong)


@pytest.mark.parametrize("clean_up", CLEAN_UPS)
@settings(max_examples=5)
@given(
    texts=st.lists(st.text(st.characters(max_codepoint=127, exclude_characters="&\v")), min_size=20)
)
def test_words_of_ascii_are_the_same_in_both_versions(clean_up, texts):
    both = [split_words(texts, clean_up, version).to_list() for version in RULES]
    assert both[0] == both[1]
    if clean_up not in ("kim", "characters"):  # Kim's sentences also end at dots, which he drops
        both = [split_sentences(texts, clean_up, version).to_list() for version in RULES]
        assert both[0] == both[1]


def test_references_of_html_are_decoded():
    names = [*CHARACTERS, *(f"&#{code};" for code in range(32, 800)), "&#x1F600;", "&#XD800;"]
    plain = [html.unescape(name) for name in names]
    drops = [not one for one in plain]  # Python leaves DEL out, which a text may have
    assert sum(drops) == 1
    texts = [f"x{name}y &#bogus; &no; & {name}" for name in names]
    expected = [f"x{one or chr(127)}y &#bogus; &no; & {one or chr(127)}" for one in plain]
    expected = [re.sub("[\x85\xa0\u2000-\u200a\u205f]", " ", one) for one in expected]
    blanks = RULES[2].blanks
    assert [one.decode() for one in decode(tf.constant(texts), blanks).numpy()] == expected
    assert [re.sub(blanks, " ", decoded_in_python(one)[0]) for one in texts] == expected


@pytest.mark.parametrize(
    ("text", "decoded_once"),
    [
        ("&amp;lt; &amp;amp;", "&lt; &amp;"),
        ("&#0;&#31;&#9;a", "  \ta"),
        ("&#1114112;&#x110000;&#99999999999999999999;&#xFFFFFFFFFF;&#xDFFF;", "\ufffd" * 5),
        ("&#00000000000000065;&#x000000000000041;&#128;&#x92;&#129;", "AA\u20ac\u2019\x81"),
        ("&amp &#65 &;&#;&#x;&AMP;&Eacute;&EACUTE;", "&amp &#65 &;&#;&#x;&\u00c9&EACUTE;"),
        ("&&lt;;&#ab;&gt;&#xx;&nbsp;.", "&<;&#ab;>&#xx; ."),
        ("&fjlig;&acE;", "fj\u223e\u0333"),
        ("none", "none"),
    ],
)
def test_odd_references(text, decoded_once):
    blanks = RULES[2].blanks
    assert decode(tf.constant(["", text, "x"]), blanks).numpy()[1].decode() == decoded_once
    assert re.sub(blanks, " ", decoded_in_python(text)[0]) == decoded_once


@pytest.mark.parametrize("clean_up", CLEAN_UPS)
def test_a_text_with_references_reads_as_one_without(clean_up):
    plain = "It\u2019s R&D: \u00c9t\u00e9\u00a03.5 <br> \U0001f600. \u0939\u0948\u0964"
    escaped = "".join(f"&#{ord(one)};" if one not in " :" else one for one in plain)
    named = html.escape(plain).replace("\u00e9", "&eacute;").replace("\u00a0", "&nbsp;")
    words = split_words([plain, escaped, named], clean_up).to_list()
    assert words[1] == words[0] and words[2] == words[0]


def test_a_saved_model_reads_references_and_terminals(tmp_path):
    own = Preprocessor(["a"], max_sentences=9, clean_up="han")
    module = tf.Module()
    signature = [tf.TensorSpec([None], tf.string)]
    module.words = tf.function(lambda texts: own.words(texts).to_tensor(), signature)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for texts in (["plain"], ["x &eacute;&#x1F600; R&amp;D\u0964 y\u3002z", "", "none"], [""]):
        np.testing.assert_array_equal(
            loaded.words(tf.constant(texts)), own.words(texts).to_tensor()
        )
    assert "\u00e9".encode() in loaded.words(tf.constant(["x &eacute;"])).numpy()


def test_marks_of_entities_may_be_references():
    words, roles = split_roles(["&lt;e1&gt;a&lt;/e1&gt; &#1;b&#3; <e2>c"])
    assert decoded(words) == [["a", "b", "c"]] and roles.to_list() == [[1, 0, 2]]


@pytest.mark.parametrize("clean_up", ["hcan", "han", "tokens"])
def test_blanks_of_unicode_are_between_words(clean_up):
    blanks = "\u00a0 \u1680 \u2003 \u2028 \u202f \u3000 \x85".split(" ")
    texts = [f"a{blank}b" for blank in blanks]
    assert decoded(split_words(texts, clean_up)) == len(texts) * [["a", "b"]]


def told(caplog, texts, max_sentences=None, **how):
    caplog.clear()
    Preprocessor.fit(texts, 100, max_sentences, **how)
    return [line for line in caplog.messages if "characters" in line]


@pytest.mark.parametrize("max_sentences", [None, 9])
def test_texts_without_blanks_are_told(max_sentences, caplog):
    """And that characters help; not where texts are words between blanks."""
    chinese = [f"\u4e00\u822c\u822c\u8fd8\u53ef\u4ee5{day}" for day in "\u4eca\u6628\u524d"] * 20
    (line,) = told(caplog, chinese, max_sentences)
    assert line.startswith("60 of 60 training texts are one word to the clean-up 'hcan'")
    for name in ("--clean-up characters", 'clean_up="characters"', "svm_bigrams"):
        assert name in line
    sentences = [f"{one}\u3002\u597d{i}\u3002" for i, one in enumerate(3 * chinese)]
    sentences += [f"\u5403{i}\uff0c\u5dee{i}\u3002" for i in range(500)]
    (line,) = told(caplog, sentences, max_sentences)
    assert "of the words in the training texts are unknown to the clean-up 'hcan'" in line
    english = ["one good stay", "good", f"one {max_sentences}"] * 9
    assert not told(caplog, english, max_sentences)
    assert not told(caplog, chinese, clean_up="characters")
    assert not told(caplog, english, ngrams=1 if max_sentences else 3)


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
    reason = (
        "they have more than 3 words (the longest 4)"
        if max_sentences is None
        else "1 have a sentence of more than 3 words (the longest 4), 0 have more than 2 sentences "
        "(the most 1)"
    )
    assert caplog.messages == [f"1 of 3 training texts are cut: {reason}"]


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@anna_b LOVED it!!!! Soooo goood :-) <3", "@ loved it ! ! soo good :-) <3"),
        ("RT @a @b: so http://t.co/aB1?c=d, #win", "rt @ @ : so http # win"),
        ("go to www.foo.com/x or mail bob@x.com", "go to www or mail bob @ x.com"),
        (
            "Don't at 8:30 in the U.S. :D ;)))) >:( :'(",
            "do n't at 8 : 30 in the u.s . :d ;)) >:( :'(",
        ),
        ("wait.....really??? ^_^ -_- awwww", "wait ... really ? ? ^_^ -_- awww"),
        ("1000 well-made &lt;3 note:did rock&amp;roll", "1000 well-made <3 note : did rock & roll"),
        ("(yes) [ok] x:y 3.5 '80s", "( yes ) [ ok ] x : y 3.5 ' 80s"),
    ],
)
def test_the_words_of_tweets(text, words):
    assert decoded(split_words([text], "tweets")) == [words.split()]


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
@given(
    texts=st.lists(st.text() | st.text("aB3'-., !?\n\t\u3002\uff0e\u2019"), min_size=3, max_size=9)
)
def test_sentences_are_the_words_of_the_text(clean_up, texts):
    """So word2vec reads the same words, whichever model they are for."""
    texts = tf.constant([text.encode("utf-8", "surrogatepass") for text in texts])
    sentences = split_sentences(texts, clean_up)
    words = split_words(texts, clean_up)
    assert sentences.merge_dims(1, 2).to_list() == words.to_list()
    own, flat = (Preprocessor(["a"], 9, most, clean_up) for most in (3, None))
    assert own.all_words(texts).merge_dims(1, 2).to_list() == flat.all_words(texts).to_list()


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
    Preprocessor.fit(["so plain"] * 200 + texts[:1], clean_up="hcan")  # too few to matter
    assert not caplog.text
    Preprocessor.fit(texts, clean_up="hcan", min_count=1)
    told = "2 of the first 4 training texts have emojis, which the clean-up 'hcan'"
    assert told in caplog.text
    as_bytes = [text.encode() for text in texts]
    for others in (as_bytes, np.array(as_bytes), tf.constant(as_bytes)):
        caplog.clear()
        Preprocessor.fit(others, clean_up="hcan", min_count=1)
        assert told in caplog.text
