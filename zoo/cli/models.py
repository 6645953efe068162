"""``zoo list`` and ``zoo describe``."""

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
        show(f"{escape(paragraph)}\n")
    show(f"Reads {about.reads}.{f' This variant: {variant}.' if variant else ''}")
    table = Table("option", "default", "meaning")
    for option, default in about.options.items():
        table.add_row(option, str(default), escape(about.meanings.get(option, "")))
    show(table)
    for preset, count in about.parameters.items():
        values = about.presets.get(preset, {}).items()
        changed = [f"{key}={value}" for key, value in values if value != about.options[key]]
        told = f"{count:,} parameters" + (f"; {', '.join(changed)}" if changed else "")
        start = f"Preset {preset}" if preset in about.presets else "Default"
        show(f"{start}: {escape(told)}.")
    for recipe, settings in about.recipes.items():
        show(f"Recipe {recipe}: {escape(str(settings))}.")
    show("Parameters are those of 5 classes, without the word table.")
