"""Each kind of model, from texts to a SavedModel and back."""

import re
import threading
from pathlib import Path

import keras
import numpy as np
import onnx
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import zoo
from tests.kinds import kinds
from zoo.datasets import Preprocessor
from zoo.explanation.attention import word_weights
from zoo.explanation.contributions import contributions
from zoo.shipping import onnx_file, saved_model
from zoo.shipping.saved_model import export_saved_model

TEXTS = ["A good stay. Really good!", "A bad stay.", "Bad? Never. It was good.", "", "?!"]


def constants(folder):
    """Numbers in the graphs of a SavedModel, float32."""
    graph = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    (graph,) = (meta.graph_def for meta in graph.meta_graphs)
    nodes = [*graph.node, *(node for one in graph.library.function for node in one.node_def)]
    tensors = [node.attr["value"].tensor for node in nodes if node.op == "Const"]
    values = [tf.make_ndarray(one) for one in tensors if one.dtype == tf.float32.as_datatype_enum]
    return np.concatenate([np.zeros(0), *map(np.ravel, values)])


def answers_elsewhere(call, threads=3):
    """How many of some threads get an answer."""
    answers = []
    started = [
        threading.Thread(target=lambda: answers.append(call()), daemon=True) for _ in range(threads)
    ]
    for one in started:
        one.start()
    for one in started:
        one.join(30)
    return len(answers)


@pytest.mark.parametrize("name", kinds("act", "ave", "hcan"))
def test_the_saved_model_says_what_the_model_says(name, tmp_path):
    about = zoo.describe(name)
    most = about.options["max_sentences"] if about.hierarchical else None
    read = {"ngrams": about.options.get("ngrams", 1)}
    preprocessor = Preprocessor.fit(TEXTS, about.options["max_words"], most, min_count=1, **read)
    size = preprocessor.vocabulary_size
    deep = "num_layers" in about.options  # a loop, and seconds for each
    layers = {"num_layers": 2 if name == "act" else 1} if deep else {}
    model = zoo.build(name, 2, vocabulary_size=size, embedding_dim=24, **layers)
    model.preprocessor, model.labels = preprocessor, ["bad", "good"]
    expected = model(preprocessor(TEXTS), training=False)
    export_saved_model(model, tmp_path / "saved_model")
    served = tf.saved_model.load(tmp_path / "saved_model")
    answer = served.serve(tf.constant(TEXTS))
    np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-3)
    likeliest = np.argmax(answer["probabilities"], axis=-1)
    assert answer["label"].numpy().tolist() == [[b"bad", b"good"][one] for one in likeliest]
    # Else TensorFlow Serving refuses to answer.
    assert {len(value) for value in answer.values()} == {len(TEXTS)}
    weights = word_weights(model, preprocessor(TEXTS))
    answer = served.explain(tf.constant(TEXTS))
    assert ("weights" in answer) == (weights is not None)
    if weights is not None:
        np.testing.assert_allclose(answer["weights"], weights, atol=1e-3)
        assert answer["weights"].shape == answer["words"].shape
    assert answer["words"].numpy().ravel()[:3].tolist() == [b"a", b"good", b"stay"]
    check_contributions(model, answer)
    assert {len(value) for value in answer.values()} == {len(TEXTS)}
    assert served.explain(tf.constant([""]))["words"].shape[0] == 1
    assert served.signatures.keys() == {"serve", "serving_default", "explain"}
    for signature in served.signatures.values() if name == "act" else ():  # else seconds each
        outputs = signature(texts=tf.constant(TEXTS))
        assert {len(value) for value in outputs.values()} == {len(TEXTS)}
    assert served.serve(tf.constant([], tf.string))["probabilities"].shape == (0, 2)
    longer = served.serve(tf.constant([" ".join(TEXTS) * 9]))  # other shapes than those traced
    assert np.isfinite(longer["probabilities"]).all()
    # Else a guard or a mask is 0 or infinite in LiteRT's float16, and an answer no number.
    found = constants(tmp_path / "saved_model")
    with np.errstate(over="ignore"):
        halves = found.astype("float16")
    assert not found[(halves == 0) & (found != 0) | ~np.isfinite(halves)].tolist()


def check_contributions(model, answer):
    """They are those of Keras with the weights that are shipped: the large ones are of 16 bits."""
    assert answer["contributions"].shape == answer["words"].shape
    if model.reads_word_vectors and hasattr(model.embed, "embeddings"):
        table = model.embed.embeddings
        layers = [one for one in model.weights if len(one.shape) > 1 and one is not table]
        large = 4 * sum(np.prod(one.shape) for one in layers) > saved_model.LARGE
        for one in [table, *layers] if large else [table]:
            one.assign(one.numpy().astype("float16").astype("float32"))
    ids = np.asarray(model.preprocessor(TEXTS))
    classes = [model.labels.index(label.decode()) for label in answer["label"].numpy()]
    expected = contributions(model, ids, classes).words
    shape = tuple(map(slice, answer["words"].shape))
    np.testing.assert_allclose(answer["contributions"], expected[shape], atol=1e-4)


