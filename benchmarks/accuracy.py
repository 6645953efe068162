"""Accuracy of the default commands against bags of words on the same split.

``make bench`` trains each model by its command, writes ``benchmarks/results/accuracy.md`` and
``attention.svg``, and puts the table into the README. AG News joins where it is at hand.
"""

import io
import json
import platform
import resource
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.text import Text
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import zoo
from zoo import datasets
from zoo.cli import quiet_tensorflow

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"
HEADER = """| data | system | test accuracy | macro F1 | parameters | training |
|---|---|--:|--:|--:|--:|"""


def bags_of_words(data):
    """Rows of TF-IDF with linear models, fitted on the training split, undivided."""
    corpus = datasets.load(data)
    for name, classifier in (
        ("TF-IDF + logistic regression", LogisticRegression(max_iter=1000)),
        ("TF-IDF + LinearSVC", LinearSVC()),
    ):
        for ngrams, words in ((1, "words"), (2, "words and pairs")):
            system = make_pipeline(
                TfidfVectorizer(ngram_range=(1, ngrams), sublinear_tf=True), classifier
            )
            system.fit(list(corpus.train), corpus.train.numbers)
            accuracy = system.score(list(corpus.test), corpus.test.numbers)
            yield f"| {data} | {name}, {words} | {accuracy:.2%} | | | |"


def trained(model, data, output):
    """The row of ``zoo train MODEL --data DATA``, and its run."""
    run = zoo.train(model, data, output=output, verbose=2)
    scores = json.loads((run / "metrics.json").read_text("utf-8"))
    return run, (
        f"| {data} | **{model}**, `make train MODEL={model} DATA={data}` | "
        f"**{scores['accuracy']:.2%}** | {scores['macro_f1']:.2%} | {scores['parameters']:,} | "
        f"{scores['seconds']:.0f} s |"
    )


def attention(run):
    """Writes a picture of reviews shaded by attention: sqrt(sentence's weight) * word's weight.

    The most attended word of a review is brightest, the least attended one dark.
    """
    from zoo.datasets.preprocessor import split_sentences

    model = zoo.load(run)
    corpus = datasets.load("sample")
    test = corpus.frame("test")
    chosen = test[test["text"].str.contains("None|none|hardly")]
    texts = chosen["text"][chosen["text"].str.len() < 190].tolist()[:5]
    probabilities, scores = model(model.preprocessor(texts), return_attention_scores=True)
    words = np.mean(scores["words"], axis=2)  # over the heads
    sentences = np.mean(scores["sentences"], axis=1)
    console = Console(record=True, width=92, file=io.StringIO())
    for i, document in enumerate(split_sentences(texts).to_list()):
        label = model.labels[int(np.argmax(probabilities[i]))]
        line = Text(f"{label} of 5  ", style="bold")
        shades = [np.sqrt(sentences[i, j]) * words[i, j] for j in range(len(document))]
        least = min(shade[: len(s)].min() for shade, s in zip(shades, document, strict=True))
        most = max(shade.max() for shade in shades)
        for sentence, weights in zip(document, shades, strict=True):
            for word, weight in zip(sentence, weights[: len(sentence)], strict=True):
                strength = (weight - least) / (most - least)
                red = [round(41 + strength * (c - 41)) for c in (200, 60, 40)]
                line.append(word.decode(), f"white on rgb({red[0]},{red[1]},{red[2]})")
                line.append(" ")
        console.print(line, "")
    console.save_svg(str(RESULTS / "attention.svg"), title="hcan: attention on test reviews")


def main():
    quiet_tensorflow()
    runs = Path("runs")
    rows, notes = [], []
    run, row = trained("hcan", "sample", runs)
    rows += [row, *bags_of_words("sample")]
    RESULTS.mkdir(exist_ok=True)
    attention(run)
    try:
        datasets.load("agnews")
    except zoo.UsageError as error:
        notes.append(f"Not measured: {error}.")
    else:
        rows += [trained("act", "agnews", runs)[1], *bags_of_words("agnews")]
    corpus = "AG News: the training rows at hand, and the official 7,600 test rows."
    machine = (
        f"{platform.machine()}, {psutil.cpu_count(logical=False)} cores, "
        f"{psutil.virtual_memory().total / 2**30:.0f} GiB, Python {platform.python_version()}; "
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB"
    )
    table = "\n".join([HEADER, *rows])
    notes = "\n".join([f"Written by `make bench` on {machine}. {corpus}", *notes])
    (RESULTS / "accuracy.md").write_text(f"# Accuracy\n\n{table}\n\n{notes}\n", "utf-8")
    start, end = "<!-- results -->\n", "<!-- end of results -->"
    before, _, rest = README.read_text("utf-8").partition(start)
    after = rest.partition(end)[2]
    README.write_text(f"{before}{start}{table}\n\n{notes}\n{end}{after}", "utf-8")
    print(f"{table}\n\n{notes}\n\nWritten to {RESULTS} and README.md.")


if __name__ == "__main__":
    main()
