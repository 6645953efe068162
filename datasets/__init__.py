"""Corpora and files in, batches of word ids out."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for editors
    # ruff: noqa: F401
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
    from zoo.datasets.text.preprocessor import Preprocessor

_MODULES = {  # what needs pandas or TensorFlow is imported from its module at its first use
    "catalogue.lookup": "CATALOGUE",
    "corpus": "Corpus Split",
    "loading": "is_corpus load",
    "own_files.class_folders": "short_name",
    "own_files.reading": "as_path column_of load_files read_labelled read_texts write_rows",
    "own_files.text_files": "composed",
    "text.preprocessor": "Preprocessor",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_LATER)


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    if name in _LATER:
        return getattr(importlib.import_module(f"zoo.datasets.{_LATER[name]}"), name)
    raise AttributeError(f"module 'zoo.datasets' has no attribute {name!r}")
