"""What the input pipeline costs: padding, throughput, and memory on a large corpus.

``make bench-data`` writes ``benchmarks/results/data.md``. AG News and IMDB must be at hand.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.peak import peak_memory
from benchmarks.report import machine

RESULTS = Path(__file__).parent / "results"
CORPORA = ("agnews", "imdb")
MODELS = {"flat": "cnn_kim", "sentence by sentence": "hcan"}
STEPS = 300
SIZES = (100_000, 3_000_000)
WORDS = 40


def padding():
    """Rows of the share of computed positions that are words."""
    import tensorflow as tf

    import zoo
    from zoo import datasets
    from zoo.datasets.batches import pad, share_of_words
    from zoo.datasets.text.preprocessor import Preprocessor

    for name in CORPORA:
        corpus = datasets.load(name).split()
        for kind, model in MODELS.items():
            defaults = zoo.describe(model).options
            limits = (defaults["max_words"], defaults["max_sentences"])
            preprocessor = Preprocessor.fit(corpus.train, *limits)
            ours = share_of_words(
                preprocessor.batches(corpus.train.shuffled(0).dataset(), shuffle=True), 10**6
            )
            naive = corpus.train.shuffled(0).dataset().batch(32)
            naive = naive.map(
                lambda texts, _, p=preprocessor: pad(p.encode(texts).to_tensor()),
                tf.data.AUTOTUNE,
            )
            yield f"| {name} | {kind} | {share_of_words(naive, 10**6):.1%} | **{ours:.1%}** |"


def throughput():
    """Rows of texts a second: of the pipeline alone, and of the training of a model."""
    import zoo
    from zoo import datasets
    from zoo.datasets.text.preprocessor import Preprocessor
    from zoo.optimizers import AdamW

    for name in CORPORA:
        corpus = datasets.load(name).split()
        preprocessor = Preprocessor.fit(corpus.train)
        texts = corpus.train.shuffled(0).dataset()
        ready = preprocessor.batches(texts, shuffle=True).take(40).cache()
        rates = {}
        for model_name in ("cnn_kim", "ssan", "lstm", "act"):
            model = zoo.build(
                model_name, len(corpus.labels), vocabulary_size=preprocessor.vocabulary_size
            )
            model.compile(AdamW(), "sparse_categorical_crossentropy")
            model.fit(ready, verbose=0)
            rates[model_name] = np.median([_training_rate(model, ready) for _ in range(3)])
        fastest_name = max(rates, key=rates.get)
        fastest = rates[fastest_name]
        for cache in ("memory", "none"):
            train = preprocessor.batches(texts, shuffle=True, cache=cache)
            _rate(train, len(corpus.train))  # fills the cache
            alone = np.median([_rate(train, len(corpus.train)) for _ in range(3)])
            yield (
                f"| {name} | {cache} | {alone:,.0f} | {fastest:,.0f} ({fastest_name}) | "
                f"**{alone / fastest:.1f}** |"
            )


def _rate(dataset, texts):
    started = time.perf_counter()
    for _ in dataset:
        pass
    return texts / (time.perf_counter() - started)


def _training_rate(model, batches):
    started = time.perf_counter()
    model.fit(batches, verbose=0)
    return len(batches) * 32 / (time.perf_counter() - started)


def write_corpus(folder, count):
    """A made-up corpus of ``count`` documents in the format of Amazon's reviews, 5 classes."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(50_000)])
    weights = 1 / np.arange(1, len(words) + 1)
    weights /= weights.sum()
    folder.mkdir(parents=True)
    for split, rows in (("train", count), ("test", 1000)):
        with (folder / f"{split}.csv").open("w") as file:
            for start in range(0, rows, 10_000):
                size = min(10_000, rows - start)
                texts = words[rng.choice(len(words), (size, WORDS), p=weights)]
                for i, text in enumerate(texts):
                    file.write(f'"{(start + i) % 5 + 1}","{start + i}","{" ".join(text)}"\n')


def train_streamed():
    """Trains on the prepared corpus for a few hundred steps; prints the peak memory in MiB."""
    import zoo
    from zoo import datasets
    from zoo.datasets.text.preprocessor import Preprocessor
    from zoo.optimizers import AdamW

    corpus = datasets.load("amazon_full").split()
    preprocessor = Preprocessor.fit(corpus.train)
    model = zoo.build("cnn_kim", 5, vocabulary_size=preprocessor.vocabulary_size)
    model.compile(AdamW(), "sparse_categorical_crossentropy")
    train = preprocessor.batches(corpus.train.shuffled(0).dataset(), shuffle=True, cache="none")
    model.fit(train.repeat(), steps_per_epoch=STEPS, verbose=0)
    print(peak_memory())


def memory():
    """Rows of the peak memory of a training, by the size of the corpus."""
    peaks = []
    for count in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write_corpus(folder / "raw" / "amazon_full", count)
            paths = {"ZOO_DATA_DIR": str(folder / "raw"), "TFDS_DATA_DIR": str(folder / "tfds")}
            rows = []
            for task in ("prepare", "train"):
                started = time.perf_counter()
                done = subprocess.run(
                    [sys.executable, "-m", "benchmarks.data", task],
                    env=os.environ | paths,
                    check=True,
                    capture_output=True,
                    text=True,
                )
                peak = float(done.stdout.split()[-1])
                rows.append(f"{peak:,.0f} MiB ({time.perf_counter() - started:,.0f} s)")
        peaks.append(peak)
        yield f"| {count:,} | {rows[0]} | {rows[1]} | {peak / peaks[0]:.2f} |"


def prepare():
    """Prepares the corpus; prints the peak memory in MiB."""
    from zoo import datasets

    datasets.load("amazon_full")
    print(peak_memory())


PARTS = {
    "Padding: the share of computed positions that are words, batches of 32": (
        "| data | model reads | padded as they come | default batches |\n|---|---|--:|--:|",
        padding,
    ),
    "Throughput: texts a second, in training by zoo's AdamW": (
        "| data | cache | pipeline alone | training of the fastest of four | ratio |\n"
        "|---|---|--:|--:|--:|",
        throughput,
    ),
    f"Peak memory: {STEPS} steps of cnn_kim on a corpus of documents of {WORDS} words": (
        "| documents | preparing | counting words and training | ratio to the first |\n"
        "|--:|--:|--:|--:|",
        memory,
    ),
}


def main():
    from zoo.backend import quiet_tensorflow

    quiet_tensorflow()
    if sys.argv[1:]:
        {"prepare": prepare, "train": train_streamed}[sys.argv[1]]()
        return

    note = f"Written by `make bench-data` on {machine()}."
    report = "# Data\n"
    RESULTS.mkdir(exist_ok=True)
    for title, (header, rows) in PARTS.items():
        table = "\n".join(itertools.chain([header], rows()))
        print(f"{title}\n\n{table}\n", flush=True)
        report += f"\n## {title}\n\n{table}\n"
        (RESULTS / "data.md").write_text(f"{report}\n{note}\n", "utf-8")


if __name__ == "__main__":
    main()
