"""Export of a run: its model in a format to ship, the files needed to use it, and a card."""

import importlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.answers import probabilities_of
from zoo.backend import backend_name
from zoo.backend.keras_private import all_layers
from zoo.datasets.catalogue.lookup import CATALOGUE, find_raw_files, prepared_copies
from zoo.datasets.text.clean_ups import CLEAN_UPS, RULES
from zoo.errors import UsageError, unknown
from zoo.evaluation.scores import read_test_split
from zoo.filesystem.atomic_files import check_new, whole, write_json
from zoo.filesystem.paths import check_no_pattern, expanded
from zoo.layers import PairwiseAttention
from zoo.layers.entity_positions import ROLES
from zoo.progress import progress
from zoo.runs.onnx_model import NAME, OnnxClassifier
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import load, read_scores, write_words
from zoo.shipping.model_card import Agreement, model_card
from zoo.shipping.saved_model import export_saved_model
from zoo.shipping.scores import Scores

COMPARED = 1000  # texts of the test split on which the export is compared with Keras
PART = 50  # texts that are compared at once

QUANTIZED = (keras.layers.Embedding, keras.layers.Dense)  # layers that Keras can quantize
LOOPS = (keras.layers.RNN, PairwiseAttention)  # loops in LiteRT need tensors of known shapes

Answer = Callable[[Sequence[str]], np.ndarray]  # from texts to the probabilities of the export

logger = logging.getLogger("zoo")


