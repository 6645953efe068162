"""Word vectors: trained on the texts, or read from a file; and the word table made of them."""

import codecs
import gzip
import hashlib
import io
import itertools
import json
import logging
import os
import shutil
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from zoo.alone import scratch
from zoo.errors import UsageError

# Skip-gram: slower than CBOW, but better for the rare words that most of a small corpus' are
# (Mikolov et al. 2013). Window and negative samples are word2vec's own.
WORD2VEC = {"sg": 1, "window": 5, "negative": 5}
LINE = 1_000  # words; gensim takes lines in batches of at most 10,000 words
WORKER = 100_000  # words, below which a further worker would only read what others do

PICKLES = {".model", ".kv", ".npy", ".npz", ".pkl", ".pickle", ".joblib", ".pt", ".pth"}
LONGEST_WORD = 10_000  # bytes; a longer one is no word
LARGEST = float(np.finfo("float32").max)

logger = logging.getLogger("zoo")


def cache_folder() -> Path:
    """Where trained vectors are kept: ``word2vec/`` in ``$ZOO_CACHE_DIR`` or ``~/.cache/zoo``.

    ``$XDG_CACHE_HOME`` stands in for ``~/.cache`` where it is set.
    """
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get("ZOO_CACHE_DIR") or Path(home, "zoo")
    return Path(folder, "word2vec").expanduser()


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
    """Trains word2vec (skip-gram, window 5, 5 negative samples) with gensim, or finds it trained.

    Vectors are kept under the SHA-256 of the words and the settings, in word2vec's binary format,
    and in gzip for its checksum: a damaged copy is trained anew.
    A text is a sentence to word2vec, cut every 1,000 words. gensim's workers update one table
    without locks: the vectors are the same again only with ``workers=1``, or below 200,000 words.

    Args:
        texts: read once; chain the training split's and unlabelled ones.
        split_words: ``[batch]`` strings to ragged ``[batch, words]`` strings, the preprocessor's.
        dim: width of the vectors (HAN: 200, HCAN: 512).
        min_count: rarer words get no vector (HCAN: 5).
        epochs: passes over the words.
        seed: of the first vectors and of the samples.
        workers: threads; by default one a core.
        cache: folder of the trained vectors; by default :func:`cache_folder`.

    Returns:
        gensim ``KeyedVectors``, ``[words, dim]`` float32, the most frequent word first.

    Raises:
        UsageError: for a setting below 1, if no word is frequent enough, or if the folder cannot
            be written to.

    Source:
        Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
        Compositionality"; as HAN (Yang et al. 2016, 3.3) and HCAN (Gao et al. 2018) use it.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    numbers = {"dim": dim, "min_count": min_count, "epochs": epochs, "workers": workers}
    for name, value in numbers.items():
        if value < 1:
            raise UsageError(f"{name} of word2vec must be at least 1: got {value}")
    folder = cache_folder() if cache is None else Path(cache)
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
                with suppress(UsageError):  # damaged: train again
                    vectors = read_vectors(path)
                    logger.info("word2vec: read from %s, trained before on the same words", path)
                    return vectors
            trained = _train(corpus, settings, workers, temporary / "vectors.bin")
            _pack(trained, temporary / "vectors.bin.gz").replace(path)
    except OSError as error:
        raise UsageError(
            f"word2vec cannot be trained in {folder}: {error}. Set ZOO_CACHE_DIR to a folder with "
            "room that can be written to"
        ) from None
    logger.info("word2vec: kept in %s", path)
    return read_vectors(path)


class _Words(NamedTuple):
    """The words of a corpus on disk, as gensim's ``corpus_file`` wants them."""

    path: Path
    texts: int
    lines: int
    words: int
    counts: Counter  # of each word, as bytes
    digest: str


def _write_words(texts, split_words, path):
    """Writes the words, a line a text, cut every 1,000 words. Counts and hashes them."""
    import tensorflow as tf

    counts, digest, number, lines = Counter(), hashlib.sha256(), 0, 0
    texts = iter(texts)
    with path.open("wb") as file:
        while batch := [text.encode("utf-8", "replace") for text in itertools.islice(texts, 1024)]:
            ragged = split_words(tf.constant(batch))
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
    """The name of a training: of its words, its settings and whether it can be repeated."""
    import gensim

    settings = settings | {"deterministic": workers == 1, "gensim": gensim.__version__}
    if not all(map(bytes.strip, corpus.counts)):  # written before, a space moved its neighbours
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
        and word.strip()  # a space is none: it ends one
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
    """Copies a file into gzip's format, not compressed: numbers hardly are. Returns the copy."""
    with path.open("rb") as file, gzip.GzipFile(packed, "wb", compresslevel=0, mtime=0) as copy:
        shutil.copyfileobj(file, copy)
    return packed


