"""The command line: arguments in, calls of the package, tables out."""

import json
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice, repeat
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

import zoo
from zoo.backend import MOST_THREADS, check_backend, quiet_tensorflow
from zoo.cli.terminal import (
    escape,
    has_colors,
    print_models,
    print_run,
    print_scores,
    print_trials,
    printable,
    shaded,
    show,
    size_of,
)
from zoo.errors import Interrupted, UsageError, unknown
from zoo.filesystem.paths import expanded
from zoo.progress import progress
from zoo.runs.run_folder import FILES

ANEW = {  # what Ctrl-C leaves of a command, where its work has not told it
    "predict": "no --output is written, and answers that are printed are whole; the same command "
    "starts from the first text",
    "explain": "no page is written; the same command starts anew",
    "export": "no export is written; the same command starts anew",
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
FORMATS = ("jsonl", "csv")  # of answers
NO_ANSWERS = (".gz", ".zip", ".tsv", ".parquet", ".xlsx", ".xls", ".ods", ".html")  # never written
OPTION = re.compile("--?[A-Za-z][A-Za-z-]*")
TEXT = "\0"  # before a text that begins with a dash: the shell gives no other argument one
FAITHFUL = 200  # texts of a page on which its attention is tried


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
Files = "For your own files: "
Kinds = (
    ".csv, .tsv, .json, .jsonl (or any of them .gz), .parquet, a folder of class folders, or a glob"
)
Texts = (
    f"Texts of a file instead: .txt (each line is one), {Kinds}; a folder of .txt files; or -, the "
    "lines of standard input."
)
File = Annotated[str | None, typer.Option(metavar="PATH", help=Texts)]
TextColumn = Annotated[
    str | None, typer.Option(help=Files + "column of texts. Default: text, or a well-known name.")
]
LabelColumn = Annotated[
    str | None, typer.Option(help=Files + "column of labels. Default: label, or a well-known name.")
]
OWN = " Default: the run's own, else {}, or a well-known name."
OwnTextColumn = Annotated[
    str | None, typer.Option(help=f"{Files}column of texts.{OWN.format('text')}")
]
OwnLabelColumn = Annotated[
    str | None, typer.Option(help=f"{Files}column of labels.{OWN.format('label')}")
]
ValidationData = Annotated[
    str | None,
    typer.Option(
        help=Files + "the validation split. Default: 10% of what the test split leaves, at most "
        "10,000 texts."
    ),
]
TestData = Annotated[
    str | None, typer.Option(help=Files + "the test split. Default: 10% of --data.")
]
OnBadRow = Annotated[
    str | None,
    typer.Option(
        help=Files + "fail at the first bad row, or skip bad rows, which get no answer, and report "
        "them. Default: fail."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help=Files + "their encoding, such as cp1252. Default: UTF-8, or what a file's mark says."
    ),
]
MinClassSize = Annotated[
    int | None,
    typer.Option(help=Files + "classes of fewer training texts are rare. Default: 1, none is."),
]
RareClasses = Annotated[
    str | None,
    typer.Option(
        help="With --min-class-size: drop the texts of rare classes, or merge them into a class "
        "other. Default: drop."
    ),
]
BeamOption = Annotated[
    list[str] | None,
    typer.Option(help="Option of Beam's pipeline, such as runner=FlinkRunner; may be repeated."),
]
Preset = Annotated[str | None, typer.Option(help="Options of a paper; zoo describe shows them.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--set", help="Option of the model, name=value; may be repeated."),
]
RecipeName = Annotated[
    str, typer.Option(help="How to train: default, or a paper's; see zoo describe.")
]
Epochs = Annotated[
    int | None,
    typer.Option(
        help="Passes over the data. Default: the recipe's; 3 to 30, for about 1,500 steps, twice "
        "as many for 20 classes or more."
    ),
]
CleanUp = Annotated[
    str | None,
    typer.Option(
        help="Clean-up of the texts, as in a paper: hcan, han, kim, tokens, relations or "
        "characters. Default: the data's or the model's, mostly hcan."
    ),
]
MinCount = Annotated[
    int, typer.Option(help="Rarer words stay unknown, but for those of --embeddings.")
]
MaxVocabulary = Annotated[
    int | None, typer.Option(help="Most words that are known. Default: the model's, mostly 30,000.")
]
Percentile = Annotated[
    float | None,
    typer.Option(
        help="Cut texts sooner than the model does, where this percentage of them stays whole; "
        "words and sentences each. Try 99."
    ),
]
Embeddings = Annotated[
    str | None,
    typer.Option(
        help="word2vec, trained on the texts (of large data on all cores, so that vectors differ a "
        "little each time); english, of 50,000 words, which come with zoo; or a file: .bin, .vec, "
        ".txt (or .gz)."
    ),
]
UnlabelledData = Annotated[
    str | None, typer.Option(help="Further texts for word2vec, without labels.")
]
StartFrom = Annotated[
    str | None,
    typer.Option(
        help="A run of the same model, whose words and layers this one starts with; the labels may "
        "be others."
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="CSV to open in a spreadsheet: quotes, and an apostrophe before what it would run.",
    ),
]


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


@app.command()
def train(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="A name of zoo list.")] = "hcan",
    data: Annotated[
        str, typer.Option(help=f"sample, a name of zoo datasets, or your own: {Kinds}.")
    ] = "sample",
    text_column: TextColumn = None,
    label_column: LabelColumn = None,
    validation_data: ValidationData = None,
    test_data: TestData = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    min_class_size: MinClassSize = None,
    rare_classes: RareClasses = None,
    preset: Preset = None,
    option: Options = None,
    recipe: RecipeName = "default",
    epochs: Epochs = None,
    batch_size: Annotated[
        int | None,
        typer.Option(help="Texts of a batch, on all devices together. Default: the recipe's; 32."),
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(help="Highest learning rate. Default: the recipe's; the model's own."),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="Course of the learning rate: cosine, constant or plateau. Default: the recipe's."
        ),
    ] = None,
    class_weights: Annotated[
        bool | None,
        typer.Option(
            "--class-weights/--no-class-weights",
            help="Whether texts of rare classes count for more, where the largest class has over 5 "
            "times the texts of the smallest. Default: the recipe's.",
        ),
    ] = None,
    clean_up: CleanUp = None,
    min_count: MinCount = 2,
    max_vocabulary: MaxVocabulary = None,
    percentile: Percentile = None,
    embeddings: Embeddings = None,
    unlabelled_data: UnlabelledData = None,
    start_from: StartFrom = None,
    cache: Annotated[
        str, typer.Option(help="Keep word ids, while training: auto, memory, disk or none.")
    ] = "auto",
    precision: Annotated[
        str,
        typer.Option(
            help="Precision of training: float32, mixed_bfloat16, mixed_float16, or auto."
        ),
    ] = "auto",
    calibrate: Annotated[
        bool, typer.Option(help="Make probabilities as often right as they say.")
    ] = True,
    devices: Annotated[
        str, typer.Option(help="How many GPUs of this machine to train on, or all.")
    ] = "1",
    coordinator: Annotated[
        str | None, typer.Option(help="Several processes, on JAX: host:port of the first.")
    ] = None,
    processes: Annotated[int, typer.Option(help="Several processes: how many.")] = 1,
    process_id: Annotated[int, typer.Option(help="Several processes: which this is, from 0.")] = 0,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also log for TensorBoard (installed apart).")
    ] = False,
    safe_csv: SafeCsv = False,
    seed: Annotated[int, typer.Option(help="Seed of weights, batches, dropout and splits.")] = 0,
    output: Annotated[
        Path, typer.Option(parser=expanded, metavar="PATH", help="Where run folders go.")
    ] = Path("runs"),
    resume: Annotated[
        Path | None,
        typer.Option(
            parser=expanded, metavar="PATH", help="Continue this run, with its own settings."
        ),
    ] = None,
) -> None:
    """Train a classifier; everything about it goes into a run folder."""
    how = {
        "tensorboard": tensorboard,
        "devices": devices,
        "coordinator": coordinator,
        "processes": processes,
        "process_id": process_id,
        "verbose": 1 if sys.stdout.isatty() else 2,
    }
    if resume is not None:
        for given in context.command.params:
            source = context.get_parameter_source(given.name)
            if given.name not in {"resume", *how} and source.name != "DEFAULT":
                raise UsageError(
                    f"--resume takes the run's own settings: leave out {given.opts[0]}"
                )
        run = zoo.resume(resume, **how)
        if not process_id:
            print_run(run)
        return
    own = (text_column, label_column, on_bad_row, validation_data, test_data, encoding)
    files = _given(*own, min_class_size, rare_classes)
    run = zoo.train(
        model,
        data,
        files=files,
        preset=preset,
        options=dict(map(_parse_option, option or [])),
        recipe=recipe,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        schedule=schedule,
        class_weights=class_weights,
        clean_up=clean_up,
        min_count=min_count,
        max_vocabulary=max_vocabulary,
        percentile=percentile,
        embeddings=embeddings,
        unlabelled=unlabelled_data,
        start_from=start_from,
        cache=cache,
        precision=precision,
        calibrate=calibrate,
        safe_csv=safe_csv,
        seed=seed,
        output=output,
        **how,
    )
    if not process_id:
        print_run(run)


