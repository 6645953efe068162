"""Corpora by name."""

from pathlib import Path

from zoo.datasets.agnews import load_agnews
from zoo.datasets.corpus import Corpus
from zoo.datasets.files import SUFFIXES, load_files
from zoo.datasets.sample import load_sample
from zoo.errors import UsageError, unknown

CATALOGUE = {"agnews": load_agnews, "sample": load_sample}


def load(data: str, **files: str | None) -> Corpus:
    """A corpus by the name of the catalogue, or from a file.

    Args:
        data: ``"agnews"``, ``"sample"``, or the path of a CSV, TSV or JSON-lines file.
        files: further arguments of :func:`zoo.datasets.load_files`, for a path.

    Raises:
        UsageError: for an unknown name, and for what the corpus' reader refuses.
    """
    if data in CATALOGUE:
        if files:
            raise UsageError(f"{', '.join(files)}: only for your own files, not for {data!r}")
        return CATALOGUE[data]()
    if Path(data).suffix in SUFFIXES or Path(data).exists():
        return load_files(data, **files)
    raise unknown("data", data, [*CATALOGUE, *(f"a {suffix} file" for suffix in SUFFIXES)])
