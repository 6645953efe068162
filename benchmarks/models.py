"""Every model alone, each in a process of its own: speed, latency, memory, size, start-up.

``make bench`` writes ``benchmarks/results/models.md``. Run again, it goes on where it stopped:
delete ``runs/bench/models.jsonl`` to measure anew.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.progress import track

import zoo
from benchmarks.peak import peak_memory
from benchmarks.report import machine

RESULTS = Path(__file__).parent / "results" / "models.md"
MEASURED = Path("runs/bench/models.jsonl")
CLASSES = 5
ROUNDS = 3
LARGE = 500_000  # numbers beside the word table; what has more is measured on an eighth of texts
FIRST = [2, 3, 4, 5]  # ids of a text


def measure(name: str, preset: str | None, started: float) -> dict[str, float]:
    """What there is to know of a model, in a process that did nothing else since it started."""
    model = zoo.build(name, CLASSES, preset, vocabulary_size=30_002)  # padding and [UNK], too
    model.predict(np.array([[FIRST]] if model.hierarchical else [FIRST]), verbose=0)
    startup = time.time() - started

    import tensorflow as tf

    from benchmarks.measure import GEMM, Documents, gemm, interleaved, latency
    from zoo.datasets import Split
    from zoo.optimizers import AdamW
    from zoo.shipping.saved_model import export_saved_model

    # What reads documents reads IMDB's reviews, and what reads sentences AG News.
    long = model.hierarchical or name.startswith("hcan")
    corpus, texts = ("imdb", 512) if long else ("agnews", 2048)
    large = model.parameter_count() > LARGE
    documents = Documents(corpus, texts // 8 if large else texts, model)
    size = documents.preprocessor.vocabulary_size
    model = zoo.build(name, CLASSES, preset, vocabulary_size=size)
    model.preprocessor, model.labels = documents.preprocessor, list("abcde")
    batches, ids = documents.batches(32).cache(), list(documents.batches(32, targets=False))
    model.compile(AdamW(), "sparse_categorical_crossentropy", jit_compile=False)

    def train():
        if model.solves:
            model.solve(Split(documents.texts, documents.targets))
        else:
            model.fit(batches, shuffle=False, verbose=0)

    seconds = interleaved(
        {
            "fit": train,
            "predict": lambda: [model.predict_on_batch(batch) for batch in ids],
            "gemm": gemm(),
        },
        ROUNDS,
    )
    fit, predict, product = (float(np.median(taken)) for taken in seconds.values())
    operations = documents.operations(model, 32) / (GEMM / product)  # seconds at that rate
    found = {
        "parameters": model.parameter_count(),
        "start-up": startup,
        "train": len(documents.texts) / fit,
        "train words": documents.words / fit,
        "train share": None if model.solves else 3 * operations / fit,
        "predict": len(documents.texts) / predict,
        "predict words": documents.words / predict,
        "predict share": operations / predict,
        "share of words": documents.share_of_words(32),
        "MiB": peak_memory(),  # an export takes more
        "machine": machine(),
    }
    text = tf.constant([sorted(documents.texts, key=len)[len(documents.texts) // 2]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        export_saved_model(model, path)
        found["MB"] = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 1e6
        served = tf.saved_model.load(str(path))
    calls = {
        "python": lambda: model.predict(text, verbose=0),
        "saved": lambda: served.serve(text)["probabilities"].numpy(),
    }
    for way, call in calls.items():
        found[f"{way} p50"], found[f"{way} p99"] = latency(call, 100)
    return found


COLUMNS = {
    "parameters": ("parameters", ",.0f"),
    "SavedModel, MB": ("MB", ".1f"),
    "training, documents/s": ("train", ",.0f"),
    "words/s": ("train words", ",.0f"),
    "of the GEMM rate": ("train share", ".0%"),
    "inference, documents/s": ("predict", ",.0f"),
    "words/s ": ("predict words", ",.0f"),
    "of the GEMM rate ": ("predict share", ".0%"),
    "words of positions": ("share of words", ".0%"),
    "predict, p50 ms": ("python p50", ".1f"),
    "p99": ("python p99", ".1f"),
    "SavedModel, p50 ms": ("saved p50", ".1f"),
    "p99 ": ("saved p99", ".1f"),
    "start-up, s": ("start-up", ".1f"),
    "peak memory, MiB": ("MiB", ",.0f"),
}


def main():
    rows = [f"| model | sizes | {' | '.join(COLUMNS)} |", "|---|---|" + "--:|" * len(COLUMNS)]
    systems = [
        (name, preset)
        for name in zoo.list_models()
        for preset in (*list(zoo.describe(name).presets)[:1], "default")
    ]
    MEASURED.parent.mkdir(parents=True, exist_ok=True)
    MEASURED.touch()
    machines = set()
    known = {tuple(one["system"]): one for one in map(json.loads, MEASURED.open())}
    for name, preset in track(systems, "Measuring"):
        if (name, preset) not in known:
            command = [sys.executable, "-m", "benchmarks.models", name, preset]
            command.append(str(time.time()))
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            known[name, preset] = json.loads(done.stdout.splitlines()[-1])
            with MEASURED.open("a") as file:
                print(json.dumps({"system": (name, preset)} | known[name, preset]), file=file)
        found = known[name, preset]
        cells = " | ".join(
            "" if found[key] is None else format(found[key], form) for key, form in COLUMNS.values()
        )
        rows.append(f"| {name} | {preset} | {cells} |")
        machines.add(found["machine"])
        print(rows[-1], flush=True)
    note = (
        f"Written by `make bench` on {' and '.join(sorted(machines))}. What reads sentences, and "
        "HCAN's flat forms, read 512 of IMDB's reviews, the others 2,048 texts of AG News, and "
        f"an eighth of them where a model has more than {LARGE:,} parameters; batches of 32 that "
        "are ready, the words of 5,000 texts known, float32; medians of "
        f"{ROUNDS} rounds after one of warm-up. Parameters are those beside the word table. "
        "Operations are those of matrix products for real words, three times as many in "
        "training; what is solved at once reads the same texts, from words to weights, with "
        "made-up labels, on which its time depends, and has no share. CNN-char and VDCNN read "
        "characters, systems of n-grams n-grams: both are counted as words here. CNN-char, VDCNN "
        "and the CNN of Barnes et al. pad each text to the length that they read: their shares "
        "count that. SSAN, the Transformer and Bi-BloSAN of their papers do not train the word "
        "table. Latency is that of one text of median length, from text to probabilities. "
        "Start-up is from the start of Python to the first answer of a new model; memory the "
        "most that the process had until it was trained and had answered. 'Of the GEMM rate' is "
        "the share of what a product of large matrices reaches on it, 'words of positions' "
        "the share of a batch's positions that are words, and no padding; p50 and p99 are the time "
        "that half and 99 of 100 answers take at most."
    )
    RESULTS.write_text("# Every model\n\n" + "\n".join([*rows, "", note]) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        name, preset, started = sys.argv[1:]
        print(json.dumps(measure(name, None if preset == "default" else preset, float(started))))
    else:
        main()
