"""Whether a model is built for several devices of TensorFlow."""

import keras


def is_mirrored() -> bool:
    """Within a strategy's scope: what is of a batch, each device has for its part alone."""
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    return tf.distribute.has_strategy()
