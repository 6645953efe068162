"""Keras' own SavedModel of a model, from word ids, without the fault of Keras' ``serve``."""

import keras
import tensorflow as tf


def export_ids(model, path, verbose, signature, also, **kwargs) -> None:
    """Writes Keras' SavedModel of a model, the ``serve`` of which never keeps its lock.

    Keras' own ``serve`` does, after arguments that do not fit; see
    :mod:`zoo.shipping.saved_model`. This one takes all arguments, and only then looks for a trace
    that they fit.

    Args:
        model: the model, of any backend.
        path: a folder.
        verbose: whether Keras tells what it has written.
        signature: of the model, as Keras takes it; that of the SavedModel.
        also: others that ``serve`` takes, cast to the first.
        kwargs: of Keras' ``ExportArchive.track_and_add_endpoint``.
    """
    archive = keras.export.ExportArchive()
    strict = archive.track_and_add_endpoint("serve", model, signature, **kwargs)
    names = ("variables", "trainable_variables", "non_trainable_variables")
    variables = {name: list(getattr(archive, name)) for name in names}

    @tf.function(autograph=False)
    def serve(*args, **kwargs):
        like = keras.tree.map_structure(lambda one, spec: tf.cast(one, spec.dtype), args, first)
        return strict(*like, **kwargs)

    first, *_ = specs = [
        tuple(keras.tree.map_structure(lambda one: tf.TensorSpec(one.shape, one.dtype), each))
        for each in (signature, *also)
    ]
    trace, *_ = [serve.get_concrete_function(*each) for each in specs]
    # A function that is loaded keeps no variables: tf.saved_model.load(path).serve(ids) would have
    # lost them, were it not of an object that has them.
    module = tf.train.Checkpoint(serve=tf.train.Checkpoint(**variables), **variables)
    module.serve.__call__ = serve
    signatures = {"serve": trace, "serving_default": trace}
    tf.saved_model.save(module, str(path), signatures)
    if verbose:
        print(f"Saved artifact at '{path}'. Its endpoint is serve:\n\n{trace}")
