"""A single ONNX file from texts to labels, which plain onnxruntime runs."""

import json
import logging
import tempfile
import warnings
from pathlib import Path

import keras
import numpy as np
import onnx
import tensorflow as tf
from onnx import TensorProto, compose, helper, numpy_helper, version_converter

from zoo.datasets.vectors.byte_rows import in_bytes
from zoo.errors import UsageError
from zoo.explanation.attention import word_weights
from zoo.filesystem.atomic_files import whole
from zoo.registry import name_of
from zoo.runs.onnx_model import ABOUT
from zoo.runs.run_folder import words_digest
from zoo.shipping.onnx_graph import VERSIONS, Graph, Value
from zoo.shipping.onnx_text import check, word_ids
from zoo.shipping.saved_model import LARGE, fits
from zoo.shipping.scores import Scores

SMALL = 1_000  # tensors with fewer numbers are not quantized: it would save too little
OUTPUTS = ("probabilities", "label", "weights", "starts", "ends")  # of files that take texts
IR_VERSION = 10  # version of the file format; onnxruntime reads it from 1.18 on


def write_of_ids(
    model, path: str | Path, quantize: str | None = None, weights: bool = True
) -> None:
    """Writes an ONNX file from word ids to ``probabilities`` and, with attention, ``weights``.

    Args:
        model: a classifier that returns probabilities.
        path: path of a new file.
        quantize: see :func:`_in_fewer_bits`.
        weights: False leaves out the output ``weights``.
    """
    _teach_tf2onnx()
    scores = Scores(model, weights)
    logging.getLogger("tf2onnx").setLevel(logging.WARNING)
    logging.getLogger("tensorflow").addFilter(_worth_telling)  # adding it again has no effect
    with warnings.catch_warnings():  # NumPy warns about code in Keras
        warnings.simplefilter("ignore", FutureWarning)
        apart = WeightsApart(scores)
        apart.export(str(path), "onnx", verbose=False, input_signature=apart.signature())
    onnx.save(_in_fewer_bits(apart.put_into(onnx.load(path)), quantize), path)


class WeightsApart(keras.Model):
    """Scores whose weights are inputs.

    In each of its dozens of passes tf2onnx copies all constants, and keeps most of the copies: of a
    ``bert`` with 100 MB of weights, 6 GB.

    Args:
        scores: whose weights become inputs.
    """

    def __init__(self, scores: Scores):
        super().__init__()
        self.scores, self.built = scores, True
        self.named = {f"weight_{number}": one for number, one in enumerate(scores.weights)}

    def call(self, ids, values):
        with keras.StatelessScope(zip(self.named.values(), values, strict=True)):
            return self.scores(ids)

    def signature(self) -> list:
        """The input signature: ids, and the weights."""
        weights = [tf.TensorSpec(one.shape, one.dtype, name) for name, one in self.named.items()]
        return [*self.scores.signature(), weights]

    def put_into(self, model: onnx.ModelProto) -> onnx.ModelProto:
        """The file that was exported, with the weights in place of the inputs."""
        used = _used(model.graph)
        for one in list(model.graph.input):
            if one.name in self.named:
                model.graph.input.remove(one)
        model.graph.initializer.extend(
            numpy_helper.from_array(keras.ops.convert_to_numpy(weight), name)
            for name, weight in self.named.items()
            if name in used
        )
        return model


def _used(graph):
    """Names of what the nodes of a graph, and of graphs within it, read."""
    within = [one.g for node in graph.node for one in node.attribute if one.HasField("g")]
    own = {name for node in graph.node for name in node.input}
    return own.union(*map(_used, within))


def _worth_telling(record):
    """TensorFlow warns of lookup tables, as it finds no initializer; the graph has no table."""
    return "serializing table_initializer" not in record.getMessage()


def write_of_texts(
    model, path: str | Path, quantize: str | None = None, attention: bool = False
) -> None:
    """Writes an ONNX file that takes texts.

    Its input is ``texts``, ``[batch]`` strings of UTF-8; its outputs are ``probabilities``,
    ``[batch, classes]`` float32, and ``label``, ``[batch]`` strings. A label is the most probable
    class; where texts may have several labels, it is all those above their thresholds, joined by
    "; ". The file's metadata list the labels in the order of the probabilities. With ``attention``
    the file has three more outputs, ``[batch, (sentences,) words]``: ``weights`` float32, as of
    :func:`zoo.explanation.attention.word_weights`; and ``starts`` and ``ends`` int64, the places in
    the text between which a word's characters are. All three are 0 where there is no word.

    Args:
        model: a classifier with ``preprocessor`` and ``labels`` that returns probabilities.
        path: path of a new file.
        quantize: see :func:`_in_fewer_bits`.
        attention: whether the file also returns how much each word weighs.

    Raises:
        UsageError: if ONNX cannot represent the model's clean-up, or the model has no attention.
    """
    check(model.preprocessor)
    if attention and word_weights(model, model.preprocessor([""])) is None:
        raise UsageError(
            f"{name_of(model)} has no attention to show: leave out attention (--attention)"
        )
    with tempfile.TemporaryDirectory() as folder:
        write_of_ids(model, ids := Path(folder) / "ids.onnx", quantize, weights=attention)
        numbers = version_converter.convert_version(onnx.load(ids), VERSIONS[""])
    graph = Graph("text")
    ids, *spans = word_ids(graph, Value(graph, "texts"), model.preprocessor, spans=attention)
    graph.rename(graph.Cast(ids, to=TensorProto.INT32), "ids")
    outputs = [helper.make_tensor_value_info("ids", TensorProto.INT32, None)]
    shape = ["batch", "sentences", "words"] if model.hierarchical else ["batch", "words"]
    for span, name in zip(spans, ("starts", "ends"), strict=False):
        graph.rename(span, name)
        outputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, shape))
    before = _model(graph, [_texts("texts", ["batch"])], outputs)
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
    found = [*merged.graph.output, _texts("label", ["batch"])]
    del merged.graph.output[:]
    merged.graph.output.extend(sorted(found, key=lambda one: OUTPUTS.index(one.name)))
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


