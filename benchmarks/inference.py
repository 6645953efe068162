"""Speed of predictions beside plain Keras forms, rivals of the papers, and what users might pick.

``make bench`` writes ``benchmarks/results/inference.md``; ``make bench-quick`` prints what has a
target, from fewer texts. Apart from training, as TensorFlow takes its number of threads but once
in a process: here one for an operation, as in ``zoo predict``.
"""

import dataclasses
import os
import sys
from pathlib import Path

import numpy as np

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
from benchmarks.measure import PRODUCTS, SIZE, gemm, interleaved
from benchmarks.report import machine, tell
from zoo.backend import in_threads, prediction_threads, quiet_tensorflow

RESULTS = Path(__file__).parent / "results" / "inference.md"
TRANSFORMER = ours_of("act_transformer", "li2021")
BAG = "TF-IDF and logistic regression; both from texts"
FASTTEXT = "fastText, zoo's; both from texts"
ONNX = "its own `model.onnx`, in onnxruntime; both from texts"
DISTILBERT = "an encoder of DistilBERT's shape, PyTorch"
INFERENCE = [
    Comparison(
        "act", "li2021", "its paper's Transformer; reviews in batches of up to 100", TRANSFORMER,
        2.7, corpus="imdb", texts=600, batch_size=100,
    ),
    Comparison("act", "li2021", "its paper's Transformer", TRANSFORMER),
    Comparison("act", "li2021", "a Transformer of `MultiHeadAttention`", rivals.keras_transformer),
    Comparison(
        "act", "li2021", BAG, rivals.BagOfWords,
        told="`act` labels {:.1%} as many texts a second as TF-IDF and logistic regression (on one "
        "core)",
    ),
    Comparison("act", "li2021", FASTTEXT, rivals.FastText),
    Comparison("act", "li2021", ONNX, rivals.OnnxFile),
    Comparison(
        "act", "li2021", DISTILBERT, rivals.DistilBERT, 20,
        told="{:.0f} times as many as an encoder of DistilBERT's shape",
    ),
    Comparison("act", "li2021", DISTILBERT, rivals.DistilBERT, 20, corpus="imdb", texts=128),
    Comparison("ssan", SSAN, DISTILBERT, rivals.DistilBERT, 20),
    Comparison("attcnn", LIKE_KIM, DISTILBERT, rivals.DistilBERT, 20),
    Comparison("han", "yang2016", DISTILBERT, rivals.DistilBERT, 20, corpus="imdb", texts=128),
    Comparison("hcan", "gao2018", DISTILBERT, rivals.DistilBERT, 3, corpus="imdb", texts=128),
]  # fmt: skip


def inference(comparison: Comparison, rounds: int, part: int):
    """Seconds to predict all texts, in batches that are ready, unless the rival reads texts."""
    documents, ours, rival = comparison.prepare(part)
    ready = list(documents.batches(comparison.batch_size, targets=False))
    ours.preprocessor = documents.preprocessor
    threads, product = prediction_threads(), gemm()
    flat = isinstance(rival, rivals.DistilBERT)
    theirs = documents.flat_batches(comparison.batch_size) if flat else ready
    from_texts = isinstance(rival, rivals.FROM_TEXTS)

    def answers(model, batches):
        return list(in_threads(model.predict_on_batch, batches, threads))

    seconds = interleaved(
        {
            "ours": lambda: (
                ours.predict(documents.texts, verbose=0) if from_texts else answers(ours, ready)
            ),
            "rival": lambda: (
                rival.predict(documents.texts) if from_texts else answers(rival, theirs)
            ),
            "gemm": lambda: list(in_threads(lambda _: product(), range(threads), threads)),
        },
        rounds,
    )
    seconds["gemm"] /= threads
    return seconds, documents, ours, rival


def pytorch_share() -> float:
    """PyTorch's rate of matrix products over TensorFlow's; its library is slower on AMD's."""
    import torch

    matrix = torch.ones(SIZE, SIZE)
    products = {"ours": gemm(), "theirs": lambda: [matrix @ matrix for _ in range(PRODUCTS)]}
    seconds = interleaved(products, ROUNDS)
    return float(np.median(seconds["ours"] / seconds["theirs"]))


def main(quick: bool):
    quiet_tensorflow()
    rounds, part = (1, 8) if quick else (ROUNDS, 1)
    threads = prediction_threads()
    rows = [  # with a batch for each thread
        dataclasses.replace(one, batch_size=min(one.batch_size, one.texts // part // threads))
        for one in INFERENCE
        if not quick or one.target
    ]
    told = []
    table = "\n".join(compared(rows, inference, 1, rounds, part, told))
    of_ours = f"{pytorch_share():.0%} of TensorFlow's rate"
    within = os.environ.get("TF_NUM_INTRAOP_THREADS", "as many as it likes")
    report = (
        f"# Speed of predictions\n\nWritten by `make bench{'-quick' if quick else ''}` on "
        f"{machine()}.\n\nA round runs ours, the rival and matrix products of 2048 x 2048, "
        f"float32; medians of {rounds} rounds after one of warm-up, ratios within a round. Sizes "
        "are the papers'. Batches of ids are ready on both sides, but where both read texts, and "
        f"{threads} threads predict a batch each, on both sides, but scikit-learn's, which has "
        f"one; threads of "
        f"TensorFlow and of PyTorch for an operation: {within}. PyTorch's products run at "
        f"{of_ours} here. {LEGEND}\n\n{table}\n"
    )
    print(report)
    if not quick:
        RESULTS.write_text(report, "utf-8")
        tell(
            "predictions",
            f"{'; '.join(told)}: measured side by side, where PyTorch's products run at {of_ours}; "
            "with more rivals in [predictions](results/inference.md).",
        )


if __name__ == "__main__":
    main("--quick" in sys.argv)
