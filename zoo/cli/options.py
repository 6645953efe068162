"""Options that several commands have; those of a training are made of its settings."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from zoo.errors import UsageError
from zoo.settings import KINDS, Described, Group, described

FILES = "For your own files: "
OWN = " Default: the run's own, else {}, or a well-known name."


def _default(one: Described) -> Any:
    return None if dict in one.types else one.default


def option_of(one: Described) -> Any:
    """The annotation by which typer makes an option of a setting."""
    kind = one.types[0] if one.types[0] in (bool, int, float) else str
    kind = kind | None if type(None) in one.types else kind
    kind = list[str] | None if dict in one.types else kind
    flag = one.flag
    if one.types[0] is bool and one.default is not False:
        flag += flag.replace("--", "/--no-")
    help = one.help
    if one.group is Group.FILES:
        help = FILES + help[0].lower() + help[1:]
    path = "PATH" if Path in one.types else None
    return Annotated[kind, typer.Option(flag, metavar=path, help=help)]


Texts = (
    f"Texts of a file instead: .txt (each line is one), {KINDS}; a folder of .txt files; or -, the "
    "lines of standard input."
)
File = Annotated[str | None, typer.Option(metavar="PATH", help=Texts)]
TextColumn = Annotated[
    str | None, typer.Option(help=f"{FILES}column of texts.{OWN.format('text')}")
]
LabelColumn = Annotated[
    str | None, typer.Option(help=f"{FILES}column of labels.{OWN.format('label')}")
]
OnBadRow = Annotated[
    str | None,
    typer.Option(
        help=FILES + "fail at the first bad row, or skip bad rows, which get no answer, and report "
        "them. Default: fail."
    ),
]
BeamOption = Annotated[
    list[str] | None,
    typer.Option(help="Option of Beam's pipeline, such as runner=FlinkRunner; may be repeated."),
]
Encoding, SafeCsv = (option_of(one) for one in described() if one.name in ("encoding", "safe_csv"))


def with_settings(*left_out: str) -> Callable:
    """Decorator: a command has the settings of a training as options, and takes them as keywords.

    Args:
        left_out: settings that it does not have.
    """

    def decorate(command):
        signature = inspect.signature(command)
        own = [one for one in signature.parameters.values() if one.kind != one.VAR_KEYWORD]
        taken = {*left_out, *(one.name for one in own)}
        kind = inspect.Parameter.KEYWORD_ONLY
        made = [
            inspect.Parameter(one.name, kind, default=_default(one), annotation=option_of(one))
            for one in described()
            if one.flag and one.name not in taken
        ]
        last = [one for one in own if one.kind == kind]
        first = [one for one in own if one.kind != kind]
        command.__signature__ = signature.replace(parameters=first + made + last)
        return command

    return decorate


def parse_option(text: str) -> tuple[str, Any]:
    """The name and the value of an option of a model, as ``--set`` takes them."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes name=value: got {text!r}")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except json.JSONDecodeError:
        return name, None if value == "None" else value


def beam_options(options: list[str] | None) -> list[str]:
    """Options of Beam, as it takes them."""
    return [f"--{option}" for option in options or []]


def given(**options: Any) -> dict[str, Any]:
    """The options that are given."""
    return {name: value for name, value in options.items() if value is not None}