def add_card(path: Path, card: str) -> None:
    """Adds the model card to the metadata of a file."""
    model = onnx.load(path)
    model.metadata_props.add(key="model_card", value=card)
    onnx.save(model, path)


def _in_fewer_bits(model: onnx.ModelProto, how: str | None) -> onnx.ModelProto:
    """The model with its tables and matrices in fewer bits; they become float32 when used.

    A table that loses nothing by it is always stored in bytes, see
    :mod:`zoo.datasets.vectors.byte_rows`. Matrices are stored in 16 bits if they would take more
    than 1 MB, but those that 16 bits cannot hold, as in a SavedModel.

    Args:
        model: a model whose weights are float32.
        how: None for nothing else; "float16"; or "int8" for one byte each, with a scale for each
            row of a table and for each column of a matrix.
    """
    graph = Graph("small")
    used = {name: [] for name in (one.name for one in model.graph.initializer)}
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            used.get(name, []).append((node, place))
    tables = {
        name: bool(uses) and all(node.op_type == "Gather" and not place for node, place in uses)
        for name, uses in used.items()
    }
    large = {
        one.name: numbers
        for one in model.graph.initializer
        if (numbers := numpy_helper.to_array(one)).dtype == "float32"
        and numbers.ndim > 1
        and numbers.size >= SMALL
    }
    size = sum(numbers.nbytes for name, numbers in large.items() if not tables[name])
    of_matrices = "float16" if how is None and size > LARGE else how
    kept, before, after = [], [], {}
    for one in model.graph.initializer:
        if one.name not in large:
            kept.append(one)
            continue
        is_table, uses = tables[one.name], used[one.name]
        numbers = large[one.name]
        as_told = is_table or (how is None and not fits(numbers))
        parts = _parts(numbers, is_table, how if as_told else of_matrices)
        if parts is None:
            kept.append(one)
            continue
        if not is_table:
            graph.rename(_whole([graph.value(part) for part in parts]), one.name)
            before, graph.nodes = [*before, *graph.nodes], []
            continue
        for node, _ in uses:  # only the rows that are looked up become float32
            rows = Value(graph, node.input[1])
            graph.rename(_whole([graph.value(part)[rows] for part in parts]), node.output[0])
            after[node.output[0]], graph.nodes = graph.nodes, []
    nodes = [after.get(node.output[0], [node]) for node in model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend([*kept, *graph.constants.values()])
    model.graph.node.extend([*before, *(node for some in nodes for node in some)])
    return model


def _parts(numbers, is_table, how):
    """The numbers in 16 bits, or as bytes and their scales; None leaves them as they are."""
    if is_table and numbers.ndim == 2:
        steps, scales, exact = in_bytes(numbers)
        if exact.all() or how == "int8":
            return [steps, scales]
    if how == "int8":
        scales = np.abs(numbers).max(axis=-2, keepdims=True) / 127
        scales = np.where(scales > 0, scales, 1).astype("float32")
        return [np.rint(numbers / scales).astype("int8"), scales]
    most = np.finfo("float16").max
    return [numbers.clip(-most, most).astype("float16")] if how == "float16" else None


def _whole(parts):
    """The float32 numbers that are stored in parts of fewer bits."""
    numbers = parts[0].graph.Cast(parts[0], to=TensorProto.FLOAT)
    return numbers * parts[1] if len(parts) > 1 else numbers


def _model(graph, inputs, outputs):
    made = helper.make_graph(graph.nodes, "texts", inputs, outputs, [*graph.constants.values()])
    versions = [helper.make_opsetid(domain, number) for domain, number in VERSIONS.items()]
    return helper.make_model(made, opset_imports=versions, ir_version=IR_VERSION)


def _texts(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.STRING, shape)


def _teach_tf2onnx():
    """Teaches tf2onnx the operator ``erfc``, the complement of ``erf``.

    TensorFlow computes GELU by ``erfc``, but ONNX has only ``erf``. As ``erfc(-x / sqrt(2))`` is
    ``1 + erf(x / sqrt(2))``, it is written in that form, which onnxruntime recognizes as GELU and
    computes in one step.
    """
    from tf2onnx.handler import tf_op

    @tf_op("Erfc")
    class Erfc:
        @classmethod
        def version_9(cls, context, node, **_):
            node.type, (output,), (scaled,) = "Erf", node.output, node.inputs
            one, root = (
                context.make_const(f"{node.name}_{number}", np.array(number, "float32")).output[0]
                for number in (1, 2**0.5)
            )
            is_gelu = scaled.type == "Mul" and scaled.inputs[0].type == "Neg"
            if is_gelu:
                (x,) = scaled.inputs[0].input
                half = context.make_node("Div", [x, root]).output[0]
                context.replace_input(node, node.input[0], half, 0)
            context.insert_new_node_on_output(
                "Add" if is_gelu else "Sub", output, inputs=[one, output]
            )
