"""Keras' Adam, AdamW and Adadelta, faster on TensorFlow.

The same arithmetic as Keras', in one pass over a variable instead of a dozen: every word of a table
moves in every step, also those of no text of the batch. A word that stands twice in a batch has one
gradient, their sum, as in the papers and on JAX; Keras on TensorFlow squares the two by themselves
unless it clips gradients.
"""

import keras

from zoo.backend.optimizer_steps import Clipped, OnePassAdadelta, OnePassAdam


@keras.saving.register_keras_serializable("zoo")
class Adam(OnePassAdam, Clipped, keras.optimizers.Adam):
    """Kingma and Ba 2014."""


@keras.saving.register_keras_serializable("zoo")
class AdamW(OnePassAdam, Clipped, keras.optimizers.AdamW):
    """Loshchilov and Hutter 2019."""


@keras.saving.register_keras_serializable("zoo")
class Adadelta(OnePassAdadelta, Clipped, keras.optimizers.Adadelta):
    """Zeiler 2012."""
