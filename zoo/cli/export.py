"""``zoo export``."""

from pathlib import Path
from typing import Annotated

import typer

from zoo.cli.options import path_option
from zoo.cli.terminal import escape, show, size_of
from zoo.cli.texts import Run


def export(
    run: Run,
    format: Annotated[str, typer.Option(help="savedmodel, onnx or litert.")] = "savedmodel",
    quantize: Annotated[
        str | None,
        typer.Option(help="Smaller weights: int8, or float16 (onnx, litert)."),
    ] = None,
    ids: Annotated[bool, typer.Option("--ids", help="onnx takes word ids, not texts.")] = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="onnx of texts also gives the words' weights.")
    ] = False,
    output: Annotated[
        Path | None,
        path_option(
            "A new folder. Default: exports/FORMAT of the run, and -ids or -attention and "
            "-QUANTIZE."
        ),
    ] = None,
) -> None:
    """Write a model to ship, with a card about it."""
    from zoo.shipping.formats import export

    folder = export(run, format, quantize, output, ids, attention)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    show(
        f"{size_of(size)} are in [bold]{escape(folder)}[/]; see its model_card.md.",
        soft_wrap=True,
    )
