"""Names of models by class and file: models of one class share its code."""

import zoo
from zoo.registry import import_model

PAPERS = ("hcan", "han", "ssan", "act", "attcnn")  # files; the others are what they compare with
ONE_OF_EACH_CLASS = {import_model(name)[0]: name for name in reversed(zoo.list_models())}.values()
EXPORTED = sorted([*ONE_OF_EACH_CLASS, "hcan_flat"])  # which reads ids of another shape than hcan


def file(name):
    """That the model is written in."""
    return import_model(name)[0].__module__.rpartition(".")[2]
