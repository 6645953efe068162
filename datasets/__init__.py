"""Corpora and files in, batches of word ids out."""

from zoo.datasets.catalogue.lookup import CATALOGUE
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.loading import is_corpus, load
from zoo.datasets.own_files.class_folders import short_name
from zoo.datasets.own_files.reading import (
    as_path,
    column_of,
    load_files,
    read_labelled,
    read_texts,
    write_rows,
)
from zoo.datasets.own_files.text_files import composed

__all__ = [
    "CATALOGUE",
    "Corpus",
    "Preprocessor",
    "Split",
    "as_path",
    "column_of",
    "composed",
    "is_corpus",
    "load",
    "load_files",
    "read_labelled",
    "read_texts",
    "short_name",
    "write_rows",
]


def __getattr__(name):
    """The preprocessor needs TensorFlow, which is imported at its first use."""
    if name == "Preprocessor":
        from zoo.datasets.text.preprocessor import Preprocessor

        return Preprocessor
    raise AttributeError(f"module 'zoo.datasets' has no attribute {name!r}")
