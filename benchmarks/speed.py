"""Speed of the models beside plain Keras forms of them and what users might pick instead.

``make bench`` writes ``benchmarks/results/speed.md``; ``make bench-quick`` prints what has a
target, from fewer texts, in minutes.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from rich.progress import track

import zoo
from benchmarks import rivals
from benchmarks.measure import (
    GEMM,
    Documents,
    gemm,
    gemm_rate,
    interleaved,
    latency,
    machine,
    ratio,
    tell,
)
from benchmarks.profile import floors, half_precision
from zoo.cli import quiet_tensorflow
from zoo.optimizers import AdamW
from zoo.saved_model import export_saved_model

RESULTS = Path(__file__).parent / "results" / "speed.md"
CLASSES = 5
ROUNDS = 3
TOLD = []  # sentences for the README


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
        told: what the README says of it, with the ratio's place.
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
    slow: bool = False  # to start, so that ``--quick`` leaves it out

    def prepare(self, part: int):
        """The texts, our model with their vocabulary, and the rival."""
        like = zoo.build(self.model, CLASSES, self.preset, **self.options)
        documents = Documents(self.corpus, self.texts // part, like, self.longer_than)
        size = {"vocabulary_size": documents.preprocessor.vocabulary_size}
        ours = zoo.build(self.model, CLASSES, self.preset, **self.options, **size)
        if self.build is rivals.BagOfWords:
            return documents, ours, self.build(ours, documents.texts, documents.targets)
        return documents, ours, self.build(ours)


def ours_of(name, preset, **options):
    """Another model of ours as the rival."""
    return lambda like: zoo.build(
        name, CLASSES, preset, vocabulary_size=like.vocabulary_size, **options
    )


TRANSFORMER = ours_of("act_transformer", "li2021")
LIKE_KIM, SSAN = "zhao2016", "ambartsoumian2018"
LONG = {"corpus": "imdb", "texts": 128}
PAIRS = {"longer_than": 256, "batch_size": 8, "options": {"max_words": 256}}
TRAINING = [
    Comparison(
        "han", "yang2016", "its `TimeDistributed` form, padded; 30 sentences", rivals.plain_han, 4,
        padded=True, same_sentences=True, options={"max_sentences": 30}, slow=True, **LONG,
        told="`han` trains on IMDB {:.1f} times as fast as with `TimeDistributed` layers",
    ),
    Comparison(
        "han", "yang2016", "all sentences at once, padded",
        lambda like: rivals.plain_han(like, one_by_one=False), padded=True, **LONG,
    ),
    Comparison(
        "hcan", "gao2018", "a convolution for each of Q, K, V, padded", rivals.plain_hcan, 1.8,
        padded=True, corpus="imdb", texts=128,
    ),
    Comparison("act", "li2021", "its heads one by one, padded", rivals.PlainACT, 1.4, padded=True),
    Comparison(
        "ssan", SSAN, "`lstm`; SST-fine, word vectors fixed",
        ours_of("lstm", SSAN, train_embeddings=False), 3.4, corpus="sst_fine", texts=8192,
    ),
    Comparison("ssan", SSAN, "a vector for each pair, padded", rivals.plain_ssan, padded=True),
    Comparison(
        "attcnn", LIKE_KIM, "`tanh(W [x_i ; x_j])` of all pairs, padded; 256 words",
        lambda like: rivals.plain_attcnn(like, rivals.PairedAttention), 3,
        padded=True, corpus="imdb", texts=64, **PAIRS,
    ),
    Comparison(
        "attcnn", LIKE_KIM, "the same with W split, `tanh(U x_i + V x_j)`", rivals.plain_attcnn,
        padded=True, corpus="imdb", texts=128, **PAIRS,
    ),
    Comparison(
        "act", "li2021", "a Transformer of `MultiHeadAttention`", rivals.keras_transformer,
        told="`act` on AG News {:.1f} times as fast as a Transformer of `MultiHeadAttention`",
    ),
]  # fmt: skip
BAG = "TF-IDF and logistic regression; both from texts"
DISTILBERT = "an encoder of DistilBERT's shape, PyTorch"
INFERENCE = [
    Comparison(
        "act", "li2021", "its paper's Transformer; reviews in batches of 100", TRANSFORMER, 2.7,
        corpus="imdb", texts=500, batch_size=100,
    ),
    Comparison("act", "li2021", "its paper's Transformer", TRANSFORMER),
    Comparison("act", "li2021", "a Transformer of `MultiHeadAttention`", rivals.keras_transformer),
    Comparison("act", "li2021", BAG, rivals.BagOfWords),
    Comparison(
        "act", "li2021", DISTILBERT, rivals.DistilBERT, 20,
        told="`act` labels {:.0f} times as many texts a second as an encoder of DistilBERT's shape",
    ),
    Comparison("act", "li2021", DISTILBERT, rivals.DistilBERT, 20, corpus="imdb", texts=128),
    Comparison("ssan", SSAN, DISTILBERT, rivals.DistilBERT, 20),
    Comparison("attcnn", LIKE_KIM, DISTILBERT, rivals.DistilBERT, 20),
    Comparison("han", "yang2016", DISTILBERT, rivals.DistilBERT, 20, corpus="imdb", texts=64),
    Comparison("hcan", "gao2018", DISTILBERT, rivals.DistilBERT, 3, corpus="imdb", texts=64),
]  # fmt: skip


def training(comparison: Comparison, rounds: int, part: int):
    """Seconds of a pass over the texts in training, and what ours does of the GEMM rate."""
    documents, ours, rival = comparison.prepare(part)
    same = documents.batches(comparison.batch_size)
    padded = documents.padded(comparison.batch_size, comparison.same_sentences)
    for model in (ours, rival):
        optimizer = AdamW() if type(model).__module__.startswith("zoo.") else "adamw"
        model.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=False)
    seconds = interleaved(
        {
            "ours": lambda: ours.fit(same, shuffle=False, verbose=0),
            "rival": lambda: rival.fit(
                padded if comparison.padded else same, shuffle=False, verbose=0
            ),
            "gemm": gemm(),
        },
        rounds,
    )
    return seconds, documents, 3 * documents.operations(ours, comparison.batch_size)


def inference(comparison: Comparison, rounds: int, part: int):
    """The same for predictions, of batches that are ready, unless the rival reads texts."""
    documents, ours, rival = comparison.prepare(part)
    ready = list(documents.batches(comparison.batch_size, targets=False))
    ours.preprocessor = documents.preprocessor
    reads = {"texts": documents.texts, "flat": documents.flat_batches(comparison.batch_size)}
    rivals_own = reads.get(getattr(comparison.build, "reads", None))
    from_texts = rivals_own is documents.texts

    def answers(model):
        return [model.predict_on_batch(ids) for ids in ready]

    seconds = interleaved(
        {
            "ours": lambda: (
                ours.predict(documents.texts, verbose=0) if from_texts else answers(ours)
            ),
            "rival": lambda: answers(rival) if rivals_own is None else rival.predict(rivals_own),
            "gemm": gemm(),
        },
        rounds,
    )
    return seconds, documents, documents.operations(ours, comparison.batch_size)


def compared(comparisons, measure, rounds, part) -> Iterator[str]:
    """A table's rows."""
    yield (
        "| model | rival | texts | times as fast | target | documents/s | words/s | "
        "words of positions | "
        "of the GEMM rate |"
    )
    yield "|---|---|---|--:|--:|--:|--:|--:|--:|"
    for comparison in track(comparisons, measure.__name__):
        keras.utils.set_random_seed(0)
        seconds, documents, operations = measure(comparison, rounds, part)
        ours = np.median(seconds["ours"])
        share = operations / ours / (GEMM / np.median(seconds["gemm"]))
        target = "" if comparison.target is None else f"{comparison.target:g}"
        times = ratio(seconds, "rival", "ours")
        if comparison.told:
            TOLD.append(comparison.told.format(times))
        shown = f"{times:.1f}" if times >= 1 else f"{times:.2g}"
        row = (
            f"| {comparison.model} | {comparison.rival} | {comparison.corpus} | **{shown}** | "
            f"{target} | "
            f"{len(documents.texts) / ours:,.0f} | {documents.words / ours:,.0f} | "
            f"{documents.share_of_words(comparison.batch_size):.0%} | {share:.0%} |"
        )
        print(row, flush=True)
        yield row
        keras.backend.clear_session()


