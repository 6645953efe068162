"""What files of fewer bits cost: megabytes, accuracy, and how far probabilities move.

``python -m benchmarks.fewer_bits`` writes ``benchmarks/results/fewer_bits.md``. Each model learns
from 100 texts of each class by zoo's defaults and is exported in every way; the test texts are
answered by each file and by ``model.keras``, which has 32 bits. They choose nothing.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import tensorflow as tf

import zoo
from benchmarks.labels import CORPORA, drawn, read
from benchmarks.report import machine
from zoo.backend import quiet_tensorflow
from zoo.filesystem.atomic_files import whole
from zoo.runs.onnx_model import OnnxClassifier

RESULTS = Path(__file__).parent / "results" / "fewer_bits.md"
MODELS, NAMES, LABELS, AT_ONCE = ("attcnn", "bert"), ("trec", "opener"), "100", 64
EXPORTS = (
    ("savedmodel", None),
    ("savedmodel", "int8"),
    ("onnx", None),
    ("onnx", "float16"),
    ("onnx", "int8"),
)


def probabilities(folder: Path, texts: list[str]) -> np.ndarray:
    """What an export answers, ``[texts, classes]``."""
    if (folder / "model.onnx").exists():
        return OnnxClassifier(folder / "model.onnx").predict(texts)
    serve = tf.saved_model.load(folder / "saved_model").serve
    parts = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    return np.concatenate([serve(tf.constant(part))["probabilities"] for part in parts])


def measured(model: str, name: str, folder: Path) -> Iterator[dict]:
    """A row for each export."""
    train, test = read(name)
    test.to_json(folder / "test.jsonl", orient="records", lines=True)
    told = {"files": {"test": folder / "test.jsonl"}, "output": folder, "verbose": 0}
    run = zoo.train(model, drawn(train, LABELS, 0), **told)
    texts, whole_model = test["text"].tolist(), zoo.load(run)
    expected = whole_model.predict(texts, verbose=0)
    right = np.array([whole_model.labels.index(label) for label in test["label"]])
    for form, bits in EXPORTS:
        export = zoo.export(run, form, bits)
        found = probabilities(export, texts)
        kept = [path for path in export.rglob("*") if path.is_file() and path.suffix != ".md"]
        yield {
            "model": model,
            "corpus": CORPORA[name].title,
            "file": form if bits is None else f"{form}, {bits}",
            "megabytes": sum(path.stat().st_size for path in kept) / 1e6,
            "accuracy": 100 * (found.argmax(-1) == right).mean(),
            "other": 100 * (found.argmax(-1) != expected.argmax(-1)).mean(),
            "moved": np.abs(found - expected).max(),
        }


def report(rows: pd.DataFrame) -> str:
    """Means over the corpora, in Markdown; of ``moved`` the largest."""
    how = {"megabytes": "mean", "accuracy": "mean", "other": "mean", "moved": "max"}
    lines = [
        "# What fewer bits cost",
        "",
        "| model | file | megabytes | accuracy | other labels | largest change of a probability |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for (model, file), own in rows.groupby(["model", "file"], sort=False).agg(how).iterrows():
        cells = f"{own['megabytes']:.1f} | {own['accuracy']:.1f} | {own['other']:.1f} %"
        lines.append(f"| {model} | {file} | {cells} | {own['moved']:.1g} |")
    return "\n".join(
        [
            *lines,
            "",
            f"Written by `python -m benchmarks.fewer_bits` on {machine()}: {LABELS} labels a "
            f"class, one training each; {' and '.join(rows['corpus'].unique())}, test texts. "
            "Accuracy is in percent. Labels and probabilities are beside those of `model.keras`. "
            "`onnx` and `savedmodel` without more are what `zoo train` writes: a word table of "
            "bytes where that loses nothing, and layers of 16 bits where they take more than "
            "1 MB.",
            "",
        ]
    )


def main() -> None:
    rows = []
    for model in MODELS:
        for name in NAMES:
            with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
                rows += measured(model, name, Path(folder))
    with whole(RESULTS) as partial:
        partial.write_text(report(pd.DataFrame(rows)), "utf-8")


if __name__ == "__main__":
    quiet_tensorflow()
    main()