@app.command()
def tune(
    model: Annotated[str, typer.Argument(help="A name of zoo list.")] = "hcan",
    data: Annotated[
        str, typer.Option(help=f"sample, a name of zoo datasets, or your own: {Kinds}.")
    ] = "sample",
    trials: Annotated[int, typer.Option(help="How many trainings in all.")] = 20,
    text_column: TextColumn = None,
    label_column: LabelColumn = None,
    validation_data: ValidationData = None,
    test_data: TestData = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    min_class_size: MinClassSize = None,
    rare_classes: RareClasses = None,
    preset: Preset = None,
    option: Options = None,
    recipe: RecipeName = "default",
    epochs: Epochs = None,
    clean_up: CleanUp = None,
    min_count: MinCount = 2,
    max_vocabulary: MaxVocabulary = None,
    percentile: Percentile = None,
    embeddings: Embeddings = None,
    unlabelled_data: UnlabelledData = None,
    seed: Annotated[int, typer.Option(help="Seed of the search and of each training.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=expanded,
            metavar="PATH",
            help="Folder of the search, or of one to continue. Default: tuning/MODEL-DATA.",
        ),
    ] = None,
) -> None:
    """Search learning rate, batch size and dropout."""
    from zoo.training.tuning import tune

    words = {"clean_up": clean_up, "max_vocabulary": max_vocabulary, "percentile": percentile}
    words |= {"embeddings": embeddings, "unlabelled": unlabelled_data}
    words |= {"min_count": min_count if min_count != 2 else None}
    words |= {"recipe": recipe if recipe != "default" else None}
    own = (text_column, label_column, on_bad_row, validation_data, test_data, encoding)
    files = _given(*own, min_class_size, rare_classes)
    folder = tune(
        model,
        data,
        trials=trials,
        files=files,
        preset=preset,
        options=dict(map(_parse_option, option or [])),
        epochs=epochs,
        seed=seed,
        output=output,
        **{name: value for name, value in words.items() if value is not None},
    )
    print_trials(folder)


