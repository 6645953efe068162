"""Training on a GPU, by JAX: steps a second, and how near to what the GPU can do.

``make bench-gpu`` writes ``benchmarks/results/gpu.md``. With ``--quick`` it prints the same of
fewer models and smaller batches, on whatever JAX computes with.
"""

import gc
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.extend.core import jaxprs_in_params
from rich.progress import track

import zoo
from zoo.quiet import quiet_tensorflow

RESULTS = Path(__file__).parent / "results" / "gpu.md"
PRECISIONS = {"float32": "float32", "mixed_bfloat16": "bfloat16"}
WORDS, SENTENCES = 128, (24, 24)  # of a document: flat; sentences and their words
ROUNDS = 5
PAPERS = {"hcan": "gao2018", "han": "yang2016"}  # compared with one another


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
    gemm = {}
    for precision, dtype in PRECISIONS.items():
        matrix = jax.random.normal(jax.random.key(0), (size, size), dtype)
        gemm[precision] = 2 * size**3 / median_seconds(lambda x=matrix: _square(x))
    array = jnp.zeros(size * size)
    return gemm, 2 * array.nbytes / median_seconds(lambda: _next(array))


_square = jax.jit(lambda x: x @ x)
_next = jax.jit(lambda x: x + 1)


def measure(name: str, precision: str, batch: int, steps: int, preset: str | None = None):
    """What training steps of a model take, through ``fit``, and what is in one.

    Returns:
        Seconds, operations, bytes moved (0 if there are loops, of which XLA counts one round) and
        bytes held, of a step.
    """
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy(precision)
    model = zoo.build(name, 5, preset, vocabulary_size=30_000)
    rng = np.random.default_rng(0)
    shape = SENTENCES if model.hierarchical else (WORDS,)
    ids = rng.integers(2, 30_000, (batch * steps, *shape))
    targets = rng.integers(0, 5, batch * steps)
    model.compile("adam", "sparse_categorical_crossentropy")

    def fit():
        model.fit(ids, targets, batch, shuffle=False, verbose=0)

    seconds = median_seconds(fit) / steps
    groups = (
        model.trainable_variables,
        model.non_trainable_variables,
        model.optimizer.variables,
        model.metrics_variables,
    )
    state = tuple([variable.value for variable in group] for group in groups)
    traced = jax.jit(model.train_step).trace(state, (ids[:batch], targets[:batch]))
    compiled = traced.lower().compile()
    loops = " scan[" in str(traced.jaxpr)
    moved = 0 if loops else compiled.cost_analysis()["bytes accessed"]
    memory = compiled.memory_analysis()
    held = memory.argument_size_in_bytes + memory.temp_size_in_bytes
    return seconds, operations(traced.jaxpr.jaxpr), moved, held


def main(quick: bool):
    quiet_tensorflow()
    if keras.backend.backend() != "jax":
        sys.exit("This benchmark needs KERAS_BACKEND=jax.")
    device = jax.devices()[0]
    if device.platform == "cpu" and not quick:
        sys.exit(
            "No GPU: JAX finds none. Install JAX for yours, as in pip install 'jax[cuda12]'; "
            "`--quick` runs on the CPU."
        )
    names = ("cnn_kim", "hcan") if quick else zoo.list_models()
    batch, steps, size = (4, 2, 1024) if quick else (64, 30, 8192)
    gemm, bandwidth = machine_rates(size)
    rates = ", ".join(f"{rate / 1e12:.1f} TFLOP/s in {p}" for p, rate in gemm.items())
    lines = [
        "# Training on a GPU",
        "",
        f"Written by `make bench-gpu` on {device.device_kind}, JAX {jax.__version__}, Keras "
        f"{keras.__version__}. A matrix product of {size} x {size} reaches {rates}; a copy "
        f"{bandwidth / 1e9:,.0f} GB/s. Default sizes, batches of {batch} documents of {WORDS} "
        f"words, or {SENTENCES[0]} sentences of {SENTENCES[1]}; medians of {ROUNDS} times {steps} "
        "steps through `fit`. Operations are those of the step's matrix products. The roofline is "
        "the most that the matrix rate and the bandwidth allow, by XLA's count of bytes; "
        "recurrent models have none, as XLA counts a loop once.",
        "",
        "| model | precision | steps/s | TFLOP/s | of the matrix rate | operations a byte | "
        "of the roofline | memory, MiB |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name in track(names, "Training every model"):
        for precision in PRECISIONS:
            seconds, count, moved, held = measure(name, precision, batch, steps)
            rate, intensity, share = count / seconds, "", ""
            if moved:
                intensity = f"{count / moved:.0f}"
                share = f"{rate / min(gemm[precision], bandwidth * count / moved):.0%}"
            lines.append(
                f"| {name} | {precision} | {1 / seconds:,.1f} | {rate / 1e12:.2f} | "
                f"{rate / gemm[precision]:.1%} | {intensity} | {share} | {held / 2**20:,.0f} |"
            )
            print(lines[-1], flush=True)
            gc.collect()
    lines += [
        "",
        "## HCAN beside HAN, at their papers' sizes",
        "",
        "| precision | batch | HCAN, steps/s | HAN, steps/s | times as fast |",
        "|---|--:|--:|--:|--:|",
    ]
    for precision in PRECISIONS:
        for size in (1, batch):
            hcan, han = (
                1 / measure(name, precision, size, steps, preset)[0]
                for name, preset in PAPERS.items()
            )
            lines.append(f"| {precision} | {size} | {hcan:.1f} | {han:.1f} | {hcan / han:.1f} |")
    print("\n".join(lines))
    if not quick:
        RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main("--quick" in sys.argv)
