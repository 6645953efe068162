"""The settings of a training: each stands here once, with its type, default, check and help.

:func:`zoo.train` and :func:`zoo.tune` take them as keywords, the commands of these names as
options, and ``config.json`` of a run keeps them.
"""

import dataclasses
import functools
import glob
import importlib.util
import inspect
import itertools
import logging
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from operator import or_
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from zoo.datasets.own_files.columns import plain_columns
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.vectors.published import PUBLISHED
from zoo.errors import UsageError, unknown
from zoo.filesystem.paths import expanded
from zoo.options import (
    Distance,
    Positive,
    Size,
    Values,
    as_python,
    check_values,
    is_number,
    is_whole,
    values_of,
)
from zoo.recipes import Kept, Recipe, Schedule
from zoo.registry import find_recipe, import_model, list_models

Cache = Literal["auto", "memory", "disk", "none"]
Precision = Literal["auto", "float32", "mixed_bfloat16", "mixed_float16"]
PROCESSES = ("coordinator", "processes", "process_id")
SEARCHED = ("learning_rate", "batch_size")  # by zoo.tune, which also tries dropout
NOT_TUNED = (*SEARCHED, *PROCESSES, "keep", "seeds")  # settings that zoo.tune does not take
WEIGHTS = (
    "auto",
    "none",
    "english",
    "word2vec",
    "minilm",
    *PUBLISHED,
)  # names, while all else is a path of the user's
AUTO = "auto"  # in place of a model's name: tries several models and keeps the best
RENAMED = {"embeddings": "weights", "start_from": "weights"}  # settings that had another name
KINDS = (
    ".csv, .tsv, .json, .jsonl (or any of them .gz), .parquet, a folder of class folders, or a glob"
)

logger = logging.getLogger("zoo")


class Group(Enum):
    FILES = "how the user's files are read"
    MACHINE = "where and how a training runs, which may change when it is resumed"


class Flag(NamedTuple):
    """The option of the command line where it has another name; "" where there is none."""

    flag: str


def _are_names(value):
    names = [value] if isinstance(value, str) else value
    return isinstance(names, list | tuple) and all(isinstance(one, str) for one in names)


def _is_path(value):
    return isinstance(value, str | Path)


AnyPath = Annotated[str | Path, Values("a path (write what is in memory to a file)", _is_path)]
Columns = Annotated[
    str | list, Values("the name of a column, or a list of names", lambda x: _are_names(x))
]
Weights = Annotated[
    str | Path, Values(f"{', '.join(WEIGHTS[:5])}, another name, or a path", _is_path)
]
Percentage = Annotated[
    float,
    Values("a number from 1 to 100 (99, not 0.99)", lambda x: is_number(x) and 1 <= x <= 100),
]
Seed = Annotated[
    int, Values(f"a whole number from 0 to {2**32 - 1}", lambda x: is_whole(x) and 0 <= x < 2**32)
]
Options = Annotated[
    dict[str, Any], Values("a dictionary, or None", lambda x: isinstance(x, Mapping))
]


