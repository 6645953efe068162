"""Corpora of TensorFlow Datasets, by their names there: ``tfds:ag_news_subset``."""

import contextlib
import logging
import os
from typing import Any

import numpy as np

from zoo.answers.class_labels import in_label_order
from zoo.datasets.corpus import Corpus, Split
from zoo.errors import UsageError

PREFIX = "tfds:"
RETRIES = 5  # of a download, which take 6 seconds
SPLITS = {"train": ("train",), "validation": ("validation", "dev"), "test": ("test",)}

logger = logging.getLogger("zoo")


def is_tfds(data: object) -> bool:
    """Whether ``data`` is the name of a corpus of TensorFlow Datasets."""
    return isinstance(data, str) and data.startswith(PREFIX)


def load_tfds(name: str) -> Corpus:
    """A corpus of TensorFlow Datasets, in memory; it is downloaded unless it has been before.

    Args:
        name: ``tfds:`` and its name there, with a configuration or a version if needed, as in
            ``tfds:glue/sst2:2.0.0``.

    Raises:
        UsageError: if there is no such corpus, if it cannot be downloaded, or if it does not have
            texts and classes (``as_supervised``).
    """
    import tensorflow_datasets as tfds

    from zoo.datasets.catalogue.builder import quiet_tfds

    try:
        with quiet_tfds(), _few_retries():
            folder = os.environ.get("TFDS_DATA_DIR")
            builder = tfds.builder(name.removeprefix(PREFIX), data_dir=folder)
            builder.download_and_prepare()
    except Exception as error:  # registry, network and disk raise a dozen different classes
        reason = " ".join(str(error).split())[:300]
        raise UsageError(f"{name} cannot be had of TensorFlow Datasets: {reason}") from None
    if builder.info.supervised_keys is None:
        raise UsageError(
            f"{name} tells no texts and labels: load it by tensorflow_datasets, and give a "
            "tf.data.Dataset of (text, label)"
        )
    text, label = builder.info.supervised_keys[:2]
    feature = builder.info.features[label]
    found = {}
    for split, names in SPLITS.items():
        if own := next((one for one in names if one in builder.info.splits), None):
            rows = builder.as_dataset(split=own).as_numpy_iterator()
            found[split] = [(row[text].decode("utf-8", "replace"), row[label]) for row in rows]
    if "train" not in found:
        raise UsageError(f"{name} has no split to train on: {', '.join(builder.info.splits)}")
    names = getattr(feature, "names", None)
    if names is None:
        values = {_name(value) for rows in found.values() for _, value in rows}
        names = in_label_order(values)
    numbers = {name: number for number, name in enumerate(names)}
    splits: dict[str, Any] = {}
    for split, rows in found.items():
        targets = [
            int(one) if hasattr(feature, "names") else numbers[_name(one)] for _, one in rows
        ]
        kept = np.array(targets) >= 0  # test splits without labels have -1
        if kept.any():
            splits[split] = Split([one for one, _ in rows], targets).take(kept)
    short = name.removeprefix(PREFIX).replace("/", "_").replace(":", "_")
    return Corpus(short, list(names), **splits)


@contextlib.contextmanager
def _few_retries():
    """Limits retries: without a network TFDS would try each file for minutes, without a message."""
    from tensorflow_datasets.core.download import downloader

    before, downloader.MAX_RETRIES = downloader.MAX_RETRIES, RETRIES
    try:
        yield
    finally:
        downloader.MAX_RETRIES = before


def _name(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
