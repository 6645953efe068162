"""Export of a run: its model in a format to ship, what it takes to use it, and a card."""

import importlib
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.attention import attention_of, weights_of_heads
from zoo.datasets.catalogue import CATALOGUE, find_raw_files, prepared_copies
from zoo.datasets.clean_ups import CLEAN_UPS, SENTENCE_ENDS
from zoo.errors import UsageError, unknown
from zoo.evaluation import probabilities_of, read_test_split
from zoo.layers import PairwiseAttention
from zoo.model_card import Agreement, model_card
from zoo.runs import load, read_config, read_scores, write_words
from zoo.saved_model import check_path, export_saved_model
from zoo.writing import check_new, whole, write_json

COMPARED = 1000  # texts of the test split, by the export and by Keras
TOGETHER = 50  # of them

QUANTIZED = (keras.layers.Embedding, keras.layers.Dense)  # what Keras can
LOOPS = (keras.layers.RNN, PairwiseAttention)  # LiteRT's carry nothing of unknown size

Answer = Callable[[Sequence[str]], np.ndarray]  # texts to probabilities, by what was written


def export(
    run: str | Path,
    format: str = "savedmodel",
    quantize: str | None = None,
    output: str | Path | None = None,
) -> Path:
    """Writes the model of a run in a format to ship, by Keras' exporters.

    ``savedmodel`` takes texts. ``onnx`` and ``litert`` hold no strings: they take word ids
    ``[batch, (sentences,) words]`` int32, padded with 0, and give ``probabilities``
    ``[batch, classes]`` and, of a model with attention, the words' ``weights``, of the shape of the
    ids. ``vocabulary.txt``, ``labels.txt`` and ``preprocessing.json`` lie beside them.
    ``model_card.md`` tells about the model, and how far the export agrees with Keras.

    Args:
        run: the run folder.
        format: "savedmodel", "onnx" or "litert".
        quantize: None; "int8", weights of a byte (savedmodel, litert); or "float16" (litert).
        output: a folder that does not exist yet; by default in the run's ``exports``: ``<format>``,
            or ``<format>-<quantize>``.

    Returns:
        The folder.

    Raises:
        UsageError: for an unknown format or quantization, if a package of the format is not
            installed, if the run is not finished, if the format has no form of what the model does,
            or if the folder exists or cannot be written.
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    write, packages, quantizations = FORMATS[format]
    quantize = None if quantize == "none" else quantize
    if quantize is not None and quantize not in quantizations:
        raise unknown(f"quantization of {format}", quantize, ("none", *quantizations))
    for package in packages:
        _need(package, format)
    if keras.backend.backend() != "tensorflow":
        raise UsageError("only TensorFlow exports: unset KERAS_BACKEND; the run may be of any")
    name = format if quantize is None else f"{format}-{quantize}"
    output = Path(run) / "exports" / name if output is None else Path(output)
    check_new(output)
    if format == "savedmodel":
        check_path(output)
    model = load(run)
    config = read_config(run)
    if config["data"] is not None:
        read_scores(Path(run))  # which the card tells, or an error, before anything is written
    texts = _test_texts(config)
    expected = probabilities_of(model, texts) if texts else None
    with whole(output) as folder:
        folder.mkdir()
        try:
            answer = write(model, folder, quantize)
        except (OSError, UsageError):
            raise
        except Exception as error:  # of a converter: megabytes, the reason first
            reason, *_ = str(error).strip().split("\n")
            raise UsageError(f"{format} cannot hold {model.name}: {reason[:300]}") from error
        parts = range(0, len(texts), TOGETHER)
        answers = [answer(texts[start : start + TOGETHER]) for start in parts]
        agreement = Agreement.of(expected, np.concatenate(answers)) if texts else None
        fixed = format == "litert" and _has_loops(model)
        card = model_card(Path(run), model, folder, name, agreement, fixed)
        (folder / "model_card.md").write_text(card, "utf-8")
    return output


def _test_texts(config) -> list[str]:
    """Texts of the test split; none where the data are no longer at hand: nothing is downloaded."""
    entry = CATALOGUE.get(config["data"])
    try:
        if entry and not (prepared_copies(entry) or find_raw_files(entry)):
            return []
        return list(read_test_split(config, COMPARED))
    except UsageError:
        return []


def _need(package, format):
    try:
        importlib.import_module(package)
    except ImportError:
        raise UsageError(
            f"--format {format} needs {package}: pip install 'attention-zoo[{format}]'"
        ) from None


class Scores(keras.Model):
    """Word ids to ``probabilities`` and ``weights``: a model for formats without strings."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self(ops.ones((1, 1, 1) if model.hierarchical else (1, 1), "int32"))  # builds it

    def call(self, ids):
        answer = {"probabilities": self.model(ids, training=False)}
        weights = weights_of_heads(attention_of(self.model, ids), ids)
        return answer if weights is None else answer | {"weights": ops.mean(weights, axis=1)}

    def signature(self, fixed: bool = False) -> list[tf.TensorSpec]:
        """Of any number of texts of any length, or of one that is padded to the longest."""
        limits = [self.model.max_sentences, self.model.max_words][not self.model.hierarchical :]
        shape = [1, *limits] if fixed else [None] * (1 + len(limits))
        return [tf.TensorSpec(shape, "int32", name="ids")]


