"""Names of models by class and file: models of one class share its code."""

import pytest

import zoo
from zoo.registry import import_model

PAPERS = ("hcan", "han", "ssan", "act", "attcnn")  # files; the others are what they compare with
ONE_OF_EACH_CLASS = {import_model(name)[0]: name for name in reversed(zoo.list_models())}.values()


def file(name):
    """That the model is written in."""
    return import_model(name)[0].__module__.rpartition(".")[2]


def slow_beside_the_papers(names):
    """Parameters of a test that takes seconds for each."""
    marks = {name: [] if file(name) in PAPERS else [pytest.mark.slow] for name in names}
    return [pytest.param(name, marks=own) for name, own in marks.items()]
