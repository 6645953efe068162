"""Word vectors of IMDB's 100,000 reviews: speed, cores, memory, and what stands near a word.

``make bench-word-vectors`` trains word2vec on IMDB's reviews, without their labels, and writes
``benchmarks/results/word_vectors.md``.
"""

import itertools
import logging
import os
import tempfile
import time
from pathlib import Path

from benchmarks.peak import peak_memory
from benchmarks.report import machine

DIM, EPOCHS = 100, 5
NEIGHBOURS = ("good", "terrible", "actor")
MEMORY = 3  # GiB, at most
RESULTS = Path(__file__).parent / "results" / "word_vectors.md"

logger = logging.getLogger("zoo")


def others_seconds(own):
    """CPU seconds that everything but this process has taken since the machine started."""
    import psutil

    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - times.guest - times.guest_nice - own


def main():
    logging.basicConfig(format="%(message)s")
    logger.setLevel(logging.INFO)
    import gensim

    from zoo import datasets
    from zoo.datasets.text.text_tensors import text_dataset
    from zoo.datasets.text.tokens import split_words
    from zoo.datasets.vectors.word2vec import train_word2vec

    split_words(["a warm-up"])  # TensorFlow's start is not the training's
    corpus = datasets.load("imdb")
    splits = (corpus.train, corpus.test, corpus.unlabelled)
    with tempfile.TemporaryDirectory() as cache:
        started, own = time.perf_counter(), time.process_time()
        others = others_seconds(own)
        vectors = train_word2vec(
            itertools.chain(*splits), split_words, DIM, epochs=EPOCHS, cache=cache
        )
        seconds, cpu = time.perf_counter() - started, time.process_time() - own
        others = others_seconds(time.process_time()) - others
        started = time.perf_counter()
        train_word2vec(itertools.chain(*splits), split_words, DIM, epochs=EPOCHS, cache=cache)
        again = time.perf_counter() - started
    peak = peak_memory() / 2**10  # GiB

    words = 0
    for split in splits:
        chunks = text_dataset(split).batch(1024).map(split_words)
        words += sum(int(chunk.row_splits[-1]) for chunk in chunks)
    cores = os.cpu_count()
    rows = {
        "texts": f"{sum(map(len, splits)):,}",
        "running words": f"{words:,}",
        "words with a vector": f"{len(vectors):,}",
        "seconds": f"{seconds:.0f}",
        f"words a second, of {EPOCHS} passes": f"{words * EPOCHS / seconds:,.0f}",
        f"cores busy, of {cores}": f"{cpu / seconds:.2f}",
        f"cores busy with other programs, of {cores}": f"{others / seconds:.2f}",
        "seconds when trained before": f"{again:.0f}",
        f"peak resident memory, GiB (at most {MEMORY})": f"{peak:.2f}",
    }
    table = "| | |\n|---|--:|\n" + "\n".join(
        f"| {name} | {value} |" for name, value in rows.items()
    )
    near = "| word | nearest neighbours (cosine) |\n|---|---|"
    for word in NEIGHBOURS:
        found = ", ".join(f"{other} {cosine:.2f}" for other, cosine in vectors.most_similar(word))
        near += f"\n| {word} | {found} |"

    notes = (
        f"Written by `make bench-word-vectors` on {machine()}, gensim "
        f"{gensim.__version__}: word2vec of width {DIM} on the texts of IMDB's training, test and "
        "unlabelled reviews; no label is read. Seconds are of the whole: splitting into words, "
        f"{EPOCHS} epochs, writing; a core that other programs took was not to be had. The "
        "neighbours differ a little from run to run, since several workers train one table."
    )
    RESULTS.write_text(f"# Word vectors\n\n{table}\n\n{near}\n\n{notes}\n", "utf-8")
    print(f"\n{table}\n\n{near}\n\n{notes}\n\nWritten to {RESULTS}.")
    if peak > MEMORY:
        raise SystemExit(f"Peak memory is {peak:.2f} GiB, more than {MEMORY} GiB.")


if __name__ == "__main__":
    main()
