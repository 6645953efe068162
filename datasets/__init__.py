"""Corpora and files in, batches of word ids out."""

from zoo.datasets.catalogue import CATALOGUE, load
from zoo.datasets.corpus import Corpus
from zoo.datasets.files import load_files, read_column, read_labelled

__all__ = [
    "CATALOGUE",
    "Corpus",
    "Preprocessor",
    "load",
    "load_files",
    "read_column",
    "read_labelled",
]


def __getattr__(name):
    """The preprocessor needs TensorFlow, which is imported at its first use."""
    if name == "Preprocessor":
        from zoo.datasets.preprocessor import Preprocessor

        return Preprocessor
    raise AttributeError(f"module 'zoo.datasets' has no attribute {name!r}")
