"""What one might ship to label texts: each in a process of its own, from text to label.

``make bench`` writes ``benchmarks/results/shipped.md``. ``python -m benchmarks.shipped SYSTEM
FOLDER`` is such a process: for each line of standard input it labels the texts of the folder, one
by one and all, and prints what that took.
"""

import importlib
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np

from zoo.backend import in_threads

LABELLED, ONES = 1_024, 200  # texts, and how many of them one by one
BATCH = 16  # texts of like length at once
ROUNDS = 3
RESULTS = Path(__file__).parent / "results" / "shipped.md"
SHIPPING = Path(__file__).parents[1] / "docs" / "shipping.md"

Labels = Callable[[list[str]], object]  # what labels texts


def saved_model(folder: Path) -> Labels:
    import tensorflow as tf

    model = tf.saved_model.load(folder / "saved_model")
    return lambda texts: model.serve(tf.constant(texts))["label"].numpy()


def onnx(file: str) -> Callable[[Path], Labels]:
    def load(folder):
        from zoo.runs.onnx_model import OnnxClassifier

        session = OnnxClassifier(folder / file).session
        return lambda texts: session.run(["label"], {"texts": np.array(texts, object)})[0]

    return load


def litert(folder: Path) -> Labels:
    """Texts become ids by the Python that the documentation shows."""
    from ai_edge_litert.interpreter import Interpreter

    os.chdir(folder / "litert")
    (code,) = re.findall(r"```python\n(import functools.*?)```", SHIPPING.read_text("utf-8"), re.S)
    names, own = {}, threading.local()
    exec(code, names)

    def answer(texts):
        if not hasattr(own, "run"):
            own.run = Interpreter("model.tflite", num_threads=1).get_signature_runner()
        return own.run(ids=names["ids"](texts))["probabilities"].argmax(axis=1)

    return answer


def scikit_learn(folder: Path) -> Labels:
    with (folder / "bag.pickle").open("rb") as file:
        return pickle.load(file).predict


def fasttext(folder: Path) -> Labels:
    model = importlib.import_module("fasttext").load_model(str(folder / "fasttext.bin"))
    return lambda texts: model.predict([" ".join(text.split()) for text in texts])[0]


SYSTEMS = {  # what it is, its files, how it is loaded, and whether all texts are one batch
    "saved_model": ("`act`, SavedModel in TensorFlow", "saved_model", saved_model, False),
    "onnx": ("`act`, `model.onnx` in onnxruntime", "model.onnx", onnx("model.onnx"), False),
    "onnx_int8": ("the same of 8 bits", "int8.onnx", onnx("int8.onnx"), False),
    "onnx_float16": ("the same of 16 bits", "float16.onnx", onnx("float16.onnx"), False),
    "litert": ("`act`, LiteRT; ids by Python", "litert", litert, False),
    "scikit_learn": (
        "TF-IDF and logistic regression, scikit-learn", "bag.pickle", scikit_learn, True,
    ),
    "fasttext": ("fastText, words and pairs", "fasttext.bin", fasttext, True),
}  # fmt: skip


def serve(name: str, folder: Path) -> None:
    """Measures a system for each line of standard input."""
    _, _, load, whole = SYSTEMS[name]
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    try:
        labels = load(folder)
    except ImportError as error:
        print(json.dumps({"lacking": error.name}), flush=True)
        return
    labels(texts[:1])
    order = sorted(texts, key=len)
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    print(json.dumps({"start": time.process_time()}), flush=True)
    for _ in sys.stdin:
        ones, started = [], time.process_time()
        for text in texts[:ONES]:
            begun = time.perf_counter()
            labels([text])
            ones.append(1e3 * (time.perf_counter() - begun))
        one = 1e3 * (time.process_time() - started) / ONES
        started = time.process_time()
        if whole:
            labels(texts)
        else:
            list(in_threads(labels, batches, os.cpu_count() or 1))
        every = time.process_time() - started
        status = Path("/proc/self/status").read_text("utf-8")
        peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1e3
        print(json.dumps({"ones": ones, "one": one, "all": every, "peak": peak}), flush=True)


