"""A ``bert`` that starts with the encoder of a BERT, by the functions that a user calls."""

from types import SimpleNamespace

import keras
import numpy as np
import onnx
import pandas as pd
import pytest
import tensorflow as tf
from sklearn.linear_model import LogisticRegression

import zoo
from tests.weights.folders import PIECES, random_arrays, write_folder
from zoo.answers.soft_labels import SoftLabels
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.vectors.byte_rows import in_bytes
from zoo.recipes import Recipe
from zoo.registry import create
from zoo.runs.onnx_model import OnnxClassifier
from zoo.runs.run_config import read_config
from zoo.shipping import onnx_file, saved_model
from zoo.weights.bert_start import (
    MOST_WORDS,
    STRENGTH,
    STRENGTH_OF_MANY,
    BertWeights,
    fill_head,
)

TEXTS = ["a good film!", "the bads film", "", "not good"]
TABLE = pd.DataFrame({"text": TEXTS[:2] * 20, "label": ["yes", "no"] * 20})


def test_a_folder_is_built_fitted_and_loaded(tmp_path):
    folder = write_folder(tmp_path / "encoder")
    model = zoo.build("bert", 2, weights=folder, num_layers=3, dropout=0.0)
    assert {"good", "bad", "film", "!"} <= set(model.preprocessor.vocabulary)
    assert len(model.encoder) == 3 and model.learning_rate < 1e-3
    assert Recipe().resolved(model, texts=1_000).epochs == 16  # 500 steps, and not 1,500
    before = model.predict(TEXTS, verbose=0)
    model.fit(TEXTS, [1, 0, 1, 0], epochs=2, verbose=0)
    after = model.predict(TEXTS, verbose=0)
    assert np.isfinite(after).all() and np.abs(after - before).max() > 1e-4
    model.save(tmp_path / "model.keras")
    loaded = zoo.load(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(TEXTS, verbose=0), after, rtol=1e-5)


