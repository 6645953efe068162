"""The command line: arguments in, calls of the package, tables out. A command is a file."""

import os
import signal
import sys
import threading
from typing import Annotated, Any

import typer

import zoo
from zoo.backend import COLLECTORS, check_backend, quiet_tensorflow
from zoo.cli.compare import compare
from zoo.cli.datasets import list_datasets
from zoo.cli.evaluate import evaluate
from zoo.cli.explain import explain
from zoo.cli.export import export
from zoo.cli.models import describe, list_models
from zoo.cli.predict import predict
from zoo.cli.runs import runs
from zoo.cli.serve import serve
from zoo.cli.terminal import printable
from zoo.cli.texts import OfTexts
from zoo.cli.train import train
from zoo.cli.tune import tune
from zoo.errors import Interrupted, UsageError

ANEW = {  # what to say after Ctrl-C, unless the command's work has said it
    "predict": "no --output is written, and answers that are printed are whole; the same command "
    "starts from the first text",
    "explain": "no page is written; the same command starts anew",
    "compare": "no --output and no page is written; the same command starts anew",
    "export": "no export is written; the same command starts anew",
    "serve": "what it had been asked is answered",
    "tune": "no trial had begun; the same command starts anew",
}


class _Commands(typer.core.TyperGroup):
    """The commands; Ctrl-C tells what it ended, and how to go on."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except KeyboardInterrupt as error:
            name = context.invoked_subcommand
            told = "; ".join(getattr(error, "__notes__", ())) or ANEW.get(name)
            told = told or "nothing is written; the same command starts anew"
            raise Interrupted(f"zoo {name} was interrupted: {told}") from None


app = typer.Typer(
    cls=_Commands,
    help="Attentive text classifiers: train on your labels, see where the model looks, ship it.",
    epilog="Start with: zoo train (on built-in data), or zoo train attcnn --data reviews.csv",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich is slow to import
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"zoo {zoo.__version__}")
        raise typer.Exit


@app.callback()
def _zoo(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    check_backend()


app.command()(train)
app.command()(tune)
app.command()(evaluate)
app.command()(compare)
app.command(cls=OfTexts)(predict)
app.command(cls=OfTexts)(explain)
app.command()(export)
app.command()(serve)
app.command()(runs)
app.command("list")(list_models)
app.command()(describe)
app.command("datasets")(list_datasets)


def interrupt(number: int, frame: Any) -> None:
    """Handles Ctrl-C: not within a garbage collection, where Python would drop the exception."""
    while frame is not None:
        if frame.f_code.co_name in COLLECTORS:
            threading.Timer(0.05, signal.raise_signal, [number]).start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def main() -> None:
    """Entry point: bad input ends with one line and exit code 2, Ctrl-C with one line and 130."""
    quiet_tensorflow()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    if sys.stdout is None:  # who started it has closed it
        sys.stdout = sys.__stdout__ = open(os.devnull, "w")  # type: ignore[misc]  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):  # a label that the terminal cannot show ends nothing
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except UsageError as error:
        print(f"zoo: {printable(str(error))}", file=sys.stderr)
        sys.exit(2)
    except Interrupted as error:
        print(f"\n{printable(str(error))}", file=sys.stderr)  # after the terminal's ^C
        sys.exit(130)
    except OSError as error:  # mostly of a full disk that standard output goes to
        where = f" {error.filename}" if error.filename else ""
        told = printable(f"zoo: cannot read or write{where}: {error.strerror or error}")
        print(told, file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # Python flushes again
        sys.exit(2)


if __name__ == "__main__":
    main()
