"""XLA for single functions, where it pays."""

import sys
from collections.abc import Callable

import keras


def compiled(function: Callable) -> Callable:
    """The function, compiled by XLA for each shape of its arguments.

    XLA makes one pass over memory out of the many that TensorFlow makes. Whole models are not
    compiled: each length of a batch would cost seconds, and loops and matrix products get slower.
    On JAX the function itself, as there whole steps are compiled; and on Apple's GPUs, for which
    TensorFlow has no XLA.
    """
    if keras.backend.backend() != "tensorflow":
        return function
    import tensorflow as tf

    if sys.platform == "darwin" and tf.config.list_physical_devices("GPU"):
        return function
    return tf.function(function, jit_compile=True)
