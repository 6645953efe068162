"""Timing on a noisy machine, counting operations, and documents of real corpora."""

import statistics
import time
from collections.abc import Callable
from unittest import mock

import numpy as np
import tensorflow as tf

from zoo import datasets
from zoo.classifier import TextClassifier
from zoo.datasets import Split, batches
from zoo.datasets.batches import pad, share_of_words
from zoo.datasets.text.preprocessor import Preprocessor

SIZE, PRODUCTS = 2048, 4
GEMM = 2 * SIZE**3 * PRODUCTS  # operations of a measurement of the rate
MOVED = 2**27  # numbers of a measurement of the bandwidth


def interleaved(systems: dict[str, Callable[[], object]], rounds: int) -> dict[str, np.ndarray]:
    """Seconds of each system in each round; one round before them warms up.

    A round runs every system once, so that what else the machine does meets all of them. Ratios
    are those of a round.
    """
    seconds = {name: [] for name in systems}
    for _ in range(1 + rounds):
        for name, run in systems.items():
            started = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started)
    return {name: np.array(taken[1:]) for name, taken in seconds.items()}


def gemm() -> Callable[[], object]:
    """Float32 matrix products, one after the other, of :data:`GEMM` operations in all."""
    matrix = tf.random.normal((SIZE, SIZE)) / SIZE

    @tf.function
    def multiply():
        product = matrix
        for _ in range(PRODUCTS):
            product = tf.matmul(product, matrix)
        return tf.reduce_sum(product)

    return lambda: float(multiply())


