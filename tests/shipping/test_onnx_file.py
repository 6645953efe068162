"""ONNX files that take texts, and a run's answers by one, without TensorFlow."""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from keras import tree

import zoo
from tests.kinds import kinds
from tests.shipping.test_formats import TEXTS, small_model
from zoo.cli.texts import fastest_of
from zoo.datasets import Preprocessor
from zoo.evaluation.prediction import predict
from zoo.explanation.attention import word_weights
from zoo.runs.onnx_model import OnnxClassifier
from zoo.shipping import saving
from zoo.shipping.onnx_file import write_of_texts

ODD = ["\ud800 a \x00good stay", "good &#39;stay&amp;", "\u0130 \U0001f600", " ".join(TEXTS) * 9]


@pytest.fixture(scope="module")
def run(run_with_onnx):
    return run_with_onnx


PLACED = [
    "&amp;&lt;good&#0000065;&;stay& a&b;",
    "It isn't &eacute;t&#xE9; bad;\U0001f600 \u0130 ..",
]


@pytest.mark.parametrize("name", kinds("ave", "hcan"))
def test_every_kind_of_model_says_the_same(name, tmp_path):
    """Of the words that it looks at, too, and of their places in the text."""
    model = small_model(name)
    attention = word_weights(model, model.preprocessor(["a"])) is not None
    write_of_texts(model, tmp_path / "model.onnx", attention=attention)
    answers = OnnxClassifier(tmp_path / "model.onnx")
    for texts in (TEXTS, TEXTS[:1], [""], ODD, [*PLACED, *ODD[1:]]):
        expected = model.predict(texts, verbose=0)
        np.testing.assert_allclose(answers.predict(texts), expected, atol=1e-5)
        labels = [one["label"] for one in answers.classify(texts)]
        assert labels == [one["label"] for one in model.answers_to(texts)]
        if attention and texts is not ODD:  # Python counts other characters in "\ud800"
            check_attention(model, answers.session, texts)


def check_attention(model, session, texts):
    """The weights are the model's, and the places those of its words."""
    given = {"texts": np.array(texts, object)}
    weights, starts, ends = session.run(["weights", "starts", "ends"], given)
    expected = word_weights(model, model.preprocessor(texts))
    np.testing.assert_allclose(weights, expected, atol=1e-5)
    for number, words in enumerate(model.preprocessor.words(texts).to_list()):
        words = tree.flatten(words)
        spans = np.stack([starts[number].reshape(-1), ends[number].reshape(-1)], 1)
        parts = [texts[number][start:end] for start, end in spans if end]
        clean = [model.preprocessor.words([part]).to_list()[0] for part in parts]
        assert [tree.flatten(one) for one in clean] == [[word] for word in words]


def test_no_attention_is_shown_where_there_is_none(tmp_path):
    with pytest.raises(zoo.UsageError, match="ave has no attention to show"):
        write_of_texts(small_model("ave"), tmp_path / "model.onnx", attention=True)


def test_nothing_is_told_while_it_is_written(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("tensorflow"), "propagate", True)
    write_of_texts(small_model("ave"), tmp_path / "model.onnx")
    assert not caplog.messages


def test_tf2onnx_has_no_weights_to_copy(tmp_path, monkeypatch):
    """In each of its passes it would copy them all, and keep most of the copies."""
    import tf2onnx

    seen, passes = [], tf2onnx.optimizer.optimize_graph
    monkeypatch.setattr(
        tf2onnx.optimizer,
        "optimize_graph",
        lambda graph, *rest, **more: passes(seen.append(graph) or graph, *rest, **more),
    )
    model = small_model("attcnn")
    write_of_texts(model, tmp_path / "model.onnx")
    (graph,) = seen
    numbers = [
        node.get_tensor_value(as_list=False) for node in graph.get_nodes() if node.is_const()
    ]
    assert sum(np.size(one) for one in numbers) < model.count_params() / 10


@pytest.mark.parametrize("thresholds", [None, [0.2, 0.7, 0.5]])
def test_several_labels_are_one_text(tmp_path, thresholds):
    model = zoo.build("ave", 3, vocabulary_size=6, embedding_dim=4, answers="several")
    model.preprocessor = Preprocessor(["a", "b", "c", "d"])
    model.labels, model.thresholds = ["x", "y; z", "w"], thresholds
    for weight in model.weights:
        weight.assign(9 * np.random.default_rng(0).normal(size=weight.shape))
    write_of_texts(model, tmp_path / "model.onnx")
    answers = OnnxClassifier(tmp_path / "model.onnx")
    texts = ["a", "b", "c", "d", "a b", "c d", ""]
    (labels,) = answers.session.run(["label"], {"texts": np.array(texts, object)})
    expected = [one["label"] for one in predict(model, texts, written=True)]
    assert labels.tolist() == expected and len(set(expected)) > 2
    assert [one["label"] for one in predict(answers, texts, written=True)] == expected


def test_the_file_tells_of_itself(run):
    told = {one.key: one.value for one in onnx.load(run / "model.onnx").metadata_props}
    about = json.loads(told["zoo"])
    assert about["labels"] == ["bad one", "good one"] and about["model"] == "hcan"


