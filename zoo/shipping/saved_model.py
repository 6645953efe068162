"""A SavedModel from texts to probabilities, which is served without zoo."""

import math
from contextlib import contextmanager, nullcontext
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from zoo.answers import foremost
from zoo.datasets.vectors.byte_rows import in_bytes
from zoo.explanation.attention import word_weights
from zoo.explanation.contributions import contributions

LARGE = 1_000_000  # bytes; layers that have more are stored in 16 bits


def export_saved_model(model, path: str | Path) -> None:
    """Writes a SavedModel, which contains the graph from texts to word ids.

    With ``model = tf.saved_model.load(path)``, ``model.serve(texts)`` takes strings, mostly
    ``[batch]``. A single text is a batch of one; in a table each cell is a text, in reading order.
    It returns a dictionary:
    ``probabilities`` ``[batch, classes]`` float32, ``label`` ``[batch]`` strings, the most
    probable class of each text, and ``labels`` ``[batch, classes]`` strings, the names of the
    classes.
    ``model.explain(texts)`` returns ``words``, padded with "", and their ``contributions`` to the
    ``label``, ``[batch, (sentences,) words]``; see :mod:`zoo.explanation.contributions`. If the
    model has attention, it also returns their ``weights``, of the same shape; see
    :mod:`zoo.explanation.attention`.
    Every output has a row for each text, as TensorFlow Serving's REST interface requires. Arguments
    that are not texts raise ``TypeError`` or ``tf.errors.InvalidArgumentError``. Any number of
    threads may call both functions, even after calls that failed: they are concrete functions. A
    polymorphic function would keep its lock when arguments do not fit, and every other thread would
    wait forever.

    Both are also signatures with the input ``texts`` ``[batch]``; ``serve`` is the default.

    Args:
        model: a classifier with ``preprocessor`` and ``labels`` that returns probabilities.
        path: a folder that does not exist yet.

    Raises:
        OSError: if the disk is full or the folder may not be written to.
    """
    few = model.preprocessor(tf.constant([""]))  # also builds what a loaded model has not used yet
    # Keras' ExportArchive would trace each function twice, and so take twice as long.
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
        shape = tf.shape(words)  # where there are no words, ids still have one place
        found = {name: tf.slice(one, tf.zeros_like(shape), shape) for name, one in found.items()}
        return found | {"words": words, "label": tf.gather(list(model.labels), classes)}

    with _in_fewer_bits(model) as (module.weights, called):
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
def _in_fewer_bits(model):
    """Within this context, a traced graph stores weights in fewer bits.

    Word vectors are stored in 8 bits if that loses nothing, see
    :mod:`zoo.datasets.vectors.byte_rows`, and else in 16; so are the weights of all layers if they
    would take more than 1 MB. Probabilities of ``attcnn`` change by a ten-thousandth at most, those
    of ``bert`` by some thousandths. The weights of words in linear models stay as they are, and so
    do quantized weights.

    Yields:
        the variables of the graph, and a context in which the model must be called.
    """
    embed, called, stored = model.embed, nullcontext, []
    plain = type(embed) is keras.layers.Embedding and embed.quantization_mode is None
    numbers = embed.embeddings.numpy() if plain and model.reads_word_vectors else None
    small = numbers is not None and fits(numbers)
    weights = [one for one in model.weights if not (small and one is embed.embeddings)]
    large = [one for one in weights if one.dtype == "float32" and len(one.shape) > 1]
    large = [one for one in large if fits(one.numpy())]
    if small and 4 * sum(math.prod(one.shape) for one in large) > LARGE:
        pairs = [(one, _stored(one.numpy().astype("float16"))) for one in large]
        stored = [half for _, half in pairs]
        weights = [one for one in weights if not any(one is other for other in large)]

        def called():
            return keras.StatelessScope([(one, tf.cast(half, one.dtype)) for one, half in pairs])

    if small:
        embed.call, tables = _looked_up(numbers)
        stored += tables
    try:
        yield [one.value for one in weights] + stored, called
    finally:
        if small:
            del embed.call


def fits(numbers):
    """Whether none of the numbers would be infinite in 16 bits."""
    return np.abs(numbers).max() <= np.finfo("float16").max


def _looked_up(numbers):
    """A function from ids to rows of a table, and the variables that it reads."""
    steps, scales, exact = in_bytes(numbers)
    parts = [steps, scales] if exact.all() else [numbers.astype("float16")]
    tables = [_stored(part) for part in parts]

    def rows(ids):
        first, *scales = (tf.gather(table, ids) for table in tables)
        return math.prod(scales, start=tf.cast(first, numbers.dtype))

    return rows, tables


def _stored(numbers):
    return tf.Variable(numbers, trainable=False)
