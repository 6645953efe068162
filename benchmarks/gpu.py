"""Training on a GPU, by JAX: steps a second, and how near to what the GPU can do.

``make bench-gpu`` measures all models that ``fit`` trains on words, or those of
``MODELS="hcan han"``. Rows go into ``benchmarks/results/gpu.md`` one by one, in place of what an
earlier run found (``gpu.json`` beside it keeps them): a GPU lent for minutes is enough for some.
With ``--quick`` it prints the same of smaller batches, on whatever JAX computes with.
"""

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.extend.core import jaxprs_in_params
from rich.progress import track

import zoo
from benchmarks import rivals
from benchmarks.gpu_report import ANSWERS, MODELS, RIVALS, Report
from zoo.backend import quiet_tensorflow
from zoo.registry import check_name

PRECISIONS = {"mixed_bfloat16": "bfloat16", "float32": "float32"}
YELP, IMDB = (9, 17), (14, 23)  # sentences and their words, on average (HAN, Table 1)
WORDS, SENTENCES = 128, IMDB  # of a document: flat; sentences and their words
CLASSES, VOCABULARY = 5, 30_000
PER_EXECUTION = 10  # steps that Keras takes in one execution
SECONDS, ROUNDS = 0.3, 3
PAPERS = {
    "hcan": "gao2018",
    "han": "yang2016",
    "ssan": "ambartsoumian2018",
    "lstm": "ambartsoumian2018",
    "act": "li2021",
    "attcnn": "zhao2016",
}


@dataclass
class Pair:
    """Two models that a paper compares on its GPU.

    Attributes:
        ours, rival: names.
        build: gives the rival on PyTorch.
        batch, shape: of the documents.
        paper: how many times as fast ours was.
        options, its: of the models, beside their papers' presets.
    """

    ours: str
    rival: str
    build: Callable
    batch: int
    shape: tuple[int, ...]
    paper: float
    options: dict = field(default_factory=dict)
    its: dict = field(default_factory=dict)


FROZEN = {"train_embeddings": False}  # as SSAN's authors did
HCANS_HAN = {"embedding_dim": 512, "attention_dim": 200}  # Gao et al. 2018, Section 4.2
PAIRS = [
    Pair("hcan", "han", rivals.torch_han, 1, YELP, 2, its=HCANS_HAN),
    Pair("hcan", "han", rivals.torch_han, 64, YELP, 2, its=HCANS_HAN),
    Pair("ssan", "lstm", rivals.torch_lstm, 32, (24,), 3.4, FROZEN, FROZEN),
    Pair("hcan", "han", rivals.torch_han, 64, IMDB, 2, its=HCANS_HAN),
]


def operations(jaxpr) -> float:
    """Multiplications and additions of matrix products; those in a loop as often as it runs."""
    total = 0.0
    for equation in jaxpr.eqns:
        name, params = equation.primitive.name, equation.params
        if name == "dot_general":
            (contracted, _), _ = params["dimension_numbers"]
            left = equation.invars[0].aval.shape
            inner = math.prod(left[axis] for axis in contracted)
            total += 2 * equation.outvars[0].aval.size * inner
        elif name == "conv_general_dilated":
            kernel = equation.invars[1].aval
            filters = kernel.shape[params["dimension_numbers"].rhs_spec[0]]
            total += 2 * equation.outvars[0].aval.size * kernel.size / filters
        repeats = params["length"] if name == "scan" else 1
        total += repeats * sum(map(operations, jaxprs_in_params(params)))
    return total


def median_seconds(run: Callable[[], object]) -> float:
    """Of some runs after one to warm up."""
    taken = []
    for _ in range(1 + ROUNDS):
        started = time.perf_counter()
        jax.block_until_ready(run())
        taken.append(time.perf_counter() - started)
    return float(np.median(taken[1:]))


def machine_rates(size: int) -> tuple[dict[str, float], float]:
    """Operations a second of a matrix product in each precision, and bytes a second of a copy."""

    @jax.jit
    def products(x):
        return jax.lax.fori_loop(0, PER_EXECUTION, lambda _, y: y @ x, x)

    @jax.jit
    def copies(x):
        return jax.lax.fori_loop(0, PER_EXECUTION, lambda _, y: y + 1, x)

    gemm = {}
    for precision, dtype in PRECISIONS.items():
        matrix = jax.random.normal(jax.random.key(0), (size, size), dtype) / size**0.5
        taken = median_seconds(lambda x=matrix: products(x))
        gemm[precision] = 2 * PER_EXECUTION * size**3 / taken
    array = jnp.zeros((4, size, size))
    return gemm, 2 * PER_EXECUTION * array.nbytes / median_seconds(lambda: copies(array))


