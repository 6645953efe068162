"""Peak memory of the attentions that look at all pairs of words, beside their plain forms.

``make bench-memory`` takes gradient steps of one layer on texts of 128, 256 and 512 words, each
in a process of its own, and writes ``benchmarks/results/memory.md``.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.peak import forget_peak, peak_memory
from benchmarks.report import machine

LENGTHS = (128, 256, 512)
BATCH, DIM, ATTENTION, DISTANCE = 8, 120, 100, 10
SYSTEMS = {
    "ATT-CNN": "`PairwiseAttention`",
    "ATT-CNN, plain": "`tanh(W [x_i ; x_j])` of all pairs",
    "ATT-CNN, plain, split": "`tanh(U x_i + V x_j)` of all pairs",
    "RPR, 1 head": "`RelativePositionAttention`, 1 head",
    "RPR, 4 heads": "`RelativePositionAttention`, 4 heads",
    "RPR, 10 heads": "`RelativePositionAttention`, 10 heads",
    "RPR, 10 heads, plain": "the same, with a vector for each pair (`[length, length, dim]`)",
}
RESULTS = Path(__file__).parent / "results" / "memory.md"


def build(system):
    """A function ``[batch, length, dim]`` -> outputs, and its weights."""
    import keras

    from benchmarks.rivals import PairedAttention, PlainPairwise, PlainRelative
    from zoo.layers import PairwiseAttention, RelativePositionAttention

    name, *details = system.split(", ")
    plain = "plain" in details
    if name == "ATT-CNN":
        plain_form = PlainPairwise if "split" in details else PairedAttention
        return (plain_form if plain else PairwiseAttention)(ATTENTION)
    heads = int(details[0].split()[0])
    layer = (PlainRelative if plain else RelativePositionAttention)(heads, DIM, DISTANCE)
    assert keras.backend.backend() == "tensorflow"
    return layer


def measure(system, length):
    """Prints MiB of peak memory above the start, and the median seconds of a step."""
    import tensorflow as tf

    layer = build(system)

    @tf.function(input_signature=[tf.TensorSpec((BATCH, None, DIM))])
    def step(inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(layer(inputs, training=True)))
        return loss, tape.gradient(loss, layer.trainable_weights)

    def inputs(length):
        return tf.random.stateless_normal((BATCH, length, DIM), seed=(0, length))

    step(inputs(8))  # what TensorFlow loads and compiles is not the layer's
    text = inputs(length)
    forget_peak()
    before, seconds = peak_memory(), []
    for _ in range(6):
        start = time.perf_counter()
        float(step(text)[0])
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"mib": peak_memory() - before, "seconds": statistics.median(seconds[1:])}))


def main():

    rows = []
    for system, form in SYSTEMS.items():
        found = []
        for length in LENGTHS:
            command = [sys.executable, "-m", "benchmarks.memory", system, str(length)]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found.append(json.loads(output.splitlines()[-1]))
            print(f"{system}, {length} words: {found[-1]['mib']:.0f} MiB", flush=True)
        sizes = " | ".join(f"{one['mib']:.0f}" for one in found)
        growth = found[2]["mib"] / found[1]["mib"]
        rows.append(f"| {form} | {sizes} | {growth:.1f} | {found[2]['seconds'] * 1e3:.0f} |")
    lengths = " | ".join(f"MiB at {length}" for length in LENGTHS)
    table = f"| layer | {lengths} | 256 to 512 | ms at 512 |\n|---|{'--:|' * 5}\n" + "\n".join(rows)
    notes = (
        f"Written by `make bench-memory` on {machine()}: peak resident memory of gradient "
        f"steps above what the process held before, batch {BATCH}, width {DIM}, attention width "
        f"{ATTENTION}; the median time of 5 steps. One pair-wise float32 tensor, "
        f"`[batch, length, length]`, takes {BATCH * 512**2 * 4 / 2**20:.0f} MiB at 512 words. "
        "Twice the length is 4 times the pairs."
    )
    RESULTS.write_text(f"# Memory\n\n{table}\n\n{notes}\n", "utf-8")
    print(f"\n{table}\n\n{notes}\n\nWritten to {RESULTS}.")


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2])) if sys.argv[1:] else main()