@app.command()
def evaluate(
    run: Run,
    data: Annotated[
        str | None, typer.Option(help=f"Your own: {Kinds}. Default: the test split.")
    ] = None,
    text_column: OwnTextColumn = None,
    label_column: OwnLabelColumn = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not a table.")] = False,
) -> None:
    """Score a trained model, on its test split or on a file."""
    few_threads_an_operation()
    scores = zoo.evaluate(
        run, data, **_given(text_column, label_column, on_bad_row, encoding=encoding)
    )
    if as_json:
        print(json.dumps(scores, indent=2))
    else:
        print_scores(scores, data or "Test split")


@app.command(cls=OfTexts)
def predict(
    run: Run,
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts. Default: lines of standard input.")
    ] = None,
    file: File = None,
    text_column: OwnTextColumn = None,
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
    beam: Annotated[
        bool, typer.Option("--beam", help="Label --file on Apache Beam, for very many texts.")
    ] = False,
    beam_option: BeamOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=expanded,
            metavar="PATH",
            help="New file for the answers. With --beam: a new folder.",
        ),
    ] = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Label texts: one answer a line, with its probability."""
    few_threads_an_operation()
    from zoo.datasets import composed
    from zoo.datasets.own_files.reading import stream_texts, table_kind
    from zoo.filesystem.atomic_files import check_new, whole

    _one_source(texts, file)
    _only_of_file(file, text_column, on_bad_row)
    if encoding is not None and texts:
        raise UsageError("--encoding needs --file, or standard input")
    _no_file(texts or [])
    if beam_option and not beam:
        raise UsageError("--beam-option needs --beam")
    if beam and (keep_columns or probabilities):
        option = "--keep-columns" if keep_columns else "--probabilities"
        raise UsageError(f"--beam writes JSON lines of all probabilities: leave out {option}")
    kind = None if file in (None, "-") else table_kind(file)
    output_format = _answer_format(output_format, output, beam, safe_csv, kind)
    if beam:
        _predict_on_beam(run, file, text_column, on_bad_row, encoding, beam_option, output)
        return
    keep = kind is not None and keep_columns is not False
    if file not in (None, "-"):
        column = _text_column(run, file, text_column, encoding)
        rows = list(stream_texts(file, column, on_bad_row or "fail", encoding, keep))
        texts = [text for _, text in rows]
    else:
        rows = repeat(({}, None))
        texts = map(composed, texts) if texts else _lines_of_standard_input(encoding)
    if output is not None:
        check_new(output)
    model = _model_of(run)
    from zoo.evaluation.prediction import (
        columns_of_answers,
        names_beside,
        predict,
        rows_beside,
        write_answers,
    )

    own = dict.fromkeys(chain.from_iterable(row for row, _ in rows)) if keep else ()
    names = names_beside(own, columns_of_answers(model.labels, output_format, probabilities))
    number = None if file in (None, "-") else len(rows)
    shown = output is not None or _is_silent()
    answers = progress(predict(model, texts), "Predicting", number, shown=shown)
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
    """Whether what is printed is seen neither on the terminal nor between the messages."""
    try:
        return not (sys.stdout.isatty() or os.path.sameopenfile(1, 2))
    except OSError:  # one of them is closed
        return False


def _answer_format(given, output, beam, safe_csv, kind) -> str:
    """The format of answers that is given, or that of the file's name, or of the table."""
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