def test_a_run_answers_without_tensorflow(run):
    """The command, and ``zoo.load``; texts in any number, and none that are no texts."""
    code = f"""
import sys
sys.argv = ["zoo", "predict", {str(run)!r}, "A good stay."]
from zoo.cli.commands import main
try:
    main()
except SystemExit:
    pass
print([one for one in ("tensorflow", "keras", "pandas", "scipy") if one in sys.modules])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    answer, modules = ended.stdout.splitlines()
    assert modules == "[]"
    answer = json.loads(answer)
    (expected,) = zoo.load(run).answers_to(["A good stay."])
    assert answer["label"] == expected["label"]
    assert answer["probability"] == pytest.approx(expected["probability"], abs=1e-5)
    model = zoo.load(run, runtime="onnx")
    texts = [text * (1 + number % 7) for number, text in enumerate(TEXTS * 30)]
    expected = zoo.load(run).predict(texts, verbose=0)
    np.testing.assert_allclose(model.predict(texts), expected, atol=1e-5)
    assert model.predict([]).shape == (0, 2)
    for wrong in ("one text", np.zeros((2, 2)), [3]):
        with pytest.raises(zoo.UsageError):
            model.predict(wrong)


def test_nothing_but_onnxruntime_and_numpy_is_needed(run, tmp_path):
    """By the lines that the documentation shows."""
    shipping = (Path(__file__).parents[2] / "docs" / "shipping.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(import csv.*?)```", shipping, re.S)
    for package in ("zoo", "tensorflow", "pandas"):
        assert f"import {package}" not in code and f"from {package}" not in code
    (tmp_path / "reviews.csv").write_text('text\nA good stay.\n"Bad, bad &amp; worse!"\n', "utf-8")
    (tmp_path / "model.onnx").write_bytes((run / "model.onnx").read_bytes())
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = zoo.load(run).answers_to(["A good stay.", "Bad, bad &amp; worse!"])
    assert ended.stdout.splitlines() == [one["label"] for one in expected]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "has no model.onnx"),
        (lambda path: path.write_bytes(path.read_bytes()[:999]), "model.onnx is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-999]), "model.onnx is damaged"),
        (lambda path: path.write_bytes(b""), "model.onnx is damaged"),
        (lambda path: (path.unlink(), path.mkdir()), "model.onnx is damaged"),
        (lambda path: changed(path, opset=99), "or too new for onnxruntime 1"),
        (lambda path: changed(path, about=None), "takes no texts, or is not zoo's"),
        (lambda path: changed(path, about="{}"), "takes no texts, or is not zoo's"),
        (lambda path: changed(path, about="["), "model.onnx is damaged"),
        (lambda path: changed(path, labels=["one"]), "its labels are not those of its prob"),
        (lambda path: changed(path, answers="ranks"), "takes no texts, or is not zoo's"),
    ],
)
def test_what_is_no_model_is_told(run, tmp_path, damage, message):
    """In one line, by the command, too, which has another way."""
    folder = shutil.copytree(run, tmp_path / "run")
    damage(folder / "model.onnx")
    with pytest.raises(zoo.UsageError, match=message):
        zoo.load(folder, runtime="onnx")
    with pytest.raises(zoo.UsageError, match=f"{message}.*: --runtime keras$"):
        fastest_of(folder, "onnx")
    if (folder / "model.onnx").exists():
        with pytest.raises(zoo.UsageError, match=f"{message}.*: --runtime keras$"):
            fastest_of(folder)
    (folder / "model.keras").unlink()
    with pytest.raises(zoo.UsageError, match=message) as told:
        fastest_of(folder, "onnx")
    assert "--runtime" not in str(told.value)


def changed(path, opset=None, **about):
    """Rewrites a file with other operators, or with something else told of itself."""
    model = onnx.load(path)
    if opset is not None:
        model.opset_import[0].version = opset
    else:
        (own,) = model.metadata_props
        own.value = about.get("about") or json.dumps(json.loads(own.value) | about)
        if about.get("about", "") is None:
            del model.metadata_props[:]
    onnx.save(model, path)


def test_a_file_of_another_model_is_refused(run, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["words"] = "0" * 64
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(zoo.UsageError, match="model.onnx is of another model"):
        zoo.load(folder, runtime="onnx")
    with pytest.raises(zoo.UsageError, match="unknown runtime 'onxn'. Did you mean 'onnx'"):
        zoo.load(folder, runtime="onxn")


def test_a_run_that_onnx_cannot_hold_has_no_file(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(saving, "ONNX_PACKAGES", ("tf2onnx", "onnxruntime"))
    model = zoo.build("ave", 2, vocabulary_size=4, embedding_dim=3)
    model.preprocessor, model.labels = Preprocessor(["a", "b"], version=1), ["x", "y"]
    caplog.set_level("INFO", "zoo")
    saving.write_onnx(tmp_path, model)
    assert os.listdir(tmp_path) == [] and "There is no model.onnx: ONNX cannot hold" in caplog.text
