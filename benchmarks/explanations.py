"""What explanations are worth: which words' loss changes an answer, and what finding them costs.

``make bench-explanations`` measures models on corpora, keeps each number as a row of
``benchmarks/results/explanations.csv``, and writes ``explanations.md`` from these rows.
``--models``, ``--corpora`` and ``--texts`` choose what is measured. The next run of the command
measures only what the CSV does not have yet; ``--anew`` measures the chosen ones again. Models are
trained quickly, on few training texts. Everything is measured on test texts, on which nothing is
chosen.
"""

import argparse
import json
import logging
import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
from keras import ops

import zoo
from benchmarks.explanations_report import CONTRIBUTIONS, PAGE, report
from benchmarks.folds import data_folder
from zoo import datasets
from zoo.backend.gradients import kept_graph, with_gradient
from zoo.explanation.attention import word_weights
from zoo.explanation.contributions import computed, of_words, score_of
from zoo.explanation.deletion import answers_without, read_texts
from zoo.explanation.explanation import FAINTEST
from zoo.explanation.faithfulness import lost
from zoo.explanation.leaving_out import left_out
from zoo.filesystem.atomic_files import whole

RUNS = Path("runs/explanations")
RESULTS = Path(__file__).parent / "results" / "explanations.csv"
KEY = ["model", "corpus", "view", "measure"]
LEARNT = {"sample": 3000, "agnews": 3000, "sst_binary": 5000, "imdb": 1500, "banking77": 6000}
EPOCHS = {"sample": 10, "banking77": 10}  # 5 for other corpora
MODELS = ("hcan", "han", "ssan", "act", "attcnn", "cnn_kim", "svm_bigrams")
SAMPLES = 1000  # samples of LIME, whose default is 5,000
MASK = "[masked]"  # what replaces a word for SHAP
DRAWS = 10  # how often random words are drawn
PAGED = ("act", "agnews")  # the model and corpus for which the time of a page is measured
FRAME = {"the", "was", "we", "found", "for", "us", "it", "that", "would", "have", "called", "and"}


def texts_of(corpus: str, split: str) -> tuple[list[str], list[str]]:
    """The texts of a split, and their labels."""
    if corpus == "banking77":
        table = pd.read_csv(data_folder(corpus) / f"{split}.csv")
        return table["text"].tolist(), table["category"].tolist()
    table = datasets.load(corpus).frame(split)
    return table["text"].tolist(), table["label"].tolist()


def trained(model: str, corpus: str):
    """A model trained on some training texts, unless it has been trained before."""
    folder = RUNS / f"{model}-{corpus}"
    if not folder.exists():
        texts, labels = texts_of(corpus, "train")
        table = pd.DataFrame({"text": texts, "label": labels})
        table = table.sample(min(LEARNT[corpus], len(table)), random_state=7)
        solves = zoo.build(model, num_classes=2).solves
        epochs = {} if solves else {"epochs": EPOCHS.get(corpus, 5)}
        run = zoo.train(model, table, output=RUNS / "new", weights="none", verbose=0, **epochs)
        run.rename(folder)
    return zoo.load(folder)


def some_texts(model, corpus: str, count: int) -> list[str]:
    """Random test texts of at least two words."""
    texts, _ = texts_of(corpus, "test")
    texts = np.random.default_rng(1).permutation(np.array(texts, object))[: 2 * count].tolist()
    long = [len(one.words) > 1 for one in read_texts(model, texts)]
    return [text for text, more in zip(texts, long, strict=True) if more][:count]


def attention(model, text, kind):
    """The weights of the words of a text."""
    weights = word_weights(model, text.ids[None])
    return None if weights is None else np.asarray(weights)[0][text.ids != 0]


def gradient_times_input(model, text, kind):
    """The gradient with respect to the shares of words' vectors, at full vectors."""

    def last(ids, kinds):
        score = with_gradient(lambda shares: score_of(model, ids, kinds, shares))
        return score(ops.cast(ops.not_equal(ids, 0), "float32"))[1]

    axes = (3 if model.hierarchical else 2), 1
    function = kept_graph(model, "plain_gradient", last, *axes)
    ids = text.ids[None]
    found = function(ids, np.array([kind]))
    found = of_words(found, ids, model.ngrams) if model.ngrams > 1 else found
    return np.asarray(found)[0][text.ids != 0][: len(text.words)]


def contributions(model, text, kind):
    """zoo's contributions, which are the default view."""
    found = computed(model, text.ids[None], np.array([kind])).words[0]
    return found[text.ids != 0][: len(text.words)]


def leaving_out(model, text, kind):
    """What the logarithm of the odds loses without each word."""
    return left_out(model, [text], [kind]).words[0][text.ids != 0][: len(text.words)]


