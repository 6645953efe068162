"""AG's News: four topics of news, from its official CSV files or through TFDS."""

import os
from pathlib import Path

import pandas as pd

from zoo.datasets.corpus import Corpus
from zoo.errors import UsageError

FOLDERS = ("ag_news", "ag_news_csv")


def load_agnews() -> Corpus:
    """AG's News of Zhang, Zhao and LeCun (2015), 4 classes, 120,000 and 7,600 texts.

    Read from ``$ZOO_DATA_DIR/ag_news`` (``train.csv``, ``test.csv``, ``classes.txt`` in the
    official format), and where that is not, through TensorFlow Datasets. Title and description
    are two paragraphs of one text.

    Raises:
        UsageError: if neither has it, or a file is not in the official format.
    """
    root = os.environ.get("ZOO_DATA_DIR")
    for folder in FOLDERS if root else ():
        if (Path(root) / folder).is_dir():
            return _load_official(Path(root) / folder)
    return _load_tfds(root)


def _load_official(folder):
    paths = {name: folder / name for name in ("classes.txt", "train.csv", "test.csv")}
    for path in paths.values():
        if not path.is_file():
            raise UsageError(
                f"AG News needs {', '.join(paths)} in {folder}: {path.name} is missing"
            )
    labels = paths["classes.txt"].read_text("utf-8").split("\n")
    labels = [label.strip() for label in labels if label.strip()]

    def read(path):
        names = ["class", "title", "description"]
        try:
            frame = pd.read_csv(path, header=None, names=names, dtype=str, keep_default_na=False)
            classes = frame["class"].astype(int)
        except (ValueError, pd.errors.ParserError) as error:
            raise UsageError(f"{path} is not rows of class,title,description: {error}") from None
        if not classes.between(1, len(labels)).all():
            row = (~classes.between(1, len(labels))).idxmax() + 1
            raise UsageError(f"{path}, row {row}: the class is not in 1 to {len(labels)}")
        return _frame(frame["title"], frame["description"], [labels[i - 1] for i in classes])

    return Corpus("agnews", labels, train=read(paths["train.csv"]), test=read(paths["test.csv"]))


def _load_tfds(root):
    import requests
    import tensorflow_datasets as tfds

    looked = f"in {' and '.join(str(Path(root) / f) for f in FOLDERS)}" if root else (
        "nowhere on disk, as ZOO_DATA_DIR is not set"
    )  # fmt: skip
    builder = tfds.builder("ag_news_subset")
    if not builder.is_prepared():
        try:  # one quick question, since TFDS itself retries for minutes without a network
            requests.head("https://drive.google.com", timeout=5)
            builder.download_and_prepare()
        except Exception as error:
            raise UsageError(
                f"AG News is not here: looked {looked}, then for TFDS' ag_news_subset in "
                f"{builder.data_dir}, and it cannot be downloaded ({type(error).__name__}). Put "
                "the official train.csv, test.csv and classes.txt into $ZOO_DATA_DIR/ag_news, or "
                "connect to the network, or try --data sample, which needs neither"
            ) from None
    labels = builder.info.features["label"].names

    def read(split):
        rows = pd.DataFrame(tfds.as_numpy(builder.as_dataset(split=split)))
        return _frame(
            rows["title"].str.decode("utf-8"),
            rows["description"].str.decode("utf-8"),
            [labels[i] for i in rows["label"]],
        )

    return Corpus("agnews", labels, train=read("train"), test=read("test"))


def _frame(titles, descriptions, labels):
    return pd.DataFrame({"text": titles + "\n\n" + descriptions, "label": labels})