def read_vectors(path: str | Path, words: Iterable[str] | None = None, further: int = 0):
    """Reads word vectors of word2vec (text, or binary: ``.bin``), GloVe or fastText (``.vec``).

    Each also as ``.gz``. Never through pickle, which would run what the file says.

    The file is streamed, and only the vectors that are asked for are kept. gensim's own reader
    holds all of it (gigabytes), stops at GloVe's words with a space, and does not name the line.

    Args:
        path: the file. What is not ``.bin`` is text: a word and its numbers a line, and in
            word2vec's and fastText's a first line with the number of vectors and their width.
        words: the words to keep, in any case ("paris" keeps "Paris"); None for all.
        further: how many others to keep, the first of the file, which mostly are the most frequent.

    Returns:
        gensim ``KeyedVectors``, ``[words, dim]`` float32, in the order of the file. Of a word
        that is there twice the first vector counts.

    Raises:
        UsageError: for a missing, pickled or malformed file, naming the line or the vector; or if
            no word of ``words`` is in it.
    """
    path = Path(path)
    name = path.name.lower().removesuffix(".gz")
    rows = _binary_rows if name.endswith(".bin") else _text_rows
    wanted = None if words is None else {word.lower() for word in words}
    index: dict[str, int] = {}
    buffer, found = bytearray(), False
    try:
        with _open(path) as file:
            for where, word, row in rows(file, path):
                if word in index:
                    continue
                if wanted is None or word.lower() in wanted:
                    found = True
                elif further:
                    further -= 1
                else:
                    continue
                buffer += _vector(row, where)
                index[word] = len(index)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot read {path}: {reason}. Check the path, or fetch it again"
        ) from None
    except (MemoryError, OverflowError):
        raise UsageError(
            f"{path}, line 1: vectors as wide as it says have no room in memory. Fetch the file "
            "again, or correct the header"
        ) from None
    if not found:
        what = "vectors" if wanted is None else f"vectors of the {len(wanted):,} words"
        raise UsageError(f"{path} has no {what}: is it of another language, or empty?")

    from gensim.models import KeyedVectors

    matrix = np.frombuffer(buffer, "float32").reshape(len(index), -1)
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(list(index), matrix)
    return vectors


@contextmanager
def _open(path):
    """The file's bytes, unpacked; refuses what would be unpickled."""
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem if packed else path.name).suffix.lower()
    with (gzip.open if packed else open)(path, "rb") as unpacked:
        file = io.BufferedReader(unpacked)
        start = file.peek(4)
        if suffix in PICKLES or start.startswith((b"\x80", b"\x93NUMPY")):
            raise UsageError(
                f"{path} is a pickle or an array of one, which can run any program when read: load "
                "it where you trust it, and write it with gensim's save_word2vec_format"
            )
        if start.startswith(b"PK\x03\x04"):
            raise UsageError(f"{path} is a zip archive: unpack it, and give the file in it")
        yield file


