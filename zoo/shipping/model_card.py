"""The card of an exported model: what it is, how good it is, its limits, and its files."""

import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from zoo.answers import ONE, kind_of_scores
from zoo.datasets import short_name
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.evaluation.relation_f1 import TASKS
from zoo.evaluation.scores import SHOWN_CLASSES, worst_classes
from zoo.explanation.attention import word_weights
from zoo.registry import describe
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import read_scores

METRICS = """\
Of the model before the export, on the {texts:,} texts of the test split, which decided
nothing: {summary}, cross-entropy
{loss:.3f}.{official} {calibrated}

| class | precision | recall | F1 | texts |
|---|--:|--:|--:|--:|
{table}{told}"""
QUANTIZATIONS = ("int8", "float16")
USE = {
    "savedmodel": """import tensorflow as tf

model = tf.saved_model.load("saved_model")
print(model.serve(tf.constant(["Your text."]))["label"])  # also from many threads""",
    "onnx": """import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession("model.onnx")
texts = np.array(["Your text."], object)
print(session.run(["label", "probabilities"], {{"texts": texts}}))  # also from many threads""",
    "onnx-attention": """import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession("model.onnx")
(text,) = texts = np.array(["Your text."], object)
found = session.run(["label", "weights", "starts", "ends"], {{"texts": texts}})
(label,), *words = (one.reshape(-1) for one in found)
print(label, [(text[start:end], weight) for weight, start, end in zip(*words) if end])""",
    "onnx-ids": """import numpy as np
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
    """How far an export's probabilities agree with those of Keras.

    Attributes:
        texts: number of texts of the test split that were compared.
        largest: the largest difference of a probability, also for an empty text and for a text of
            unknown words; infinite where a probability is NaN or infinite.
        labels: the share of the texts that get the same label, and only finite probabilities.
    """

    texts: int
    largest: float
    labels: float

    @classmethod
    def of(
        cls,
        expected: np.ndarray,
        answers: np.ndarray,
        others: int = 0,
        kind=ONE,
        thresholds: Sequence[float] | None = None,
    ) -> "Agreement":
        """The agreement of two arrays of probabilities, ``[texts, classes]``.

        Args:
            expected: the probabilities of Keras.
            answers: the probabilities of the export.
            others: how many of the first rows are not from the test split.
            kind, thresholds: the model's kind of answers, and its thresholds.
        """
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            apart = np.abs(expected - answers)
        apart = np.where(np.isfinite(apart), apart, np.inf)
        same = kind.right(*(kind.decide(one, thresholds) for one in (expected, answers)))
        same = same & np.isfinite(apart).all(-1)
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
        model: what :func:`zoo.load` returns for it.
        folder: the folder of the export, with all its files.
        name: name of the format, followed by "-" and the quantization, if any.
        agreement: how far the export agrees with Keras; None if there is no test split at hand.
        fixed: whether the export reads one text at a time, padded to the longest.
    """
    config, own = read_config(run), model.preprocessor
    settings = config.settings
    form, _, last = name.rpartition("-")
    format, quantization = (form, last) if last in QUANTIZATIONS else (name, "")
    shape, padded = "(1, 1, 3)" if model.hierarchical else "(1, 3)", ""
    if fixed:
        shape = str((1, *[own.max_sentences, own.max_words][not model.hierarchical :]))
        padded = ", padded with 0 to this shape"
    words = "characters" if CLEAN_UPS[own.clean_up].by_character else "words"
    most = f"{own.max_words} {words}"
    if model.hierarchical:
        most = f"{own.max_sentences} sentences and {most} of each"
    limits = ""
    if own.entities:
        limits += "- Mark the two entities of a text, as `<e1>this</e1>` and `<e2>that</e2>`.\n"
    if word_weights(model, own(["a"])) is not None:
        limits += "- Attention shows where the model looked, not why it answered so.\n"
    version = config.versions["attention-zoo"]
    facts = {
        "title": settings.model,
        "parameters": model.count_params(),
        "made": f"saved by zoo\n{version}",
        "data": "They are not known",
        "labels": _labels(model.labels),
        "counted": "chosen by its owner",
        "metrics": "They are not known: the model was saved from Python.",
        "summary": describe(settings.model).summary,
        "run": _cell(run.resolve().name),
        "format": f"{format}, quantized to {quantization}" if quantization else format,
        "agreement": agreement or "The test split is not at hand: not compared with Keras.",
        "use": USE[format].format(shape=shape, padded=padded),
        "vocabulary": len(own.vocabulary),
        "words": words,
        "Words": words.capitalize(),
        "most": most,
        "limits": limits,
        "every": model.kind.limit,
        "files": "\n".join(
            f"| {path.relative_to(folder)} | {path.stat().st_size:,} | `{_sha256(path)}` |"
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ),
    }
    if settings.data is not None:  # trained by zoo.train, with scores
        scores, data = read_scores(run), _cell(short_name(settings.data))
        counted = "alone"
        if settings.weights != "none":
            counted = f"and filled up by those of {_cell(str(settings.weights))}"
        facts |= {
            "title": f"{settings.model} on {data}",
            "parameters": scores["parameters"],
            "made": f"trained by zoo\n{version} with seed {settings.seed}",
            "data": data,
            "labels": _labels(list(scores["classes"]) or model.labels),
            "counted": f"counted on the training split {counted}",
            "metrics": _scores_as_text(scores),
        }
    template = (files("zoo.shipping") / "model_card.md").read_text("utf-8")
    return template.format(**facts)


def _labels(names):
    """The first names of classes, and the number of the others."""
    labels = ", ".join(map(_cell, names[:SHOWN_CLASSES]))
    others = len(names[SHOWN_CLASSES:])
    return f"{labels} and {others:,} others" if others else labels


def _scores_as_text(scores):
    """The scores of a training, in words and as a table of the classes."""
    official = "".join(
        f" The official F1 of {task} is {scores[name]:.2%}."
        for name, task in TASKS.items()
        if name in scores
    )
    error = f"on the test split they are off by {scores['calibration_error']:.1%} on average."
    calibrated = "Probabilities are not calibrated."
    if scores.get("temperature", 1) != 1:
        calibrated = f"Probabilities are calibrated on the validation split: {error}"
    elif "temperature" in scores:
        calibrated = (
            "Probabilities are as the model gives them, as no temperature brings those of the "
            f"validation split closer: {error}"
        )
    shown, told = worst_classes(scores["classes"])
    classes = "\n".join(
        f"| {_cell(label)} | {row['precision']:.3f} | {row['recall']:.3f} "
        f"| {row['f1-score']:.3f} | {row['support']:.0f} |"
        for label, row in shown.items()
    )
    told = f"\n\n{told}; metrics.json of the run has all." if told else ""
    if not all(row["support"] for row in scores["classes"].values()):
        told += "\n\nMacro F1 is the mean of the classes that texts or answers are of."
    summary = kind_of_scores(scores).summary(scores)
    summary = ", ".join(f"{name} {value}" for name, value in summary.items())
    return METRICS.format(
        **scores,
        summary=summary,
        official=official,
        calibrated=calibrated,
        table=classes,
        told=told,
    )


def _cell(text):
    """Text that does not break a Markdown table, with HTML escaped, as Markdown may contain it."""
    return html.escape(" ".join(str(text).split()), quote=False).replace("|", "\\|")


def _sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
