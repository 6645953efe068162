"""``zoo explain``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from zoo.backend import few_threads_an_operation
from zoo.cli.options import Encoding, File, OnBadRow, TextColumn, path_option
from zoo.cli.terminal import escape, shaded, show, table_of
from zoo.cli.texts import (
    Run,
    check_run,
    lines_of_standard_input,
    model_of,
    no_file,
    one_source,
    only_of_file,
)
from zoo.errors import UsageError

FAITHFUL = 100  # texts on which the shading is tried
SHOWN, GLANCE = 20, 200  # texts, by default
CHANGED = 100  # texts for which it is sought what would change their answers


def explain(
    run: Run,
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts. Default: those of the test split.")
    ] = None,
    file: File = None,
    text_column: TextColumn = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    most: Annotated[
        int | None,
        typer.Option(
            help="How many texts of a file, of the test split or of the mistakes to explain. "
            "Default: 20; with --glance 200."
        ),
    ] = None,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Explain the run's worst mistakes instead.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(help="The class that words count for or against. Default: the answer."),
    ] = None,
    view: Annotated[
        Literal["contributions", "attention"],
        typer.Option(help="What words are shaded by in the terminal; a page shows both."),
    ] = "contributions",
    glance: Annotated[
        bool,
        typer.Option("--glance", help="Sum up the words and phrases of all texts instead."),
    ] = False,
    beside: Annotated[
        Path | None,
        path_option("Another run, which explains the same texts beside this one."),
    ] = None,
    page: Annotated[
        Path | None,
        path_option("Write a new HTML page, with attention as a second view."),
    ] = None,
) -> None:
    """Show which words decided: those for the answer, and those against it."""
    few_threads_an_operation()
    from zoo.evaluation.explaining import chosen_texts
    from zoo.explanation.changes import with_changes
    from zoo.explanation.faithfulness import faithfulness
    from zoo.explanation.glance import at_a_glance
    from zoo.explanation.html_page import write_page
    from zoo.filesystem.atomic_files import check_new

    one_source(texts, file, mistakes)
    only_of_file(file, text_column, on_bad_row)
    if encoding is not None and file is None:
        raise UsageError("--encoding needs --file")
    no_file(texts or [])
    if page is not None:
        if page.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"--page writes HTML: end its name with .html, not as {page}")
        check_new(page, "--page")
        if not (page.parent.is_dir() or page.parent.parent.is_dir()):
            raise UsageError(f"there is no folder {page.parent} to write {page.name} into")
    if most is None:
        most = len(texts) if texts else GLANCE if glance else SHOWN
    data = texts or (lines_of_standard_input(encoding) if file == "-" else file)
    given = text_column, on_bad_row or "fail", encoding, most, mistakes
    check_run(run)
    model, texts, targets = chosen_texts(run, data, *given)
    models = {run.resolve().name: model}
    if beside is not None:
        name = beside.resolve().name
        models[name if name not in models else str(beside)] = model_of(beside)
    explained, told = {}, {}
    for name, one in models.items():
        own = one.explain(texts, _known(targets, one), page is not None, label)
        if label is None and not glance:
            own[:CHANGED] = with_changes(one, own[:CHANGED])
        explained[name], told[name] = own, faithfulness(one, own[:FAITHFUL])
    if page is not None:
        title = f"{' and '.join(models)}: which words decided"
        write_page(page, explained, title, told, model.corpus_tables(texts))
        texts = "1 text is" if len(texts) == 1 else f"{len(texts):,} texts are"
        show(f"{texts} explained in [bold]{escape(page)}[/].", soft_wrap=True)
        return
    if glance:
        for name, own in explained.items():
            show(table_of(at_a_glance(own), f"{name}, {len(texts):,} texts"))
        return
    for row in zip(*explained.values(), strict=True):
        for name, one in zip(models, row, strict=True):
            show(shaded(one, view, name if len(models) > 1 else ""), soft_wrap=True)
    shown = "attention weights" if view == "attention" else view
    for name, one in told.items():
        if shown in one:
            show(escape(f"{name}: {one[shown]}" if len(told) > 1 else one[shown]), soft_wrap=True)
    if not any(one.words for one in explained[run.resolve().name]):
        show("Nothing is shaded: there are no words to weigh.")
    elif not any(shown in one for one in told.values()) and view == "attention":
        show("Nothing is shaded: this model has no attention.")


def _known(targets, model):
    """True labels, without those that another run does not know."""
    return targets and [one if one in model.labels else None for one in targets]