def _predict_on_beam(run, file, text_column, on_bad_row, encoding, beam_option, output) -> None:
    if file in (None, "-") or output is None:
        raise UsageError("--beam needs --file, which it labels, and --output, a new folder")
    from zoo.datasets.catalogue.beam_preparation import import_beam

    import_beam()  # or says how to get it
    from zoo.shipping.beam_prediction import predict_on_beam

    column, options = _text_column(run, file, text_column, encoding), _beam_options(beam_option)
    predict_on_beam(run, file, output, column, options, on_bad_row or "fail", encoding)
    show(f"The answers are in [bold]{escape(output)}[/].", soft_wrap=True)


def _lines_of_standard_input(encoding=None) -> Iterator[str]:
    from zoo.datasets.own_files.reading import lines_of

    if sys.stdin is None:
        raise UsageError("standard input is closed: give texts, or a --file of them")
    if sys.stdin.isatty():
        print("Type texts, one a line; end with Ctrl-D.", file=sys.stderr)
    stdin = getattr(sys.stdin, "buffer", None) or BytesIO(sys.stdin.read().encode())
    return lines_of(Path("standard input"), encoding, stdin)


def _given(
    text_column,
    label_column,
    on_bad_row,
    validation=None,
    test=None,
    encoding=None,
    min_class_size=None,
    rare_classes=None,
) -> dict[str, str | int]:
    """What was told of one's own files, under the names of the package."""
    values = (text_column, label_column, on_bad_row, validation, test, encoding)
    values += (min_class_size, rare_classes)
    return {name: value for name, value in zip(FILES, values, strict=True) if value is not None}


