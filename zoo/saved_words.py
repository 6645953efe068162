"""What a model needs to read texts, in its ``.keras`` file: preprocessor and labels."""

import json
from pathlib import Path

ASSET = "texts.json"  # among the file's assets


def write(model, folder) -> None:
    """Writes a model's preprocessor and labels, if it has any."""
    own = model.preprocessor
    if own is None and model.labels is None:
        return
    words = {
        "preprocessor": own and own.get_config(),
        "vocabulary": own and own.vocabulary,
        "labels": model.labels,
    }
    Path(folder, ASSET).write_text(json.dumps(words), "utf-8")


def read(model, folder) -> None:
    """Gives a model what :func:`write` has written, if it has."""
    if folder is None or not (path := Path(folder, ASSET)).exists():
        return
    from zoo.datasets import Preprocessor

    words = json.loads(path.read_text("utf-8"))
    if words["preprocessor"] is not None:
        model.preprocessor = Preprocessor(words["vocabulary"], **words["preprocessor"])
    model.labels = words["labels"]