def lime(model, text, kind):
    """LIME, in which each place of a word is a feature."""
    from lime.lime_text import LimeTextExplainer

    def classify(texts):
        kept = np.array([[word != "-" for word in text.split(" ")] for text in texts])
        return answers_without(model, [text], [kept])[0]

    explainer = LimeTextExplainer(bow=False, split_expression=" ", mask_string="-", random_state=0)
    words = " ".join(f"w{number}" for number in range(len(text.words)))
    found = explainer.explain_instance(
        words, classify, labels=[kind], num_features=len(text.words), num_samples=SAMPLES
    )
    weights = np.zeros(len(text.words))
    for place, weight in found.as_map()[kind]:
        weights[place] = weight
    return weights


def shap(model, text, kind):
    """SHAP's partition explainer for texts, with its defaults."""
    import shap

    def classify(texts):
        kept = np.array([[word != MASK for word in text.split()] for text in texts])
        return answers_without(model, [text], [kept])[0][:, kind]

    masker = shap.maskers.Text(" ", mask_token=f"{MASK} ", collapse_mask_token=False)
    words = " ".join(word.decode() for word in text.words)
    return shap.Explainer(classify, masker, silent=True)([words]).values[0]


METHODS = {
    "attention": attention,
    "gradient": gradient_times_input,
    CONTRIBUTIONS: contributions,
    "out": leaving_out,
    "lime": lime,
    "shap": shap,
}


def measure(name: str, corpus: str, count: int) -> dict[tuple[str, str], float]:
    """How much each view's first words matter, and its seconds per text, one text at a time.

    Returns:
        The numbers by view and measure.
    """
    model = trained(name, corpus)
    texts = some_texts(model, corpus, count)
    read = [one for text in texts for one in read_texts(model, [text])]
    whole = answers_without(model, read, [np.ones((1, len(one.words)), bool) for one in read])
    kinds = [int(rows[0].argmax()) for rows in whole]
    told = json.loads((RUNS / f"{name}-{corpus}" / "metrics.json").read_text("utf-8"))
    found = {("model", "texts"): len(texts), ("model", "accuracy"): told["accuracy"]}
    views = {}
    for view, function in METHODS.items():
        if function(model, read[0], kinds[0]) is None:  # this call also compiles
            continue
        started = time.process_time()
        views[view] = [function(model, one, kind) for one, kind in zip(read, kinds, strict=True)]
        found[view, "seconds"] = (time.process_time() - started) / len(read)
    losses = 100 * lost(model, read, kinds, views, DRAWS)
    random = losses[:, len(views) :].mean(axis=1)
    for view, own in zip(["random", *views], [random, *losses.swapaxes(0, 1)], strict=False):
        found[view, "comprehensiveness"], found[view, "sufficiency"] = own.mean(axis=0)
    differences = (losses[:, list(views).index(CONTRIBUTIONS)] - random)[:, 0]
    draws = np.random.default_rng(0).integers(0, len(differences), (2000, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), (2.5, 97.5))
    found[CONTRIBUTIONS, "low"], found[CONTRIBUTIONS, "high"] = low, high
    model.explain(texts, pairs=False)  # this call compiles
    started = time.process_time()
    explanations = model.explain(texts, pairs=False)
    of_one = (time.process_time() - started) / len(texts)
    found[CONTRIBUTIONS, "seconds together"] = of_one
    added = [
        computed(model, one.ids[None], np.array([k])) for one, k in zip(read, kinds, strict=True)
    ]
    found[CONTRIBUTIONS, "rest"] = np.median([abs(one.rest[0]) for one in added])
    found[CONTRIBUTIONS, "difference"] = np.median(
        [abs(one.score[0] - one.start[0]) for one in added]
    )
    if corpus == "sample":
        found |= deciding(explanations)
    if corpus == "sst_binary":
        found |= marked(model, count)
    return found


def deciding(explanations) -> dict[tuple[str, str], float]:
    """How many of the words that decide a built-in review are shaded for the answer, or at all."""
    known = shown = both = either = words = 0
    for one in explanations:
        places = deciding_words(one.text)
        shares = {word.start: share for word, share in zip(one.words, one.shares(), strict=True)}
        shaded = {start for start, share in shares.items() if share > FAINTEST}
        known, shown, words = known + len(places), shown + len(shaded), words + len(one.words)
        both += len(shaded & places)
        either += sum(abs(shares.get(start, 0)) > FAINTEST for start in places)
    found = {"deciding shaded": both / known, "deciding shaded either way": either / known}
    found |= {"shaded": shown / words, "deciding": known / words}
    return {(CONTRIBUTIONS, measure): share for measure, share in found.items()}