def _only_of_file(file, text_column, on_bad_row) -> None:
    """Refuses options of a file where there is none."""
    for name, value in (("--text-column", text_column), ("--on-bad-row", on_bad_row)):
        if file in (None, "-") and value is not None:
            raise UsageError(f"{name} needs --file, of a table")


def _no_file(texts) -> None:
    """Refuses names of files as the only texts, be it those of a glob without quotes."""
    from zoo.datasets.own_files.tables import kind_of

    is_word = len(texts) == len("".join(texts).split()) == 1
    if texts and (all(map(os.path.isfile, texts)) or (is_word and kind_of(texts[0]))):
        if len(texts) > 1:
            raise UsageError(
                f"{texts[0]} and others are files, not texts: give a quoted --file '*'"
            )
        raise UsageError(f"{texts[0]} is a file, not a text: give it as --file {quote(texts[0])}")


def _one_source(*sources) -> None:
    """Refuses texts that another option would make it forget."""
    if sum(map(bool, sources)) > 1:
        raise UsageError(
            "texts come from one place: the command, --file, or zoo explain's --mistakes (and a "
            "glob needs quotes: --file '*.csv')"
        )


def _model_of(run):
    """The model of a run folder; a model file alone has no words to read texts with."""
    if run.is_file():
        raise UsageError(f"{run} is a file: give the run's folder, {run.parent}")
    return zoo.load(run)


def _text_column(run, file, given, encoding):
    """The column that is given, or that of the run's own texts, where the file has it too."""
    from zoo.datasets import column_of
    from zoo.runs.run_folder import read_config

    if given is not None:
        return given
    return column_of(file, read_config(run)["files"].get("text_column"), encoding)


@app.command(cls=OfTexts)
def explain(
    run: Run,
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts. Default: those of the test split.")
    ] = None,
    file: File = None,
    text_column: OwnTextColumn = None,
    on_bad_row: OnBadRow = None,
    encoding: Encoding = None,
    most: Annotated[
        int, typer.Option(help="How many texts of a file, the test split or the mistakes.")
    ] = 20,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Texts of the run's worst mistakes instead.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            parser=expanded,
            metavar="PATH",
            help="Write a new HTML page, with heads and pairs of words.",
        ),
    ] = None,
) -> None:
    """Show where a model looked: words shaded by attention."""
    from zoo.datasets import composed
    from zoo.datasets.own_files.reading import stream_texts
    from zoo.evaluation.scores import read_test_split
    from zoo.explanation.corpus_tables import filter_ngrams
    from zoo.explanation.faithfulness import faithfulness
    from zoo.explanation.html_page import write_page
    from zoo.filesystem.atomic_files import check_new
    from zoo.runs.run_folder import read_config

    _one_source(texts, file, mistakes)
    _only_of_file(file, text_column, on_bad_row)
    if encoding is not None and file is None:
        raise UsageError("--encoding needs --file")
    _no_file(texts or [])
    if most < 1:
        raise UsageError(f"--most must be at least 1: got {most}")
    if page is not None:
        if page.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"--page writes HTML: end its name with .html, not as {page}")
        check_new(page, "--page")
        if not (page.parent.is_dir() or page.parent.parent.is_dir()):
            raise UsageError(f"there is no folder {page.parent} to write {page.name} into")
    model, targets = _model_of(run), None
    if mistakes:
        from zoo.evaluation.report import read_mistakes

        if not (rows := read_mistakes(run)[:most]):
            raise UsageError(f"{run} made no mistakes on its test split")
        texts, targets = [row["text"] for row in rows], [row["label"] for row in rows]
    elif file == "-":
        texts = list(islice(_lines_of_standard_input(encoding), most))
    elif file is not None:
        column = _text_column(run, file, text_column, encoding)
        rows = stream_texts(file, column, on_bad_row or "fail", encoding)
        texts = [text for _, text in islice(rows, most)]
    elif texts:
        texts = list(map(composed, texts))
    else:
        split = read_test_split(read_config(run), most)
        texts, targets = list(split), [model.labels[number] for number in split.numbers]
    if not texts:
        raise UsageError(f"{file} has no texts")
    explanations = model.explain(texts, targets, pairs=page is not None)
    if page is not None:
        title = f"{run.resolve().name}: where the model looked"
        tried = faithfulness(model, [one.text for one in explanations[:FAITHFUL]])
        filters = filter_ngrams(model, [one.text for one in explanations])
        write_page(
            page,
            explanations,
            title,
            faithful="" if tried is None else str(tried),
            tables={} if filters is None else {"Filters, and what excites them most": filters},
        )
        texts = "1 text is" if len(texts) == 1 else f"{len(texts):,} texts are"
        show(f"{texts} explained in [bold]{escape(page)}[/].", soft_wrap=True)
        return
    for explanation in explanations:
        show(shaded(explanation), soft_wrap=True)
    weights = [word.weight for one in explanations for word in one.words]
    if not any(weights):
        no_attention = weights and all(weight is None for weight in weights)
        reason = "this model has no attention" if no_attention else "there are no words to weigh"
        show(f"Nothing is shaded: {reason}.")
    elif not has_colors():
        print("No colours here, so nothing is shaded: --page x.html shows it.", file=sys.stderr)


