"""Speed of training beside plain Keras forms and rivals; latency, start, profiles.

``make bench`` writes ``benchmarks/results/speed.md``; ``make bench-quick`` prints what has a
target, from fewer texts, in minutes. Predictions are in :mod:`benchmarks.inference`.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tensorflow as tf

import zoo
from benchmarks import rivals
from benchmarks.comparison import (
    LEGEND,
    LIKE_KIM,
    ROUNDS,
    SSAN,
    Comparison,
    compared,
    ours_of,
)
from benchmarks.measure import Documents, gemm, gemm_rate, interleaved, latency
from benchmarks.profile import floors, half_precision
from benchmarks.report import machine, tell
from zoo.backend import quiet_tensorflow
from zoo.datasets import Preprocessor
from zoo.optimizers import AdamW
from zoo.runs.onnx_model import OnnxClassifier
from zoo.shipping.onnx_file import write_of_texts
from zoo.shipping.saved_model import export_saved_model

RESULTS = Path(__file__).parent / "results" / "speed.md"
LONG = {"corpus": "imdb", "texts": 128}
SST = {"corpus": "sst_fine", "texts": 8192}
PAIRS = {"longer_than": 256, "batch_size": 8, "options": {"max_words": 256}}
TRAINING = [
    Comparison(
        "han", "yang2016", "its `TimeDistributed` form, padded; 30 sentences", rivals.plain_han, 4,
        padded=True, same_sentences=True, options={"max_sentences": 30}, slow=True, **LONG,
        told="`han` trains on IMDB {:.1f} times as fast as its plain form of padded "
        "`TimeDistributed` layers and Keras' AdamW",
    ),
    Comparison(
        "han", "yang2016", "all sentences at once, padded",
        lambda like: rivals.plain_han(like, one_by_one=False), padded=True, **LONG,
    ),
    Comparison(
        "hcan", "gao2018", "a convolution for each of Q, K, V, padded", rivals.plain_hcan, 1.8,
        padded=True, corpus="imdb", texts=128,
    ),
    Comparison("act", "li2021", "its heads one by one, padded", rivals.PlainACT, 1.4, padded=True),
    Comparison(
        "ssan", SSAN, "`lstm`, padded; SST-fine, word vectors fixed",
        ours_of("lstm", SSAN, train_embeddings=False), 3.4, padded=True, **SST,
    ),
    Comparison(
        "ssan", SSAN, "`lstm` of zoo's batches; SST-fine, word vectors fixed",
        ours_of("lstm", SSAN, train_embeddings=False), 3.4, **SST,
    ),
    Comparison("ssan", SSAN, "a vector for each pair, padded", rivals.plain_ssan, padded=True),
    Comparison(
        "attcnn", LIKE_KIM, "`tanh(W [x_i ; x_j])` of all pairs, padded; 256 words",
        lambda like: rivals.plain_attcnn(like, rivals.PairedAttention), 3,
        padded=True, corpus="imdb", texts=64, **PAIRS,
    ),
    Comparison(
        "attcnn", LIKE_KIM, "the same with W split, `tanh(U x_i + V x_j)`", rivals.plain_attcnn,
        padded=True, corpus="imdb", texts=128, **PAIRS,
    ),
    Comparison(
        "act", "li2021", "a Transformer of `MultiHeadAttention`", rivals.keras_transformer,
        told="`act` on AG News {:.1f} times as fast as a Transformer of `MultiHeadAttention`",
    ),
]  # fmt: skip


def training(comparison: Comparison, rounds: int, part: int):
    """Seconds of a pass over the texts in training."""
    documents, ours, rival = comparison.prepare(part)
    same = documents.batches(comparison.batch_size).cache()  # as padded ones are
    padded = documents.padded(comparison.batch_size, comparison.same_sentences)
    for model in (ours, rival):
        plain = comparison.padded and not type(model).__module__.startswith("zoo.")
        optimizer = "adamw" if plain else AdamW()
        model.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=False)
    seconds = interleaved(
        {
            "ours": lambda: ours.fit(same, shuffle=False, verbose=0),
            "rival": lambda: rival.fit(
                padded if comparison.padded else same, shuffle=False, verbose=0
            ),
            "gemm": gemm(),
        },
        rounds,
    )
    return seconds, documents, ours, rival


def one_document() -> Iterator[str]:
    """The latency of one AG News document through what ACT ships, and what it is made of."""
    documents, model, _ = Comparison("act", "li2021", "", lambda ours: None, texts=101).prepare(1)
    model.preprocessor, model.labels = documents.preprocessor, list("abcde")
    by_length = sorted(documents.texts, key=len)
    text = tf.constant([by_length[len(by_length) // 2]])
    ids = documents.preprocessor(text)
    with tempfile.TemporaryDirectory() as folder:
        export_saved_model(model, Path(folder) / "model")
        served = tf.saved_model.load(str(Path(folder) / "model"))
        write_of_texts(model, Path(folder) / "model.onnx")
        onnx = OnnxClassifier(Path(folder) / "model.onnx").session
    texts = {"texts": text.numpy().astype(str).astype(object)}
    encode = tf.function(documents.preprocessor)
    answer = tf.function(lambda ids: model(ids, training=False))
    one = Documents.operations_of_ids(model, documents.preprocessor.encode(text))
    arithmetic = 1e3 * one / gemm_rate()
    yield "| one AG News document | p50, ms | p99, ms | times the arithmetic's |"
    yield "|---|--:|--:|--:|"
    yield f"| its arithmetic at the GEMM rate ({ids.shape[1]} words) | {arithmetic:.2f} | | 1 |"
    for name, call in {
        "SavedModel, from text": lambda: served.serve(text)["probabilities"].numpy(),
        "of it, text to ids": lambda: encode(text).numpy(),
        "of it, ids to probabilities": lambda: answer(ids).numpy(),
        "`model.onnx`, from text to label": lambda: onnx.run(["label"], texts),
        "`model.predict`, from text": lambda: model.predict(text, verbose=0),
    }.items():
        p50, p99 = latency(call)
        yield f"| {name} | {p50:.2f} | {p99:.2f} | {p50 / arithmetic:.1f} |"


def starting() -> Iterator[str]:
    """How long Python takes to do nothing, and zoo to answer its first text."""
    yield "| start | median, s | of a processor, s |"
    yield "|---|--:|--:|"
    with tempfile.TemporaryDirectory() as folder:
        model = zoo.build("act", 5)
        words = [f"word{number}" for number in range(model.vocabulary_size - 2)]
        model.preprocessor, model.labels = Preprocessor(words), list("abcde")
        run = str(zoo.save(model, Path(folder) / "run"))
        predict = ("-m", "zoo", "predict", run, "A good stay.")
        for name, command in {
            "`python -c pass`": ("-c", "pass"),
            "`import zoo`": ("-c", "import zoo"),
            "`zoo --help`": ("-m", "zoo", "--help"),
            "`zoo predict` of a text, by `model.onnx`": predict,
            "the same by Keras, `--runtime keras`": (*predict, "--runtime", "keras"),
        }.items():
            taken = [_run([sys.executable, *command]) for _ in range(1 + ROUNDS)][1:]
            seconds, own = np.median(taken, axis=0)
            yield f"| {name} | {seconds:.2f} | {own:.2f} |"


def _run(command):
    """Seconds that a command takes, and those of a processor."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return time.perf_counter() - started, used.ru_utime + used.ru_stime