def prepare(folder: Path) -> None:
    """Writes what the systems load: ``act`` of default size and of random weights, and rivals."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    import zoo
    from benchmarks.measure import preprocessor_of
    from zoo import datasets
    from zoo.registry import import_model
    from zoo.shipping.formats import _write_litert
    from zoo.shipping.onnx_file import write_of_texts
    from zoo.shipping.saved_model import export_saved_model

    train = datasets.load("agnews").frame("train").sample(frac=1, random_state=0)
    texts, labels = train["text"].tolist(), train["label"].tolist()
    (folder / "texts.json").write_text(json.dumps(texts[:LABELLED]), "utf-8")
    size = {"embedding_dim": import_model("act")[0].english_dim}  # of the word vectors in English
    preprocessor = preprocessor_of(zoo.build("act", 4), texts)
    model = zoo.build("act", 4, vocabulary_size=preprocessor.vocabulary_size, **size)
    model.preprocessor, model.labels = preprocessor, sorted(set(labels))
    export_saved_model(model, folder / "saved_model")
    for name, quantize in {"model": None, "int8": "int8", "float16": "float16"}.items():
        write_of_texts(model, folder / f"{name}.onnx", quantize)
    (folder / "litert").mkdir()
    _write_litert(model, folder / "litert", None)
    bag = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)).fit(texts, labels)
    (folder / "bag.pickle").write_bytes(pickle.dumps(bag))
    lines = (
        f"__label__{label.replace(' ', '_')} {' '.join(text.split())}\n"
        for text, label in zip(texts, labels, strict=True)
    )
    (folder / "fasttext.txt").write_text("".join(lines), "utf-8")
    try:
        library = importlib.import_module("fasttext")
    except ImportError:
        return
    found = library.train_supervised(str(folder / "fasttext.txt"), wordNgrams=2, verbose=0)
    found.save_model(str(folder / "fasttext.bin"))


def rows() -> Iterator[str]:
    """A table's rows: systems label the same texts, one after the other in each round."""
    yield (
        "| from text to label | MB on the disk | start, processor s | one text, p50, ms | "
        "one text, processor ms | texts a processor second | peak memory, MB |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|"
    environment = os.environ | {"TF_NUM_INTRAOP_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as name:
        prepare(folder := Path(name))
        running, starts, found = {}, {}, {}
        for system in SYSTEMS:
            command = [sys.executable, "-m", "benchmarks.shipped", system, folder]
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
            ready = json.loads(process.stdout.readline())
            starts[system], running[system] = ready.get("start"), process
            if "lacking" in ready:
                yield f"| {SYSTEMS[system][0]} | `{ready['lacking']}` is not installed | | | | | |"
                running.pop(system).communicate()
        for number in range(1 + ROUNDS):  # the first one warms up
            for system, process in running.items():
                process.stdin.write("\n")
                process.stdin.flush()
                told = json.loads(process.stdout.readline())
                if number:
                    found.setdefault(system, []).append(told)
        for system, told in found.items():
            running[system].communicate()
            what, files, _, _ = SYSTEMS[system]
            paths = [folder / files, *(folder / files).rglob("*")]
            size = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
            p50 = np.median([one for row in told for one in row["ones"]])
            one = np.median([row["one"] for row in told])
            rate = LABELLED / np.median([row["all"] for row in told])
            peak = max(row["peak"] for row in told)
            yield (
                f"| {what} | {size:.1f} | {starts[system]:.1f} | {p50:.2f} | {one:.2f} | "
                f"{rate:,.0f} | {peak:,.0f} |"
            )


def main():
    from benchmarks.report import machine

    table = []
    for row in rows():
        print(row, flush=True)
        table.append(row)
    RESULTS.write_text(
        f"# What one might ship\n\nWritten by `make bench` on {machine()}, onnxruntime "
        f"{version('onnxruntime')}.\n\nTexts of AG News, from text to label, each system in a "
        "process of its own and with an operation on one thread; in a round every system labels "
        f"{ONES} texts one by one, and then {LABELLED:,}, {ROUNDS} rounds after one of warm-up. "
        f"`act` has its default size and the width of the English word vectors, {os.cpu_count()} "
        f"threads and batches of {BATCH} texts of like length; its weights are random, which does "
        "not change what it costs. scikit-learn and fastText have learnt from the training split, "
        "and get all texts at once. A start is that of Python, until the first answer; the peak of "
        "memory is that of the process. Seconds of a processor are those of all its threads, and "
        "the least disturbed by what else the machine did: its load average was "
        f"{os.getloadavg()[1]:.0f} on {os.cpu_count()} cores.\n\n" + "\n".join(table) + "\n",
        "utf-8",
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
