"""Accuracy of the default recipe, untouched, against bags of words on the same split.

``make bench-accuracy`` trains models on the corpora that are at hand, writes
``benchmarks/results/accuracy.md``, and puts the summary into docs/measured.md.
Run again, it goes on where it stopped: delete ``runs/bench`` to measure anew.

The test split chooses nothing: of the models of a corpus, the one with the best validation
accuracy stands for the zoo.
"""

import json
import shutil
from pathlib import Path

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import zoo
from benchmarks.report import machine, tell
from benchmarks.table import imdb_vectors
from zoo import datasets
from zoo.answers import probabilities_of
from zoo.backend import quiet_tensorflow

RUNS = Path("runs/bench")
MACHINE = "machine.txt"  # of a run's folder
RESULTS = Path(__file__).parent / "results"
SHORT, LONG = ("cnn_kim", "attcnn", "act", "ssan"), ("cnn_kim", "ssan", "han")
MODELS = {  # that are trained by gradient and tried on a corpus
    "sample": ("hcan",),
    "trec": SHORT,
    "sst_binary": SHORT,
    "agnews": SHORT,
    "semeval2013": SHORT,
    "sentube_a": SHORT,
    "newsgroups": LONG,
    "imdb": LONG,
}
COUNTING = "nb_svm"  # which counts words, words in pairs and in threes; tried on each
WIDTH = 300  # of word vectors of IMDB's reviews, with which short texts are tried, too
LINEAR = {
    "TF-IDF + logistic regression": LogisticRegression(max_iter=1000),
    "TF-IDF + LinearSVC": LinearSVC(),
}
RIVAL = "TF-IDF + LinearSVC, words and pairs"
SIZES = {"parameters": ("parameters", ",.0f"), "seconds": ("training, s", ",.0f")}


def bags_of_words(data):
    """Rows of TF-IDF with linear models, fitted on the training split, undivided."""
    corpus = datasets.load(data)
    for name, classifier in LINEAR.items():
        for ngrams, words in ((1, "words"), (2, "words and pairs")):
            system = make_pipeline(
                TfidfVectorizer(ngram_range=(1, ngrams), sublinear_tf=True), classifier
            )
            system.fit(list(corpus.train), corpus.train.targets)
            accuracy = system.score(list(corpus.test), corpus.test.targets)
            yield {"data": data, "system": f"{name}, {words}", "test": accuracy}


def run_of(model, data, vectors=None):
    """The run folder of ``zoo train MODEL --data DATA --keep best``, of earlier or trained now.

    Unfinished ones go: after resuming, the seconds would be those of a part.

    Args:
        model, data: names.
        vectors: a file for ``--weights``.
    """
    output = RUNS if vectors is None else RUNS / "vectors"
    for run in output.glob(f"{model}-{data}-*"):
        if (run / MACHINE).exists():
            return run
        shutil.rmtree(run)
    # The best is kept so that one validation split judges models of every kind.
    run = zoo.train(model, data, weights=vectors or "none", keep="best", output=output, verbose=2)
    (run / MACHINE).write_text(machine(), "utf-8")
    return run


def validation_accuracy(run, data):
    """Of the weights that a run has kept."""
    if (run / "history.csv").exists():
        return pd.read_csv(run / "history.csv").val_accuracy.max()
    validation = datasets.load(data).split().validation
    answers = probabilities_of(zoo.load(run), validation).argmax(-1)
    return (answers == validation.targets).mean()


def trained(model, data, vectors=None):
    """The row of a model."""
    run = run_of(model, data, vectors)
    scores = json.loads((run / "metrics.json").read_text("utf-8"))
    return {
        "data": data,
        "system": model,
        "validation": validation_accuracy(run, data),
        "test": scores["accuracy"],
        "macro_f1": scores["macro_f1"],
        "parameters": scores["parameters"],
        "seconds": scores["seconds"],
        "machine": (run / MACHINE).read_text("utf-8"),
    }