def deciding_words(review: str) -> set[int]:
    """The places of the words that decide a built-in review's rating.

    These are the words of the only opinion that counts: adjectives, negations, and words of degree.
    """
    from zoo.datasets.catalogue.sample import BRUSHED_ASIDE, OPINIONS, SUBJECTS, TAKEN_BACK

    marks = {"subject": f"(?:{'|'.join(SUBJECTS)})", "good": r"\w+", "bad": r"\w+"}
    pattern = "|".join(
        re.escape(opinion).replace(r"\{", "{").replace(r"\}", "}").format(**marks)
        for opinions in OPINIONS.values()
        for opinion in opinions
    )
    found = list(re.finditer(pattern, review))
    for text in TAKEN_BACK:
        if text in review:
            found = [one for one in found if one.start() > review.index(text)]
    for text in BRUSHED_ASIDE:
        if text in review:
            before = [one for one in found if one.end() < review.index(text)]
            found = [one for one in found if one is not (before or [None])[-1]]
    (opinion,) = found
    subject = {*SUBJECTS, *FRAME}
    return {
        opinion.start() + word.start()
        for word in re.finditer(r"\w+", opinion[0])
        if word[0].lower() not in subject
    }


def marked(model, count: int) -> dict[tuple[str, str], float]:
    """How well contributions separate words that people marked, in test sentences of SST.

    People marked each word by itself as positive, negative or neither. For each sentence, this is
    the area under the ROC curve with which contributions find the words marked like the answer; the
    result is the mean over sentences.
    """
    from sklearn.metrics import roc_auc_score

    lines = (data_folder("sst") / "test.txt").read_text("utf-8").splitlines()
    lines = [line for line in lines if not line.startswith("(2")]
    areas = {CONTRIBUTIONS: [], "attention": []}
    for line in np.random.default_rng(1).permutation(np.array(lines, object))[:count]:
        leaves = re.findall(r"\((\d) ([^() ]+)\)", line)
        text, starts = "", {}
        for label, word in leaves:
            starts[len(text)] = int(label) - 2
            text += word + " "
        (one,) = model.explain([text], pairs=False)
        side = 1 if one.label == "positive" else -1
        signs = [side * starts.get(word.start, 0) > 0 for word in one.words]
        for view in areas if 0 < sum(signs) < len(signs) else ():
            if view == CONTRIBUTIONS or one.words[0].weight is not None:
                areas[view].append(roc_auc_score(signs, one.shares(view)))
    return {(view, "area"): np.mean(own) for view, own in areas.items() if own}


def page_seconds() -> dict[tuple[str, str], float]:
    """CPU seconds of each part of `zoo explain`'s page for 200 texts, and seconds by the clock."""
    from zoo.cli.explain import CHANGED, FAITHFUL
    from zoo.explanation.changes import with_changes
    from zoo.explanation.faithfulness import faithfulness
    from zoo.explanation.html_page import page

    name, corpus = PAGED
    model = trained(name, corpus)
    texts, labels = texts_of(corpus, "test")
    clock, started, parts = time.perf_counter(), time.process_time(), {}

    def lap(part):
        parts[part] = time.process_time() - started - sum(parts.values())

    own = model.explain(texts[:200], labels[:200])
    lap("contributions and attention")
    own[:CHANGED] = with_changes(model, own[:CHANGED])
    lap(f"what would change the answers, {CHANGED} texts")
    told = faithfulness(model, own[:FAITHFUL])
    lap(f"what the shading is worth, {FAITHFUL} texts")
    size = len(page({name: own}, name, {name: told}).encode())
    lap("the page")
    parts |= {"clock": time.perf_counter() - clock, "bytes": size}
    return {(PAGE, measure): value for measure, value in parts.items()}


def kept() -> pd.DataFrame:
    """The rows that have been measured before."""
    return pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=[*KEY, "value"])


def keep(model: str, corpus: str, found: dict[tuple[str, str], float]) -> None:
    """Adds rows to the CSV, and removes older results for the same rows."""
    new = [(model, corpus, *key, value) for key, value in found.items()]
    rows = pd.concat([kept(), pd.DataFrame(new, columns=[*KEY, "value"])])
    rows = rows.drop_duplicates(KEY, keep="last")
    with whole(RESULTS) as partial:
        rows.to_csv(partial, index=False, float_format="%.6g")


def write_report() -> None:
    """Writes the tables from the measured rows."""
    with whole(RESULTS.with_suffix(".md")) as partial:
        partial.write_text(report(kept(), MODELS, LEARNT, SAMPLES), "utf-8")


def main():
    logging.basicConfig(format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", default=MODELS, help="names of zoo list")
    parser.add_argument("--corpora", nargs="+", default=list(LEARNT), help="of the catalogue")
    parser.add_argument("--texts", type=int, default=40, help="test texts of each")
    parser.add_argument("--anew", action="store_true", help="also what is in the CSV")
    told = parser.parse_args()
    RUNS.mkdir(parents=True, exist_ok=True)
    done = set() if told.anew else set(zip(kept()["model"], kept()["corpus"], strict=True))
    todo = [(model, corpus) for corpus in told.corpora for model in told.models]
    for model, corpus in [pair for pair in todo if pair not in done]:
        found = measure(model, corpus, told.texts)
        keep(model, corpus, found | (page_seconds() if (model, corpus) == PAGED else {}))
        write_report()
    write_report()
    print(f"Written to {RESULTS.with_suffix('.md')}.")


if __name__ == "__main__":
    main()
