"""A corpus by its name, or from anybody's own files."""

from pathlib import Path
from typing import Any

import pandas as pd

from zoo.datasets.catalogue.lookup import CATALOGUE, locate
from zoo.datasets.catalogue.sample import load_sample
from zoo.datasets.catalogue.tfds_corpora import is_tfds, load_tfds
from zoo.datasets.corpus import Corpus
from zoo.datasets.own_files.reading import KINDS, is_path, load_files
from zoo.errors import UsageError, unknown

FLAGS = {"validation": "validation-data", "test": "test-data"}  # of the command line


def is_corpus(data: str | Path | pd.DataFrame) -> bool:
    """Whether the data is a name of a corpus, and no path or table.

    Example:
        >>> from zoo import datasets
        >>> datasets.is_corpus("sample"), datasets.is_corpus("reviews.csv")
        (True, False)
    """
    return isinstance(data, str) and (data in (*CATALOGUE, "sample") or is_tfds(data))


def load(data: str | Path | pd.DataFrame, **files: Any) -> Corpus:
    """A corpus by its name, or from a file.

    A corpus of the catalogue is prepared at its first use and streams from disk then.

    Args:
        data: a name of :data:`CATALOGUE`, ``"sample"``, a name of TensorFlow Datasets after
            ``tfds:``, or a path or a DataFrame as for :func:`zoo.datasets.load_files`.
        files: further arguments of that function, for a path.

    Raises:
        UsageError: for an unknown name, and for what the corpus' reader refuses.

    Example:
        >>> from zoo import datasets
        >>> datasets.load("reviews.csv").labels
        ['bad', 'good']
    """
    if is_corpus(data):
        if files:
            flags = (FLAGS.get(name, name.replace("_", "-")) for name in files)
            names = ", ".join(f"{name} (--{flag})" for name, flag in zip(files, flags, strict=True))
            are = "is" if len(files) == 1 else "are"
            raise UsageError(f"{names} {are} for your own files, not for {data!r}")
        if data == "sample":
            return load_sample()
        if is_tfds(data):
            return load_tfds(str(data))
        locate(CATALOGUE[data])  # refuses before TensorFlow is imported
        from zoo.datasets.catalogue.builder import load_entry

        return load_entry(CATALOGUE[data])
    if isinstance(data, pd.DataFrame) or is_path(data):
        return load_files(data, **files)
    if len(Path(data).parts) > 1 or Path(data).suffix:
        raise UsageError(f"no such file or folder: {data}. Check the path.")
    raise unknown("data", str(data), [*CATALOGUE, "sample", *KINDS])