def main(quick: bool):
    quiet_tensorflow()
    rounds, part = (1, 8) if quick else (ROUNDS, 1)
    trained = [one for one in TRAINING if not quick or (one.target and not one.slow)]
    told = []
    parts = {
        "Training, real text": compared(trained, training, 3, rounds, part, told),
        "Latency": one_document(),
        "Start": starting(),
    }
    if not quick:
        parts |= {
            "Floors and profile of a training step, 32 texts": floors(),
            "Times as fast in bfloat16": half_precision(),
        }
    report = (
        f"# Speed\n\nWritten by `make bench{'-quick' if quick else ''}` on {machine()}; "
        "predictions are in [inference](inference.md).\n\n"
        f"A round runs ours, the rival and matrix products of 2048 x 2048, float32; medians of "
        f"{rounds} rounds after one of warm-up, ratios within a round. Sizes are the papers'. "
        "Training is a `fit` of batches of ids that are ready, on both sides; the plain forms of "
        "HAN, HCAN, ACT and SSAN are trained by Keras' AdamW, all else by ours. "
        f"{LEGEND} Training counts three times a prediction's operations. HCAN's target there is "
        "60%. AdamW moves seven numbers for each one it trains: its floor at the "
        "bandwidth of adding to 256 MB in place. Profiles are of TensorFlow's profiler: the time "
        "of threads in kernels, which also wait there for each other.\n"
    )
    for title, rows in parts.items():
        table = "\n".join(rows)
        print(f"\n## {title}\n\n{table}\n", flush=True)
        report += f"\n## {title}\n\n{table}\n"
    if not quick:
        RESULTS.write_text(report, "utf-8")
        tell(
            "speed",
            "; ".join(told) + ": measured side by side, with more rivals and what misses the "
            "target that we had set, in [speed](results/speed.md).",
        )


if __name__ == "__main__":
    main("--quick" in sys.argv)