def table(rows, **columns):
    """Rows as Markdown: of each column its title and the format of a cell."""
    titles = [title for title, _ in columns.values()]
    lines = [f"| {' | '.join(titles)} |", "|---|---|" + "--:|" * (len(titles) - 2)]
    for row in rows:
        cells = [
            format(row[name], form) if not pd.isna(row.get(name)) else ""
            for name, (_, form) in columns.items()
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(rows):
    """A row for each corpus: the zoo's best by validation accuracy, and its best neural model."""
    for data in dict.fromkeys(row["data"] for row in rows):
        mine = [row for row in rows if row["data"] == data]
        tried = sorted((row for row in mine if "validation" in row), key=lambda r: -r["validation"])
        neural = next(row for row in tried if row["system"] != COUNTING)
        (rival,) = (row["test"] for row in mine if row["system"] == RIVAL)
        yield tried[0] | {
            "rival": rival,
            "difference": 100 * (tried[0]["test"] - rival),
            "neural": neural["system"],
            "neural_test": neural["test"],
            "neural_difference": 100 * (neural["test"] - rival),
        }


def parts(corpora):
    """Of corpora that are not all at hand: how many training texts are."""
    for data in corpora:
        published = datasets.CATALOGUE[data].sizes.get("train") if data != "sample" else None
        found = len(datasets.load(data).train)
        if published and found < published:
            yield f"; of {data}, {found:,} of {published:,} training texts are at hand"


def tried_on(corpora):
    """A sentence on the models that are tried on each corpus."""
    listed = {
        ", ".join(data for data in corpora if MODELS[data] is models): ", ".join(models)
        for models in dict.fromkeys(MODELS[data] for data in corpora)
    }
    neural = " ".join(f"Tried on {where}: {models}." for where, models in listed.items())
    return (
        f"{neural} On each also {COUNTING}, which counts words (added after a table of the neural "
        "models alone had been seen)."
    )


def behind(best, what, which):
    """A sentence on the corpora where the rival is ahead."""
    found = [f"{row['data']} ({row[what]:+.1f})" for row in best if row[what] < 0]
    return f"{which} behind TF-IDF, by points: {', '.join(found) or 'nowhere'}."


def missing(best):
    """What the rival is ahead in, and why that may be."""
    return (
        f"{behind(best, 'difference', 'The best model is')} "
        f"{behind(best, 'neural_difference', 'The best neural model is')} Neural models start from "
        "random word vectors and know at most 30,000 words; TF-IDF has every word of two letters "
        "or more, and their pairs. The zoo's models give a tenth of the training texts to "
        "validation where there is no split for it; TF-IDF learns from all of them."
    )


def further(rows, best):
    """A sentence on what word vectors of further texts bring, a section on them, and its rows.

    Args:
        rows, best: without them: all, and the best of each corpus.
    """
    short = [row for row in best if MODELS[row["data"]] is SHORT]
    corpora = {row["data"]: row["neural_test"] for row in short}
    vectors = str(imdb_vectors(WIDTH))
    tried = [trained(model, data, vectors) for data in corpora for model in SHORT]
    rivals = [row for row in rows if row["system"] == RIVAL and row["data"] in corpora]
    found = [
        row | {"gain": 100 * (row["test"] - corpora[row["data"]])}
        for row in summary([*tried, *rivals])
    ]
    gains = ", ".join(f"{row['data']} ({row['gain']:+.1f})" for row in found)
    sentence = (
        f"With word vectors of {WIDTH} numbers, which word2vec learnt from IMDB's 75,000 training "
        "and unlabelled reviews (`--weights`), the neural models were trained again, and the "
        "best chosen again by validation. Points of its test accuracy beside the best neural one "
        "without them: "
        f"{gains}."
    )
    accuracies = {"validation": ("validation accuracy", ".2%"), "test": ("test accuracy", ".2%")}
    columns = {
        "test": ("test accuracy", ".2%"),
        "gain": ("beside the best neural one without, points", "+.1f"),
        "difference": ("beside TF-IDF + LinearSVC, points", "+.1f"),
    }
    titles = {"data": ("data", ""), "system": ("best model", "")}
    section = f"""## Word vectors of further texts

{table(found, **titles, **columns, **SIZES)}

{sentence} They know of films, less of questions and news. The best model is that of the best
validation accuracy, of those with these vectors.

{table(tried, **titles | {"system": ("system", "")}, **accuracies, **SIZES)}
"""
    return sentence, section, tried


def main():
    quiet_tensorflow()
    rows, notes = [], []
    for data, models in MODELS.items():
        try:
            datasets.load(data)
        except zoo.UsageError as error:
            notes.append(f"Not measured: {error}.")
            continue
        rows += [*(trained(model, data) for model in (*models, COUNTING)), *bags_of_words(data)]
    scores = {"test": ("test accuracy", ".2%"), "macro_f1": ("macro F1", ".2%")}
    everything = table(
        rows,
        data=("data", ""),
        system=("system", ""),
        validation=("validation accuracy", ".2%"),
        **scores,
        **SIZES,
    )
    best = list(summary(rows))
    measured = [row["data"] for row in best]
    short = table(
        best,
        data=("data", ""),
        system=("best model", ""),
        **scores,
        **SIZES,
        rival=(RIVAL, ".2%"),
        difference=("difference, points", "+.1f"),
        neural=("best neural model", ""),
        neural_test=("its test accuracy", ".2%"),
    )
    sentence, section, tried = "", "", []
    if any(row["data"] == "imdb" for row in best):  # whose reviews give the vectors
        sentence, section, tried = further(rows, best)
    machines = sorted({row["machine"] for row in [*rows, *tried] if "machine" in row})
    notes = [
        f"Written by `make bench-accuracy` on {' and '.join(machines)}: "
        "`zoo train MODEL --data DATA --keep best`, and one training each: a difference of "
        "a point or two may be chance. Test splits are the published ones"
        f"{''.join(parts(measured))}. {tried_on(measured)} The best is the one with the "
        "best validation accuracy; the difference is its test accuracy beside that of TF-IDF. "
        "Seconds are by the clock, whatever else the machine did.",
        missing(best),
        sentence,
        *notes,
    ]
    notes = "\n".join(filter(None, notes))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "accuracy.md").write_text(
        f"# Accuracy\n\n{short}\n\n{notes}\n\n{section}\n## Every system\n\n{everything}\n", "utf-8"
    )
    tell("results", f"{short}\n\n{notes}")
    print(f"{short}\n\n{notes}\n\nWritten to {RESULTS} and docs/measured.md.")


if __name__ == "__main__":
    main()