@app.command()
def export(
    run: Run,
    format: Annotated[str, typer.Option(help="savedmodel, onnx or litert.")] = "savedmodel",
    quantize: Annotated[
        str | None,
        typer.Option(help="Smaller weights: int8 (savedmodel, litert) or float16 (litert)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=expanded,
            metavar="PATH",
            help="A new folder. Default: exports/FORMAT or exports/FORMAT-QUANTIZE of the run.",
        ),
    ] = None,
) -> None:
    """Write a model to ship, with a card about it."""
    from zoo.shipping.formats import export

    folder = export(run, format, quantize, output)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    show(
        f"{size_of(size)} are in [bold]{escape(folder)}[/]; see its model_card.md.",
        soft_wrap=True,
    )


@app.command("list")
def list_models(
    pattern: Annotated[str, typer.Argument(help='Such as "hcan*".')] = "*",
    reads: Annotated[
        str | None, typer.Option(help="Only models that read sentences, words or characters.")
    ] = None,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="Also count parameters, which takes seconds.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--names", help="Names alone, one a line, as where no terminal is.")
    ] = False,
) -> None:
    """List the models, those of a paper together."""
    from zoo.registry import count_parameters, outlines

    found = outlines(pattern, reads)
    if not found:
        if zoo.list_models(pattern):
            raise UsageError(f"no model of {pattern!r} reads {reads}: leave out --reads")
        raise unknown("model", pattern, zoo.list_models())
    if names or not (parameters or _is_terminal()):
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


@app.command()
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


@app.command("datasets")
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

        prepared = prepare_records(entry, beam, _beam_options(beam_option))
        print(f"{name} is in {prepared.data_dir}")
        return
    table = Table.grid("", "", padding=(0, 2))
    for title, text in catalogue.describe(entry).items():
        table.add_row(f"[bold]{title}[/]", Text(printable(text)))
    show(table)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _parse_option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes name=value: got {text!r}")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except json.JSONDecodeError:
        return name, None if value == "None" else value


def _beam_options(options: list[str] | None) -> list[str]:
    return [f"--{option}" for option in options or []]


def few_threads_an_operation() -> None:
    """Of TensorFlow, if it has not started: predictions keep each core busy with a batch."""
    if "tensorflow" not in sys.modules:
        threads = math.ceil((os.cpu_count() or 1) / MOST_THREADS)
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(threads))


def interrupt(number: int, frame: Any) -> None:
    """Handles Ctrl-C: not within a garbage collection, where Python would drop the exception."""
    while frame is not None:
        if frame.f_code.co_name in ("__del__", "_xla_gc_callback"):  # the latter is JAX's
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
        sys.stdout = sys.__stdout__ = open(os.devnull, "w")  # noqa: SIM115
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