def one_document() -> Iterator[str]:
    """The latency of one AG News document through ACT's SavedModel, and what it is made of."""
    documents, model, _ = Comparison("act", "li2021", "", lambda ours: None, texts=101).prepare(1)
    model.preprocessor, model.labels = documents.preprocessor, list("abcde")
    by_length = sorted(documents.texts, key=len)
    text = tf.constant([by_length[len(by_length) // 2]])
    ids = documents.preprocessor(text)
    with tempfile.TemporaryDirectory() as folder:
        export_saved_model(model, Path(folder) / "model")
        served = tf.saved_model.load(str(Path(folder) / "model"))
    encode = tf.function(documents.preprocessor)
    answer = tf.function(lambda ids: model(ids, training=False))
    one = Documents.operations_of_ids(model, documents.preprocessor.encode(text))
    arithmetic = 1e3 * one / gemm_rate()
    yield "| one AG News document | p50, ms | p99, ms | times the arithmetic's |"
    yield "|---|--:|--:|--:|"
    yield f"| its arithmetic at the GEMM rate ({ids.shape[1]} words) | {arithmetic:.2f} | | 1 |"
    for name, call in {
        "SavedModel, from text": lambda: served.serve(text)["probabilities"].numpy(),
        "of it, text to ids": lambda: encode(text).numpy(),
        "of it, ids to probabilities": lambda: answer(ids).numpy(),
        "`model.predict`, from text": lambda: model.predict(text, verbose=0),
    }.items():
        p50, p99 = latency(call)
        yield f"| {name} | {p50:.2f} | {p99:.2f} | {p50 / arithmetic:.1f} |"


def starting() -> Iterator[str]:
    """How long Python takes to do nothing, to import zoo and to print its help."""
    yield "| start | median, s |"
    yield "|---|--:|"
    for name, command in {
        "`python -c pass`": ("-c", "pass"),
        "`import zoo`": ("-c", "import zoo"),
        "`zoo --help`": ("-m", "zoo", "--help"),
    }.items():
        call = [sys.executable, *command]
        run = {"": lambda call=call: subprocess.run(call, check=True, capture_output=True)}
        yield f"| {name} | {np.median(interleaved(run, 11)['']):.2f} |"


def main(quick: bool):
    quiet_tensorflow()
    rounds, part = (1, 8) if quick else (ROUNDS, 1)
    trained, predicted = (
        [one for one in comparisons if not quick or (one.target and not one.slow)]
        for comparisons in (TRAINING, INFERENCE)
    )
    parts = {
        "Training, real text": compared(trained, training, rounds, part),
        "Inference, real text": compared(predicted, inference, rounds, part),
        "Latency": one_document(),
        "Start": starting(),
    }
    if not quick:
        parts |= {
            "Floors and profile of a training step, 32 texts": floors(),
            "Times as fast in bfloat16": half_precision(),
        }
    report = (
        f"# Speed\n\nWritten by `make bench{'-quick' if quick else ''}` on {machine()}.\n\n"
        f"A round runs ours, the rival and matrix products of 2048 x 2048, float32; medians of "
        f"{rounds} rounds after one of warm-up, ratios within a round. Sizes are the papers'. "
        "Training is a `fit`; a plain form is trained by Keras' AdamW, ours by ours. Predictions "
        "are of batches of ids that are ready, on both sides, but where both read texts. "
        "Operations are those of matrix products for real words; training counts three times a "
        "prediction's. AdamW moves seven numbers for each one it trains: its floor at the "
        "bandwidth of adding to 256 MB in place. Profiles are of TensorFlow's profiler: the time "
        "of threads in kernels, which also wait there for each other.\n"
    )
    for title, rows in parts.items():
        table = "\n".join(rows)
        print(f"\n## {title}\n\n{table}\n", flush=True)
        report += f"\n## {title}\n\n{table}\n"
    if not quick:
        RESULTS.write_text(report, "utf-8")
        tell(
            "speed",
            "; ".join(TOLD) + ": measured side by side on two cores, with more rivals and what is "
            "behind its target, in [speed](benchmarks/results/speed.md).",
        )


if __name__ == "__main__":
    main("--quick" in sys.argv)