def build(name: str, precision: str, preset: str | None, **options):
    """The same weights in each precision."""
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy(precision)
    return zoo.build(name, CLASSES, preset, vocabulary_size=VOCABULARY, **options)


def trained_models() -> list[str]:
    """Names of the models that ``fit`` trains, on words: what is measured here."""
    return [
        name
        for name in zoo.list_models()
        if not zoo.describe(name).characters
        and not zoo.build(name, CLASSES, vocabulary_size=VOCABULARY).solves
    ]


def documents(number: int, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Ids of words, no padding, and targets."""
    rng = np.random.default_rng(0)
    ids = rng.integers(2, VOCABULARY, (number, *shape), "int32")
    return ids, rng.integers(0, CLASSES, number, "int32")


def step_seconds(fit: Callable[[int], None], most: int) -> float:
    """Of a step: what a long fit takes above a short one. ``fit`` takes the number of steps."""

    def seconds(steps):
        started = time.perf_counter()
        fit(steps)
        return time.perf_counter() - started

    short = PER_EXECUTION
    seconds(short)  # compiles
    short *= round(min(max(1, SECONDS / seconds(short)), most / 3 / short))
    return (
        float(np.median([seconds(3 * short) - seconds(short) for _ in range(ROUNDS)])) / 2 / short
    )


def measure(model, batch: int, most: int, shape: tuple[int, ...]):
    """What training steps of a model take, through ``fit``, and what is in one.

    Returns:
        Seconds, operations, bytes moved (0 if there are loops, of which XLA counts one round) and
        bytes held, of a step.
    """
    ids, targets = documents(batch * most, shape)
    model.compile("adam", "sparse_categorical_crossentropy", steps_per_execution=PER_EXECUTION)

    def fit(steps):
        number = batch * steps
        model.fit(ids[:number], targets[:number], batch, shuffle=False, verbose=0)

    seconds = step_seconds(fit, most)
    groups = (
        model.trainable_variables,
        model.non_trainable_variables,
        model.optimizer.variables,
        model.metrics_variables,
    )
    state = tuple([variable.value for variable in group] for group in groups)
    step = jax.jit(model.train_step, donate_argnums=0)  # as in `fit`, so it is compiled already
    traced = step.trace(state, (ids[:batch], targets[:batch]))
    compiled = traced.lower().compile()
    loops = " scan[" in str(traced.jaxpr)
    moved = 0 if loops else compiled.cost_analysis()["bytes accessed"]
    memory = compiled.memory_analysis()
    held = memory.argument_size_in_bytes + memory.temp_size_in_bytes
    return seconds, operations(traced.jaxpr.jaxpr), moved, held


def by_torch(build: Callable, like, precision: str, batch: int, most: int, shape) -> float | None:
    """Steps a second of a rival on PyTorch; None where PyTorch has no GPU."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True  # as JAX does
    model = build(like).cuda().train()
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
    ids, targets = map(torch.from_numpy, documents(batch * most, shape))
    batches = list(zip(ids.split(batch), targets.split(batch), strict=True))

    def fit(steps):
        for some, wanted in batches[:steps]:
            with torch.autocast("cuda", torch.bfloat16, precision != "float32"):
                scores = model(some.cuda())
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(scores.float(), wanted.cuda().long()).backward()
            optimizer.step()
        torch.cuda.synchronize()

    return 1 / step_seconds(fit, most)


def beside(pair: Pair, precision: str, most: int) -> dict[str, str]:
    """A row of the first table."""
    speeds = []
    for name, options in ((pair.ours, pair.options), (pair.rival, pair.its)):
        model = build(name, precision, PAPERS[name], **options)
        speeds.append(1 / measure(model, pair.batch, most, pair.shape)[0])
    theirs = by_torch(pair.build, model, precision, pair.batch, most, pair.shape)
    return {
        "model": pair.ours,
        "rival": pair.rival,
        "precision": precision,
        "batch": f"{pair.batch}",
        "document": " x ".join(map(str, pair.shape)),
        "steps/s": f"{speeds[0]:,.0f}",
        "rival's": f"{speeds[1]:,.0f}",
        "times as fast": f"**{speeds[0] / speeds[1]:.1f}**",
        "the paper's": f"{pair.paper:g}",
        "rival's on PyTorch": f"{theirs:,.0f}" if theirs else "",
        "times as fast as that": f"{speeds[0] / theirs:.1f}" if theirs else "",
    }


def alone(
    name: str, preset: str | None, precision: str, batch: int, most: int, gemm, bandwidth
) -> dict[str, str]:
    """A row of the second table."""
    model = build(name, precision, preset)
    shape = SENTENCES if model.hierarchical else (WORDS,)
    seconds, count, moved, held = measure(model, batch, most, shape)
    rate, intensity, share = count / seconds, "", ""
    if moved:
        intensity = f"{count / moved:.0f}"
        share = f"{rate / min(gemm[precision], bandwidth * count / moved):.0%}"
    return {
        "model": name,
        "sizes": preset or "default",
        "precision": precision,
        "steps/s": f"{1 / seconds:,.0f}",
        "documents/s": f"{batch / seconds:,.0f}",
        "TFLOP/s": f"{rate / 1e12:.2f}",
        "of the matrix rate": f"{rate / gemm[precision]:.1%}",
        "operations a byte": intensity,
        "of the roofline": share,
        "memory, MiB": f"{held / 2**20:,.0f}",
    }


def differences(name: str, preset: str | None, precision: str) -> dict[str, str]:
    """A row of the third table."""
    model = build(name, precision, preset, logits=True)
    ids, _ = documents(8, (4, 24) if model.hierarchical else (96,))
    padded = np.pad(ids, [(0, 0)] + [(0, 8)] * (ids.ndim - 1))
    got, of_padded = (model.predict(some, verbose=0) for some in (ids, padded))
    model = build(name, "float32", preset, logits=True)
    groups = (model.trainable_variables, model.non_trainable_variables)
    state = [[variable.value for variable in group] for group in groups]
    state, ids = jax.device_put((state, ids), jax.devices("cpu")[0])
    wanted = jax.jit(lambda state, ids: model.stateless_call(*state, ids)[0])(state, ids)
    norm = np.linalg.norm(wanted)
    off, by_padding = (np.linalg.norm(x) / norm for x in (got - wanted, of_padded - got))
    return {
        "model": name,
        "precision": precision,
        "from the CPU's": f"{off:.1e}",
        "by padding": f"{by_padding:.1e}",
    }


def main():
    quiet_tensorflow()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="models; all that `fit` trains on words unless given"
    )
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if keras.backend.backend() != "jax":
        sys.exit("This benchmark needs KERAS_BACKEND=jax.")
    device, quick = jax.devices()[0], arguments.quick
    if device.platform == "cpu" and not quick:
        sys.exit(
            "No GPU: JAX finds none. Install JAX for yours, as in pip install 'jax[cuda12]'; "
            "`--quick` runs on the CPU."
        )
    try:
        for name in arguments.names:
            check_name(name)
    except zoo.UsageError as error:
        parser.error(str(error))
    names = arguments.names or (["cnn_kim", "hcan"] if quick else trained_models())
    batch, most, size = (4, 3 * PER_EXECUTION, 1024) if quick else (64, 1000, 8192)
    gemm, bandwidth = machine_rates(size)
    run = {
        "on": f"{device.device_kind}, JAX {jax.__version__}, Keras {keras.__version__}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }
    run |= {f"TFLOP/s in {precision}": f"{rate / 1e12:.1f}" for precision, rate in gemm.items()}
    report = Report(run | {"GB/s": f"{bandwidth / 1e9:,.0f}"}, keep=not quick)
    pairs = PAIRS[:1] if quick else [pair for pair in PAIRS if pair.ours in names]
    for pair in track(pairs, "Training beside rivals"):
        for precision in PRECISIONS:
            report.add(RIVALS, beside(pair, precision, most))
            gc.collect()
    for name in track(names, "Training models"):
        preset = None if quick else PAPERS.get(name)
        for precision in PRECISIONS:
            report.add(MODELS, alone(name, preset, precision, batch, most, gemm, bandwidth))
            gc.collect()
    for name in track([name for name in names if name in PAPERS], "Comparing answers"):
        for precision in PRECISIONS:
            report.add(ANSWERS, differences(name, PAPERS[name], precision))


if __name__ == "__main__":
    main()
