"""``zoo predict``."""

import os
import sys
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated

import typer

from zoo.backend import few_threads_an_operation
from zoo.cli.options import (
    BeamOption,
    Encoding,
    File,
    OnBadRow,
    SafeCsv,
    TextColumn,
    beam_options,
    path_option,
)
from zoo.cli.terminal import escape, show
from zoo.cli.texts import (
    Run,
    fastest_of,
    lines_of_standard_input,
    no_file,
    one_source,
    only_of_file,
    text_column_of,
)
from zoo.errors import UsageError, unknown
from zoo.letters import composed
from zoo.progress import progress

FORMATS = ("jsonl", "csv")  # in which answers are written
NO_ANSWERS = (".gz", ".zip", ".tsv", ".parquet", ".xlsx", ".xls", ".ods", ".html")  # refused


def predict(
    run: Run,
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts. Default: lines of standard input.")
    ] = None,
    file: File = None,
    text_column: TextColumn = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonl or csv. Default: that of --output's name; csv for CSV and TSV; or jsonl.",
        ),
    ] = None,
    keep_columns: Annotated[
        bool | None,
        typer.Option(
            "--keep-columns/--no-keep-columns",
            help="Answers beside all columns of a table, or only beside the text and where it is "
            "from. Default: keep them, but not with --beam.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="In CSV, too, the probability of each class, in a column probability_CLASS.",
        ),
    ] = False,
    sure: Annotated[
        float | None,
        typer.Option(
            help="The share of answers that are to be right, such as 0.95: others get no label, "
            "but a reason, and are left to a person. By the run's validation split."
        ),
    ] = None,
    runtime: Annotated[
        str | None,
        typer.Option(
            help="onnx, or keras (with --beam, the SavedModel). Default: onnx, which starts in "
            "under a second, where the run has model.onnx and onnxruntime is installed."
        ),
    ] = None,
    beam: Annotated[
        bool, typer.Option("--beam", help="Label --file on Apache Beam, for very many texts.")
    ] = False,
    beam_option: BeamOption = None,
    output: Annotated[
        Path | None,
        path_option("New file for the answers. With --beam: a new folder."),
    ] = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Label texts: one answer a line, with its probability."""
    few_threads_an_operation()
    from zoo.filesystem.atomic_files import check_new, whole

    one_source(texts, file)
    only_of_file(file, text_column, on_bad_row)
    if encoding is not None and texts:
        raise UsageError("--encoding needs --file, or standard input")
    no_file(texts or [])
    if beam_option and not beam:
        raise UsageError("--beam-option needs --beam")
    if beam and (keep_columns or probabilities or sure is not None):
        option = "--keep-columns" if keep_columns else "--probabilities"
        option = "--sure" if sure is not None else option
        raise UsageError(f"--beam writes JSON lines of all probabilities: leave out {option}")
    kind = None
    if file not in (None, "-"):
        from zoo.datasets.own_files.reading import stream_texts, table_kind  # imports pandas

        kind = table_kind(file)
    output_format = _answer_format(output_format, output, beam, safe_csv, kind)
    if beam:
        _predict_on_beam(run, file, text_column, on_bad_row, encoding, beam_option, output, runtime)
        return
    keep = kind is not None and keep_columns is not False
    if file not in (None, "-"):
        column = text_column_of(run, file, text_column, encoding)
        rows = list(stream_texts(file, column, on_bad_row or "fail", encoding, keep))
        texts = [text for _, text in rows]
    else:
        rows = repeat(({}, None))
        texts = map(composed, texts) if texts else lines_of_standard_input(encoding)
    if output is not None:
        check_new(output)
    model = fastest_of(run, runtime)
    from zoo.evaluation.prediction import (
        columns_of_answers,
        names_beside,
        only_sure,
        predict,
        rows_beside,
        write_answers,
    )

    least = None
    if sure is not None:
        from zoo.evaluation.familiarity import familiar_to
        from zoo.evaluation.sureness import least_sureness

        least = least_sureness(run, sure)
    own = dict.fromkeys(chain.from_iterable(row for row, _ in rows)) if keep else ()
    told = columns_of_answers(model.labels, output_format, probabilities, least is not None)
    names = names_beside(own, told)
    number = None if file in (None, "-") else len(rows)  # type: ignore[arg-type]
    shown = output is not None or _is_silent()
    written = output_format == "csv"
    answers = progress(predict(model, texts, written=written), "Predicting", number, shown=shown)
    if least is not None:
        answers = only_sure(answers, least, familiar_to(run))
    answers = rows_beside((row for row, _ in rows), answers, names, keep)
    columns = [*own, *names.values()] if keep else None
    if output is None:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")
        write_answers(sys.stdout, answers, output_format, safe_csv, columns)
        return
    with whole(output) as partial, partial.open("w", encoding="utf-8", newline="") as opened:
        write_answers(opened, answers, output_format, safe_csv, columns)
    show(f"The answers are in [bold]{escape(output)}[/].", soft_wrap=True)


def _is_silent() -> bool:
    """Whether printed answers appear neither on a terminal nor among the messages."""
    try:
        return not (sys.stdout.isatty() or os.path.sameopenfile(1, 2))
    except OSError:  # standard output or standard error is closed
        return False


def _answer_format(given, output, beam, safe_csv, kind) -> str:
    """The format that is given; else that of the output's name, else that of the table."""
    if given not in (None, *FORMATS):
        raise unknown("format", given, FORMATS)
    if beam and given == "csv":
        raise UsageError("--beam writes JSON lines: leave out --format")
    suffix = "" if beam or output is None else output.suffix.lower()
    own = ".csv" if kind in (".csv", ".tsv") and not beam else ".jsonl"
    if suffix in NO_ANSWERS:
        raise UsageError(
            f"answers are JSON lines or CSV: end the name with .jsonl or .csv, not as {output}"
        )
    found = given or (suffix if suffix in (".csv", ".jsonl", ".ndjson", ".json") else own)[1:]
    found = "csv" if found == "csv" else "jsonl"
    if safe_csv and found != "csv":
        raise UsageError("--safe-csv needs --format csv")
    return found


def _predict_on_beam(
    run, file, text_column, on_bad_row, encoding, beam_option, output, runtime
) -> None:
    if file in (None, "-") or output is None:
        raise UsageError("--beam needs --file, which it labels, and --output, a new folder")
    from zoo.datasets.catalogue.beam_preparation import import_beam

    import_beam()  # its error says how to install Beam
    from zoo.shipping.beam_prediction import predict_on_beam

    column, options = text_column_of(run, file, text_column, encoding), beam_options(beam_option)
    on_bad_row = on_bad_row or "fail"
    predict_on_beam(run, file, output, column, options, on_bad_row, encoding, runtime)
    show(f"The answers are in [bold]{escape(output)}[/].", soft_wrap=True)
