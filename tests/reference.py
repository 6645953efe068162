"""NumPy as equations are written, in float64, for tests of known answers."""

import keras
import numpy as np
from scipy.special import erf


def as_float64(tensor):
    """A weight or an output, in whatever precision."""
    return keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")).astype("float64")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def softmax(x):
    """Over the last axis."""
    odds = np.exp(x - x.max(-1, keepdims=True))
    return odds / odds.sum(-1, keepdims=True)