def moving() -> Callable[[], object]:
    """Moves :data:`MOVED` float32 numbers to and from memory: half are read, half written."""
    numbers = tf.Variable(tf.zeros(MOVED // 2))

    @tf.function(jit_compile=True)
    def move():
        numbers.assign_add(tf.ones_like(numbers))

    return move


def gemm_rate(rounds: int = 5) -> float:
    """Operations a second of a large matrix product."""
    return GEMM / float(np.median(interleaved({"": gemm()}, rounds)[""]))


def preprocessor_of(like: TextClassifier, texts: Split | list[str]) -> Preprocessor:
    """What a classifier reads of texts, with their words."""
    return Preprocessor.fit(
        texts,
        like.max_words,
        like.max_sentences,
        clean_up="relations" if like.entities else like.clean_up,
        max_vocabulary=like.max_vocabulary,
        ngrams=like.ngrams,
        entities=like.entities,
    )


class Documents:
    """Texts of a corpus and how a model reads them."""

    def __init__(self, corpus: str, count: int, like, longer_than: int = 0):
        """
        Args:
            corpus: of the catalogue.
            count: texts, drawn from the training split.
            like: a classifier, for what it reads.
            longer_than: only texts of more words than that.
        """
        train = datasets.load(corpus).frame("train").sample(frac=1, random_state=0)
        self.preprocessor = preprocessor_of(like, train["text"][:5000].tolist())
        self.groups = like.sentence_groups
        long = train["text"].str.count(" ") > 1.1 * longer_than
        train = train[long][:count]
        self.texts = train["text"].tolist()
        self.targets = np.arange(len(train)) % like.num_classes
        self.ids = self.preprocessor.encode(tf.constant(self.texts))
        self.words = int(tf.size(self.ids.flat_values))

    def batches(self, size: int, targets: bool = True) -> tf.data.Dataset:
        """As zoo trains on a corpus: texts of like length together, and sentences too."""
        data = tf.data.Dataset.from_tensor_slices(
            (self.texts, self.targets) if targets else self.texts
        )
        # For as few texts as are measured here, groups of sentences would not be worth compiling.
        worth = batches.groups_worth
        with mock.patch.object(batches, "groups_worth", lambda *own: worth(*own[:-1], 10**6)):
            return self.preprocessor.batches(
                data, size, shuffle=True, cache="memory", groups=self.groups
            )

    def padded(self, size: int, same_sentences: bool = False) -> tf.data.Dataset:
        """As they come, padded to the longest of a batch.

        With ``same_sentences`` each has as many sentences as any may have: Keras cannot train
        ``TimeDistributed`` recurrent layers otherwise.
        """
        data = tf.data.Dataset.from_tensor_slices((self.ids, self.targets)).batch(size)
        if same_sentences:
            shape = [None, self.preprocessor.max_sentences, None]
            data = data.map(lambda ids, target: (ids.to_tensor(shape=shape), target))
        else:
            data = data.map(lambda ids, target: (pad(ids.to_tensor()), target))
        return batches.untuned(data.cache().prefetch(2))

    def flat_batches(self, size: int, longest: int = 512) -> list[np.ndarray]:
        """Ids without sentences, texts of like length together, for PyTorch."""
        ids = self.ids if self.ids.ragged_rank == 1 else self.ids.merge_dims(1, 2)
        ids = tf.gather(ids[:, :longest], np.argsort(ids.row_lengths()))
        starts = range(0, len(self.texts), size)
        return [ids[start : start + size].to_tensor().numpy() for start in starts]

    def share_of_words(self, size: int) -> float:
        """The share of positions in ``batches`` that are words."""
        return share_of_words(self.batches(size), 10**6)

    def operations(self, model, size: int) -> float:
        """Multiplications and additions of matrix products to label all, counting words only.

        Products that no text has a part in, as ACT's of weights, count once for each batch of
        ``size`` texts.
        """
        return self.operations_of_ids(model, self.ids, -(-len(self.texts) // size))

    @staticmethod
    def operations_of_ids(model, ids: tf.RaggedTensor, batches: int = 1) -> float:
        """The same for ragged ids in so many batches."""
        if ids.ragged_rank == 1:
            return _polynomial(
                lambda *shape: tf.TensorSpec(shape, "int64"),
                model,
                ids.row_lengths().numpy(),
                batches,
            )
        total, width = 0.0, model.embedding_dim
        for level, rows in ((model.words.layer, ids.values), (model.sentences, ids)):
            total += _polynomial(
                lambda *shape, width=width: tf.TensorSpec((*shape, width)),
                level,
                rows.row_lengths().numpy(),
                batches,
            )
            width = level(np.zeros((1, 1, width), "float32")).shape[-1]
        return total


def _polynomial(spec, function, lengths, batches):
    """The sum over texts; operations are a polynomial of degree 2 in a text's length."""
    known = (32, 64, 96)
    one, two = ([operations(function, spec(texts, n)) for n in known] for texts in (1, 2))
    shared = 2 * np.array(one) - two  # what a batch needs once
    of_texts, of_batches = (
        np.polyval(np.polyfit(known, found, 2), lengths).sum() for found in (one - shared, shared)
    )
    return float(of_texts + of_batches * batches / len(lengths))


def operations(function, spec: tf.TensorSpec) -> float:
    """Multiplications and additions in the matrix products of a call, of a static shape."""
    for layer in getattr(function, "_flatten_layers", list)():
        if hasattr(layer, "unroll"):
            layer.unroll = True  # else a loop would be counted once
    with mock.patch("keras.ops.map", _unrolled_map):
        traced = tf.function(lambda x: function(x, training=False))
        graph = traced.get_concrete_function(spec).graph
    for layer in getattr(function, "_flatten_layers", list)():
        if hasattr(layer, "unroll"):
            layer.unroll = False
    return sum(_operations(op) for op in graph.get_operations())


def _unrolled_map(function, rows):
    return tf.stack([function(row) for row in tf.unstack(rows)])


def _operations(op):
    if op.type == "MatMul":
        rows = op.inputs[0].shape[0 if op.get_attr("transpose_a") else 1]
        return 2 * op.outputs[0].shape.num_elements() * int(rows)
    if op.type.startswith("BatchMatMul"):
        inner = op.inputs[0].shape[-2 if op.get_attr("adj_x") else -1]
        return 2 * op.outputs[0].shape.num_elements() * int(inner)
    if op.type == "Einsum":
        inputs = op.get_attr("equation").decode().split("->")[0].split(",")
        sizes = {}
        for labels, tensor in zip(inputs, op.inputs, strict=True):
            sizes |= dict(zip(labels, tensor.shape, strict=True))
        return 2 * int(np.prod(list(sizes.values())))
    if op.type == "Conv2D":
        height, width, channels, _ = op.inputs[1].shape
        return 2 * op.outputs[0].shape.num_elements() * int(height * width * channels)
    return 0


def ratio(seconds: dict[str, np.ndarray], slow: str, fast: str) -> float:
    """How many times as fast: the median over rounds."""
    return float(np.median(seconds[slow] / seconds[fast]))


def latency(call: Callable[[], object], times: int = 200) -> tuple[float, float]:
    """Milliseconds of a call, median and 99th percentile."""
    for _ in range(10):
        call()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - started))
    return statistics.median(taken), float(np.percentile(taken, 99))
