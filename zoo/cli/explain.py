"""``zoo explain``."""

import sys
from itertools import islice
from typing import Annotated

import typer

from zoo.cli.options import Encoding, File, OnBadRow, TextColumn, path_option
from zoo.cli.terminal import escape, has_colors, shaded, show
from zoo.cli.texts import (
    Run,
    lines_of_standard_input,
    model_of,
    no_file,
    one_source,
    only_of_file,
    text_column_of,
)
from zoo.errors import UsageError

FAITHFUL = 200  # texts of a page on which its attention is tried


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
        int, typer.Option(help="How many texts of a file, the test split or the mistakes.")
    ] = 20,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Texts of the run's worst mistakes instead.")
    ] = False,
    page: path_option("Write a new HTML page, with heads and pairs of words.") = None,
) -> None:
    """Show where a model looked: words shaded by attention."""
    from zoo.datasets import composed
    from zoo.datasets.own_files.reading import stream_texts
    from zoo.evaluation.scores import read_test_split
    from zoo.explanation.faithfulness import faithfulness
    from zoo.explanation.html_page import write_page
    from zoo.filesystem.atomic_files import check_new
    from zoo.runs.run_folder import read_config

    one_source(texts, file, mistakes)
    only_of_file(file, text_column, on_bad_row)
    if encoding is not None and file is None:
        raise UsageError("--encoding needs --file")
    no_file(texts or [])
    if most < 1:
        raise UsageError(f"--most must be at least 1: got {most}")
    if page is not None:
        if page.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"--page writes HTML: end its name with .html, not as {page}")
        check_new(page, "--page")
        if not (page.parent.is_dir() or page.parent.parent.is_dir()):
            raise UsageError(f"there is no folder {page.parent} to write {page.name} into")
    model, targets = model_of(run), None
    if mistakes:
        from zoo.evaluation.report import read_mistakes

        if not (rows := read_mistakes(run)[:most]):
            raise UsageError(f"{run} made no mistakes on its test split")
        texts, targets = [row["text"] for row in rows], [row["label"] for row in rows]
    elif file == "-":
        texts = list(islice(lines_of_standard_input(encoding), most))
    elif file is not None:
        column = text_column_of(run, file, text_column, encoding)
        rows = stream_texts(file, column, on_bad_row or "fail", encoding)
        texts = [text for _, text in islice(rows, most)]
    elif texts:
        texts = list(map(composed, texts))
    else:
        split = read_test_split(read_config(run), most)
        texts, targets = list(split), model.kind.named(split.targets, model.labels)
    if not texts:
        raise UsageError(f"{file} has no texts")
    explanations = model.explain(texts, targets, pairs=page is not None)
    if page is not None:
        title = f"{run.resolve().name}: where the model looked"
        tried = faithfulness(model, [one.text for one in explanations[:FAITHFUL]])
        write_page(
            page,
            explanations,
            title,
            faithful="" if tried is None else str(tried),
            tables=model.corpus_tables([one.text for one in explanations]),
        )
        texts = "1 text is" if len(texts) == 1 else f"{len(texts):,} texts are"
        show(f"{texts} explained in [bold]{escape(page)}[/].", soft_wrap=True)
        return
    for explanation in explanations:
        show(shaded(explanation), soft_wrap=True)
    weights = [word.weight for one in explanations for word in one.words]
    if not any(weights):
        no_attention = weights and all(weight is None for weight in weights)
        reason = "this model has no attention" if no_attention else "there are no words to weigh"
        show(f"Nothing is shaded: {reason}.")
    elif not has_colors():
        print("No colours here, so nothing is shaded: --page x.html shows it.", file=sys.stderr)