def _write_saved_model(model, folder, quantize) -> Answer:
    if quantize is not None:
        for layer in model._flatten_layers():  # Keras 3.12 has no filters to quantize some
            if isinstance(layer, QUANTIZED):
                layer.quantize(quantize)
    export_saved_model(model, folder / "saved_model")
    served = tf.saved_model.load(folder / "saved_model")
    return lambda texts: served.serve(tf.constant(texts))["probabilities"].numpy()


def _write_onnx(model, folder, quantize) -> Answer:
    import onnxruntime

    _teach_tf2onnx()
    path, scores = folder / "model.onnx", Scores(model)
    with warnings.catch_warnings():  # of NumPy, about Keras
        warnings.simplefilter("ignore", FutureWarning)
        scores.export(str(path), "onnx", verbose=False, input_signature=scores.signature())
    _write_preprocessing(model, folder)
    session = onnxruntime.InferenceSession(path)
    return lambda texts: session.run(["probabilities"], {"ids": _ids(model, texts)})[0]


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


def _has_loops(model):
    """Whether LiteRT must know the shape of the ids."""
    return any(isinstance(layer, LOOPS) for layer in model._flatten_layers())


def _write_litert(model, folder, quantize) -> Answer:
    from ai_edge_litert.interpreter import Interpreter

    path, scores = folder / "model.tflite", Scores(model)
    options = {"target_spec": {"supported_ops": [tf.lite.OpsSet.TFLITE_BUILTINS]}}
    if quantize is not None:
        options["optimizations"] = [tf.lite.Optimize.DEFAULT]  # int8
    if quantize == "float16":
        options["target_spec"]["supported_types"] = [tf.float16]
    fixed = _has_loops(model)
    signature = scores.signature(fixed)
    scores.export(str(path), "litert", verbose=False, input_signature=signature, **options)
    _write_preprocessing(model, folder)
    runner = Interpreter(str(path)).get_signature_runner()

    def answer(texts):
        ids = _ids(model, texts)
        if not fixed:
            return runner(ids=ids)["probabilities"]
        sizes = zip(signature[0].shape[1:], ids.shape[1:], strict=True)
        ids = np.pad(ids, [(0, 0), *((0, size - own) for size, own in sizes)])
        return np.concatenate([runner(ids=one[None])["probabilities"] for one in ids])

    return answer


FORMATS = {  # how it is written, packages it needs, ways to quantize
    "savedmodel": (_write_saved_model, (), ("int8",)),
    "onnx": (_write_onnx, ("tf2onnx", "onnxruntime"), ()),
    "litert": (_write_litert, ("ai_edge_litert",), ("float16", "int8")),
}


def _ids(model, texts):
    return model.preprocessor(tf.constant(texts)).numpy().astype("int32")


def _write_preprocessing(model, folder):
    """What the graph of a SavedModel does to texts, for those who must do it themselves."""
    own = model.preprocessor
    write_words(folder, model)
    write_json(
        folder / "preprocessing.json",
        {
            "clean_up": own.clean_up,
            "lower_case": "first, of all Unicode; before it, U+0000 and U+001F become spaces",
            "regular_expressions": "RE2; replacements one after the other, \\0 is the match",
            "replacements": CLEAN_UPS[own.clean_up],
            "sentence_ends": SENTENCE_ENDS if model.hierarchical else [],
            "words": "each character"
            if own.clean_up == "characters"
            else "between runs of ASCII white space: space, \\t, \\n, \\v, \\f, \\r",
            "max_sentences": own.max_sentences,
            "max_words": own.max_words,
            "ids": "0 is padding, 1 an unknown word, from 2 on the lines of vocabulary.txt",
            "ngrams": f"up to {own.ngrams} words joined by a space, each a line of vocabulary.txt: "
            "after the words, cut to max_words, come the pairs, and so on"
            if own.ngrams > 1
            else None,
            "entities": "4 times that id, plus 1 for a word between <e1> and </e1>, plus 2 between "
            "<e2> and </e2>; the marks themselves are no words: keep them apart from others, as "
            "words of their own, until it is known which are between them"
            if own.entities
            else None,
        },
    )
