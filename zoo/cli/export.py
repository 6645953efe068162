"""``zoo export``."""

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
        typer.Option(help="Smaller weights: int8 (savedmodel, litert) or float16 (litert)."),
    ] = None,
    output: path_option(
        "A new folder. Default: exports/FORMAT or exports/FORMAT-QUANTIZE of the run."
    ) = None,
) -> None:
    """Write a model to ship, with a card about it."""
    from zoo.shipping.formats import export

    folder = export(run, format, quantize, output)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    show(
        f"{size_of(size)} are in [bold]{escape(folder)}[/]; see its model_card.md.",
        soft_wrap=True,
    )
