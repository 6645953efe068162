"""The tables and the picture of accuracy by the number of labels, of whatever was measured."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.labels_goals import goals
from zoo.filesystem.atomic_files import whole

ALL = "all"
SCORES = {"accuracy": "Accuracy", "macro_f1": "Macro F1"}
REFERENCE = "zoo_attcnn"  # beside which means are told
COSTED = "100"  # labels a class, of which costs are told
TAUGHT = ("zoo_bert", "zoo_attcnn_taught", "zoo_attcnn_varied", "zoo_attcnn", "svm_words", "minilm")


def half_interval(scores: pd.Series) -> float:
    """Half the interval of 95 % of the mean of draws, by Student's t; NaN for one draw."""
    if len(scores) < 2:
        return float("nan")
    return stats.t.ppf(0.975, len(scores) - 1) * scores.std() / np.sqrt(len(scores))


def summary(rows: pd.DataFrame, score: str) -> pd.DataFrame:
    """Of each system, corpus and number of labels: mean, half its interval, draws; in percent."""
    grouped = (100 * rows.set_index(["labels", "system", "corpus"])[score]).groupby(level=[0, 1, 2])
    return pd.DataFrame(
        {"mean": grouped.mean(), "half": grouped.apply(half_interval), "draws": grouped.size()}
    )


def told(mean: float, half: float, draws: Iterable[int]) -> str:
    """A cell: a mean, half its interval, and how many draws, from the fewest to the most."""
    spread = "" if np.isnan(half) else f" ± {half:.1f}"
    counts = dict.fromkeys([int(min(draws)), int(max(draws))])
    return f"{mean:.1f}{spread} ({' to '.join(map(str, counts))})"


def numbers_of(rows: pd.DataFrame) -> list[str]:
    """The numbers of labels that were measured, from few to all."""
    return sorted(rows["labels"].unique(), key=lambda one: np.inf if one == ALL else int(one))


def means(rows: pd.DataFrame, systems: dict[str, str], score: str) -> Iterator[str]:
    """Means over corpora, of the systems that were measured on all of a number of labels."""
    found, numbers = summary(rows, score), numbers_of(rows)
    corpora = {one: set(rows.loc[rows["labels"] == one, "corpus"]) for one in numbers}
    heads = [f"{one} ({len(corpora[one])} corpora)" for one in numbers]
    yield f"| {SCORES[score].lower()} | {' | '.join(heads)} |"
    yield "|---|" + "--:|" * len(numbers)
    for system, title in systems.items():
        cells = []
        for one in numbers:
            of_number = found.loc[one]
            own = of_number.loc[[system]] if system in of_number.index else of_number.iloc[:0]
            whole_row = len(own) == len(corpora[one])
            half = np.sqrt(np.square(own["half"]).sum(skipna=False)) / max(1, len(own))
            cells.append(told(own["mean"].mean(), half, own["draws"]) if whole_row else "")
        yield f"| {title} | {' | '.join(cells)} |"


def beside(rows: pd.DataFrame, systems: dict[str, str], score: str) -> Iterator[str]:
    """Means beside those of :data:`REFERENCE`, over the corpora and draws that both have."""
    trials = 100 * rows.pivot_table(score, ["labels", "corpus", "draw"], "system", sort=False)
    numbers = set(rows.loc[rows["system"] == REFERENCE, "labels"])
    numbers = [one for one in numbers_of(rows) if one in numbers]
    heads = [f"{one} | {systems[REFERENCE]} | corpora" for one in numbers]
    yield f"| {SCORES[score].lower()} | {' | '.join(heads)} |"
    yield "|---|" + "--:|" * 3 * len(numbers)
    for system, title in systems.items():
        cells = []
        for one in numbers:
            table = trials.loc[one].reindex(columns=[system, REFERENCE]).dropna()
            if system == REFERENCE or table.empty:
                cells += [""] * 3
                continue
            table = table.groupby("corpus").mean()
            own, other = table.mean()
            cells += [f"{own:.1f}", f"{other:.1f}", str(len(table))]
        if any(cells):
            yield f"| {title} | {' | '.join(cells)} |"


def scores(
    rows: pd.DataFrame, systems: dict[str, str], corpora: dict[str, str], score: str, number: str
) -> Iterator[str]:
    """A table of one number of labels: a row for each system, a column for each corpus."""
    found = summary(rows[rows["labels"] == number], score)
    yield f"| {SCORES[score].lower()} | {' | '.join(corpora.values())} |"
    yield "|---|" + "--:|" * len(corpora)
    for system, title in systems.items():
        places = [(number, system, corpus) for corpus in corpora]
        cells = [
            "" if np.isnan(mean) else told(mean, half, [draws])
            for mean, half, draws in found.reindex(places).itertuples(index=False)
        ]
        yield f"| {title} | {' | '.join(cells)} |"