@dataclasses.dataclass(frozen=True)
class TrainSettings:
    """All settings of a training.

    Each annotation holds the type, the allowed values, the group and the help, which names other
    settings as the command line does. :func:`described` reads the annotations.
    """

    model: Annotated[str | None, Flag(""), "A name of zoo list, or auto."] = None
    data: Annotated[Any, f"sample, a name of zoo datasets, or your own: {KINDS}."] = "sample"
    text_column: Annotated[
        Columns | None,
        Group.FILES,
        "Column of the texts; several columns, given one by one, are read as one text. "
        "Default: text, or a well-known name.",
    ] = None
    label_column: Annotated[
        Columns | None,
        Group.FILES,
        "Column of the labels; or several columns of 0 and 1, given one by one, whose names are "
        "the labels. Default: label, or a well-known name.",
    ] = None
    label_separator: Annotated[
        str | None,
        Group.FILES,
        "What stands between several labels in a cell, such as ';'. Default: each text has one "
        "label, unless JSON or Parquet has lists.",
    ] = None
    weight_column: Annotated[
        str | None, Group.FILES, "Column of numbers: how much each training text counts."
    ] = None
    validation_data: Annotated[
        AnyPath | None,
        Group.FILES,
        "The validation split. Default: 10% of the texts outside the test split, at most 10,000.",
    ] = None
    test_data: Annotated[AnyPath | None, Group.FILES, "The test split. Default: 10% of --data."] = (
        None
    )
    on_bad_row: Annotated[
        str | None,
        Group.FILES,
        "Fail at the first bad row, or skip bad rows and report them. Default: fail.",
    ] = None
    encoding: Annotated[
        str | None,
        Group.FILES,
        "Encoding of the files, such as cp1252. Default: UTF-8, or what a byte order mark says.",
    ] = None
    min_class_size: Annotated[
        Size | None,
        Group.FILES,
        "Classes with fewer training texts are rare. Default: 1, so that no class is rare.",
    ] = None
    rare_classes: Annotated[
        str | None,
        Group.FILES,
        "With --min-class-size: drop the texts of rare classes, or merge them into a class named "
        "other. Default: drop.",
    ] = None
    preset: Annotated[
        str | None,
        "The options of a paper; zoo describe shows them. Default: none, but relations where the "
        "texts mark two entities and the model has that preset.",
    ] = None
    options: Annotated[
        Options,
        Flag("--set"),
        "Options of the model, each as name=value; zoo describe shows them.",
    ] = dataclasses.field(default_factory=dict)
    recipe: Annotated[str, "How to train: default, or a paper's; see zoo describe."] = "default"
    epochs: Annotated[
        Size | None,
        "Passes over the data. Default: the recipe's, or else 3 to 30, for about 1,500 steps, of "
        "bert with the weights of a BERT 500, and twice as many for 20 classes or more.",
    ] = None
    batch_size: Annotated[
        Size | None,
        "Texts in a batch, over all devices together. Default: the recipe's, or else 32.",
    ] = None
    learning_rate: Annotated[
        Positive | None, "Highest learning rate. Default: the recipe's, or else the model's."
    ] = None
    schedule: Annotated[
        Schedule | None,
        "Schedule of the learning rate: cosine, constant or plateau. Default: the recipe's.",
    ] = None
    class_weights: Annotated[
        bool | None,
        "Whether texts of rare classes count more, where the largest class has more than 5 times "
        "as many texts as the smallest. Default: the recipe's.",
    ] = None
    keep: Annotated[
        Kept | None,
        "best keeps the weights of the best validation accuracy; last learns from all texts, "
        "without a validation split, and keeps the last weights; auto means last where a "
        "validation split would have fewer than 100 texts, and for a model that is solved at once. "
        "Default: the recipe's, or else auto.",
    ] = None
    clean_up: Annotated[
        str | None,
        f"How the texts are cleaned up, as in a paper: {', '.join(CLEAN_UPS)}. "
        "Default: the data's or the model's, mostly hcan.",
    ] = None
    min_count: Annotated[
        Size | None,
        "Words that stand in the texts fewer times stay unknown, unless --weights has vectors for "
        "them. Default: 2, but 1 with fewer than 100 texts, and with fewer than 1,000 for models "
        "that are solved at once.",
    ] = None
    max_vocabulary: Annotated[
        Size | None,
        "Most words in the vocabulary. Default: the model's, mostly 30,000, but 16,000 with the "
        "English word vectors.",
    ] = None
    percentile: Annotated[
        Percentage | None,
        "Cut texts shorter than the model does, so that this percentage of them stays whole; "
        "words and sentences are cut separately. Try 99.",
    ] = None
    weights: Annotated[
        Weights,
        "What the model knows before it sees your texts. auto takes the English word vectors that "
        "come with zoo, where they know most of the words; for bert it takes minilm, if that is "
        "installed; for a paper's preset it takes what the paper took. Others are none; english; "
        "word2vec, trained on your texts (with large data on all cores, so that the vectors "
        "differ a little each time); a name of gensim's downloader, such as glove-wiki- "
        "gigaword-300, which is fetched once; a file of word vectors: .bin, .vec, .txt (or .gz); "
        "for bert minilm, a folder in Hugging Face's format, or a name of its hub, owner/name; or "
        "a run of the same model, whose words and layers the new model starts with, while its "
        "labels may differ. The most frequent words that the weights know fill up the vocabulary.",
    ] = "auto"
    unlabelled: Annotated[
        AnyPath | None,
        Flag("--unlabelled-data"),
        "Further texts without labels, which a teacher answers or word2vec learns from: a table, "
        "a folder, a glob or .txt.",
    ] = None
    teacher: Annotated[
        AnyPath | None,
        "A run of a larger model, or the name of such a model, which is then trained first on the "
        "same texts: the new model also learns from its answers to --unlabelled-data and to "
        "variations of these and of the training texts. Or a file of anyone's answers, with each "
        "label's share of a text, such as zoo predict writes.",
    ] = None
    variations: Annotated[
        Distance | None,
        "With --teacher: how many variations of the training texts and of --unlabelled-data it "
        "answers. In a variation, words are replaced, left out, or followed by those of another "
        "text. Default: enough for 20,000 texts together with those of --unlabelled-data, or for "
        "a million words of longer ones.",
    ] = None
    minutes: Annotated[
        Positive | None,
        "Most minutes of training, all that a teacher does included: a longer training is "
        "shortened. "
        "Default: as long as it takes.",
    ] = None
    cache: Annotated[
        Cache,
        "Where word ids are kept during training: memory, disk or none; auto keeps those of up to "
        "200,000 texts in memory.",
    ] = "auto"
    precision: Annotated[
        Precision,
        "Precision of training: float32, mixed_bfloat16, mixed_float16; auto takes 16 bits on a "
        "GPU that is made for them.",
    ] = "auto"
    calibrate: Annotated[
        bool, "Calibrate the probabilities on texts that the model has not learnt from."
    ] = True
    devices: Annotated[
        str | int, Group.MACHINE, "How many GPUs of this machine to train on, or all."
    ] = "1"
    coordinator: Annotated[
        str | None, Group.MACHINE, "With several processes, on JAX: host:port of the first."
    ] = None
    processes: Annotated[Size, Group.MACHINE, "How many processes train together."] = 1
    process_id: Annotated[Distance, Group.MACHINE, "The number of this process, from 0."] = 0
    tensorboard: Annotated[bool, Group.MACHINE, "Also log for TensorBoard (installed apart)."] = (
        False
    )
    safe_csv: Annotated[
        bool,
        "Write CSV that is safe to open in a spreadsheet: cells are quoted, and an apostrophe "
        "stands before what a spreadsheet would run.",
    ] = False
    seed: Annotated[Seed, "Seed of weights, batches, dropout and splits."] = 0
    seeds: Annotated[
        Size | None,
        "Train this many times, with this seed and the following ones. All runs are kept, with a "
        "table of them, and the middle one is the result. Default: once.",
    ] = None
    output: Annotated[AnyPath, "Where run folders go."] = "runs"
    verbose: Annotated[bool | int | str, Flag(""), Group.MACHINE, "Keras' 0, 1, 2 or auto."] = (
        "auto"
    )

    @property
    def files(self) -> dict[str, Any]:
        """How the user's files are read: arguments of :func:`zoo.datasets.load_files`."""
        given = {argument: getattr(self, name) for argument, name in file_arguments().items()}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def of_recipe(self) -> dict[str, Any]:
        """The settings that replace values of the recipe."""
        own = {one.name: getattr(self, one.name, None) for one in dataclasses.fields(Recipe)}
        return {name: value for name, value in own.items() if value is not None}

    def check(self) -> None:
        """Checks each setting, and those that go together.

        Raises:
            UsageError: for the first setting that is not allowed.
        """
        from zoo.datasets.own_files.reading import check_data

        models = [*list_models(), AUTO]
        if self.model is not None and self.model not in models:
            raise unknown("model", self.model, models)
        check_data(self.data)
        for one in described():
            value = getattr(self, one.name)
            if one.values is not None and not (value is None and NoneType in one.types):
                check_values({one.name: one.values}, {one.name: value})
            if isinstance(value, str | Path):
                _check_text(one.name, value)
        _check_text("the working folder", Path.cwd())
        if self.tensorboard and importlib.util.find_spec("tensorboard") is None:
            raise UsageError(
                "TensorBoard is not installed: pip install 'attention-zoo[tensorboard]'"
            )
        if self.minutes is not None and self.processes > 1:  # which would each count other steps
            raise UsageError(
                "minutes needs a training by one process: leave out coordinator and processes"
            )
        if self.clean_up not in (None, *CLEAN_UPS):
            raise unknown("clean-up", self.clean_up, CLEAN_UPS)
        if self.model in (None, AUTO):
            self._check_open()
        elif self.recipe != "default":
            find_recipe(self.model, self.recipe)
        for option in self.options.keys() & {"name", "num_classes", "preset", "answers"}:
            allowed = import_model(self.model)[0].option_defaults()
            raise unknown(f"option of {self.model}", option, allowed)
        if "vocabulary_size" in self.options:
            raise UsageError(
                "vocabulary_size follows from the texts: set max_vocabulary (--max-vocabulary) "
                "instead"
            )
        check_weights(self.weights)
        for_vectors = self.weights in ("auto", "word2vec")
        if self.unlabelled is not None and not for_vectors and self.teacher is None:
            raise UsageError(
                "unlabelled texts are for a teacher (--teacher) or for word2vec: weights must "
                f"be word2vec (--weights word2vec), got {self.weights}"
            )

    def _check_open(self):
        """Refuses settings that need a model where no model is named."""
        for name, default in (("options", {}), ("preset", None), ("recipe", "default")):
            if getattr(self, name) != default:
                flag = next(one.flag for one in described() if one.name == name)
                raise UsageError(f"{name} ({flag}) belongs to a model: name the model")

    def kept(self) -> dict[str, Any]:
        """The settings that ``config.json`` keeps, with absolute paths."""
        others = {*names(Group.FILES), *names(Group.MACHINE), "output"} - {"devices", "processes"}
        values = {name: getattr(self, name) for name in names() if name not in others}
        for name in ("weights", "unlabelled", "teacher"):
            if values[name] not in (None, *WEIGHTS):
                values[name] = absolute(values[name])
        return values