def _header(line):
    """Number and width of the vectors, or None if the line is no header."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields) and int(fields[1]):
        return int(fields[0]), int(fields[1])
    return None


def _text_rows(file, path) -> Iterator[tuple[str, str, list[bytes]]]:
    """Where it is, word and numbers of each vector of a text file."""
    first = file.readline().removeprefix(codecs.BOM_UTF8)
    header = _header(first)
    count, dim = header or (None, len(first.split()) - 1)
    origin = "the header says" if header else "line 1 has"
    lines = enumerate(file if header else itertools.chain([first], file), 2 if header else 1)
    found = 0
    for number, line in lines:
        where = f"{path}, line {number}"
        fields = line.rsplit(None, dim)
        if not fields:
            continue
        further = fields[0].split()[1:]  # GloVe has words of several parts: ". . ."
        if dim < 1 or len(fields) <= dim or (further and _is_number(further[-1])):
            raise UsageError(
                f"{where}: {len(line.split()) - 1} numbers after the word, where {origin} "
                f"{max(dim, 0)}. A line must be a word and its numbers; a binary file is named .bin"
            )
        yield where, fields[0].decode("utf-8", "replace"), fields[1:]
        found += 1
    if header and found != count:
        raise UsageError(
            f"{path}, line 1: {count:,} vectors, says the header, but there are {found:,}: the "
            "file is cut off or damaged. Fetch it again, or correct the header"
        )


def _binary_rows(file, path) -> Iterator[tuple[str, str, np.ndarray]]:
    """Where it is, word and numbers of each vector of a file in word2vec's binary format."""
    first = file.readline(100)
    header = _header(first)
    if not header:
        raise UsageError(
            f"{path}, line 1: {_shown(first)} is not the number of vectors and their width, so "
            "this is not word2vec's binary format. Text is named .txt; of fastText give the .vec"
        )
    count, dim = header
    for number in range(1, count + 1):
        where = f"{path}, vector {number:,} of {count:,}"
        word = bytearray()
        while (byte := file.read(1)) not in (b" ", b"") and len(word) < LONGEST_WORD:
            word += byte
        row = file.read(4 * dim)
        if byte != b" " or len(row) < 4 * dim:
            raise UsageError(
                f"{where}: the file ends, or has no word, where a vector of {dim} numbers should "
                "be. Fetch it again; if it is text, name it .txt"
            )
        yield where, word.lstrip(b"\n").decode("utf-8", "replace"), np.frombuffer(row, "<f4")
    if file.read(2).strip():
        raise UsageError(
            f"{path}, line 1: {count:,} vectors, says the header, but there are more: the file is "
            "damaged. Fetch it again, or correct the header; if it is text, name it .txt"
        )


def _is_number(field):
    with suppress(ValueError):
        float(field)
        return True
    return False


def _shown(field):
    """Bytes of a file, short enough for a message."""
    return repr(field[:40].decode("utf-8", "replace").strip())


def _vector(row, where):
    """Numbers as float32 bytes."""
    vector = None
    with suppress(ValueError), np.errstate(over="ignore"):
        vector = np.asarray(row, "float32")
    if vector is None or not np.isfinite(vector).all():
        bad = next(x for x in row if not _is_number(x) or not abs(float(x)) <= LARGEST)
        shown = _shown(bad) if isinstance(bad, bytes) else bad
        raise UsageError(
            f"{where}: {shown} is not a finite number of float32. Fetch the file again, or remove "
            "that word; a binary file is named .bin"
        )
    return vector.tobytes()


def embedding_matrix(vectors, vocabulary: Sequence[str], seed: int = 0) -> np.ndarray:
    """The first weights of a word table, in the order of the preprocessor's ids.

    A word that has no vector of its own takes the first one in the file that differs only in case
    ("paris" takes that of "Paris": the clean-up made one word of both). The others are drawn from
    U[-0.25, 0.25]. The unknown word has the mean of all vectors: where each training word is known
    it is never trained, and a random one would say something. Logs how many words have a vector.

    Args:
        vectors: gensim ``KeyedVectors``, ``[words, dim]``.
        vocabulary: the words, without padding and the unknown word.
        seed: of the drawn rows.

    Returns:
        ``[len(vocabulary) + 2, dim]`` float32: zeros for padding, the unknown word, then the
        vocabulary.

    Source:
        Kim 2014, "Convolutional Neural Networks for Sentence Classification", 3.2.
    """
    shape = (len(vocabulary) + 2, vectors.vector_size)
    matrix = np.random.default_rng(seed).uniform(-0.25, 0.25, shape).astype("float32")
    matrix[0] = 0
    forms: dict[str, int] = {}
    for row, form in enumerate(vectors.index_to_key):
        forms.setdefault(form.lower(), row)
    matrix[1] = vectors.vectors.mean(axis=0)
    sources = [vectors.key_to_index.get(word, forms.get(word.lower())) for word in vocabulary]
    for row, source in enumerate(sources, start=2):
        if source is not None:
            matrix[row] = vectors.vectors[source]
    found = len(sources) - sources.count(None)
    logger.info(
        "word vectors: %.1f%% of %s words have one",
        *(100 * found / max(1, len(sources)), f"{len(sources):,}"),
    )
    return matrix
