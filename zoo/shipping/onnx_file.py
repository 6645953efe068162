"""One ONNX file from texts to labels, which plain onnxruntime runs."""

import json
import tempfile
import warnings
from pathlib import Path

import keras
import numpy as np
import onnx
import tensorflow as tf
from keras import ops
from onnx import TensorProto, compose, helper, version_converter

from zoo.explanation.attention import word_weights
from zoo.filesystem.atomic_files import whole
from zoo.registry import name_of
from zoo.runs.onnx_model import ABOUT
from zoo.runs.run_folder import words_digest
from zoo.shipping.onnx_graph import VERSIONS, Graph, Value
from zoo.shipping.onnx_text import check, word_ids

IR_VERSION = 10  # of the format, which onnxruntime reads from 1.18 on


class Scores(keras.Model):
    """Word ids to ``probabilities`` and ``weights``: a model for formats without strings."""

    def __init__(self, model, weights: bool = True):
        super().__init__()
        self.model, self.weighs = model, weights
        self(ops.ones((1, 1, 1) if model.hierarchical else (1, 1), "int32"))  # builds it

    def call(self, ids):
        answer = {"probabilities": self.model(ids, training=False)}
        weights = word_weights(self.model, ids) if self.weighs else None
        return answer if weights is None else answer | {"weights": weights}

    def signature(self, fixed: bool = False) -> list[tf.TensorSpec]:
        """Of any number of texts of any length, or of one that is padded to the longest."""
        limits = [self.model.max_sentences, self.model.max_words][not self.model.hierarchical :]
        shape = [1, *limits] if fixed else [None] * (1 + len(limits))
        return [tf.TensorSpec(shape, "int32", name="ids")]


def write_of_ids(model, path: str | Path, weights: bool = True) -> None:
    """Writes an ONNX file from word ids to ``probabilities`` and, with attention, ``weights``."""
    _teach_tf2onnx()
    scores = Scores(model, weights)
    with warnings.catch_warnings():  # of NumPy, about Keras
        warnings.simplefilter("ignore", FutureWarning)
        scores.export(str(path), "onnx", verbose=False, input_signature=scores.signature())


def write_of_texts(model, path: str | Path) -> None:
    """Writes an ONNX file that takes texts.

    Its input is ``texts``, ``[batch]`` strings of UTF-8; its outputs are ``probabilities``,
    ``[batch, classes]`` float32, and ``label``, ``[batch]`` strings: the most probable class, or of
    a model of several labels a text those above their thresholds, with "; " between. The file's
    metadata have the labels in their order.

    Args:
        model: a classifier with ``preprocessor`` and ``labels`` that gives probabilities.
        path: of a new file.

    Raises:
        UsageError: where ONNX has no form of the model's clean-up.
    """
    check(model.preprocessor)
    with tempfile.TemporaryDirectory() as folder:
        write_of_ids(model, ids := Path(folder) / "ids.onnx", weights=False)
        numbers = version_converter.convert_version(onnx.load(ids), VERSIONS[""])
    graph = Graph("text")
    ids = word_ids(graph, Value(graph, "texts"), model.preprocessor)
    graph.rename(graph.Cast(ids, to=TensorProto.INT32), "ids")
    found = helper.make_tensor_value_info("ids", TensorProto.INT32, None)
    before = _model(graph, [_texts("texts", ["batch"])], [found])
    del numbers.opset_import[:]
    numbers.opset_import.extend(before.opset_import)
    numbers.ir_version = IR_VERSION
    merged = compose.merge_models(before, numbers, [("ids", "ids")])
    after = Graph("label")
    probabilities = Value(after, "probabilities")
    label = model.kind.label_in_onnx(after, probabilities, model.labels, model.thresholds)
    after.rename(label, "label")
    merged.graph.node.extend(after.nodes)
    merged.graph.initializer.extend(after.constants.values())
    merged.graph.output.append(_texts("label", ["batch"]))
    merged.graph.name = name_of(model)
    about = {
        "model": name_of(model),
        "labels": list(model.labels),
        "answers": model.kind.name,
        "thresholds": None if model.thresholds is None else list(map(float, model.thresholds)),
        "words": words_digest(model.preprocessor.vocabulary, model.labels),
    }
    helper.set_model_props(merged, {ABOUT: json.dumps(about, ensure_ascii=False)})
    with whole(Path(path)) as partial:
        onnx.save(merged, partial)


def _model(graph, inputs, outputs):
    made = helper.make_graph(graph.nodes, "texts", inputs, outputs, [*graph.constants.values()])
    versions = [helper.make_opsetid(domain, number) for domain, number in VERSIONS.items()]
    return helper.make_model(made, opset_imports=versions, ir_version=IR_VERSION)


def _texts(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.STRING, shape)


def _teach_tf2onnx():
    """TensorFlow makes GELU of ``erfc``, the complement of ``erf``; ONNX has ``erf`` alone."""
    from tf2onnx.handler import tf_op

    @tf_op("Erfc")
    class Erfc:
        @classmethod
        def version_9(cls, context, node, **_):
            node.type, (output,) = "Erf", node.output
            one = context.make_const(f"{node.name}_one", np.array(1, "float32")).output[0]
            context.insert_new_node_on_output("Sub", output, inputs=[one, output])
