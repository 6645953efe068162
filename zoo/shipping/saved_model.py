"""A SavedModel from texts to probabilities, which needs nothing of zoo where it is served."""

import math
from contextlib import contextmanager, nullcontext
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from zoo.answers import foremost
from zoo.explanation.attention import word_weights
from zoo.explanation.contributions import contributions

LARGE = 20_000_000  # bytes of layers


def export_saved_model(model, path: str | Path) -> None:
    """Writes a SavedModel, the words-to-ids graph included.

    With ``model = tf.saved_model.load(path)``, ``model.serve(texts)`` takes strings, mostly
    ``[batch]``: one text is a batch of one, and of a table each cell is a text, in reading order.
    It returns a dictionary:
    ``probabilities`` ``[batch, classes]`` float32, ``label`` ``[batch]`` strings, the most
    probable class of each text, and ``labels`` ``[batch, classes]`` strings, their names.
    ``model.explain(texts)`` returns ``words``, padded with "", and their ``contributions`` to the
    ``label``, ``[batch, (sentences,) words]``; see :mod:`zoo.explanation.contributions`. Of a model
    with attention also their ``weights`` of the same shape; see :mod:`zoo.explanation.attention`.
    Every output has a row for each text, as TensorFlow Serving's REST interface wants it. What is
    no text raises ``TypeError`` or ``tf.errors.InvalidArgumentError``. Any number of threads may
    call both, also after calls that were refused: they are concrete functions, as a polymorphic one
    keeps its lock when arguments do not fit, and every other thread would wait for ever.

    Both are signatures, too, of ``texts`` ``[batch]``; ``serve`` is the default one.

    Args:
        model: a classifier with ``preprocessor`` and ``labels`` that gives probabilities.
        path: a folder that does not exist yet.

    Raises:
        OSError: if there is no room, or no leave, to write.
    """
    few = model.preprocessor(tf.constant([""]))  # also builds what a loaded model has not used yet
    # Keras' ExportArchive would trace each function twice: half of the time.
    module = tf.Module()
    module.lookup = model.preprocessor.lookup

    def concrete(of_texts, shape):
        texts = tf.TensorSpec(shape, tf.string, name="texts")
        return tf.function(of_texts, autograph=False).get_concrete_function(texts)

    def of_any_shape(strict):
        return lambda texts: strict(tf.reshape(texts, [-1]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])  # one graph for both
    def read(texts):
        tokens = model.preprocessor.tokens(texts)
        return tokens.single_words, model.preprocessor.pad(tokens.inputs)

    def serve(texts):
        _, ids = read(texts)
        with called():
            probabilities = model(ids, training=False)
        served = model.kind.served(probabilities, model.labels, model.thresholds)
        return {"probabilities": probabilities} | served

    def explain(texts):
        words, ids = read(texts)
        words = words.to_tensor()
        with called():
            classes = foremost(model(ids, training=False))
            found = {"contributions": contributions(model, ids, classes).words}
            if attentive:
                found["weights"] = word_weights(model, ids)
        shape = tf.shape(words)  # ids have a place for a word where there is none
        found = {name: tf.slice(one, tf.zeros_like(shape), shape) for name, one in found.items()}
        return found | {"words": words, "label": tf.gather(list(model.labels), classes)}

    with _in_16_bits(model) as (module.weights, called):
        attentive = word_weights(model, few) is not None
        signatures = {"serve": concrete(serve, [None]), "explain": concrete(explain, [None])}
    for name, strict in signatures.items():
        setattr(module, name, concrete(of_any_shape(strict), None))
    signatures["serving_default"] = signatures["serve"]
    try:
        tf.saved_model.save(module, str(path), signatures)
    except tf.errors.OpError as error:
        raise OSError(error.message) from None


@contextmanager
def _in_16_bits(model):
    """A graph that is traced within it keeps weights in half of the bytes.

    Probabilities move by less than 0.001. These are word vectors, and all layers where they would
    have over 20 MB. Weights of words, as linear models have, stay as they are, and so does what is
    quantized.

    Yields:
        variables of the graph, and a context in which the model is to be called.
    """
    embed, called, halves = model.embed, nullcontext, []
    plain = type(embed) is keras.layers.Embedding and embed.quantization_mode is None
    numbers = embed.embeddings.numpy() if plain and model.reads_word_vectors else None
    small = numbers is not None and np.abs(numbers).max() <= np.finfo("float16").max
    weights = [one for one in model.weights if not (small and one is embed.embeddings)]
    large = [one for one in weights if one.dtype == "float32" and len(one.shape) > 1]
    if small and 4 * sum(math.prod(one.shape) for one in large) > LARGE:
        pairs = [(one, _half(one.numpy())) for one in large]
        halves = [half for _, half in pairs]
        weights = [one for one in weights if not any(one is other for other in large)]

        def called():
            return keras.StatelessScope([(one, tf.cast(half, one.dtype)) for one, half in pairs])

    if small:
        table = _half(numbers)
        halves.append(table)
        embed.call = lambda ids: tf.cast(tf.gather(table, ids), numbers.dtype)
    try:
        yield [one.value for one in weights] + halves, called
    finally:
        if small:
            del embed.call


def _half(numbers):
    return tf.Variable(numbers.astype("float16"), trainable=False)
