"""Word vectors of IMDB's 100,000 reviews: speed, cores, memory, and what stands near a word.

``make bench-word-vectors`` trains word2vec on the texts of ``$ZOO_DATA_DIR/imdb/*.jsonl.gz``,
without their labels, and writes ``benchmarks/results/word_vectors.md``.
"""

import gzip
import json
import logging
import os
import platform
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

DIM, EPOCHS = 100, 5
NEIGHBOURS = ("good", "terrible", "actor")
MEMORY = 3  # GB, at most
RESULTS = Path(__file__).parent / "results" / "word_vectors.md"

logger = logging.getLogger("zoo")


class Reviews:
    """The texts of files of JSON lines, again and again."""

    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        for path in self.paths:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                yield from (json.loads(line)["text"] for line in file)


def count(reviews, split_words):
    """How often each word stands in the reviews, and the number of reviews."""
    import tensorflow as tf

    counts, texts = Counter(), list(reviews)
    for first in range(0, len(texts), 1024):
        words = split_words(tf.constant(texts[first : first + 1024])).flat_values.numpy()
        counts.update(words.tolist())
    return Counter({word.decode(): n for word, n in counts.items()}), len(texts)


def others_seconds(own):
    """CPU seconds that everything but this process has taken since the machine started."""
    import psutil

    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - times.guest - times.guest_nice - own


def main():
    logging.basicConfig(format="%(message)s")
    logger.setLevel(logging.INFO)
    folder = Path(os.environ.get("ZOO_DATA_DIR", "data"), "imdb")
    paths = sorted(folder.glob("*.jsonl.gz"))
    train = folder / "train.jsonl.gz"
    if train not in paths:
        print(f"Skipped: there is no {train}. Set ZOO_DATA_DIR to the folder that has imdb/.")
        return

    import gensim

    from zoo.datasets.embeddings import embedding_matrix, train_word2vec
    from zoo.datasets.preprocessor import split_words

    split_words(["a warm-up"])  # TensorFlow's start is not the training's
    with tempfile.TemporaryDirectory() as cache:
        started, own = time.perf_counter(), time.process_time()
        others = others_seconds(own)
        vectors = train_word2vec(Reviews(paths), split_words, DIM, epochs=EPOCHS, cache=cache)
        seconds, cpu = time.perf_counter() - started, time.process_time() - own
        others = others_seconds(time.process_time()) - others
        started = time.perf_counter()
        train_word2vec(Reviews(paths), split_words, DIM, epochs=EPOCHS, cache=cache)
        again = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # GB, on Linux

    counts, texts = count(Reviews(paths), split_words)
    of_train, _ = count(Reviews([train]), split_words)
    vocabulary = [word for word, n in of_train.most_common(30_000) if n >= 2]
    _, coverage = embedding_matrix(vectors, vocabulary, counts=of_train)
    words, cores = counts.total(), os.cpu_count()
    rows = {
        "texts": f"{texts:,}",
        "running words": f"{words:,}",
        "words with a vector": f"{len(vectors):,}",
        "seconds": f"{seconds:.0f}",
        f"words a second, of {EPOCHS} passes": f"{words * EPOCHS / seconds:,.0f}",
        f"cores busy, of {cores}": f"{cpu / seconds:.2f}",
        f"cores busy with other programs, of {cores}": f"{others / seconds:.2f}",
        "seconds when trained before": f"{again:.0f}",
        f"peak resident memory, GB (at most {MEMORY})": f"{peak:.2f}",
    }
    table = "| | |\n|---|--:|\n" + "\n".join(
        f"| {name} | {value} |" for name, value in rows.items()
    )
    near = "| word | nearest neighbours (cosine) |\n|---|---|"
    for word in NEIGHBOURS:
        found = ", ".join(f"{other} {cosine:.2f}" for other, cosine in vectors.most_similar(word))
        near += f"\n| {word} | {found} |"
    notes = (
        f"Written by `make bench-word-vectors` on {platform.machine()}, gensim "
        f"{gensim.__version__}: word2vec of width {DIM} on the texts of IMDB's training, test and "
        "unlabelled reviews; no label is read. Seconds are of the whole: splitting into words, "
        f"{EPOCHS} epochs, writing; a core that other programs took was not to be had. Of the "
        f"training split's 30,000 most frequent words and its running words: {coverage}. The "
        "neighbours differ a little from run to run, since several workers train one table."
    )
    RESULTS.write_text(f"# Word vectors\n\n{table}\n\n{near}\n\n{notes}\n", "utf-8")
    print(f"\n{table}\n\n{near}\n\n{notes}\n\nWritten to {RESULTS}.")
    if peak > MEMORY:
        raise SystemExit(f"Peak memory is {peak:.2f} GB, more than {MEMORY} GB.")


if __name__ == "__main__":
    main()