def costs(rows: pd.DataFrame, systems: dict[str, str], titles: dict[str, str]) -> Iterator[str]:
    """Medians over the corpora that all systems were measured on with one number of labels."""
    rows = rows[rows["labels"] == COSTED]
    shared = set(rows["corpus"])
    for _, own in rows.groupby("system"):
        shared &= set(own["corpus"])
    rows = rows[rows["corpus"].isin(shared)]
    of_corpora = rows.groupby(["system", "corpus"]).median(numeric_only=True)
    medians = of_corpora.groupby("system").median()
    yield "| system | training, s | texts a second | megabytes |"
    yield "|---|--:|--:|--:|"
    names = ("seconds", "texts_a_second", "megabytes")
    for system, title in systems.items():
        cells = [""] * len(names)
        if system in medians.index:
            cells = [_rounded(medians.loc[system, name]) for name in names]
        yield f"| {title} | {' | '.join(cells)} |"
    named = ", ".join(title for name, title in titles.items() if name in shared)
    yield ""
    yield (
        f"Medians over {named or 'no corpus'}, {COSTED} labels a class, on one core. Seconds are "
        "the processor's, so that what else the machine did counts little: from "
        "texts to a trained model, and to the answers to all test texts. Libraries are imported "
        "before, MiniLM is loaded, and Model2Vec distilled from it. Megabytes are of what has to "
        "be shipped, beside the libraries; of zoo it is the SavedModel."
    )


def _rounded(number):
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}"


def taught(rows: pd.DataFrame, systems: dict[str, str]) -> Iterator[str]:
    """A teacher, what it teaches and others, on corpora and draws that all were measured on."""
    yield "| labels a class | system | accuracy | corpora | texts a second | megabytes |"
    yield "|--:|---|--:|--:|--:|--:|"
    rows = rows[rows["system"].isin(TAUGHT)]
    for number in numbers_of(rows[rows["system"] == "zoo_attcnn_taught"]):
        of_number = rows[rows["labels"] == number]
        table = of_number.pivot_table(
            ["accuracy", "texts_a_second", "megabytes"], ["corpus", "draw"], "system"
        ).dropna()
        of_corpora = table.groupby("corpus").mean()
        for system in TAUGHT:
            if system in set(of_number["system"]) and len(table):
                own = of_corpora.xs(system, axis=1, level=1)
                cells = [f"{100 * own['accuracy'].mean():.1f}", str(len(own))]
                cells += [_rounded(own[name].median()) for name in ("texts_a_second", "megabytes")]
                yield f"| {number} | {systems[system]} | {' | '.join(cells)} |"


def tables(rows: pd.DataFrame, systems: dict[str, str], titles: dict[str, str]) -> str:
    """The report, in Markdown."""
    rows = rows[rows["system"].isin(list(systems)) & rows["corpus"].isin(list(titles))]
    here = {name: title for name, title in titles.items() if name in set(rows["corpus"])}
    absent = [title for name, title in titles.items() if name not in here]
    parts = [
        "# Accuracy by the number of labels",
        "![A line for each system](labels.svg)",
        _note(rows, here, absent),
        "## Means over corpora",
        *("\n".join(means(rows, systems, score)) for score in SCORES),
        *_beside(rows, systems),
        *_taught(rows, systems),
        *_goals(rows, systems, here),
        "## Costs",
        "\n".join(costs(rows, systems, titles)),
    ]
    for number in numbers_of(rows):
        head = "All training texts" if number == ALL else f"{number} labels a class"
        of_number = set(rows.loc[rows["labels"] == number, "corpus"])
        some = {name: title for name, title in here.items() if name in of_number}
        parts.append(f"## {head}")
        parts += ["\n".join(scores(rows, systems, some, score, number)) for score in SCORES]
    used = sorted({one for many in rows["versions"] for one in many.split(", ")})
    parts.append(f"Versions: {', '.join(used)}.")
    return "\n\n".join(parts) + "\n"


def _beside(rows, systems):
    if REFERENCE in set(rows["system"]):
        yield (
            f"On the corpora and draws that a system and {systems[REFERENCE]} were both measured "
            "on, which may be fewer: their means, the other's first, and how many these are."
        )
        yield "\n".join(beside(rows, systems, "accuracy"))


def _taught(rows, systems):
    if "zoo_attcnn_taught" in set(rows["system"]):
        yield "## A large one teaches a small one"
        yield (
            "Means over the corpora and draws that all systems of a number of labels were measured "
            "on, and medians over them of texts a second, on one core, and megabytes. The teacher "
            "answers the other training texts, at most 10,000, and variations of all texts, or, "
            "without other texts, variations of the labelled ones alone."
        )
        yield "\n".join(taught(rows, systems))