def export(
    run: str | Path,
    format: str = "savedmodel",
    quantize: str | None = None,
    output: str | Path | None = None,
    ids: bool = False,
    attention: bool = False,
) -> Path:
    """Writes the model of a run in a format to ship.

    ``savedmodel`` and ``onnx`` take texts. ``onnx`` is a single file, which plain onnxruntime runs:
    see :func:`zoo.shipping.onnx_file.write_of_texts`. ``litert``, and ``onnx`` with ``ids``, do not
    take strings but word ids ``[batch, (sentences,) words]`` int32, padded with 0. They return
    ``probabilities`` ``[batch, classes]`` and, if the model has attention, the words' ``weights``,
    of the shape of the ids. ``vocabulary.txt``, ``labels.txt`` and ``preprocessing.json`` are
    written beside them.
    ``model_card.md`` describes the model, and how far the export agrees with Keras.

    Args:
        run: the run folder.
        format: "savedmodel", "onnx" or "litert".
        quantize: None; "int8" for weights of one byte; or "float16" for two bytes (onnx, litert).
        output: a folder that does not exist yet. By default it is in the run's ``exports``, and its
            name is ``<format>`` followed by ``ids`` or ``attention`` and ``<quantize>``, each after
            a dash.
        ids: whether ``onnx`` takes word ids.
        attention: whether ``onnx`` from texts also returns each word's weight and its place.

    Returns:
        The folder.

    Raises:
        UsageError: for an unknown format or quantization, if a package of the format is not
            installed, if the run is not finished, if the format cannot represent the model, if the
            export answers an empty text, a text of unknown words or a test text with NaN or
            infinity, or if the folder exists or cannot be written.

    Example:
        >>> import zoo
        >>> folder = zoo.export(run, "onnx")
        >>> sorted(path.name for path in folder.iterdir())
        ['model.onnx', 'model_card.md']
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    if ids and format != "onnx":
        takes = "texts" if format == "savedmodel" else "word ids in any case"
        raise UsageError(f"ids (--ids) is for the format onnx: {format} takes {takes}")
    if attention and (ids or format != "onnx"):
        raise UsageError(
            "attention (--attention) is for the format onnx of texts: a SavedModel, and files of "
            "word ids, have it in any case"
        )
    write, packages, quantizations = FORMATS[format]
    quantize = None if quantize == "none" else quantize
    if quantize is not None and quantize not in quantizations:
        raise unknown(f"quantization of {format}", quantize, ("none", *quantizations))
    for package in packages:
        _need(package, format)
    if backend_name() != "tensorflow":
        raise UsageError("only TensorFlow exports: unset KERAS_BACKEND; the run may be of any")
    form = "onnx-ids" if ids else "onnx-attention" if attention else format
    write = {"onnx-ids": _write_onnx_of_ids, "onnx-attention": _write_attention}.get(form, write)
    name = form if quantize is None else f"{form}-{quantize}"
    run = expanded(run)
    output = run / "exports" / name if output is None else expanded(output)
    check_new(output)
    if format == "savedmodel":
        check_no_pattern(output)
    model = load(run)
    config = read_config(run)
    if config.settings.data is not None:
        read_scores(run)  # for the card; raises here, before anything is written
    edges = ["", _unknown_words(model.preprocessor)]  # test splits may lack such texts
    texts = [*edges, *_test_texts(config)]
    expected = probabilities_of(model, texts)
    with whole(output) as folder:
        folder.mkdir()
        try:
            answer = write(model, folder, quantize)
            parts = (texts[start : start + PART] for start in range(0, len(texts), PART))
            told = progress(parts, f"Comparing {name} with Keras", len(texts), size=len)
            answers = [answer(part) for part in told]
        except (OSError, UsageError):
            raise
        except Exception as error:  # a converter's message is long, and begins with the reason
            reason, *_ = str(error).strip().split("\n")
            raise UsageError(f"{format} cannot hold {model.name}: {reason[:300]}") from error
        answers, agreement = np.concatenate(answers), None
        _check_answers(answers, f"{name} of {model.name}")
        if len(texts) > len(edges):
            agreement = Agreement.of(expected, answers, len(edges), model.kind, model.thresholds)
        fixed = format == "litert" and _has_loops(model)
        card = model_card(run, model, folder, name, agreement, fixed)
        if format == "onnx" and not ids:  # the file holds the card, but not its list of files
            from zoo.shipping.onnx_file import add_card

            add_card(folder / NAME, card.partition("\n## Files\n")[0])
            card = model_card(run, model, folder, name, agreement, fixed)
        (folder / "model_card.md").write_text(card, "utf-8")
        if agreement is not None:
            logger.info("%s: %s", name, agreement)
    return output


def _test_texts(config) -> list[str]:
    """Texts of the test split; none if the data are not on this machine, as nothing is fetched."""
    entry = CATALOGUE.get(config.settings.data)
    try:
        if entry and not (prepared_copies(entry) or find_raw_files(entry)):
            return []
        return list(read_test_split(config, COMPARED))
    except UsageError:
        return []


def _unknown_words(preprocessor):
    """A text whose words are not in the vocabulary."""
    words = set(preprocessor.vocabulary)
    word = "q"
    while word in words:  # where each character is a word, try the next character
        by_character = CLEAN_UPS[preprocessor.clean_up].by_character
        word = chr(ord(word) + 1) if by_character else f"{word}q"
    return f"{word} {word}"


def _check_answers(answers, of):
    """Checks the answers to an empty text, to a text of unknown words, and to test texts.

    Raises:
        UsageError: if an answer has NaN or infinity, for which the text would get the first label.
    """
    wrong = ~np.isfinite(answers).all(axis=-1)
    if wrong.any():
        number = f"{wrong[2:].sum():,} of {len(answers) - 2:,} texts of the test split"
        kinds = ("an empty text", "a text of unknown words", number)
        kind = kinds[min(int(np.flatnonzero(wrong)[0]), 2)]
        raise UsageError(
            f"{of} answers {kind} with NaN or infinity, so it is not kept: choose another format "
            "or quantization"
        )


def _need(package, format):
    try:
        importlib.import_module(package)
    except ImportError:
        name = package.replace("_", "-")
        raise UsageError(f"the format {format} needs {package}: pip install {name}") from None


def _write_saved_model(model, folder, quantize) -> Answer:
    if quantize is not None:
        for layer in all_layers(model):  # Keras 3.12 cannot quantize chosen layers in one call
            if isinstance(layer, QUANTIZED):
                layer.quantize(quantize)
    export_saved_model(model, folder / "saved_model")
    served = tf.saved_model.load(folder / "saved_model")
    return lambda texts: served.serve(tf.constant(texts))["probabilities"].numpy()


def _write_onnx(model, folder, quantize, attention=False) -> Answer:
    from zoo.shipping.onnx_file import write_of_texts

    write_of_texts(model, folder / NAME, quantize, attention)
    return OnnxClassifier(folder / NAME).predict


def _write_attention(model, folder, quantize) -> Answer:
    return _write_onnx(model, folder, quantize, attention=True)


def _write_onnx_of_ids(model, folder, quantize) -> Answer:
    import onnxruntime

    from zoo.shipping.onnx_file import write_of_ids

    write_of_ids(model, folder / NAME, quantize)
    _write_preprocessing(model, folder)
    session = onnxruntime.InferenceSession(folder / NAME)
    return lambda texts: session.run(["probabilities"], {"ids": _ids(model, texts)})[0]


def _has_loops(model):
    """Whether LiteRT needs a fixed shape of the ids."""
    return any(isinstance(layer, LOOPS) for layer in all_layers(model))


def _write_litert(model, folder, quantize) -> Answer:
    from ai_edge_litert.interpreter import Interpreter

    path, scores = folder / "model.tflite", Scores(model)
    options: dict[str, Any] = {"target_spec": {"supported_ops": [tf.lite.OpsSet.TFLITE_BUILTINS]}}
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


FORMATS = {  # the function that writes it, the packages that it needs, ways to quantize
    "savedmodel": (_write_saved_model, (), ("int8",)),
    "onnx": (_write_onnx, ("tf2onnx", "onnxruntime"), ("float16", "int8")),
    "litert": (_write_litert, ("ai_edge_litert",), ("float16", "int8")),
}


def _ids(model, texts):
    return model.preprocessor(tf.constant(texts)).numpy().astype("int32")


def _write_preprocessing(model, folder):
    """Writes what a SavedModel's graph does to texts, for programs that must do it themselves."""
    own = model.preprocessor
    rules, clean_up = RULES[own.version], CLEAN_UPS[own.clean_up]
    write_words(folder, model)
    write_json(
        folder / "preprocessing.json",
        {
            "steps": "in the order of this file, from html_entities to ids",
            "text_version": own.version,
            "clean_up": own.clean_up,
            "regular_expressions": "RE2's, as in google-re2 for Python and in Go: \\x{2019} is a "
            "character by its number, \\p{L} are those of a Unicode category; \\s, \\w and \\b "
            "know ASCII alone, and \\s is no \\v. Each replaces all that it finds, from left to "
            "right, one after the other; in a replacement \\0 is the match, \\1 its first group",
            "html_entities": "&eacute; or any other of HTML 5's names that ends in a semicolon, "
            "&#233; and &#xE9; become that character, each once: &amp;lt; becomes &lt;. Unknown "
            "names stay. Numbers from 128 to 159 are bytes of windows-1252, which are themselves "
            "where it has none; numbers of no character, as of surrogates, become U+FFFD"
            if rules.references
            else None,
            "spaces": rules.blanks,
            "lower_case": "once what the expression of spaces finds is a space: all Unicode, in "
            "any locale as in English: I becomes i, U+0130 i and U+0307, a sigma at the end of a "
            "word U+03C2. Letters that came with Unicode 14 or later stay",
            "replacements": clean_up.replacements[own.version],
            "sentence_ends": rules.sentence_ends if model.hierarchical else [],
            "sentences": "what is between U+001F, which sentence_ends puts in; those without words "
            "are left out"
            if model.hierarchical
            else None,
            "words": "each character"
            if clean_up.by_character
            else "between runs of ASCII white space: space, \\t, \\n, \\v, \\f, \\r",
            "max_sentences": own.max_sentences,
            "max_words": own.max_words,
            "longest_ngram": own.ngrams,
            "ngrams": f"up to {own.ngrams} words joined by a space, each a line of vocabulary.txt: "
            "after the words, cut to max_words, come the pairs, and so on"
            if own.ngrams > 1
            else None,
            "ids": "0 is padding, 1 an unknown word, from 2 on the lines of vocabulary.txt. Texts "
            "together are padded to the longest; a text without words is one padding: "
            + ("[[[0]]]" if model.hierarchical else "[[0]]"),
            "entities": f"{ROLES} times that id, plus 1 for a word between <e1> and </e1>, plus 2 "
            "between <e2> and </e2>; the marks themselves are no words: keep them apart from "
            "others, as words of their own, until it is known which are between them"
            if own.entities
            else None,
            "example": _example(own),
        }
        | ({} if model.thresholds is None else {"thresholds": model.thresholds}),
    )


def _example(preprocessor):
    """A text that needs most of the steps, its words and its ids."""
    known = [word for word in preprocessor.vocabulary if " " not in word][:3]
    known = ("" if CLEAN_UPS[preprocessor.clean_up].by_character else " ").join(known)
    marked = "<e2>R&amp;D</e2>" if preprocessor.entities else "R&amp;D"
    text = f"{known}. It\u2019s {marked} at 3.5&nbsp;KM, \u4f60\u597d\u3002Why? {known}"
    (words,) = preprocessor.words([text]).to_list()
    words = keras.tree.map_structure(bytes.decode, words)
    return {"text": text, "words": words, "ids": preprocessor([text])[0].numpy().tolist()}
