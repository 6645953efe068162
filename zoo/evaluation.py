"""How good a trained model is."""

from pathlib import Path
from typing import Any

from zoo.datasets.corpus import Split, class_numbers

COLUMNS = ("text_column", "label_column")


def score(model, split: Split) -> dict[str, Any]:
    """Accuracy, macro F1, mean cross-entropy and the scores of each class.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``.
        split: labelled texts.
    """
    from sklearn.metrics import classification_report, log_loss

    from zoo.datasets.preprocessor import text_dataset

    batches = model.preprocessor.batches(text_dataset(split), batch_size=128, cache="none")
    probabilities = model.predict(batches, verbose=0).astype("float64")
    targets = split.numbers
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    classes = range(len(model.labels))
    report = classification_report(
        targets,
        probabilities.argmax(axis=-1),
        labels=classes,
        target_names=model.labels,
        output_dict=True,
        zero_division=0,
    )
    return {
        "texts": len(targets),
        "accuracy": float((probabilities.argmax(axis=-1) == targets).mean()),
        "macro_f1": report["macro avg"]["f1-score"],
        "loss": log_loss(targets, probabilities, labels=classes),
        "classes": {label: report[label] for label in model.labels},
    }


def evaluate(run: str | Path, data: str | None = None, **columns: str) -> dict[str, Any]:
    """Scores the model of a run folder.

    Args:
        run: the run folder.
        data: a table, folder or glob to score on; by default the test split of the run's own
            data, read again.
        columns: ``text_column`` and ``label_column`` of it, by default the run's; and
            ``on_bad_row``.

    Returns:
        ``accuracy``, ``macro_f1``, ``loss``, ``texts`` and, for each class, precision, recall,
        F1 and support.

    Raises:
        UsageError: if the run or the data cannot be read, or a label is not one of the model's.
    """
    from zoo import datasets
    from zoo.runs import load, read_config

    config = read_config(run)
    if data is None:
        test = datasets.load(config["data"], **config["files"]).split(config["seed"]).test
    else:
        own = {key: config["files"][key] for key in COLUMNS if key in config["files"]}
        frame = datasets.read_labelled(data, **own | columns)
    model = load(run)
    if data is not None:
        test = Split(frame["text"], class_numbers(frame, model.labels, data))
    return score(model, test)
