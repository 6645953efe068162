"""The terminal: tables, scores and shaded texts, of names and texts that it must not obey.

Rich takes longer to import than ``zoo --help`` may, and so each function imports it by itself.
"""

import csv
import itertools
import re
import string
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoo.registry import Outline

SHOWN_LETTERS = 160  # of a text
SHOWN_MISTAKES = 5
SHOWN_TRIALS = 10
SHOWN_DIFFERENCES = 20  # classes


def is_terminal() -> bool:
    """Whether somebody may be looking at standard output."""
    return sys.stdout.isatty()


def show(what: Any, **options: Any) -> None:
    """Prints with rich."""
    from rich.console import Console

    Console(emoji=False).print(what, **options)  # else ":bug:" would be one


def printable(text: str) -> str:
    """A space for each control character: terminals obey some, and rich leaves others out."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", text)


def size_of(number: int) -> str:
    """A number of bytes, as ``"1.2 MB"`` or ``"93.4 kB"``: none is "0.0 MB"."""
    return f"{number / 1e6:,.1f} MB" if number >= 1e5 else f"{number / 1e3:,.1f} kB"


def escape(name: object) -> str:
    """A name or a path for :func:`show`, which takes words in brackets for styles."""
    from rich.markup import escape

    return escape(printable(str(name)))


def print_models(found: "list[Outline]", counts: dict[str, int]) -> None:
    """Models, those of a paper under its title; with their parameters where these are counted."""
    from rich.table import Table
    from rich.text import Text

    longest = max(len(one.name) for one in found)
    for paper, group in itertools.groupby(found, lambda one: one.paper):
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), expand=True)
        table.add_column(min_width=longest, no_wrap=True)
        table.add_column(ratio=1)
        table.add_column(width=len("characters"))
        if counts:
            table.add_column(justify="right", width=max(len(f"{n:,}") for n in counts.values()))
        summaries = set()
        for one in group:
            variant = ", ".join(f"{option}={value}" for option, value in one.variant.items())
            new = one.summary not in summaries
            summaries.add(one.summary)
            about = " ".join([one.summary] * new + [f"With {variant}."] * bool(variant))
            cells = [one.name, Text(printable(about)), one.reads]
            table.add_row(*cells, *([f"{counts[one.name]:,}"] if counts else []))
        show(Text(printable(paper), style="bold"))
        show(table)
        show("")
    number = "1 model" if len(found) == 1 else f"{len(found)} models"
    show(f"{number}, with what they read. More of each: zoo describe NAME")


def print_scores(scores: dict[str, Any], title: str, rest: str = "--json shows all") -> None:
    """Scores of each class and of all, under a title; of many classes only of the worst.

    Args:
        scores: as :func:`zoo.evaluation.scores.score` gives.
        title: what was scored.
        rest: where the scores of the other classes are.
    """
    from rich.table import Table
    from rich.text import Text

    from zoo.answers import kind_of_scores
    from zoo.evaluation.relation_f1 import TASKS
    from zoo.evaluation.scores import worst_classes

    table = Table("class", "precision", "recall", "F1", "texts", title=Text(printable(title)))
    for column in table.columns[1:]:
        column.justify = "right"
    shown, told = worst_classes(scores["classes"])
    for label, row in shown.items():
        numbers = (row["precision"], row["recall"], row["f1-score"])
        cells = (*(f"{number:.3f}" for number in numbers), f"{row['support']:.0f}")
        table.add_row(Text(printable(label)), *cells)
    show(table)
    if told:
        show(f"{told}; {escape(rest)}.", soft_wrap=True)
    all_there = all(row["support"] for row in scores["classes"].values())
    of = "" if all_there else " (of the classes that texts or answers are of)"
    summary = kind_of_scores(scores).summary(scores)
    (name, first), *others = summary.items()
    others = ", ".join(
        f"{name} {value}{of if name == 'macro F1' else ''}" for name, value in others
    )
    name = f"{name[0].upper()}{name[1:]}"
    told = f"loss {scores['loss']:.3f}, on {scores['texts']:,} texts."
    show(f"{name} [bold]{first}[/], {others}, {told}")
    surest = scores.get("right_of_surest", {})  # which earlier releases did not tell
    told = [
        f"{right:.2%} of the surest {share}" for share, right in surest.items() if share != "100%"
    ]
    if told:
        show(f"Right answers among the surest texts: {', '.join(told)}.", soft_wrap=True)
    for name, task in TASKS.items():
        if name in scores:
            show(f"Official F1 of {task}: [bold]{scores[name]:.2%}[/].")


def print_comparison(found) -> None:
    """A :class:`zoo.evaluation.comparing.Comparison`: what is better, and what may be chance."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    def cells(row, name, ends, signed=False):
        if row.get(name) is None:
            return "", ""
        share = row.get("metric") != "loss"
        style = ("+" if signed else "") + (".1%" if share else ".3f")
        return format(row[name], style), " to ".join(format(row[end], style) for end in ends)

    told, (first, *others) = found.to_dict(), found.names
    short = dict(zip(found.names, string.ascii_uppercase, strict=False))
    short = {name: short.get(name, name) for name in found.names}
    shown = {"box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0), "show_edge": False}
    timed = any(row.get("texts_a_second") for row in told["systems"])
    columns = "", "run", "MB", "parameters", *(["texts a second"] if timed else [])
    table = Table(*columns, **shown)
    for row in told["systems"]:
        names = ("megabytes", "parameters", *(["texts_a_second"] if timed else []))
        numbers = ["" if row.get(name) is None else f"{row[name]:,}" for name in names]
        table.add_row(short[row["name"]], Text(printable(row["name"])), *numbers)
    show(table)
    of = f"{found.confidence:.0%} interval"
    table = Table("", "", "", of, f"to {short[first]}", of, **shown)
    table.title = f"{found.texts:,} texts"
    ends = ("low", "high"), ("difference_low", "difference_high")
    for metric in dict.fromkeys(row["metric"] for row in told["scores"]):
        for row in told["scores"]:
            if row["metric"] == metric:
                name = metric.replace("_f1", " F1").replace("_", " ")
                name = name if row["name"] == first else ""
                numbers = *cells(row, "value", ends[0]), *cells(row, "difference", ends[1], True)
                table.add_row(name, short[row["name"]], *numbers)
        table.add_section()
    show(table)
    for row in told["tests"]:
        show(
            f"Right where the other is wrong: {escape(short[row['first']])} on "
            f"{row['only_first']:,} texts, {escape(short[row['name']])} on {row['only_other']:,}; "
            f"McNemar's exact test: p = {row['p']:.2g}.",
            soft_wrap=True,
        )
    for name in others:
        own = [row for row in told["classes"] if row["name"] == name]
        own = sorted(own, key=lambda row: -abs(row["difference"]))[:SHOWN_DIFFERENCES]
        table = Table("class", "texts", "F1", of, f"to {short[first]}", of, **shown)
        table.title = f"{short[name]}, by class, the largest differences first"
        for row in own:
            numbers = *cells(row, "f1", ends[0]), *cells(row, "difference", ends[1], True)
            table.add_row(Text(printable(row["class"])), f"{row['texts']:,}", *numbers)
        show(table)
    if told["disagreements"]:
        show("[bold]Texts that one has right and the other wrong, the surest mistakes first[/]")
    for row in told["disagreements"]:
        sure = "" if row["probability"] is None else f", {row['probability']:.1%}"
        right, wrong = short[row["right"]], short[row["wrong"]]
        head = f"\n{right} is right: {row['label']}; {wrong} says {row['answer']}{sure}\n"
        text = Text(printable(head), style="bold")
        text += Text(printable(" ".join(row["text"].split())[: 2 * SHOWN_LETTERS]), style="")
        for side in ("right", "wrong"):
            if words := row[f"words_of_{side}"]:
                text += Text(printable(f"\n  {short[row[side]]}: {words}"), style="dim")
        show(text, soft_wrap=True)


def print_runs(found) -> None:
    """A table of :func:`zoo.list_runs`; a run's name mostly has its model, data and date."""
    import pandas as pd
    from rich import box
    from rich.table import Table
    from rich.text import Text

    test = found["accuracy"].where(found["accuracy"].notna(), found["micro_f1"])
    columns = {  # by what stands above them
        "run": (found["run"], None),
        "texts": (found["texts"], "{:,}"),
        "weights": (found["weights"], None),
        "valid.": (found["validation"], "{:.1%}"),
        "test": (test, "{:.1%}"),
        "macro F1": (found["macro_f1"], "{:.1%}"),
        "parameters": (found["parameters"], "{:,}"),
        "MB": (found["megabytes"], "{:.1f}"),
        "s": (found["seconds"], "{:.0f}"),
    }
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name, (_, form) in columns.items():
        least = max(len(part) for part in name.split())
        justify = "left" if form is None else "right"
        table.add_column(name, justify=justify, overflow="fold", min_width=least)
    for row in zip(*(values for values, _ in columns.values()), strict=True):
        cells = []
        for value, (_, form) in zip(row, columns.values(), strict=True):
            if form is None:  # a run's path, or weights, which may be one, too
                cells.append(Text(printable(Path(str(value)).name)))
            else:
                cells.append(form.format(value) if pd.notna(value) else "")
        table.add_row(*cells)
    show(table)
    measures = "accuracy" if found["accuracy"].notna().all() else "accuracy, or micro F1,"
    show(f"test is the {measures} on the test split; zoo compare tells what may be chance.")


def print_trials(folder: Path) -> None:
    """The best trials of a search, in 80 columns."""
    from rich import box
    from rich.table import Table

    with (folder / "trials.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    measure = next(name for name in rows[0] if name not in ("number", "validation_loss"))
    name = measure.removeprefix("validation_")
    told = {"number": "trial", measure: name, "validation_loss": "loss"}
    columns = [*told, *(name for name in rows[0] if name not in (*told, "state", "run"))]
    told |= {"batch_size": "batch", "learning_rate": "rate", "seconds": "s"}
    digits = {"learning_rate": ".3g", "seconds": ".0f"}
    title = f"Best trials, by the {name.replace('_', ' ')} on the validation split"
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in columns:
        table.add_column(told.get(name, name).replace("_", " "), justify="right", overflow="fold")
    for row in rows[:SHOWN_TRIALS]:
        cells = [(row[name], digits.get(name, ".4g")) for name in columns]
        table.add_row(*(format(float(cell), kind) if cell else "" for cell, kind in cells))
    show(table)
    trials, best = escape(folder / "trials.csv"), escape(rows[0]["run"])
    show(f"All trials are in {trials}; the best is {best}.", soft_wrap=True)


def print_candidates(run: Path) -> None:
    """The models that were tried before one was chosen, by ``candidates.csv`` of its run."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = {"box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0), "show_edge": False}
    columns = "model", "validation", "95% interval", "parameters", "MB", "texts/s", "s"
    table = Table(*columns, title="Models that were tried", **shown)
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    with open(run / "candidates.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            low, high = (f"{float(row[name]):.1%}" for name in ("low", "high"))
            cells = [row["model"], f"{float(row['validation']):.1%}", f"{low} to {high}"]
            cells += [f"{float(row['parameters']):,.0f}", f"{float(row['megabytes']):,.1f}"]
            cells += [f"{float(row['texts_a_second']):,.0f}", f"{float(row['seconds']):,.0f}"]
            style = "bold" if row["chosen"] == "True" else ""
            table.add_row(*map(Text, cells), style=style)
            if row["chosen"] == "True":
                why = f"[bold]{escape(row['model'])}[/] is chosen: {escape(row['why'])}."
    show(table)
    show(why, soft_wrap=True)


def print_seeds(run: Path) -> None:
    """The runs of several seeds and their means, by ``seeds.csv`` of the one that is the result."""
    import pandas as pd
    from rich.table import Table
    from rich.text import Text

    from zoo.training.seeds import means_of_seeds

    found = pd.read_csv(run / "seeds.csv")
    means = means_of_seeds(found)
    table = Table("seed", *(name.replace("_", " ") for name in means), "run")
    for row in found.to_dict("records"):
        cells = [str(row["seed"]), *(f"{row[name]:.4f}" for name in means), row["run"]]
        table.add_row(*(Text(printable(cell)) for cell in cells))
    table.add_section()
    table.add_row("mean", *(f"{mean:.4f}" for mean, _ in means.values()))
    margins = [f"+- {margin:.4f}" for _, margin in means.values()]
    table.add_row("95 %", *(margins if len(found) > 1 else []))
    show(table)


def print_run(run: Path) -> None:
    """What a training came to."""
    from rich.table import Table
    from rich.text import Text

    from zoo.evaluation.report import read_mistakes
    from zoo.runs.run_folder import read_scores, resuming

    scores = read_scores(run)
    print_scores(scores, "Test split", f"{run / 'metrics.json'} has all")
    if scores.get("temperature") == 1:
        off = scores["calibration_error"]
        show(f"Probabilities are off by {off:.1%} on average, as they are without calibration.")
    elif "temperature" in scores:
        after, before = scores["calibration_error"], scores["calibration_error_before"]
        worse = " (the temperature is fitted to the validation split)" if after > before else ""
        show(
            f"Calibrated: probabilities are off by {after:.1%} on average, before "
            f"{before:.1%}{worse}."
        )
    if mistakes := read_mistakes(run)[:SHOWN_MISTAKES]:
        table = Table(
            "label", "predicted", "", "words that speak for it", "text", title="Worst mistakes"
        )
        for column in table.columns[:3]:
            column.no_wrap = True  # the others get what is left, on several lines
        for row in mistakes:
            cells = [row[name] for name in ("label", "predicted", "probability", "words", "text")]
            cells = [" ".join(printable(cell).split())[:SHOWN_LETTERS] for cell in cells]
            table.add_row(*map(Text, cells))
        show(table)
    curves = "Learning curves, c" if (run / "learning_curves.png").exists() else "C"
    name = escape(quote(str(run)))
    show(
        f"{scores['parameters']:,} parameters, trained in {scores['seconds']:.0f} s.\n"
        f"{curves}onfusion matrix, mistakes and model are in [bold]{escape(run)}[/]. "
        f'Try:\n  zoo explain {name} --page explained.html\n  zoo predict {name} "Your text."',
        soft_wrap=True,
    )
    if (run / "checkpoint").exists():
        show(
            f"It was stopped before its end. Continue with:  {escape(resuming(run))}",
            soft_wrap=True,
        )


def table_of(frame, title: str) -> Any:
    """A table of a DataFrame, for the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*frame, title=Text(printable(title)))
    for row in frame.itertuples(index=False):
        cells = (f"{cell:+.2f}" if isinstance(cell, float) else str(cell) for cell in row)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def shaded(explanation, view: str = "contributions", name: str = "") -> Any:
    """A text for the terminal, and below it the words that did most; entities are bold.

    What speaks for the class is on blue and underlined, what speaks against it on orange and struck
    through; attention is on blue.
    """
    from rich.text import Text

    from zoo.explanation.explanation import FAINTEST

    text = Text(printable(explanation.text))
    for word, share in zip(explanation.words, explanation.shares(view), strict=True):
        full, line = ((120, 180, 255), "underline") if share > 0 else ((255, 165, 80), "strike")
        color = "".join(f"{round(255 + abs(share) * (one - 255)):02x}" for one in full)
        if abs(share) > FAINTEST:
            text.stylize(f"black on #{color} {line}", word.start, word.end)
        if word.entity:
            text.stylize("bold italic", word.start, word.end)
    lines = [one for one in (explanation.strongest(), explanation.changed) if one]
    below = "".join(f"\n  {printable(one)}" for one in lines)
    head = f"{name}: {explanation.answer}" if name else explanation.answer
    if explanation.explained not in (None, explanation.label):
        head += f"; for and against {explanation.explained}"
    return Text(printable(f"{head}\n"), style="bold") + text + Text(below, style="dim") + "\n"
