"""How time grows with documents and with words, and whether memory grows with epochs.

``make bench`` writes ``benchmarks/results/growth.md``.
"""

import gc
from pathlib import Path

import numpy as np
import psutil
from rich.progress import track

import zoo
from benchmarks.measure import interleaved
from benchmarks.report import machine
from zoo.backend import quiet_tensorflow
from zoo.optimizers import AdamW

RESULTS = Path(__file__).parent / "results" / "growth.md"
MODELS = ("act", "ssan", "attcnn", "cnn_kim", "lstm", "hcan_flat", "han", "hcan")
DOCUMENTS = (8, 16, 32, 64)
WORDS = (64, 128, 256, 512)
ROUNDS = 5
EPOCHS = 10


def steps(name: str, shapes: list[tuple[int, int]]) -> list[float]:
    """Milliseconds of a training step for each shape, documents and words."""
    model = zoo.build(name, 5, vocabulary_size=5000)
    model.compile(AdamW(), "sparse_categorical_crossentropy")
    rng = np.random.default_rng(0)
    runs = {}
    for documents, words in shapes:
        ids = rng.integers(2, 5000, (documents, words))
        ids = ids.reshape(documents, -1, 32) if model.hierarchical else ids  # 32 words a sentence
        targets = rng.integers(0, 5, documents)
        runs[documents, words] = lambda ids=ids, targets=targets: model.train_on_batch(ids, targets)
    seconds = interleaved(runs, ROUNDS)
    return [1e3 * float(np.median(seconds[shape])) for shape in shapes]


def power(sizes, taken) -> float:
    """The exponent of growth between the two largest sizes."""
    return float(np.log(taken[-1] / taken[-2]) / np.log(sizes[-1] / sizes[-2]))


def growth():
    """Rows of the times of steps and of how they grow."""
    titles = [f"{size} documents" for size in DOCUMENTS] + [f"{size} words" for size in WORDS]
    yield f"| model | {' | '.join(titles)} | power of documents | power of words |"
    yield "|---|" + "--:|" * (len(titles) + 2)
    for name in track(MODELS, "Growth"):
        documents = steps(name, [(size, 128) for size in DOCUMENTS])
        words = steps(name, [(8, size) for size in WORDS])
        cells = " | ".join(f"{taken:.0f}" for taken in documents + words)
        powers = f"{power(DOCUMENTS, documents):.2f} | {power(WORDS, words):.2f}"
        yield f"| {name} | {cells} | {powers} |"


def memory():
    """Rows of the resident memory after each epoch."""
    yield "| model | " + " | ".join(f"epoch {i + 1}" for i in range(EPOCHS)) + " |"
    yield "|---|" + "--:|" * EPOCHS
    corpus = zoo.datasets.load("sample").split()
    for name in track(("act", "han"), "Memory"):
        limits = zoo.describe(name).options
        preprocessor = zoo.datasets.Preprocessor.fit(
            corpus.train, limits["max_words"], limits["max_sentences"]
        )
        model = zoo.build(name, 5, vocabulary_size=preprocessor.vocabulary_size)
        model.compile(AdamW(), "sparse_categorical_crossentropy")
        train = preprocessor.batches(corpus.train.dataset(), shuffle=True)
        resident = []
        for _ in range(EPOCHS):
            model.fit(train, shuffle=False, verbose=0)
            gc.collect()
            resident.append(psutil.Process().memory_info().rss / 2**20)
        yield f"| {name} | {' | '.join(f'{size:,.0f}' for size in resident)} |"


def main():
    quiet_tensorflow()
    report = f"# Growth\n\nWritten by `make bench` on {machine()}, default sizes, float32, "
    report += (
        "zoo's AdamW. A power is that between the two largest sizes: 1 where time is proportional. "
        "The same setting, 128 words of 8 documents, stands in two columns, which differ by "
        "chance. HAN and HCAN read sentences of 32 words: their power of words is one of "
        "sentences.\n"
    )
    for title, rows in {
        f"Milliseconds of a training step: 128 words, and 8 documents; medians of {ROUNDS}": growth,
        "Resident memory after each epoch, MiB": memory,
    }.items():
        table = "\n".join(rows())
        print(f"\n## {title}\n\n{table}\n", flush=True)
        report += f"\n## {title}\n\n{table}\n"
    RESULTS.write_text(report, "utf-8")


if __name__ == "__main__":
    main()
