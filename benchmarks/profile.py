"""Where the time of a training step goes, beside the least that it could take; 16 bits on CPUs.

Parts of ``make bench``: a row for each paper's model at its paper's sizes.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from rich.progress import track

import zoo
from benchmarks.measure import GEMM, MOVED, Documents, gemm, interleaved, moving, ratio
from zoo.optimizers import AdamW

CLASSES = 5
ROUNDS = 3
SYSTEMS = {  # corpus, texts
    ("hcan", "gao2018"): ("imdb", 64),
    ("han", "yang2016"): ("imdb", 128),
    ("ssan", "ambartsoumian2018"): ("agnews", 1024),
    ("act", "li2021"): ("agnews", 1024),
    ("attcnn", "zhao2016"): ("agnews", 1024),
}
ADAMW = 7  # times that it moves a number: reads weight, gradient and moments, writes all but one
LARGEST = 6
IS_KERNEL = re.compile(r"[^:]+:_?(\w+)|[\w.]*(?:fusion|wrapped_)[\w.-]*")  # TensorFlow's, XLA's


def prepared(name: str, preset: str):
    """The model, ready to be trained, its documents, and their batches."""
    corpus, texts = SYSTEMS[name, preset]
    documents = Documents(corpus, texts, zoo.build(name, CLASSES, preset))
    size = documents.preprocessor.vocabulary_size
    model = zoo.build(name, CLASSES, preset, vocabulary_size=size)
    model.compile(AdamW(), "sparse_categorical_crossentropy", jit_compile=False)
    return model, documents, list(documents.batches(32))


def training(model, batches) -> Callable[[], object]:
    """Steps alone, without the input pipeline."""
    return lambda: [model.train_on_batch(*batch) for batch in batches]


def floors() -> Iterator[str]:
    """What a step takes, must take, and spends it on."""
    yield (
        "| model | ms | its products at the GEMM rate | its update at the bandwidth | "
        "largest shares of the threads' time |"
    )
    yield "|---|--:|--:|--:|---|"
    for name, preset in track(SYSTEMS, "floors"):
        model, documents, batches = prepared(name, preset)
        train = training(model, batches)
        seconds = interleaved({"train": train, "gemm": gemm(), "move": moving()}, ROUNDS)
        step, product, move = (float(np.median(taken)) for taken in seconds.values())
        products = 3 * documents.operations(model, 32) / (GEMM / product)
        numbers = sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)
        update = len(batches) * ADAMW * numbers / (MOVED / move)
        kernels = kernel_times(train)
        shares = ", ".join(
            f"{kind} {taken / kernels.total():.0%}" for kind, taken in kernels.most_common(LARGEST)
        )
        cells = (f"{1e3 * taken / len(batches):.0f}" for taken in (step, products, update))
        yield f"| {name} | {' | '.join(cells)} | {shares} |"
        keras.backend.clear_session()


def kernel_times(run: Callable[[], object]) -> Counter[str]:
    """Picoseconds that threads spent in each kind of TensorFlow's kernels, and in XLA's."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        run()
        tf.profiler.experimental.stop()
        (path,) = Path(folder).rglob("*.xplane.pb")
        space = xplane_pb2.XSpace.FromString(path.read_bytes())
    taken = Counter()
    for plane in space.planes:
        names = {number: found.name for number, found in plane.event_metadata.items()}
        for event in (event for line in plane.lines for event in line.events):
            if kernel := IS_KERNEL.fullmatch(names[event.metadata_id]):
                taken[kernel[1] or "XLA's kernels"] += event.duration_ps
    return taken


def half_precision() -> Iterator[str]:
    """How many times as fast bfloat16 is, where the processor multiplies it."""
    flags = Path("/proc/cpuinfo")
    if not flags.exists() or not re.search(r"amx_bf16|avx512_bf16", flags.read_text()):
        yield "This processor has no arithmetic of its own for bfloat16."
        return
    yield "| model | training | inference |"
    yield "|---|--:|--:|"
    for name, preset in track(SYSTEMS, "bfloat16"):
        runs = {}
        for precision in ("float32", "mixed_bfloat16"):
            keras.config.set_dtype_policy(precision)
            model, _, batches = prepared(name, preset)
            runs[f"{precision}, training"] = training(model, batches)
            runs[f"{precision}, inference"] = lambda model=model, batches=batches: [
                model.predict_on_batch(ids) for ids, _ in batches
            ]
        keras.config.set_dtype_policy("float32")
        seconds = interleaved(runs, ROUNDS)
        cells = (
            f"{ratio(seconds, f'float32, {what}', f'mixed_bfloat16, {what}'):.2f}"
            for what in ("training", "inference")
        )
        yield f"| {name} | {' | '.join(cells)} |"
        keras.backend.clear_session()
