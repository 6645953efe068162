"""Export for serving: a SavedModel that needs nothing of zoo."""

from pathlib import Path

import keras
import tensorflow as tf


def export_saved_model(model, path: str | Path) -> None:
    """Writes a SavedModel from texts to probabilities, the words-to-ids graph included.

    With ``model = tf.saved_model.load(path)``, ``model.serve(texts)`` takes ``[batch]`` strings and
    returns a dictionary:
    ``probabilities`` ``[batch, classes]`` float32, ``label`` ``[batch]`` strings, the most
    probable class of each text, and ``labels`` ``[classes]`` strings, the names in order.

    Args:
        model: a classifier with ``preprocessor`` and ``labels`` that gives probabilities.
        path: a folder that does not exist yet.
    """
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.track(model.preprocessor.lookup)

    def serve(texts):
        probabilities = model(model.preprocessor(texts), training=False)
        labels = tf.constant(list(model.labels))
        return {
            "probabilities": probabilities,
            "label": tf.gather(labels, tf.argmax(probabilities, axis=-1)),
            "labels": labels,
        }

    archive.add_endpoint("serve", serve, [tf.TensorSpec([None], tf.string, name="texts")])
    archive.write_out(str(path), verbose=False)
