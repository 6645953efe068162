"""Texts of a command: on its line, in a file, or lines of standard input."""

import os
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from typer.core import TyperCommand

import zoo
from zoo.errors import UsageError, unknown
from zoo.filesystem.paths import expanded

OPTION = re.compile("--?[A-Za-z][A-Za-z-]*")
TEXT = "\0"  # before a text that begins with a dash: the shell gives no other argument one


class OfTexts(TyperCommand):
    """A command whose texts may begin with a dash: what looks like no option is a text."""

    def parse_args(self, ctx, args):
        options = {name: one for one in self.get_params(ctx) for name in one.opts if name[0] == "-"}
        options |= {name: one for one in options.values() for name in one.secondary_opts}
        parsed, left = [], iter(args)
        for arg in left:
            name, equals, _ = arg.partition("=")
            if arg == "--":
                parsed += [arg, *left]
            elif name in options:
                parsed.append(arg)
                if not (options[name].is_flag or equals):
                    parsed += islice(left, 1)  # its value, whatever that looks like
            elif OPTION.fullmatch(name):
                error = unknown("option", name, options)
                raise UsageError(f"{error} If it is a text: put -- before the texts.")
            else:
                parsed.append(f"{TEXT}{arg}" if len(arg) > 1 and arg[0] == "-" else arg)
        left = super().parse_args(ctx, parsed)
        texts = ctx.params["texts"] or []
        ctx.params["texts"] = [text.removeprefix(TEXT) for text in texts] or None
        return left


def _run_folder(path: str) -> Path:
    return expanded(path.removeprefix(TEXT))


Run = Annotated[
    Path,
    typer.Argument(parser=_run_folder, help="A run folder, as zoo train writes.", metavar="RUN"),
]


def only_of_file(file, text_column, on_bad_row) -> None:
    """Refuses options of a file where there is none."""
    for name, value in (("--text-column", text_column), ("--on-bad-row", on_bad_row)):
        if file in (None, "-") and value is not None:
            raise UsageError(f"{name} needs --file, of a table")


def no_file(texts) -> None:
    """Refuses names of files as the only texts, be it those of a glob without quotes."""
    is_word = len(texts) == len("".join(texts).split()) == 1
    if texts and (all(map(os.path.isfile, texts)) or (is_word and _is_table(texts[0]))):
        if len(texts) > 1:
            raise UsageError(
                f"{texts[0]} and others are files, not texts: give a quoted --file '*'"
            )
        raise UsageError(f"{texts[0]} is a file, not a text: give it as --file {quote(texts[0])}")


def _is_table(name):
    from zoo.datasets.own_files.tables import kind_of  # and so pandas

    return kind_of(name)


def one_source(*sources) -> None:
    """Refuses texts that another option would make it forget."""
    if sum(map(bool, sources)) > 1:
        raise UsageError(
            "texts come from one place: the command, --file, or zoo explain's --mistakes (and a "
            "glob needs quotes: --file '*.csv')"
        )


def check_run(run):
    """Refuses a model file alone, which has no words to read texts with."""
    if run.is_file():
        raise UsageError(f"{run} is a file: give the run's folder, {run.parent}")


def model_of(run):
    """The model of a run folder."""
    check_run(run)
    return zoo.load(run)


def fastest_of(run, runtime=None):
    """The same, or by ``model.onnx``, without TensorFlow: by default where it can be."""
    from zoo.runs.run_folder import fastest_runtime

    check_run(run)
    runtime = runtime or fastest_runtime(run)
    try:
        return zoo.load(run, runtime)
    except UsageError as error:
        if runtime == "onnx" and (run / "model.keras").exists():
            raise UsageError(f"{error}. Or answer by model.keras: --runtime keras") from None
        raise


def text_column_of(run, file, given, encoding):
    """The column that is given, or that of the run's own texts, where the file has it too."""
    from zoo.datasets import column_of
    from zoo.runs.run_config import read_config

    if given is not None:
        return given
    return column_of(file, read_config(run).settings.text_column, encoding)


def lines_of_standard_input(encoding=None) -> Iterator[str]:
    """The lines of standard input, as they come."""
    from zoo.datasets.own_files.reading import lines_of

    if sys.stdin is None:
        raise UsageError("standard input is closed: give texts, or a --file of them")
    if sys.stdin.isatty():
        print("Type texts, one a line; end with Ctrl-D.", file=sys.stderr)
    stdin = getattr(sys.stdin, "buffer", None) or BytesIO(sys.stdin.read().encode())
    return lines_of(Path("standard input"), encoding, stdin)