class Described(NamedTuple):
    """A setting, as its annotation describes it.

    Attributes:
        kind: the type of a value, as it is annotated.
        types: its plain types; NoneType is among them where the setting may be left open.
        flag: its option on the command line; "" where it has none.
        values: the allowed values; None where the annotation does not tell.
    """

    name: str
    kind: Any
    types: tuple[type, ...]
    default: Any
    help: str
    flag: str
    group: Group | None
    values: Values | None


@functools.cache
def described() -> list[Described]:
    """All settings, in their order."""
    found = []
    for field in dataclasses.fields(TrainSettings):
        kind, *notes = get_args(field.type)
        told = {type(note): note for note in notes}
        flag = told.get(Flag, Flag(f"--{field.name.replace('_', '-')}")).flag
        default = None if field.default is dataclasses.MISSING else field.default
        more = default, told[str], flag, told.get(Group), values_of(_given(field.type))
        found.append(Described(field.name, kind, _types(kind), *more))
    return found


def _types(kind):
    """The plain types of an annotation."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _types(parts[0])
    if origin in (Union, UnionType):
        return sum(map(_types, parts), ())
    return (str if origin is Literal else origin or kind,)


def _given(kind):
    """An annotation without None, which leaves a setting open."""
    kind, *notes = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        kind = functools.reduce(or_, (one for one in get_args(kind) if one is not NoneType))
    return Annotated[kind, *notes]


def check_weights(weights: str | Path) -> None:
    """Raises UsageError for a word that is neither a known name of weights nor a path."""
    check_values({"weights": values_of(Weights)}, {"weights": weights})
    is_name = isinstance(weights, str) and re.fullmatch("[A-Za-z0-9-]+", weights)
    if is_name and weights not in WEIGHTS and not expanded(weights).exists():
        raise unknown("weights", weights, [*WEIGHTS, "a file of word vectors", "a run"])


def _check_text(name, value):
    """Refuses text that JSON cannot hold."""
    from zoo.datasets.own_files.text_files import undecodable

    if undecodable(str(value)):
        raise UsageError(f"{name}: not UTF-8, which JSON cannot hold: {str(value)!r}")


def names(group: Group | None = None) -> list[str]:
    """The names of all settings, or of those of a group."""
    return [one.name for one in described() if group in (None, one.group)]


def file_arguments() -> dict[str, str]:
    """The settings of files, by their names as arguments of :func:`zoo.datasets.load_files`."""
    return {name.removesuffix("_data"): name for name in names(Group.FILES)}


def from_keywords(
    settings: Mapping[str, Any], function: str = "zoo.train", allowed: Iterable[str] = ()
) -> TrainSettings:
    """The settings that a function's keywords give; ``files``, a dictionary, is an older way.

    Args:
        settings: the values, by the names of the settings.
        function: the function, for messages.
        allowed: names that the function takes; by default all.

    Raises:
        UsageError: for an unknown name, with the nearest matches.
    """
    settings = dict(settings)
    files = settings.pop("files", None)
    if not isinstance(files, Mapping | None):
        raise UsageError(f"files must be a dictionary, or None: got {files!r}")
    arguments = file_arguments()
    for name, value in (files or {}).items():
        if name not in arguments:
            raise unknown("name in files", name, arguments)
        settings[arguments[name]] = value
    for old, new in RENAMED.items():
        if (value := settings.pop(old, None)) is not None:
            if new in settings and settings[new] != "auto":
                raise UsageError(f"{old} is called {new} now: leave out one of the two")
            logger.warning(
                "%s is called %s now: write %s=%r (--%s %s)", old, new, new, str(value), new, value
            )
            settings[new] = value
    allowed = sorted(allowed or names())
    for name in settings:
        if name not in allowed:
            raise unknown(f"argument of {function}", name, allowed)
    if settings.get("options", {}) is None:
        del settings["options"]
    for name in ("text_column", "label_column"):
        if _are_names(settings.get(name)):
            settings[name] = plain_columns(settings[name])
    return TrainSettings(**{name: as_python(value) for name, value in settings.items()})


def absolute(path: str | Path) -> str:
    """The absolute form of a path or a glob, in which links stay as they are."""
    path = expanded(path)
    is_glob = glob.has_magic(str(path)) and not path.exists()
    return str(Path(glob.escape(str(Path.cwd())), path) if is_glob else path.absolute())


def documented(*left_out: str) -> Callable:
    """Decorator of a function that takes settings as keywords: ``help`` and editors show them.

    The settings are described where the docstring has ``{settings}``.

    Args:
        left_out: settings that the function does not take.
    """

    def decorate(function):
        added = add_parameters(function, {*left_out}, lambda one: one.kind)
        told = [f"{one.name}: {_in_python(one.help)}" for one in added]
        lines = [textwrap.wrap(one, 88, subsequent_indent=4 * " ") for one in told]
        shown = ("\n" + 8 * " ").join(itertools.chain.from_iterable(lines))
        function.__doc__ = function.__doc__.replace("{settings}", shown)
        return function

    return decorate


def add_parameters(
    function: Any, left_out: set[str], annotation: Callable[[Described], Any]
) -> list[Described]:
    """Adds the settings that a function takes as ``**settings`` to its signature.

    Args:
        function: the function; settings that it names itself are not added.
        left_out: settings that the function does not take.
        annotation: gives the annotation of a setting.

    Returns:
        The settings that were added.
    """
    signature, kind = inspect.signature(function), inspect.Parameter.KEYWORD_ONLY
    own = [one for one in signature.parameters.values() if one.kind != one.VAR_KEYWORD]
    left_out = left_out.union(one.name for one in own)
    added = [one for one in described() if one.name not in left_out]
    made = [
        inspect.Parameter(one.name, kind, default=one.default, annotation=annotation(one))
        for one in added
    ]
    first = [one for one in own if one.kind != kind]
    last = [one for one in own if one.kind == kind]
    function.__signature__ = signature.replace(parameters=first + made + last)
    return added


def _in_python(help):
    """A help text of the command line, with the names that options have in Python."""
    named = {one.flag: one.name for one in described()}
    return re.sub("--[a-z-]+", lambda found: named[found[0]], help)
