"""Marked entities: which words are in them, whatever the marks look like."""

import numpy as np
import pytest

import zoo
from zoo.datasets import Preprocessor
from zoo.datasets.text.tokens import split_roles, split_words
from zoo.datasets.text.word_places import placed_words
from zoo.layers.entity_positions import join_roles, part_roles

TEXTS = {
    "The <e1>leaf</e1> of a <e2>tree</e2>.": ("the leaf of a tree .", [0, 1, 0, 0, 2, 0]),
    "<e2>Trees</e2> have <e1>green leaves</e1>": ("trees have green leaves", [2, 0, 1, 1]),
    "a<e1>b</e1>c <e2>d</e2>": ("a b c d", [0, 1, 0, 2]),
    "<e1>a big <e2>old</e2> tree</e1>": ("a big old tree", [1, 1, 3, 1]),
    "<e1>a big <e2>old</e1> tree</e2> fell": ("a big old tree fell", [1, 1, 3, 2, 0]),
    "no entity here": ("no entity here", [0, 0, 0]),
    "an <e1></e1> empty <e2> </e2> one": ("an empty one", [0, 0, 0]),
    "it never <e2>ends there": ("it never ends there", [0, 0, 2, 2]),
    "</e1> it <e1>starts</e1> late": ("it starts late", [0, 1, 0]),
    "<E1>DON'T</E1> <e2>say \u2019tis</e2>": ("do n't say ' tis", [1, 1, 2, 2, 2]),
    "'<e1>'abc</e1> <e2>b</e2>": ("' ' abc b", [0, 1, 1, 2]),
    "": ("", []),
    "\x01\x02 <e1>x</e1>": ("x", [1]),
}


@pytest.mark.parametrize("text", TEXTS)
def test_words_and_their_roles(text):
    expected, roles = TEXTS[text]
    words, found = split_roles([text, "<e1>more</e1> words than that, to pad the other one"])
    assert b" ".join(words[0].numpy()).decode() == expected
    assert found[0].numpy().tolist() == roles
    assert split_words([text], "relations")[0].numpy().tolist() == words[0].numpy().tolist()


def test_ids_and_roles_of_words():
    texts = ["<e1>a b</e1> c <e2>d</e2>", "", "e <e2>a</e2>"]
    plain = Preprocessor(list("abcd"), clean_up="relations")
    coded = Preprocessor(list("abcd"), clean_up="relations", entities=True)
    ids, roles = part_roles(coded(texts).numpy())
    np.testing.assert_array_equal(ids, plain(texts))
    np.testing.assert_array_equal(roles, [[1, 1, 0, 2], [0, 0, 0, 0], [0, 2, 0, 0]])
    np.testing.assert_array_equal(join_roles(ids, roles), coded(texts))
    assert coded.tokens(texts).roles.to_list() == [[1, 1, 0, 2], [], [0, 2]]
    short = Preprocessor(list("abcd"), max_words=2, clean_up="relations", entities=True)
    np.testing.assert_array_equal(short(texts), coded(texts)[:, :2])


def test_entities_need_the_clean_up_that_reads_them():
    for make in (Preprocessor, Preprocessor.fit):
        with pytest.raises(zoo.UsageError, match="with the clean-up 'relations', .* got 'kim'"):
            make(["a"], clean_up="kim", entities=True)
        for more in ({"ngrams": 2}, {"max_sentences": 2}):
            with pytest.raises(ValueError, match="in texts without sentences and n-grams"):
                make(["a"], clean_up="relations", entities=True, **more)


def test_words_stand_where_they_are_without_the_marks():
    text = "An <e1>e</e1> and <e2>the 2nd</e2>"
    ((words,),) = placed_words(Preprocessor(["e"], clean_up="relations").tokens([text]))
    assert [text[start:end] for _, start, end in words] == "An e and the 2nd".split()
    assert words[1][1:] == (7, 8)
