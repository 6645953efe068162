"""``zoo.train``: one model, the best of several, or several seeds."""

import dataclasses
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo import datasets
from zoo.datasets.own_files.in_memory import as_table
from zoo.settings import AUTO, documented, from_keywords
from zoo.training.candidates import with_a_model
from zoo.training.trainer import in_splits, read_corpus, train_one

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger("zoo")


@documented("model", "data")
def train(
    model: str | None = None,
    data: "str | Path | pd.DataFrame | tuple" = "sample",
    **settings: Any,
) -> Path:
    """Trains a classifier and writes a run folder.

    The weights with the best validation accuracy are kept. Trainings in threads of one process
    share their random numbers, so that none of them can be repeated exactly.

    Args:
        model: a name of :func:`zoo.list_models`; ``"auto"``, which tries several models for
            ``minutes`` minutes, or 10, and keeps the best; or None for the model that is mostly
            best on such texts, which a line of the log names.
        data: the name of a corpus, such as ``"agnews"`` or ``"sample"``; of one in TensorFlow
            Datasets, such as ``"tfds:ag_news_subset"``; the path of your own table, folder or glob;
            or data in memory: a DataFrame, ``(texts, labels)`` or a ``tf.data.Dataset`` of these.
            The run folder keeps data in memory as ``data.jsonl``, so that they can be read again.
        {settings}

    Returns:
        The run folder. With ``"auto"`` it is that of the chosen model, with several seeds that of
        the middle run. A process that is not the first one gets a folder that is gone by then.

    Raises:
        UsageError: for bad names, data or options, before anything is written; and where the
            training cannot go on.

    Note:
        ``files``, a dictionary with ``text_column``, ``label_column``, ``on_bad_row``,
        ``encoding``, ``min_class_size``, ``rare_classes``, ``validation`` and ``test``, is an older
        way to give the settings with these names.

    Example:
        >>> import zoo
        >>> run = zoo.train("svm_bigrams", "reviews.csv", text_column="text")
        >>> zoo.load(run).classify(["A fine film."])[0]["label"]
        'good'
    """
    table = as_table(data)
    if table is not data and "weight" in table:
        settings = {"weight_column": "weight"} | settings
    data = table
    settings = from_keywords({"model": model, "data": data} | settings)
    settings.check()
    if isinstance(data, str | Path) and not datasets.is_corpus(data):
        settings = dataclasses.replace(settings, data=datasets.as_path(data))
    if settings.model == AUTO:
        from zoo.training.choosing import choose

        return choose(settings)
    corpus = None
    if settings.model is None:
        corpus = read_corpus(settings)
        settings = with_a_model(settings, corpus)
        in_splits(corpus, settings)
    if settings.seeds is not None:
        from zoo.training.seeds import train_seeds

        return train_seeds(settings)
    return train_one(settings, corpus)
