"""Which names of models a test tries.

Models of one class share its code: of each the tests try one name, in float32 and bfloat16, and
``make test-slow`` the others, and float16. What takes long is in ``make test-all``.
"""

import pytest

import zoo
from zoo.registry import import_model

PAPERS = ("hcan", "han", "ssan", "act", "attcnn")  # files, and their models
NAMES = zoo.list_models()
OF_CLASS = {import_model(name)[0]: name for name in reversed(NAMES)}
KINDS = sorted([*OF_CLASS.values(), "hcan_flat"])  # which reads ids of another shape than hcan
FEW = ("act", "attcnn", "cnn_kim", "hcan", "ssan")  # of each kind of attention one, and of none

# Rivals of the papers, whose exports and explanations only make test-slow tries: they took a tenth
# of the time of all tests.
RIVALS = (
    *("bi_blosan", "char_cnn", "cnn_barnes", "conv_grnn", "leam", "pa_lstm"),
    *("paragraph_vector", "skim_lstm", "vdcnn"),
)


def file(name):
    """That the model is written in."""
    return import_model(name)[0].__module__.rpartition(".")[2]


def dropouts(name):
    """Options that are rates of dropout."""
    return [option for option in zoo.describe(name).options if option.endswith("dropout")]


def slow_unless(fast, *values, **more):
    """Values of a parametrized test, of which ``make test-slow`` runs those that are not fast."""
    return pytest.param(*values, marks=[] if fast else pytest.mark.slow, **more)


def long_unless(fast, *values, **more):
    """The same, and ``make test-all`` does."""
    return pytest.param(*values, marks=[] if fast else pytest.mark.long, **more)


def kinds(*fast):
    """A name of each kind: these in ``make test``, rivals in ``make test-slow``, others between.

    Those are in ``make test-all``, and so is a new model.
    """
    return [
        slow_unless(False, name) if name in RIVALS else long_unless(name in fast, name)
        for name in KINDS
    ]


every_kind = pytest.mark.parametrize(
    "name",
    kinds(*FEW) + [slow_unless(False, name) for name in NAMES if name not in KINDS],
)
in_32_and_16_bits = pytest.mark.parametrize(
    ("name", "precision"),
    [
        long_unless(precision == "float32" or name in ("hcan", "ssan"), name, precision)
        for name in KINDS
        for precision in ("float32", "mixed_bfloat16")
    ]
    + [
        slow_unless(False, name, precision)
        for name in NAMES
        for precision in ("float32", "mixed_bfloat16", "mixed_float16")
        if name not in KINDS or precision == "mixed_float16"
    ],
    indirect=["precision"],
)