def test_of_a_trained_model_it_holds_the_weights_and_no_more(tmp_path):
    model = zoo.build("ave", num_classes=2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor, model.labels = Preprocessor(["a", "b"]), ["bad", "good"]
    model.compile("adam", "sparse_categorical_crossentropy", run_eagerly=True)
    model.train_on_batch(np.array([[2, 3]]), np.array([1]))
    export_saved_model(model, tmp_path / "saved_model")
    kept = tf.train.list_variables(str(tmp_path / "saved_model" / "variables" / "variables"))
    shapes = [shape for name, shape in kept if name != "_CHECKPOINTABLE_OBJECT_GRAPH"]
    assert sorted(shapes) == sorted(list(weight.shape) for weight in model.weights)


def test_a_weight_that_16_bits_cannot_hold_is_stored_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_model, "LARGE", 0)  # so that the layers are stored in 16 bits
    model = zoo.build("cnn_kim", num_classes=2, vocabulary_size=4, embedding_dim=4, filters=2)
    model.preprocessor, model.labels = Preprocessor(["a", "b"]), ["bad", "good"]
    kernel = model.classify.kernel
    kernel.assign(kernel * 1e6)
    model.embed.embeddings.assign(model.embed.embeddings * 1e-4)
    expected = model.predict(["a b a"], verbose=0)
    export_saved_model(model, tmp_path / "saved_model")
    served = tf.saved_model.load(tmp_path / "saved_model").serve(tf.constant(["a b a"]))
    np.testing.assert_allclose(served["probabilities"], expected, atol=1e-2)
    for name, number in (("LARGE", 0), ("SMALL", 2)):
        monkeypatch.setattr(onnx_file, name, number)
    onnx_file.write_of_texts(model, tmp_path / "model.onnx")
    stored = map(onnx.numpy_helper.to_array, onnx.load(tmp_path / "model.onnx").graph.initializer)
    assert any(np.array_equal(one, kernel.numpy()) for one in stored)


@pytest.mark.parametrize("name", ["serve", "explain"])
def test_after_a_refused_call_other_threads_get_answers(trained, name):
    """TensorFlow's polymorphic functions keep their lock when arguments do not fit."""
    served = tf.saved_model.load(trained / "saved_model")
    function = getattr(served, name)
    for arguments in ((), (3,), (None,), (tf.constant([1]),), (["a"], ["b"])):  # also the first
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
            function(*arguments)
    with pytest.raises(TypeError):
        function(text=["a"])
    assert answers_elsewhere(lambda: function(tf.constant(["a good room"]))) == 3


def test_many_threads_call_it_as_the_documentation_shows(trained, capsys):
    shipping = (Path(__file__).parents[2] / "docs" / "shipping.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(from concurrent.*?)```", shipping, re.DOTALL)
    exec(block, {"run": trained})
    assert capsys.readouterr().out.count("array(") == 2


def test_one_text_and_texts_of_any_shape_are_answered(trained):
    served = tf.saved_model.load(trained / "saved_model")
    texts = ["a good room", "a bad room"]
    expected = served.signatures["serve"](texts=tf.constant(texts))["probabilities"].numpy()
    for given in (texts, np.array(texts), tf.constant(texts), tf.constant([texts])):
        np.testing.assert_array_equal(served.serve(given)["probabilities"], expected)
    for one in (texts[0], tf.constant(texts[0]), tf.constant([[texts[0]]])):
        answer = served.serve(one)["probabilities"]
        assert answer.shape == (1, expected.shape[1])
        np.testing.assert_allclose(answer, expected[:1], atol=1e-6)
    assert served.explain(texts[0])["words"].shape[0] == 1
    dataset = tf.data.Dataset.from_tensor_slices(texts).batch(2).map(served.serve)
    np.testing.assert_allclose(next(iter(dataset))["probabilities"], expected, atol=1e-6)
    for signature in served.signatures.values():
        (_, arguments) = signature.structured_input_signature
        assert arguments == {"texts": tf.TensorSpec([None], tf.string, name="texts")}


def test_keras_own_export_takes_the_preprocessors_ids_and_locks_nobody_out(tmp_path):
    model = zoo.build("ave", 2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor = Preprocessor(["a", "b"])
    ids = model.preprocessor(["a b", "b"])
    model.export(tmp_path / "any", verbose=False)
    model.export(tmp_path / "own", input_signature=[keras.InputSpec("int64", (None, None))])
    for name, others in (("any", (np.int32, np.int64)), ("own", (np.int64,))):
        served = tf.saved_model.load(tmp_path / name)
        for arguments in ((), (3,), (tf.constant(1),), (tf.constant([["a"]]),), (ids, ids)):
            with pytest.raises(ValueError, match="Could not find matching"):
                served.serve(*arguments)
        expected = model.predict(ids.numpy(), verbose=0)
        for given in (
            ids,
            *map(ids.numpy().astype, others),
            *(tf.cast(ids, one) for one in others),
        ):
            np.testing.assert_allclose(served.serve(given), expected, rtol=1e-5)
        assert answers_elsewhere(lambda served=served: served.serve(ids)) == 3
        assert len(served.variables) == len(model.variables)
        # Also where nothing else holds what is loaded.
        np.testing.assert_allclose(tf.saved_model.load(tmp_path / name).serve(ids), expected)
    (_, arguments) = (
        tf.saved_model.load(tmp_path / "any").signatures["serve"].structured_input_signature
    )
    assert [(one.dtype, one.shape.rank) for one in arguments.values()] == [(tf.int32, 2)]