def test_a_training_starts_with_a_folder(tmp_path):
    folder = write_folder(tmp_path / "encoder")
    run = zoo.train(
        "bert",
        TABLE,
        weights=folder,
        options={"num_layers": 2},
        epochs=1,
        learning_rate=1e-9,
        calibrate=False,
        output=tmp_path / "runs",
        verbose=0,
    )
    model, settings = zoo.load(run), read_config(run).settings
    assert settings.weights == str(folder)
    assert (model.embedding_dim, model.num_layers, model.max_words) == (8, 2, 9)
    start = zoo.build("bert", 2, weights=folder, num_layers=2)
    for a, b in zip(model.encoder[0].weights, start.encoder[0].weights, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    vectors = [
        one.embed.embeddings.numpy()[one.preprocessor.vocabulary.index("film") + 2]
        for one in (model, start)
    ]
    np.testing.assert_allclose(*vectors, atol=1e-6)


def test_of_few_texts_the_word_table_stays_and_takes_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.recipes.FEW", 1_000)
    monkeypatch.setattr("zoo.weights.bert_start.MOST_FIXED_WORDS", 30)
    told = {"weights": write_folder(tmp_path / "encoder"), "epochs": 1, "verbose": 0}
    run = zoo.train("bert", TABLE, output=tmp_path, learning_rate=0.1, **told)
    model = zoo.load(run)
    assert not model.train_embeddings and read_config(run).settings.max_vocabulary == 30
    table = model.embed.embeddings.numpy()
    vector = table[2 + model.preprocessor.vocabulary.index("film")]
    of_piece = random_arrays()["embeddings.word_embeddings.weight"][PIECES.index("film")]
    np.testing.assert_allclose(vector, of_piece, atol=np.abs(of_piece).max() / 254 + 1e-6)
    assert in_bytes(table)[2].all()
    corpus = Corpus("few", ["no", "yes"], Split(TEXTS, [1, 0, 1, 0]))
    for trained, most in ((True, MOST_WORDS), (False, 30)):
        own = {"train_embeddings": trained}
        start = BertWeights(told["weights"], create("bert", 2), own, corpus)
        assert start.most == most and start.options["train_embeddings"] is trained


def test_the_last_layer_starts_where_logistic_regression_ends(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr("zoo.training.trainer.fit_to", lambda *_: True)
    monkeypatch.setattr(
        "zoo.weights.bert_start.fill_head", lambda model, corpus: read.append(corpus)
    )
    told = {"weights": write_folder(tmp_path / "encoder"), "keep": "last", "output": tmp_path}
    zoo.train("bert", TABLE, **told)
    assert len(read[0].train) == 36


def reader(document):
    """What stands for a model: texts are numbers, which ``document`` makes vectors of."""
    classify = keras.layers.Dense(3, activation="softmax")
    classify.build((None, 3))
    return SimpleNamespace(
        num_classes=3,
        preprocessor=lambda texts: tf.constant(list(map(int, texts))),
        document=document,
        classify=classify,
    )


@pytest.mark.parametrize(("many", "strength"), [(4, STRENGTH), (3, STRENGTH_OF_MANY)])
def test_the_head_is_that_of_logistic_regression(many, strength, monkeypatch):
    monkeypatch.setattr("zoo.recipes.MANY_CLASSES", many)
    vectors = np.random.default_rng(0).normal(size=(90, 3)) * 5
    numbers = np.arange(90) % 3
    vectors[numbers == 1] += 3
    vectors = vectors.astype("float16")

    def document(rows):
        assert isinstance(rows, np.ndarray)  # a tensor of TensorFlow is none to JAX
        return keras.ops.convert_to_tensor(vectors[rows]), []

    model = reader(document)
    train = Split(list(map(str, range(90))), numbers)
    fill_head(model, Corpus("few", ["a", "b", "c"], train))
    vectors = vectors.astype("float32")
    scale = 1 / np.sqrt(np.square(vectors).sum(-1).mean())
    expected = LogisticRegression(C=strength, max_iter=1000).fit(scale * vectors, numbers)
    found = np.asarray(model.classify(vectors))
    np.testing.assert_allclose(found, expected.predict_proba(scale * vectors), atol=1e-5)
    soft = Split(train.texts, np.eye(3, dtype="float32")[numbers] * 0.7 + 0.1)
    model.classify.set_weights([0 * one for one in model.classify.get_weights()])
    fill_head(model, Corpus("of a teacher", ["a", "b", "c"], soft, kind=SoftLabels()))
    np.testing.assert_allclose(np.asarray(model.classify(vectors)), found, atol=1e-5)
    before = model.classify.get_weights()
    fill_head(model, Corpus("no text of c", ["a", "b", "c"], train.take(numbers < 2)))
    np.testing.assert_array_equal(before[0], model.classify.get_weights()[0])


def test_of_many_texts_the_head_learns_from_some(monkeypatch):
    def document(rows):
        read.extend(rows.tolist())
        return keras.ops.one_hot(rows % 3, 3), []

    model = reader(document)
    train, read = Split(list(map(str, range(90))), np.arange(90) % 3), []
    monkeypatch.setattr("zoo.weights.bert_start.MOST_READ", 25)
    monkeypatch.setattr("zoo.weights.bert_start.STRENGTH", 10.0)  # else frequent classes win
    fill_head(model, Corpus("many", ["a", "b", "c"], train))
    assert len(set(read)) == len(read) == 25
    assert np.asarray(model.classify(np.eye(3))).argmax(-1).tolist() == [0, 1, 2]


def test_layers_of_a_large_one_are_in_16_bits(tmp_path, monkeypatch):
    model = zoo.build("bert", 2, weights=write_folder(tmp_path / "encoder"))
    model.labels = ["no", "yes"]
    expected, sizes = model.predict(TEXTS, verbose=0), []
    monkeypatch.setattr(onnx_file, "SMALL", 8)
    files = [tmp_path / f"{large}.onnx" for large in (10**9, 0)]
    for large, file in zip((10**9, 0), files, strict=True):
        monkeypatch.setattr(onnx_file, "LARGE", large)
        onnx_file.write_of_texts(model, file)
        answers = OnnxClassifier(file).predict(TEXTS)
        np.testing.assert_allclose(answers, expected, atol=1e-3 if large == 0 else 1e-5)
    types = [{one.data_type for one in onnx.load(file).graph.initializer} for file in files]
    assert types[1] - types[0] == {onnx.TensorProto.FLOAT16}
    for large in (10**9, 0):
        monkeypatch.setattr(saved_model, "LARGE", large)
        saved_model.export_saved_model(model, tmp_path / str(large))
        served = tf.saved_model.load(tmp_path / str(large))
        answers = served.serve(tf.constant(TEXTS))["probabilities"]
        np.testing.assert_allclose(answers, expected, atol=1e-3)
        served.explain(tf.constant(TEXTS))
        weights = (tmp_path / str(large) / "variables").glob("*data*")
        sizes.append(sum(path.stat().st_size for path in weights))
    assert sizes[1] < 0.8 * sizes[0]
    np.testing.assert_array_equal(model.predict(TEXTS, verbose=0), expected)


@pytest.mark.parametrize(
    ("name", "weights", "message"),
    [
        ("hcan", "minilm", "minilm is for bert, and not for hcan"),
        ("hcan", "encoder", "encoder is for bert, and not for hcan"),
        ("bert", "nowhere/none.vec", "cannot read nowhere/none.vec"),
        ("bert", "encoder/none", "cannot read encoder/none"),  # and not of the hub
    ],
)
def test_weights_of_another_kind_are_refused(name, weights, message, tmp_path):
    write_folder(tmp_path / "encoder")
    with pytest.raises(zoo.UsageError, match=message):
        zoo.build(name, 2, weights=weights)
