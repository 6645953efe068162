"""The card of an exported model: what it is, how good, for what not, and which files."""

import hashlib
import html
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zoo.datasets import short_name
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.evaluation.relation_f1 import TASKS
from zoo.evaluation.scores import SHOWN_CLASSES, worst_classes
from zoo.explanation.attention import word_weights
from zoo.registry import describe
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import read_scores

USE = {
    "savedmodel": """import tensorflow as tf

model = tf.saved_model.load("saved_model")
print(model.serve(tf.constant(["Your text."]))["label"])  # also from many threads""",
    "onnx": """import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession("model.onnx")
ids = np.ones({shape}, "int32")  # of your text: see preprocessing.json
print(session.run(["probabilities"], {{"ids": ids}}))""",
    "litert": """import numpy as np
from ai_edge_litert.interpreter import Interpreter

model = Interpreter("model.tflite").get_signature_runner()
ids = np.ones({shape}, "int32")  # of your text{padded}: see preprocessing.json
print(model(ids=ids)["probabilities"])""",
}


@dataclass(frozen=True)
class Agreement:
    """How far an export's probabilities are those of Keras.

    Attributes:
        texts: how many of the test split were compared.
        largest: the largest difference of a probability, also of an empty text and of one of
            unknown words; infinite where one is no number.
        labels: the share of the texts with the same most probable class, and with numbers.
    """

    texts: int
    largest: float
    labels: float

    @classmethod
    def of(cls, expected: np.ndarray, answers: np.ndarray, others: int = 0) -> "Agreement":
        """Of ``[texts, classes]`` probabilities, by Keras and by the export.

        Args:
            expected: by Keras.
            answers: by the export.
            others: how many of the first are not of the test split.
        """
        with np.errstate(invalid="ignore"):  # infinity less infinity
            apart = np.abs(expected - answers)
        apart = np.where(np.isfinite(apart), apart, np.inf)
        same = (expected.argmax(-1) == answers.argmax(-1)) & np.isfinite(apart).all(-1)
        return cls(len(same[others:]), float(apart.max()), float(same[others:].mean()))

    def __str__(self) -> str:
        return (
            f"On {self.texts:,} texts of the test split, {self.labels:.2%} get the label that "
            f"Keras gives them; probabilities differ by {self.largest:.1g} at most, also of an "
            "empty text and of one of unknown words."
        )


def model_card(
    run: Path, model, folder: Path, name: str, agreement: Agreement | None, fixed: bool = False
) -> str:
    """Markdown about the model of a run, in the order of Mitchell et al. 2019.

    Args:
        run: the run folder.
        model: what :func:`zoo.load` gives of it.
        folder: that of the export, with all its files.
        name: of the format, and of the quantization after "-", if any.
        agreement: of the export with Keras; None where no test split is at hand.
        fixed: whether the export reads one text at a time, padded to the longest.
    """
    config = read_config(run)
    settings = config.settings
    trained = settings.data is not None  # by zoo.train, with scores
    scores = read_scores(run) if trained else {"classes": {}, "calibration_error": None}
    summary, own = describe(settings.model).summary, model.preprocessor
    format, _, quantization = name.partition("-")
    shape = "(1, 1, 3)" if model.hierarchical else "(1, 3)"
    if fixed:
        limits = [own.max_sentences, own.max_words][not model.hierarchical :]
        shape = str((1, *limits))
    padded = ", padded with 0 to this shape" if fixed else ""
    sentences = f"{own.max_sentences} sentences and " if model.hierarchical else ""
    shown, told = worst_classes(scores["classes"])
    classes = "\n".join(
        f"| {_cell(label)} | {row['precision']:.3f} | {row['recall']:.3f} "
        f"| {row['f1-score']:.3f} | {row['support']:.0f} |"
        for label, row in shown.items()
    )
    told = f"\n\n{told}; metrics.json of the run has all." if told else ""
    if not all(row["support"] for row in scores["classes"].values()):
        told += "\n\nMacro F1 is the mean of the classes that texts or answers are of."
    names = list(scores["classes"]) or model.labels
    labels = ", ".join(map(_cell, names[:SHOWN_CLASSES]))
    if others := len(names[SHOWN_CLASSES:]):
        labels += f" and {others:,} others"
    files = "\n".join(
        f"| {path.relative_to(folder)} | {path.stat().st_size:,} | `{_sha256(path)}` |"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )
    calibrated = (
        f"Probabilities are calibrated on the validation split: on the test split they are off by "
        f"{scores['calibration_error']:.1%} on average."
        if scores.get("temperature", 1) != 1
        else f"Probabilities are as the model gives them, as no temperature brings those of the "
        f"validation split closer: on the test split they are off by "
        f"{scores['calibration_error']:.1%} on average."
        if "temperature" in scores
        else "Probabilities are not calibrated."
    )
    official = "".join(
        f" The official F1 of {task} is {scores[name]:.2%}."
        for name, task in TASKS.items()
        if name in scores
    )
    marks = ""
    if own.entities:
        marks = "- Mark the two entities of a text, as `<e1>this</e1>` and `<e2>that</e2>`.\n"
    looked = "- Attention shows where the model looked, not why it answered so.\n"
    looked = "" if word_weights(model, own(["a"])) is None else looked
    words = "characters" if CLEAN_UPS[own.clean_up].by_character else "words"
    counted = "counted on the training split alone"
    if settings.embeddings is not None:
        counted = "counted on the training split and filled up by its word vectors"
    if settings.start_from is not None:
        counted = "counted on the training split and filled up by those of the run it started from"
    title, data = settings.model, "They are not known"
    if trained:
        data = _cell(short_name(settings.data))
        title += f" on {data}"
    made = f"trained by zoo\n{config.versions['attention-zoo']} with seed {settings.seed}"
    metrics = "They are not known: the model was saved from Python."
    if trained:
        metrics = f"""Of the model before the export, on the {scores["texts"]:,} texts of the test \
split, which decided
nothing: accuracy {scores["accuracy"]:.2%}, macro F1 {scores["macro_f1"]:.2%}, cross-entropy
{scores["loss"]:.3f}.{official} {calibrated}

| class | precision | recall | F1 | texts |
|---|--:|--:|--:|--:|
{classes}{told}"""
    parameters = scores["parameters"] if trained else model.count_params()
    if not trained:
        made = f"saved by zoo\n{config.versions['attention-zoo']}"
        counted = "chosen by its owner"
    return f"""# {title}

A text classifier: {summary} {parameters:,} parameters, {made}; the run is
{_cell(run.resolve().name)}.

## Use

Format: {format}{f", quantized to {quantization}" if quantization else ""}. \
{agreement or "The test split is not at hand: not compared with Keras."}

```python
{USE[format].format(shape=shape, padded=padded)}
```

## Data

{data}, with the labels {labels}. The
vocabulary has {len(own.vocabulary):,} {words}, {counted}.

## Metrics

{metrics}

## Limits

- It knows the {words} and the kind of text of its training data; other languages, topics or times
  were not tried. Every text gets one of the labels, also one that has nothing to do with them.
- {words.capitalize()} outside the vocabulary are all the same to it. It reads \
{sentences}{own.max_words} {words}\
{" of each" if model.hierarchical else ""}; what comes after is not read.
{marks}{looked}\
- Whoever labels people, or decides about them, must measure errors by group; nobody has here.

## Files

| file | bytes | SHA-256 |
|---|--:|---|
{files}
"""


def _cell(text):
    """Text that does not break a table, and is no HTML, which Markdown may hold."""
    return html.escape(" ".join(str(text).split()), quote=False).replace("|", "\\|")


def _sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
