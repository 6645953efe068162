"""Trains word vectors on texts by word2vec, and caches them."""

import gzip
import hashlib
import itertools
import json
import logging
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from zoo.datasets.vectors.vector_files import LONGEST_WORD, read_vectors
from zoo.errors import UsageError
from zoo.filesystem.folder_locks import scratch
from zoo.filesystem.paths import expanded
from zoo.progress import progress

# Skip-gram is slower than CBOW, but better for rare words, which most words of a small corpus are
# (Mikolov et al. 2013). Window and negative samples are word2vec's defaults.
WORD2VEC = {"sg": 1, "window": 5, "negative": 5}
LINE = 1_000  # words; gensim takes lines in batches of at most 10,000 words
WORKER = 100_000  # words for each worker, at least: else workers would read the same words

logger = logging.getLogger("zoo")


def cache_folder() -> Path:
    """The folder of trained vectors: ``word2vec/`` in ``$ZOO_CACHE_DIR`` or ``~/.cache/zoo``.

    ``$XDG_CACHE_HOME`` replaces ``~/.cache`` if it is set.
    """
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get("ZOO_CACHE_DIR") or Path(home, "zoo")
    return expanded(folder) / "word2vec"


def train_word2vec(
    texts: Iterable[str],
    split_words: Callable,
    dim: int,
    *,
    min_count: int = 5,
    epochs: int = 5,
    seed: int = 0,
    workers: int | None = None,
    cache: str | Path | None = None,
):
    """Trains word2vec (skip-gram, window 5, 5 negative samples) with gensim, or reads the cache.

    The cache names vectors by the SHA-256 of the words and the settings. They are stored in
    word2vec's binary format, in gzip for its checksum: a damaged copy is trained again.
    To word2vec a text is a sentence, cut every 1,000 words. gensim's workers update the same table
    without locks, so vectors are reproducible only with ``workers=1``, or below 200,000 words.

    Args:
        texts: the texts, which are read once; chain training texts and unlabelled texts.
        split_words: ``[batch]`` strings to ragged ``[batch, (sentences,) words]`` strings, the
            preprocessor's ``all_words``.
        dim: width of the vectors (HAN: 200, HCAN: 512).
        min_count: rarer words get no vector (HCAN: 5).
        epochs: passes over the words.
        seed: seed of the initial vectors and of the samples.
        workers: number of threads; by default one for each core.
        cache: folder of the trained vectors; by default :func:`cache_folder`.

    Returns:
        gensim ``KeyedVectors``, ``[words, dim]`` float32, the most frequent word first.

    Raises:
        UsageError: for a setting below 1, if no word is frequent enough, or if the folder is not
            writable.

    Source:
        Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
        Compositionality"; as HAN (Yang et al. 2016, 3.3) and HCAN (Gao et al. 2018) use it.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    numbers = {"dim": dim, "min_count": min_count, "epochs": epochs, "workers": workers}
    for name, value in numbers.items():
        if value < 1:
            raise UsageError(f"{name} of word2vec must be at least 1: got {value}")
    folder = cache_folder() if cache is None else expanded(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with scratch(folder, ".training") as temporary:
            corpus = _write_words(texts, split_words, temporary / "words.txt")
            workers = min(workers, max(1, corpus.words // WORKER))
            settings = WORD2VEC | {
                "vector_size": dim, "min_count": min_count, "epochs": epochs, "seed": seed
            }  # fmt: skip
            path = folder / f"{_key(corpus, settings, workers)}.bin.gz"
            if path.is_file():
                with suppress(UsageError):  # if it is damaged, train again
                    vectors = read_vectors(path)
                    logger.info("word2vec: read from %s, trained before on the same words", path)
                    return vectors
            trained = _train(corpus, settings, workers, temporary / "vectors.bin")
            _pack(trained, temporary / "vectors.bin.gz").replace(path)
    except KeyboardInterrupt as error:
        error.add_note("word2vec had not ended, and nothing of it is kept")
        raise
    except OSError as error:
        raise UsageError(
            f"word2vec cannot be trained in {folder}: {error}. Set ZOO_CACHE_DIR to a folder with "
            "room that can be written to"
        ) from None
    logger.info("word2vec: kept in %s", path)
    return read_vectors(path)


class _Words(NamedTuple):
    """The words of a corpus on disk, in the format of gensim's ``corpus_file``."""

    path: Path
    texts: int
    lines: int
    words: int
    counts: Counter  # of each word, as bytes
    digest: str


