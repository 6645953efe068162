"""Every model trained in 16 bits: 50 steps on the built-in corpus, beside the same in float32.

As ``zoo train`` does, what has been trained predicts in float32. Models that are solved at once,
outside Keras, are trained in no precision of Keras and have no row.

``make bench-precision`` writes ``benchmarks/results/precision.md``, and fails if a loss is no
number or a model ends more than a point from float32. Run again, it goes on where it stopped:
delete ``runs/bench/precision.csv`` to measure anew.
"""

import sys
from pathlib import Path

import keras
import numpy as np
import pandas as pd
from rich.progress import track

import zoo
from benchmarks.measure import preprocessor_of
from benchmarks.report import machine
from zoo.backend import quiet_tensorflow
from zoo.datasets.catalogue.sample import load_sample
from zoo.recipes import Recipe
from zoo.registry import create
from zoo.runs.model_file import in_float32

RESULTS = Path(__file__).parent / "results" / "precision.md"
MEASURED = Path("runs/bench/precision.csv")
PRECISIONS = ("float32", "mixed_bfloat16", "mixed_float16")
STEPS = 50
BATCH_SIZE = 64
EVALUATED = 5000
SEEDS = 5  # of a model that is over a point apart with the first


def trained(name, precision, corpus, seed):
    """Accuracy on the validation split after 50 steps, and whether each loss was finite."""
    keras.utils.set_random_seed(seed)
    keras.config.set_dtype_policy(precision)
    preprocessor = preprocessor_of(zoo.build(name, 5), corpus.train)
    # Without dropout, whose draws would differ, so that only rounding tells the precisions apart.
    rates = [option for option in zoo.describe(name).options if option.endswith("dropout")]
    options = dict.fromkeys(rates, 0.0) | {"vocabulary_size": preprocessor.vocabulary_size}
    model = zoo.build(name, 5, **options)
    model.preprocessor, model.labels = preprocessor, corpus.labels
    model.compile(
        Recipe(steps=STEPS, learning_rate=model.learning_rate).build_optimizer(),
        "sparse_categorical_crossentropy",
        jit_compile=False,
    )
    data = corpus.train.dataset()
    batches = preprocessor.batches(data, BATCH_SIZE, shuffle=True, seed=seed, first=0)
    steps = batches.take(STEPS).as_numpy_iterator()
    losses = [float(model.train_on_batch(*batch)) for batch in steps]
    outputs = in_float32(model).predict_texts(corpus.validation)
    right = outputs.argmax(-1) == corpus.validation.targets
    right &= np.isfinite(outputs).all(-1)  # NaN would be the first class
    return {
        "model": name,
        "seed": seed,
        "precision": precision,
        "finite": bool(np.isfinite(losses).all()),
        "accuracy": 100 * float(right.mean()),
        "machine": machine(),
    }


def measured(name, seed, corpus):
    """A row for each precision, from the file of what has been measured or new in it."""
    if not MEASURED.exists():
        MEASURED.parent.mkdir(parents=True, exist_ok=True)
        MEASURED.write_text("model,seed,precision,finite,accuracy,machine\n")
    mine = pd.read_csv(MEASURED).query("model == @name and seed == @seed")
    for precision in sorted(set(PRECISIONS) - set(mine["precision"])):
        new = pd.DataFrame([trained(name, precision, corpus, seed)])
        new.to_csv(MEASURED, mode="a", header=False, index=False)
        mine = pd.concat([mine, new])
    return mine


def difference(rows):
    """Points between float32 and what is furthest from it, in the mean over the seeds.

    Returns:
        It, and its standard error, of one seed not a number.
    """
    accuracies = rows.pivot(index="seed", columns="precision", values="accuracy")
    differences = accuracies.sub(accuracies["float32"], axis="index")
    furthest = differences[differences.mean().abs().idxmax()]
    return float(furthest.mean()), float(furthest.sem())


def main():
    quiet_tensorflow()
    corpus = load_sample(sizes={"train": 5000, "validation": EVALUATED})
    header = f"| model | seeds | {' | '.join(PRECISIONS)} | largest difference, points |"
    lines, failed = [header, "|---|" + "--:|" * (len(PRECISIONS) + 2)], []
    machines = set()
    names = [name for name in zoo.list_models() if not create(name, 5).solves]
    for name in track(names, "Training every model in each precision"):
        rows = measured(name, 0, corpus)
        if abs(difference(rows)[0]) > 1:
            rows = pd.concat([measured(name, seed, corpus) for seed in range(SEEDS)])
        points, error = difference(rows)
        if abs(points) > 1 or not rows["finite"].all():
            failed.append(name)
        machines |= set(rows["machine"])
        means = rows.groupby("precision").agg({"accuracy": "mean", "finite": "all"})
        cells = [
            f"{means.accuracy[precision]:.1f} %{'' if means.finite[precision] else ', not finite'}"
            for precision in PRECISIONS
        ]
        seeds = rows["seed"].nunique()
        chance = "" if seeds == 1 else f" ({error:.1f})"
        lines.append(f"| {name} | {seeds} | {' | '.join(cells)} | {points:+.1f}{chance} |")
        print(lines[-1], flush=True)
    note = (
        f"Written by `make bench-precision` on {' and '.join(sorted(machines))}: accuracy on "
        f"{EVALUATED:,} generated reviews, in float32 as it is shipped, after {STEPS} training "
        f"steps of the default recipe, on the same batches of {BATCH_SIZE} from the same weights; "
        "default sizes, without dropout, whose draws would differ. Models over a point apart with "
        f"one seed are trained with {SEEDS}, and the table has their means and, in brackets, the "
        "standard error of the difference: early in training small differences grow. Models "
        "that are solved at once, outside Keras, have no row."
    )
    RESULTS.write_text("# Precision\n\n" + "\n".join([*lines, "", note]) + "\n", "utf-8")
    if failed:
        sys.exit(f"Not finite, or over a point from float32: {', '.join(failed)}")


if __name__ == "__main__":
    main()
