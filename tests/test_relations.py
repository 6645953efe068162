"""Relations of marked entities, from a file of the user's own to the SavedModel."""

import json
from unittest import mock

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo import datasets
from zoo.layers.entity_positions import join_roles


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The same words in each text; only the marks tell which entity comes first."""
    rows = ["text,label"]
    for i in range(90):
        start, end = f"{'so ' * (i % 4)}the cat", f"the dog{' now' * (i % 3)}."
        rows += [
            f"<e1>{start}</e1> sees <e2>{end}</e2>,one",
            f"<e2>{start}</e2> sees <e1>{end}</e1>,two",
        ]
    path = tmp_path_factory.mktemp("relations") / "animals.csv"
    path.write_text("\n".join(rows))
    return path


def train(file, output, **options):
    return zoo.train(
        "cnn_kim",
        str(file),
        clean_up="relations",
        options={"embedding_dim": 16, "filters": 20} | options,
        output=output,
        epochs=6,
        learning_rate=1e-2,
        verbose=0,
    )


@pytest.mark.long
def test_positions_tell_what_words_do_not(file, tmp_path, saved_models):
    with saved_models():
        run = train(file, tmp_path)
    assert json.loads((run / "metrics.json").read_text())["accuracy"] == 1.0
    assert zoo.evaluate(run)["accuracy"] == 1.0
    model = zoo.load(run)
    texts = [
        "<e1>The cat</e1> sees <e2>the dog</e2>.",
        "<e2>The cat</e2> sees <e1>the dog</e1>.",
        "The cat sees the dog.",
        "<e1>The cat sees <e2>the dog</e2></e1>.",
        "",
    ]
    answers = model.predict(texts, verbose=0)
    assert [model.labels[row.argmax()] for row in answers[:2]] == ["one", "two"]
    assert np.isfinite(answers).all()
    served = tf.saved_model.load(str(run / "saved_model"))
    found = served.serve(tf.constant(texts))["probabilities"]
    np.testing.assert_allclose(found, answers, atol=1e-3)
    first = model.explain(texts)[0]
    assert [word.text for word in first.words] == "The cat sees the dog .".split()
    assert first.text == texts[0]
    assert [word.entity for word in first.words] == [1, 1, 0, 2, 2, 0]


@pytest.mark.long
def test_without_positions_there_is_nothing_to_learn(file, tmp_path):
    run = train(file, tmp_path, entities=False)
    assert json.loads((run / "metrics.json").read_text())["accuracy"] < 0.8
    model = zoo.load(run)
    marked, plain = "<e1>The cat</e1> sees <e2>the dog</e2>.", "The cat sees the dog."
    np.testing.assert_array_equal(*model.predict([marked, plain], verbose=0))


def test_models_of_characters_read_characters(file, tmp_path, monkeypatch):
    corpus = datasets.load(str(file))
    corpus.clean_up = "relations"
    monkeypatch.setattr("zoo.datasets.load", lambda *arguments, **options: corpus)
    options = {"max_words": 205, "filters": 4, "hidden_dim": 4}
    monkeypatch.setattr(zoo.TextClassifier, "fit", mock.Mock(side_effect=KeyboardInterrupt))
    for name, read in (("char_cnn", "characters"), ("fasttext", "relations")):
        own = options if name == "char_cnn" else {}
        with pytest.raises(KeyboardInterrupt):
            zoo.train(name, "semeval2010", options=own, output=tmp_path / name, verbose=0)
        (config,) = (tmp_path / name).glob("*/config.json")
        assert json.loads(config.read_text())["clean_up"] == read


@pytest.mark.parametrize("name", ["act", "act_transformer"])
def test_entity_vectors_tell_which_words_are_in_which_entity(name, precision):
    """Without positions nothing else does; and padding is in no entity."""
    options = {"vocabulary_size": 9, "embedding_dim": 24, "position_dim": None, "entities": True}
    words = np.array([[2, 3, 4, 5, 6], [7, 8, 2, 0, 0]])
    roles = np.array([[1, 1, 0, 2, 0], [0, 3, 0, 0, 0]])
    for entity_vectors in (False, True):
        model = zoo.build(name, 3, entity_vectors=entity_vectors, **options)
        found, swapped = (
            keras.ops.convert_to_numpy(model(join_roles(words, inside)))
            for inside in (roles, np.choose(roles, [0, 2, 1, 3]))
        )
        assert np.isfinite(found).all()
        assert (np.abs(found - swapped).max(axis=-1) > 1e-6).tolist() == [entity_vectors, False]
        longer = keras.ops.convert_to_numpy(
            model(np.pad(join_roles(words, roles), [(0, 0), (0, 4)]))
        )
        np.testing.assert_allclose(longer, found, atol=precision)