def _goals(rows, systems, here):
    found = list(goals(rows, systems, here))
    if len(found) > 2:
        yield "## What zoo aims at"
        yield (
            "Each pair of systems is compared on the corpora and draws that both were measured on. "
            "With one draw a difference of some points may be chance, on either side."
        )
        yield "\n".join(found)


def _note(rows, here, absent):
    tested = rows.groupby("corpus")["tested"].max()
    sizes = ", ".join(f"{title} {tested[name]:,.0f}" for name, title in here.items())
    missing = f" Not measured yet: {', '.join(absent)}." if absent else ""
    return (
        f"Written by `make bench-labels` on {' and '.join(sorted(set(rows['machine'])))}. In "
        "percent on test texts, with half the interval of 95 % of the mean of draws (Student's t), "
        "and in brackets their number. The interval is of the draws of training texts, not of test "
        "texts, and so is that of a mean over corpora. What is blank has not been run. Draw d, "
        "from 0 on, is drawn and trained with seed d: so many texts of each class of the training "
        "split, or all of a class that has fewer, the same for all systems. All training texts are "
        "drawn once. Test texts are the published split, or 5,000 of it, drawn once: "
        f"{sizes}.{missing}\n\n"
        "Nothing is chosen by a test text: a system has its library's defaults, usual settings, or "
        "a choice by folds of the drawn texts. zoo's models are `zoo.train(MODEL, FILE)`, told "
        "nothing but the seed and the file of test texts. The English word table that some of "
        "them start from has learnt from unlabelled training texts of these corpora, too "
        "(`datasets/vectors/english.md`); the rivals have not. Fine-tuned MiniLM has AdamW, "
        "batches of 16, ten epochs or 100 steps, and a rate of 5e-5 (1e-3 for the new layer); "
        "it is run where at most 1,500 texts are drawn, not of the largest corpora. `bert`, and "
        "what it teaches, is run with at most 1,000 texts of these: more take more than an hour. "
        "fastText trains on ten threads, so that a seed does not give the same again to the last "
        "text."
    )


def picture(rows: pd.DataFrame, systems: dict[str, str], titles: dict[str, str], path: Path):
    """Accuracy over labels a class, a panel for each corpus and a line for each system."""
    import matplotlib
    from matplotlib.figure import Figure  # without pyplot: no window

    here = {name: title for name, title in titles.items() if name in set(rows["corpus"])}
    found, texts = summary(rows, "accuracy"), _texts_a_class(rows)
    maps = (matplotlib.colormaps[name].colors for name in ("tab10", "Dark2", "Set2"))
    colors = dict(zip(systems, itertools.chain(*maps), strict=False))
    columns = min(4, len(here))
    height = -(-len(here) // columns)
    settings = {"svg.hashsalt": "zoo", "font.size": 8, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        figure = Figure((2.9 * columns, 2.3 * height + 0.9), layout="constrained")
        axes = list(figure.subplots(height, columns, squeeze=False).flat)
        for axis in axes[len(here) :]:
            axis.set_visible(False)
        lines = {}
        for axis, (corpus, title) in zip(axes, here.items(), strict=False):
            for system in systems:
                own = [
                    (texts[number, corpus], *found.loc[number, system, corpus])
                    for number in numbers_of(rows)
                    if (number, system, corpus) in found.index
                ]
                if not own:
                    continue
                x, mean, half, _ = np.array(own, float).T
                ours = systems[system].startswith("zoo")
                style = {"lw": 2.0 if ours else 1.1, "ls": "-" if ours else "--"}
                (lines[system],) = axis.plot(
                    x, mean, color=colors[system], marker="o", ms=2.5, **style
                )
                half = np.nan_to_num(half)
                axis.fill_between(x, mean - half, mean + half, color=colors[system], alpha=0.1)
            axis.set_title(title)
            axis.set_xscale("log")
            axis.margins(x=0.05)
            ticks = sorted(
                {texts[one, corpus] for one in numbers_of(rows) if (one, corpus) in texts}
            )
            axis.set_xticks(ticks, [f"{one:,.0f}" for one in ticks])
            axis.minorticks_off()
            axis.grid(alpha=0.3)
        figure.suptitle("Accuracy on test texts, in percent, by training texts of each class")
        handles = [lines[system] for system in systems if system in lines]
        named = [systems[system] for system in systems if system in lines]
        figure.legend(handles, named, loc="outside lower center", ncols=3, frameon=False)
        with whole(path) as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})


def _texts_a_class(rows):
    """Of each number of labels and corpus; of all texts it is their mean."""
    all_texts = rows["texts"] / rows["classes"]
    numbers = pd.to_numeric(rows["labels"], errors="coerce").fillna(all_texts)
    return numbers.groupby([rows["labels"], rows["corpus"]]).max().to_dict()
