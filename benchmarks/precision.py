"""Every model in 16 bits: 50 steps on the embedded corpus, beside the same steps in float32.

``make bench-precision`` writes ``benchmarks/results/precision.md``, and fails if a loss is no
number or a model ends more than a point from float32.
"""

import platform
import sys
from pathlib import Path

import keras
import numpy as np
from rich.progress import track

import zoo
from zoo.cli import quiet_tensorflow
from zoo.datasets import Preprocessor
from zoo.datasets.sample import load_sample
from zoo.evaluation import probabilities_of
from zoo.recipes import Recipe

RESULTS = Path(__file__).parent / "results" / "precision.md"
PRECISIONS = ("float32", "mixed_bfloat16", "mixed_float16")
STEPS = 50
BATCH_SIZE = 64
EVALUATED = 5000


def trained(name, precision, corpus):
    """Accuracy on the validation split after 50 steps, and whether each loss was finite."""
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy(precision)
    limits = zoo.describe(name).options
    preprocessor = Preprocessor.fit(corpus.train, limits["max_words"], limits["max_sentences"])
    # Without dropout, whose draws would differ, so that only rounding tells the precisions apart.
    rates = [option for option in limits if option.endswith("dropout")]
    options = dict.fromkeys(rates, 0.0) | {"vocabulary_size": preprocessor.vocabulary_size}
    model = zoo.build(name, 5, **options)
    model.preprocessor, model.labels = preprocessor, corpus.labels
    model.compile(
        Recipe(steps=STEPS, learning_rate=model.learning_rate).build_optimizer(),
        "sparse_categorical_crossentropy",
        jit_compile=False,
    )
    losses = []
    batches = preprocessor.batches(corpus.train.dataset(), BATCH_SIZE, shuffle=True, first=0)
    for batch in batches.take(STEPS).as_numpy_iterator():
        losses.append(float(model.train_on_batch(*batch)))
    right = probabilities_of(model, corpus.validation).argmax(-1) == corpus.validation.numbers
    return float(right.mean()), bool(np.isfinite(losses).all())


def main():
    quiet_tensorflow()
    corpus = load_sample(sizes={"train": 5000, "validation": EVALUATED})
    header = f"| model | {' | '.join(PRECISIONS)} | largest difference, points |"
    rows, failed = [header, f"|---|{'--:|' * (len(PRECISIONS) + 1)}"], []
    for name in track(zoo.list_models(), "Training every model in each precision"):
        found = [trained(name, precision, corpus) for precision in PRECISIONS]
        accuracies = [100 * accuracy for accuracy, _ in found]
        difference = max(abs(accuracy - accuracies[0]) for accuracy in accuracies)
        if difference > 1 or not all(finite for _, finite in found):
            failed.append(name)
        cells = [
            f"{accuracy:.1f} %{'' if finite else ', not finite'}"
            for accuracy, (_, finite) in zip(accuracies, found, strict=True)
        ]
        rows.append(f"| {name} | {' | '.join(cells)} | {difference:.1f} |")
        print(rows[-1], flush=True)
    note = (
        f"Written by `make bench-precision` on {platform.machine()}: accuracy on {EVALUATED:,} "
        f"generated reviews after {STEPS} steps of the default recipe, on the same batches of "
        f"{BATCH_SIZE} from the same weights; default sizes, without dropout, whose draws would "
        "differ."
    )
    RESULTS.write_text("# Precision\n\n" + "\n".join([*rows, "", note]) + "\n", "utf-8")
    if failed:
        sys.exit(f"Not finite, or over a point from float32: {', '.join(failed)}")


if __name__ == "__main__":
    main()
