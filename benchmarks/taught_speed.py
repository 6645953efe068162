"""How fast a taught model answers beside its teacher: the same texts, in the same run.

``TF_NUM_INTRAOP_THREADS=1 python -m benchmarks.taught_speed``, with threads as ``zoo predict`` has
them, writes ``benchmarks/results/taught_speed.md``. Speeds in the table of ``make bench-labels``
are of trainings at different hours; here both models answer in turn. Each has learnt for one pass,
as what a model knows does not change how fast it answers.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

import zoo
from benchmarks import labels
from benchmarks.measure import interleaved, ratio
from benchmarks.report import machine
from zoo.backend import prediction_threads, quiet_tensorflow
from zoo.filesystem.atomic_files import whole
from zoo.progress import progress

TEACHER, PUPIL = "bert", "attcnn"
LEARNT = "16"  # labels of each class
TEXTS = 1_000  # to answer, at most
ROUNDS = 3
WANTED = 10  # times
RESULTS = Path(__file__).parent / "results" / "taught_speed.md"


def measured(corpus: str) -> tuple[int, dict[str, np.ndarray]]:
    """How many texts of a corpus are answered, and the seconds of both models in each round."""
    train, test = labels.read(corpus)
    train, texts = labels.drawn(train, LEARNT, 0), test["text"].tolist()[:TEXTS]
    rows = train["text"].tolist(), train["label"].tolist()
    weights = {TEACHER: "minilm", PUPIL: "english"}
    models = {
        name: zoo.Classifier(name, epochs=1, weights=known).fit(*rows).model_
        for name, known in weights.items()
    }
    answers = {name: lambda own=own: own.predict_texts(texts) for name, own in models.items()}
    return len(texts), interleaved(answers, ROUNDS)


def report(corpora: list[str]) -> str:
    """The page, as Markdown."""
    lines, times = [f"| corpus | {TEACHER} | {PUPIL} | times as fast |", "|---|--:|--:|--:|"], []
    for name in progress(corpora, "Corpora", len(corpora), "corpora"):
        texts, seconds = measured(name)
        times.append(ratio(seconds, TEACHER, PUPIL))
        rates = [f"{texts / np.median(seconds[one]):,.0f}" for one in (TEACHER, PUPIL)]
        lines.append(f"| {labels.CORPORA[name].title} | {' | '.join(rates)} | {times[-1]:.1f} |")
    median = np.median(times)
    verdict = "reached" if median >= WANTED else "missed"
    table = "\n".join(lines)
    within = os.environ.get("TF_NUM_INTRAOP_THREADS", "as many as it likes")
    return (
        f"# A taught model beside its teacher\n\nTexts a second.\n\n{table}\n\nThe median is "
        f"{median:.1f} times; {WANTED} were wanted: {verdict}.\n\nWritten by `python -m "
        f"benchmarks.taught_speed` on {machine()}: `{TEACHER}` with MiniLM and `{PUPIL}` with "
        f"English word vectors answer up to {TEXTS:,} test texts in turn, from text to "
        f"probabilities; medians of {ROUNDS} rounds after one of warm-up, ratios within a round. "
        f"Both have learnt {LEARNT} texts of each class for one pass, as what a model knows does "
        f"not change how fast it answers. {prediction_threads()} threads answer a batch each; "
        f"threads of TensorFlow for an operation: {within}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", help="separated by commas; by default all")
    given = parser.parse_args().corpora
    quiet_tensorflow()
    try:
        text = report(labels.chosen(given, labels.CORPORA, "corpus"))
    except zoo.UsageError as error:  # a corpus or MiniLM is not here
        sys.exit(str(error))
    print(text)
    if not given:
        with whole(RESULTS) as partial:
            partial.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
