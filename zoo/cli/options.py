"""Options of several commands. The options of a training are made from its settings."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from zoo.datasets.own_files.columns import plain_columns
from zoo.errors import UsageError
from zoo.filesystem.paths import expanded
from zoo.settings import KINDS, RENAMED, Described, Group, add_parameters, described


def option_of(one: Described, of_run: bool = False) -> Any:
    """The annotation by which typer makes an option of a setting.

    Args:
        one: the setting.
        of_run: whether the option is for new texts of a run, whose setting is the default.
    """
    kind = one.types[0] if one.types[0] in (bool, int, float) else str
    kind = kind | None if type(None) in one.types else kind
    kind = list[str] | None if {dict, list} & {*one.types} else kind
    flag = one.flag
    if one.types[0] is bool and one.default is not False:
        flag += flag.replace("--", "/--no-")
    help = one.help
    if one.group is Group.FILES:
        help = f"For your own files: {help[0].lower()}{help[1:]}"
    if of_run and one.name.endswith("_column"):
        help = help.replace("Default:", "Default: the run's own, else")
    path = "PATH" if Path in one.types else None
    return Annotated[kind, typer.Option(flag, metavar=path, help=help)]


def path_option(help: str) -> Any:
    """An option that takes a path, for an annotation."""
    return typer.Option(parser=expanded, metavar="PATH", help=help)


Older = Annotated[str | None, typer.Option(hidden=True)]  # a setting's name of before
Texts = (
    f"Texts of a file instead: .txt (each line is one), {KINDS}; a folder of .txt files; or -, the "
    "lines of standard input."
)
File = Annotated[str | None, typer.Option(metavar="PATH", help=Texts)]
BeamOption = Annotated[
    list[str] | None,
    typer.Option(help="Option of Beam's pipeline, such as runner=FlinkRunner; may be repeated."),
]
TextColumn, LabelColumn, LabelSeparator, OnBadRow, Encoding, SafeCsv = (
    option_of(one, of_run=True)
    for name in (
        *("text_column", "label_column", "label_separator", "on_bad_row", "encoding"),
        "safe_csv",
    )
    for one in described()
    if one.name == name
)


def with_settings(*left_out: str) -> Callable:
    """Decorator that gives a command the settings of a training as options.

    Args:
        left_out: settings that the command does not have.
    """

    def decorate(command):
        left = {*left_out, *(one.name for one in described() if not one.flag)}
        add_parameters(command, left, option_of)
        shown = inspect.signature(command)
        older = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Older)
            for name in RENAMED
        ]
        command.__signature__ = shown.replace(parameters=[*shown.parameters.values(), *older])
        return command

    return decorate


def parsed(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that are lists on the command line, in their Python form."""
    columns = {name: plain_columns(settings[name]) for name in ("text_column", "label_column")}
    return columns | {"options": parse_options(settings["options"])}


def parse_options(texts: list[str] | None) -> dict[str, Any]:
    """The options of a model, from texts ``name=value`` as ``--set`` takes them."""
    return dict(map(_parse_option, texts or []))


def _parse_option(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes name=value: got {text!r}")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except json.JSONDecodeError:
        return name, None if value == "None" else value


def beam_options(options: list[str] | None) -> list[str]:
    """Options in the form that Beam takes."""
    return [f"--{option}" for option in options or []]


def given(**options: Any) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not None}
