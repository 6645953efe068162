"""How good a trained model is."""

from pathlib import Path
from typing import Any

from zoo.datasets.corpus import class_numbers

COLUMNS = ("text_column", "label_column")


def score(model, texts, targets) -> dict[str, Any]:
    """Accuracy, macro F1, mean cross-entropy and the scores of each class.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``.
        texts: ``[n]`` strings.
        targets: ``[n]`` class numbers.
    """
    from sklearn.metrics import classification_report, log_loss

    probabilities = model.predict(texts, batch_size=128, verbose=0).astype("float64")
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
        data: a CSV, TSV or JSON-lines file to score on; by default the test split of the run's
            own data, read again.
        columns: ``text_column`` and ``label_column`` of that file; by default the run's.

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
        test = datasets.read_labelled(data, **own | columns)
    model = load(run)
    return score(model, test["text"], class_numbers(test, model.labels, data or config["data"]))
