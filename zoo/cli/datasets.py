"""``zoo datasets``."""

from typing import Annotated

import typer

from zoo.cli.options import BeamOption, beam_options
from zoo.cli.terminal import printable, show
from zoo.errors import UsageError


def list_datasets(
    name: Annotated[str | None, typer.Argument(help="Show this one. Default: list all.")] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Prepare it now: records to stream from.")
    ] = False,
    beam: Annotated[
        bool, typer.Option("--beam", help="Prepare it on Apache Beam, for big ones.")
    ] = False,
    beam_option: BeamOption = None,
) -> None:
    """List the corpora, show one, or prepare one."""
    from rich.table import Table
    from rich.text import Text

    from zoo.datasets.catalogue import lookup as catalogue

    if beam_option and not beam:
        raise UsageError("--beam-option needs --beam")
    if name is None and (prepare or beam):
        raise UsageError("--prepare and --beam need the name of a corpus: zoo datasets lists them")
    if name is None:
        table = Table("corpus", "classes", "train", "validation", "test", "where")
        table.columns[0].no_wrap = True
        for column in table.columns[1:5]:
            column.justify = "right"
        for entry in catalogue.CATALOGUE.values():
            sizes = [entry.sizes.get(split) for split in ("train", "validation", "test")]
            if "all" in entry.sizes:
                sizes[0] = entry.sizes["all"]
            counts = ["" if size is None else f"{size:,}" for size in sizes]
            counts[0] += " in all" if "all" in entry.sizes else ""
            where, _, _ = catalogue.state(entry).partition(": ")[0].partition(" in ")
            table.add_row(entry.name, str(len(entry.labels)), *counts, Text(printable(where)))
        show(table)
        show("Sizes are the published ones. More of each: zoo datasets NAME")
        return
    entry = catalogue.find_entry(name)
    if prepare or beam:
        catalogue.locate(entry)  # refuses before TensorFlow is imported
        from zoo.datasets.catalogue.builder import prepare as prepare_records

        prepared = prepare_records(entry, beam, beam_options(beam_option))
        print(f"{name} is in {prepared.data_dir}")
        return
    table = Table.grid("", "", padding=(0, 2))
    for title, text in catalogue.describe(entry).items():
        table.add_row(f"[bold]{title}[/]", Text(printable(text)))
    show(table)
