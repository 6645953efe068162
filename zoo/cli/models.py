"""``zoo list`` and ``zoo describe``."""

import re
from typing import Annotated

import typer

import zoo
from zoo.cli.terminal import escape, is_terminal, print_models, show
from zoo.errors import UsageError, unknown
from zoo.progress import progress


def list_models(
    pattern: Annotated[str, typer.Argument(help='Such as "hcan*".')] = "*",
    reads: Annotated[
        str | None, typer.Option(help="Only models that read sentences, words or characters.")
    ] = None,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="Also count parameters, which takes seconds.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--names", help="Print only names, one a line, as without a terminal.")
    ] = False,
) -> None:
    """List the models, those of a paper together."""
    from zoo.registry import count_parameters, outlines

    found = outlines(pattern, reads)
    if not found:
        if zoo.list_models(pattern):
            raise UsageError(f"no model of {pattern!r} reads {reads}: leave out --reads")
        raise unknown("model", pattern, zoo.list_models())
    if names or not (parameters or is_terminal()):
        for name in sorted(one.name for one in found):
            print(name)
        return
    counts = {}
    if parameters:
        told = progress(found, "Counting parameters", len(found), "models")
        counts = {one.name: count_parameters(one.name) for one in told}
    print_models(found, counts)
    if counts:
        show("Parameters are those of 5 classes, without the word table.")


def describe(name: Annotated[str, typer.Argument(help="A name of zoo list.")]) -> None:
    """Show a model's options, presets, recipes, parameters and paper."""
    from rich.table import Table

    about = zoo.describe(name)
    variant = ", ".join(f"{option}={value}" for option, value in about.variant.items())
    show(f"[bold]{about.name}[/]: {escape(about.summary)}\n")
    for paragraph in filter(None, about.about.split("\n\n")):
        plain = re.sub(r":\w+:`|`", "", " ".join(paragraph.split()))  # of Sphinx's marks
        show(f"{escape(plain)}\n")
    show(f"Reads {about.reads}.{f' This variant: {variant}.' if variant else ''}")
    for recipe, settings in about.recipes.items():
        show(f"Recipe {recipe}: {escape(str(settings))}.")
    presets = list(about.presets)
    table = Table("option", "default", *presets)
    for option, default in about.options.items():
        values = [about.presets[preset].get(option, default) for preset in presets]
        table.add_row(option, str(default), *map(str, values))
    table.add_section()
    counts = [f"{count:,}" for count in about.parameters.values()]
    table.add_row("parameters", *counts)
    show(table)
    show("Parameters are those of 5 classes, without the word table.")
