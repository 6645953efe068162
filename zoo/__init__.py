"""zoo: attentive text classifiers for Keras.

``import zoo`` is light: TensorFlow or JAX is imported when a model is built.
"""

import os

from zoo.errors import UsageError
from zoo.registry import build, describe, list_models, register_model

__version__ = "0.1.0"

# TensorFlow's faster operations on a CPU, which it uses by itself on some CPUs only.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

__all__ = [
    "TextClassifier",
    "UsageError",
    "build",
    "describe",
    "evaluate",
    "list_models",
    "load",
    "register_model",
    "resume",
    "train",
    "tune",
]


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    """What needs Keras is imported at its first use."""
    if name == "TextClassifier":
        from zoo.classifier import TextClassifier

        return TextClassifier
    if name in ("train", "resume"):
        from zoo import training

        return getattr(training, name)
    if name == "tune":
        from zoo.tuning import tune

        return tune
    if name == "evaluate":
        from zoo.evaluation import evaluate

        return evaluate
    if name == "load":
        from zoo.runs import load

        return load
    raise AttributeError(f"module 'zoo' has no attribute {name!r}")
