"""zoo: attentive text classifiers for Keras.

``import zoo`` is light: TensorFlow or JAX is imported when a model is built.
"""

import importlib
import os
from typing import TYPE_CHECKING

from zoo.errors import UsageError
from zoo.registry import describe, list_models, register_model

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.estimator import Classifier
    from zoo.evaluation.comparing import compare
    from zoo.evaluation.explaining import explain
    from zoo.evaluation.labelling import predict
    from zoo.evaluation.scores import evaluate
    from zoo.runs.list_runs import list_runs
    from zoo.runs.run_folder import load
    from zoo.shipping.formats import export
    from zoo.shipping.saving import save
    from zoo.shipping.serving import serve
    from zoo.training.train import train
    from zoo.training.trainer import resume
    from zoo.training.tuning import tune
    from zoo.weights.build import build

__version__ = "0.2.0"

# TensorFlow's faster operations on a CPU, which it uses by itself on some CPUs only.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

__all__ = [
    "Classifier",
    "TextClassifier",
    "UsageError",
    "build",
    "compare",
    "describe",
    "evaluate",
    "explain",
    "export",
    "list_models",
    "list_runs",
    "load",
    "predict",
    "register_model",
    "resume",
    "save",
    "serve",
    "train",
    "tune",
]

_LATER = {  # what needs Keras is imported from its module at its first use
    "Classifier": "estimator",
    "TextClassifier": "classifier",
    "build": "weights.build",
    "compare": "evaluation.comparing",
    "evaluate": "evaluation.scores",
    "explain": "evaluation.explaining",
    "export": "shipping.formats",
    "list_runs": "runs.list_runs",
    "load": "runs.run_folder",
    "predict": "evaluation.labelling",
    "resume": "training.trainer",
    "save": "shipping.saving",
    "serve": "shipping.serving",
    "train": "training.train",
    "tune": "training.tuning",
}


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    if name in _LATER:
        return getattr(importlib.import_module(f"zoo.{_LATER[name]}"), name)
    raise AttributeError(f"module 'zoo' has no attribute {name!r}")
