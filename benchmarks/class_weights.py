"""What class weights bring where one class is rare: the reason for ``zoo.recipes.UNBALANCED``.

``make bench-class-weights`` writes ``benchmarks/results/class_weights.md``: AG News' training rows,
halved into training and validation, with the last class cut down in both.
"""

import dataclasses
import tempfile
from pathlib import Path

import keras
import numpy as np
from rich.progress import track
from sklearn.metrics import f1_score

import zoo
from zoo import datasets, recipes
from zoo.answers import probabilities_of
from zoo.backend import quiet_tensorflow
from zoo.datasets import Preprocessor
from zoo.training.fitting import fit

RESULTS = Path(__file__).parent / "results" / "class_weights.md"
TIMES = (2, 5, 10, 50)  # as many texts in the other classes
SEEDS = (0, 1)


def without_most(split, times):
    """A split with one of so many texts of its last class."""
    last = np.flatnonzero(split.targets == split.targets.max())
    rows = np.ones(len(split), bool)
    rows[last[len(last) // times :]] = False
    return split.take(rows)


def trained(corpus, weights, seed):
    """Accuracy, macro F1 and F1 of the rare class on the validation split."""
    keras.utils.set_random_seed(seed)
    preprocessor = Preprocessor.fit(corpus.train, max_words=100)
    model = zoo.build(
        "cnn_kim", len(corpus.labels), vocabulary_size=preprocessor.vocabulary_size, max_words=100
    )
    model.preprocessor, model.labels = preprocessor, corpus.labels
    recipe = dataclasses.replace(recipes.Recipe(), class_weights=weights)
    with tempfile.TemporaryDirectory() as folder:
        recipe = recipe.resolved(model, len(corpus.train))
        fit(model, corpus, recipe, Path(folder), seed, verbose=0)
    targets = corpus.validation.targets
    answers = probabilities_of(model, corpus.validation).argmax(-1)
    each = f1_score(targets, answers, average=None)
    return np.array([(answers == targets).mean(), each.mean(), each[-1]])


def main():
    quiet_tensorflow()
    recipes.UNBALANCED = 0  # weights wherever they are asked for
    cases = [(times, seed, weights) for times in TIMES for seed in SEEDS for weights in (0, 1)]
    scores = {}
    for times, seed, weights in track(cases, "Training"):
        corpus = datasets.load("agnews").split(seed, share=0.5)
        corpus.train = without_most(corpus.train, times)
        corpus.validation = without_most(corpus.validation, times)
        scores[times, seed, weights] = 100 * trained(corpus, bool(weights), seed)
    rows = [
        "| other classes have times the texts | accuracy | with weights | macro F1 | with weights |"
        " F1 of the rare class | with weights |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for times in TIMES:
        plain, weighted = (
            np.mean([scores[times, seed, weights] for seed in SEEDS], axis=0) for weights in (0, 1)
        )
        cells = [f"{a:.1f} % | {b:.1f} %" for a, b in zip(plain, weighted, strict=True)]
        rows.append(f"| {times} | {' | '.join(cells)} |")
    note = (
        "Written by `make bench-class-weights`: cnn_kim by the default recipe, which takes the "
        'weights from above 5 times on, and here in all rows "with weights"; means of '
        f"{len(SEEDS)} seeds, on AG News' training rows at hand, its last class cut down. Half of "
        "the rows are for validation: they choose the best evaluation and are scored, too, so that "
        'all numbers are somewhat too high. Each "with weights" belongs to the column before it.'
    )
    RESULTS.write_text("# Class weights\n\n" + "\n".join([*rows, "", note]) + "\n", "utf-8")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
