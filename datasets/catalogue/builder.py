"""One TensorFlow Datasets builder for every corpus of the catalogue.

Raw files are prepared once, into sharded records in TFDS' data folder, from which texts are then
streamed. A copy is named after the names, sizes and dates of its raw files, so changed files are
prepared again. TFDS gives a folder its name only when everything is written.
"""

import contextlib
import dataclasses
import hashlib
import heapq
import io
import logging
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from zoo.datasets.batches import untuned
from zoo.datasets.catalogue import raw_formats as formats
from zoo.datasets.catalogue.beam_preparation import import_beam, pipeline_options, usage_error_in
from zoo.datasets.catalogue.lookup import (
    VERSION,
    Entry,
    RawFiles,
    absent,
    data_dir,
    locate,
    raw_files_in,
)
from zoo.datasets.corpus import Corpus, StreamedSplit
from zoo.errors import UsageError

logger = logging.getLogger("zoo")

RANGE = 64 * 2**20  # bytes of a file of lines that a worker of Beam reads
LISTED_FILES = 100  # with more files, a split has a single checksum for all its files
FIELDS = {
    "text": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


@dataclasses.dataclass
class CorpusConfig(tfds.core.BuilderConfig):
    """What is prepared: an entry of the catalogue and its raw files, or None to download them."""

    entry: Entry | None = None
    raw: RawFiles | None = None
    beam: bool = False


class ZooCorpus(tfds.core.GeneratorBasedBuilder):
    """Texts and class numbers of a corpus; the class number is -1 where there is no label."""

    VERSION = tfds.core.Version(VERSION)
    url_infos = None  # zoo has no checksums; TFDS knows those of aclImdb, TREC and AG's News

    def _info(self):
        entry = self.builder_config.entry
        return tfds.core.DatasetInfo(
            builder=self,
            description=entry.title,
            features=tfds.features.FeaturesDict(
                {
                    "text": tfds.features.Text(),
                    "label": tfds.features.ClassLabel(names=entry.labels),
                }
            ),
            homepage=entry.homepage,
            citation=entry.citation,
            license=entry.licence,
            metadata=tfds.core.MetadataDict(),
        )

    def _split_generators(self, dl_manager):
        entry = self.builder_config.entry
        raw = self.builder_config.raw or _download(entry, dl_manager)
        _check_classes(entry, raw)
        self.info.metadata["sha256"] = {
            split: _checksums(raw.folder, paths) for split, paths in raw.files.items()
        }
        return {split: self._generate_examples(raw, split) for split in raw.files}

    def _generate_examples(self, raw, split):
        """The texts of a split, as a generator or as a Beam transform."""
        classes = None if split == "unlabelled" else raw.layout.classes
        parts = [_Part(raw.layout.format, raw.folder, path, classes) for path in raw.files[split]]
        make = _beam_examples if self.builder_config.beam else _examples
        return make(parts, self.builder_config.entry)


@dataclasses.dataclass(frozen=True)
class _Part:
    """A file of a split, or the lines of it that begin between two bytes."""

    format: str
    folder: Path
    path: Path
    classes: Mapping[str, str | None] | None
    start: int = 0
    stop: int | None = None

    def pieces(self):
        size = self.path.stat().st_size
        whole = self.format not in formats.LINE_FORMATS or self.path.suffix == ".gz"
        if whole or size <= RANGE:
            return [self]
        starts = range(0, size, RANGE)
        return [dataclasses.replace(self, start=at, stop=at + RANGE) for at in starts]

    def examples(self):
        """Pairs of a key, which does not depend on how files are split, and an example."""
        name = self.path.relative_to(self.folder)
        rows = formats.read(self.format, self.path, self.classes, self.start, self.stop)
        for position, text, label in rows:
            yield f"{name}:{position}", {"text": text, "label": -1 if label is None else label}


def _examples(parts: list[_Part], entry: Entry) -> Iterator[tuple[str, dict]]:
    def all_examples():
        return (example for part in parts for example in part.examples())

    limits = None
    if entry.sample is not None:
        lowest = defaultdict(list)  # heaps of the sample's negative ranks, the highest rank on top
        for key, example in all_examples():
            ranks = lowest[_group(entry, key, example)]
            if len(ranks) < entry.sample:
                heapq.heappush(ranks, -_rank(key))
            else:
                heapq.heappushpop(ranks, -_rank(key))
        limits = {group: -ranks[0] for group, ranks in lowest.items()}

    number = 0
    for key, example in all_examples():
        if limits is None or _rank(key) <= limits[_group(entry, key, example)]:
            number += 1
            yield key, example
    if not number:
        raise UsageError(f"{parts[0].path} has no texts of {entry.title}")


def _rank(key):
    """A number that puts keys into a pseudo-random order, always the same."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])


def _group(entry, key, example):
    return key.rpartition(":")[0] if entry.sample_by == "file" else example["label"]


def _beam_examples(parts: list[_Part], entry: Entry):
    """The same examples by Apache Beam, which reads pieces of files in parallel."""
    beam = import_beam()
    if not any(True for part in parts for _ in part.examples()):
        raise UsageError(f"{parts[0].path} has no texts of {entry.title}")
    parts = [piece for part in parts for piece in part.pieces()]

    def ranked(example):
        return _group(entry, *example), _rank(example[0])

    @beam.ptransform_fn
    def examples(pipeline):
        found = (
            pipeline
            | "parts" >> beam.Create(parts)
            | "spread" >> beam.Reshuffle()
            | "read" >> beam.FlatMap(_Part.examples)
        )
        if entry.sample is None:
            return found
        limits = (
            found
            | "rank" >> beam.Map(ranked)
            | "lowest" >> beam.combiners.Top.SmallestPerKey(entry.sample)
            | "limit" >> beam.MapTuple(lambda group, ranks: (group, max(ranks)))
        )
        return found | "draw" >> beam.Filter(
            lambda example, limits: ranked(example)[1] <= limits[ranked(example)[0]],
            beam.pvalue.AsDict(limits),
        )

    return examples()


def _download(entry, dl_manager):
    archives = [url for url in entry.urls if url.endswith(("gz", "zip")) or "uc?export" in url]
    if archives:
        (root,) = dl_manager.download_and_extract(list(entry.urls))
    else:  # single files, which get their original names again
        root = data_dir() / "downloads" / "zoo_corpus" / entry.name
        root.mkdir(parents=True, exist_ok=True)
        for url, path in zip(entry.urls, dl_manager.download(list(entry.urls)), strict=True):
            link = root / url.rpartition("/")[2]
            link.unlink(missing_ok=True)
            link.symlink_to(Path(path).absolute())
    root = Path(root)
    for folder in [root, *(path for path in root.iterdir() if path.is_dir())]:
        if raw := raw_files_in(folder, entry):
            return raw
    raise UsageError(f"what {', '.join(entry.urls)} gave is not {entry.title}: see {root}")


def _check_classes(entry, raw):
    """Raises if there is an official classes.txt, and it names other classes."""
    path = raw.folder / "classes.txt"
    if raw.layout.format.endswith("csv_row") and path.is_file():
        names = path.read_text("utf-8").split("\n")
        names = tuple(name.strip() for name in names if name.strip())
        if names != entry.labels:
            raise UsageError(
                f"{path} names {', '.join(names)}, but {entry.title} has {', '.join(entry.labels)}"
            )


def _checksums(folder, paths):
    """SHA-256 by file; for very many files, that of the lines that sha256sum would print."""
    sums = {}
    for path in paths:
        with path.open("rb") as file:
            sums[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    if len(sums) <= LISTED_FILES:
        return sums
    lines = "".join(f"{checksum}  {name}\n" for name, checksum in sums.items())
    return {f"{len(sums)} files": hashlib.sha256(lines.encode()).hexdigest()}


def prepare(entry: Entry, beam: bool = False, beam_options: Sequence[str] = ()) -> ZooCorpus:
    """Prepares a corpus from ``$ZOO_DATA_DIR`` or a download, unless that has been done before.

    Args:
        entry: an entry of the catalogue.
        beam: whether Apache Beam reads the files in parallel, for large corpora.
        beam_options: options of Beam's pipeline, such as ``--runner=FlinkRunner``; by default it
            runs on all cores of this machine.

    Returns:
        A builder whose ``as_dataset`` streams the records.

    Raises:
        UsageError: if the corpus is not on this machine and cannot be downloaded, if a raw file is
            not in its format, or if Apache Beam is not installed.
    """
    name, raw = locate(entry)
    config = CorpusConfig(name=name, entry=entry, raw=raw, beam=beam)
    builder, is_prepared = _builder(config)
    if is_prepared:
        return builder
    options = tfds.download.DownloadConfig(try_download_gcs=False)
    if beam:
        options = dataclasses.replace(options, beam_options=pipeline_options(beam_options))
    texts = sum(entry.sizes.values())
    logger.info("%s: preparing %s texts into %s, once", entry.name, f"{texts:,}", builder.data_dir)
    try:
        with quiet_tfds():
            builder.download_and_prepare(download_config=options, file_format="tfrecord")
    except Exception as error:
        builder, is_prepared = _builder(config)
        if is_prepared:  # another process has prepared it meanwhile
            return builder
        raise _explained(error, config) from None
    return builder


def _builder(config):
    with quiet_tfds():
        try:
            builder = ZooCorpus(config=config, data_dir=data_dir())
            return builder, builder.is_prepared()
        except Exception as error:  # errors of JSON, protocol buffers or TFDS may be of any class
            folder = data_dir() / "zoo_corpus" / config.name
            raise _damaged(folder, _first_line(error)) from None


def _damaged(folder, reason):
    return UsageError(
        f"the prepared copy in {folder} is damaged: {reason}. Remove that folder, and it is "
        "prepared anew"
    )


def _explained(error, config):
    """An error that says what the user can do about it; any other error is returned unchanged."""
    entry = config.entry
    if config.beam and (cause := usage_error_in(error)):
        return cause
    if isinstance(error, UsageError):
        return error
    of_a_file = isinstance(error, OSError) and (config.raw or error.filename)
    # TensorFlow has another class of OSError, which TFDS turns into a RuntimeError.
    if of_a_file or isinstance(error.__cause__ or error, tf.errors.OpError):
        reason = str(error).strip().partition("\n")[0]
        return UsageError(f"cannot prepare {entry.title} in {data_dir()}: {reason}")
    if config.raw is None:
        return absent(entry, f"cannot be downloaded ({_first_line(error)})")
    return error


def _first_line(error):
    reason, *_ = str(error).strip().split("\n")
    return f"{type(error).__name__}: {reason}"


@contextlib.contextmanager
def quiet_tfds():
    """Keeps TFDS' progress bars on a terminal, and silences its other messages."""
    loggers = [logging.getLogger(name) for name in ("absl", "urllib3")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.ERROR)
    if not sys.stderr.isatty():
        tfds.disable_progress_bar()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)


