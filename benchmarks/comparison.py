"""A model of ours and a rival on the same texts: the rows of the tables of speed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import keras
import numpy as np
from rich.progress import track

import zoo
from benchmarks import rivals
from benchmarks.measure import GEMM, Documents, ratio
from zoo.classifier import TextClassifier

CLASSES = 5
ROUNDS = 3
LIKE_KIM, SSAN = "zhao2016", "ambartsoumian2018"  # presets
LEGEND = (
    "Operations are those of matrix products for real words. The target is the ratio that we set "
    "out to reach; words of positions are the share of what is computed that is no padding; the "
    "share of the GEMM rate is how close operations come to the speed of those large products."
)


@dataclass
class Comparison:
    """One of our models and a rival on the same texts.

    Attributes:
        model, preset: ours.
        rival: what it is, in words.
        build: gives the rival, from ours.
        target: at least how many times as fast ours should be; None for no target.
        corpus, texts, longer_than, batch_size: see :class:`benchmarks.measure.Documents`.
        padded: whether the rival reads texts as they come; else the same batches.
        same_sentences: see :meth:`benchmarks.measure.Documents.padded`.
        options: of ours.
        told: what docs/measured.md says of it, with the ratio's place.
        slow: to start, so that ``--quick`` leaves it out.
    """

    model: str
    preset: str
    rival: str
    build: Callable
    target: float | None = None
    corpus: str = "agnews"
    texts: int = 2048
    longer_than: int = 0
    batch_size: int = 32
    padded: bool = False
    same_sentences: bool = False
    options: dict = field(default_factory=dict)
    told: str = ""
    slow: bool = False

    def prepare(self, part: int):
        """The texts, our model with their vocabulary, and the rival."""
        like = zoo.build(self.model, CLASSES, self.preset, **self.options)
        documents = Documents(self.corpus, self.texts // part, like, self.longer_than)
        size = {"vocabulary_size": documents.preprocessor.vocabulary_size}
        ours = zoo.build(self.model, CLASSES, self.preset, **self.options, **size)
        if self.build in rivals.FROM_TEXTS:
            return documents, ours, self.build(ours, documents.texts, documents.targets)
        return documents, ours, self.build(ours)


def ours_of(name, preset, **options):
    """Another model of ours as the rival."""
    return lambda like: zoo.build(
        name, CLASSES, preset, vocabulary_size=like.vocabulary_size, **options
    )


def compared(
    comparisons, measure, passes: int, rounds: int, part: int, told: list[str]
) -> Iterator[str]:
    """A table's rows, as they are measured.

    Args:
        comparisons: a row each.
        measure: of a comparison, ``rounds`` and ``part``: the seconds of a round, the documents,
            our model and the rival.
        passes: how many times the operations of a prediction what is measured has.
        rounds: how many are counted.
        part: one in how many texts is read.
        told: gets what docs/measured.md says.
    """
    yield (
        "| model | rival | texts | times as fast | target | documents/s | words/s | "
        "words of positions | "
        "of the GEMM rate | rival's operations, times ours |"
    )
    yield "|---|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for comparison in track(comparisons, measure.__name__):
        keras.utils.set_random_seed(0)
        seconds, documents, model, rival = measure(comparison, rounds, part)
        ours = np.median(seconds["ours"])
        operations = documents.operations(model, comparison.batch_size)
        share = passes * operations / ours / (GEMM / np.median(seconds["gemm"]))
        theirs = ""
        if isinstance(rival, TextClassifier):
            theirs = f"{documents.operations(rival, comparison.batch_size) / operations:.1f}"
        target = "" if comparison.target is None else f"{comparison.target:g}"
        times = ratio(seconds, "rival", "ours")
        if comparison.told:
            told.append(comparison.told.format(times))
        shown = f"{times:.1f}" if times >= 1 else f"{times:.2g}"
        row = (
            f"| {comparison.model} | {comparison.rival} | {comparison.corpus} | **{shown}** | "
            f"{target} | "
            f"{len(documents.texts) / ours:,.0f} | {documents.words / ours:,.0f} | "
            f"{documents.share_of_words(comparison.batch_size):.0%} | {share:.0%} | {theirs} |"
        )
        print(row, flush=True)
        yield row
        keras.backend.clear_session()