def _write_words(texts, split_words, path):
    """Writes the words, a line for each text, cut every 1,000 words; counts and hashes them."""
    import tensorflow as tf

    counts, digest, number, lines = Counter(), hashlib.sha256(), 0, 0
    texts = iter(progress(texts, "Words for word2vec"))
    with path.open("wb") as file:
        while batch := [text.encode("utf-8", "replace") for text in itertools.islice(texts, 1024)]:
            ragged = split_words(tf.constant(batch)).merge_dims(1, -1)
            words = ragged.flat_values.numpy().tolist()
            counts.update(words)
            number += len(batch)
            for start, end in itertools.pairwise(ragged.row_splits.numpy().tolist()):
                for first in range(start, end, LINE):
                    line = b" ".join(words[first : min(first + LINE, end)]) + b"\n"
                    digest.update(line)
                    file.write(line)
                    lines += 1
    return _Words(path, number, lines, counts.total(), counts, digest.hexdigest())


def _key(corpus, settings, workers):
    """The name of a training, from its words, its settings and whether it is reproducible."""
    import gensim

    settings = settings | {"deterministic": workers == 1, "gensim": gensim.__version__}
    if not all(map(bytes.strip, corpus.counts)):  # in format 1 a space moved its neighbours
        settings |= {"format": 2}
    settings = json.dumps({"words": corpus.digest} | settings, sort_keys=True)
    return hashlib.sha256(settings.encode()).hexdigest()[:40]


def _train(corpus, settings, workers, path):
    """Trains word2vec and writes its vectors to ``path``, which it returns."""
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    class Progress(CallbackAny2Vec):
        epoch = 0

        def on_epoch_begin(self, model):
            self.started = time.perf_counter()

        def on_epoch_end(self, model):
            self.epoch += 1
            speed = corpus.words / (time.perf_counter() - self.started)
            logger.info(
                "word2vec: epoch %d of %d, %s words a second",
                *(self.epoch, settings["epochs"], f"{speed:,.0f}"),
            )

    frequent = {
        word.decode("utf-8", "replace"): count
        for word, count in corpus.counts.items()
        if count >= settings["min_count"]
        and word.strip()  # white space cannot be a word in the file, as it ends words
        and len(word) <= LONGEST_WORD
    }
    if not frequent:
        raise UsageError(
            f"no word of the {corpus.texts:,} texts for word2vec stands there "
            f"{settings['min_count']} times: give more texts, or a file of word vectors"
        )
    logger.info(
        "word2vec: training on %s words of %s texts, %s different ones",
        *(f"{number:,}" for number in (corpus.words, corpus.texts, len(frequent))),
    )
    model = Word2Vec(**settings, workers=workers)
    model.build_vocab_from_freq(frequent, corpus_count=corpus.lines)
    model.train(
        corpus_file=str(corpus.path),
        total_examples=corpus.lines,
        total_words=corpus.words,
        epochs=settings["epochs"],
        callbacks=[Progress()],
    )
    model.wv.save_word2vec_format(str(path), binary=True)
    return path


def _pack(path, packed):
    """Copies a file into gzip without compression, as numbers hardly compress; returns the copy."""
    with path.open("rb") as file, gzip.GzipFile(packed, "wb", compresslevel=0, mtime=0) as copy:
        shutil.copyfileobj(file, copy)
    return packed