def load_entry(entry: Entry) -> Corpus:
    """A corpus of the catalogue, whose texts are streamed from the prepared records.

    If the size or the class counts of a split are not the published ones, this is only reported.

    Raises:
        UsageError: see :func:`prepare`.
    """
    builder = prepare(entry)
    splits = {split: _streamed(builder, split) for split in builder.info.splits}
    _compare_with_published(entry, splits)
    return Corpus(entry.name, list(entry.labels), **splits, clean_up=entry.clean_up)


def _streamed(builder, split):
    def open_dataset():
        rows = _records(builder, split, FIELDS)
        return rows.map(lambda row: (row["text"], row["label"])).unbatch()

    number = builder.info.splits[split].num_examples
    try:
        rows = _records(builder, split, {"label": FIELDS["label"]})
        numbers = [row["label"].astype("int32") for row in rows.as_numpy_iterator()]
    except tf.errors.OpError as error:
        raise _damaged(builder.data_dir, _first_line(error)) from None
    numbers = np.concatenate([np.zeros(0, "int32"), *numbers])
    if len(numbers) != number:
        reason = f"{split} has {len(numbers):,} of {number:,} texts"
        raise _damaged(builder.data_dir, reason)
    return StreamedSplit(open_dataset, numbers)


def _records(builder, split, fields):
    """Batches of records, shard after shard.

    They are the same as those of ``builder.as_dataset``, which parses records one at a time and
    takes ten times as long.
    """
    shards = [str(path) for path in builder.info.splits[split].filepaths]
    records = tf.data.TFRecordDataset(shards, buffer_size=8 * 2**20).batch(1024)
    return untuned(records.map(lambda rows: tf.io.parse_example(rows, fields), tf.data.AUTOTUNE))


def _compare_with_published(entry, splits):
    sizes = {split: len(part) for split, part in splits.items()}
    if set(entry.sizes) - {"unlabelled"} == set(sizes) - {"unlabelled"}:
        published = entry.sizes
    else:  # the corpus has other splits, or only the sum of sizes is published
        published = {"all": sum(n for split, n in entry.sizes.items() if split != "unlabelled")}
        sizes = {"all": sum(n for split, n in sizes.items() if split != "unlabelled")}
    for split, size in sizes.items():
        if size != published.get(split, size):
            told = f"{split} has {size:,} texts, published are {published[split]:,}"
            logger.warning("%s: %s", entry.name, told)
        elif split in entry.class_counts:
            counts = tuple(np.bincount(splits[split].targets, minlength=len(entry.labels)).tolist())
            if counts != (wanted := tuple(entry.class_counts[split])):
                told = f"the classes of {split} have {counts} texts, published are {wanted}"
                logger.warning("%s: %s", entry.name, told)
