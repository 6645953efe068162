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
)  # that are in no file of the user's
AUTO = "auto"  # in place of a model's name: the best of several
RENAMED = {"embeddings": "weights", "start_from": "weights"}  # settings that had another name
KINDS = (
    ".csv, .tsv, .json, .jsonl (or any of them .gz), .parquet, a folder of class folders, or a glob"
)

logger = logging.getLogger("zoo")


class Group(Enum):
    FILES = "how one's own files are read"
    MACHINE = "where and how it runs, which may be another when a training is resumed"


class Flag(NamedTuple):
    """The option of the command line, where that is not the setting's name; "" for none."""

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

    An annotation has the type, which values are allowed, the group, and the help, which names other
    settings by their options of the command line; :func:`described` reads it.
    """

    model: Annotated[str | None, Flag(""), "A name of zoo list, or auto."] = None
    data: Annotated[Any, f"sample, a name of zoo datasets, or your own: {KINDS}."] = "sample"
    text_column: Annotated[
        Columns | None,
        Group.FILES,
        "Column of texts; of several, which are given one by one, they are read as one text. "
        "Default: text, or a well-known name.",
    ] = None
    label_column: Annotated[
        Columns | None,
        Group.FILES,
        "Column of labels; or several columns of 0 and 1, which are given one by one and whose "
        "names are the labels. Default: label, or a well-known name.",
    ] = None
    label_separator: Annotated[
        str | None,
        Group.FILES,
        "What stands between several labels in a cell, such as ';'. Default: a text has one label, "
        "unless JSON or Parquet has lists.",
    ] = None
    weight_column: Annotated[
        str | None, Group.FILES, "Column of numbers, how much each training text counts."
    ] = None
    validation_data: Annotated[
        AnyPath | None,
        Group.FILES,
        "The validation split. Default: 10% of what the test split leaves, at most 10,000 texts.",
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
        "Their encoding, such as cp1252. Default: UTF-8, or what a file's mark says.",
    ] = None
    min_class_size: Annotated[
        Size | None, Group.FILES, "Classes of fewer training texts are rare. Default: 1, none is."
    ] = None
    rare_classes: Annotated[
        str | None,
        Group.FILES,
        "With --min-class-size: drop the texts of rare classes, or merge them into a class other. "
        "Default: drop.",
    ] = None
    preset: Annotated[
        str | None,
        "Options of a paper; zoo describe shows them. Default: none; where texts mark two "
        "entities, relations, if the model has that.",
    ] = None
    options: Annotated[
        Options,
        Flag("--set"),
        "Options of the model, name=value each; zoo describe shows them.",
    ] = dataclasses.field(default_factory=dict)
    recipe: Annotated[str, "How to train: default, or a paper's; see zoo describe."] = "default"
    epochs: Annotated[
        Size | None,
        "Passes over the data. Default: the recipe's; 3 to 30, for about 1,500 steps, twice as "
        "many for 20 classes or more.",
    ] = None
    batch_size: Annotated[
        Size | None, "Texts of a batch, on all devices together. Default: the recipe's; 32."
    ] = None
    learning_rate: Annotated[
        Positive | None, "Highest learning rate. Default: the recipe's; the model's own."
    ] = None
    schedule: Annotated[
        Schedule | None,
        "Course of the learning rate: cosine, constant or plateau. Default: the recipe's.",
    ] = None
    class_weights: Annotated[
        bool | None,
        "Whether texts of rare classes count for more, where the largest class has over 5 times "
        "the texts of the smallest. Default: the recipe's.",
    ] = None
    keep: Annotated[
        Kept | None,
        "best keeps the weights of the best validation accuracy; last learns from all texts, "
        "without a validation split, and keeps the last weights; auto is last where a validation "
        "split would have fewer than 100 texts. Default: the recipe's; auto.",
    ] = None
    clean_up: Annotated[
        str | None,
        f"Clean-up of the texts, as in a paper: {', '.join(CLEAN_UPS)}. "
        "Default: the data's or the model's, mostly hcan.",
    ] = None
    min_count: Annotated[
        Size | None,
        "Rarer words stay unknown, but for those that have a vector by --weights. Default: 2; 1 "
        "of fewer than 100 texts, and of fewer than 1,000 for models that are solved at once.",
    ] = None
    max_vocabulary: Annotated[
        Size | None,
        "Most words that are known. Default: the model's, mostly 30,000; with the English word "
        "vectors 16,000.",
    ] = None
    percentile: Annotated[
        Percentage | None,
        "Cut texts sooner than the model does, where this percentage of them stays whole; words "
        "and sentences each. Try 99.",
    ] = None
    weights: Annotated[
        Weights,
        "What the model knows before it sees your texts. auto: English word vectors, which come "
        "with zoo, where they know most of the words, and for bert minilm, if that is installed; "
        "for a paper's preset those of the paper. none; english; word2vec, trained on your texts "
        "(of large data on all cores, so that vectors differ a little each time); a name of "
        "gensim's downloader, such as glove-wiki-gigaword-300, which is fetched once; a file of "
        "word vectors: .bin, .vec, .txt (or .gz); for bert minilm, a folder in Hugging Face's "
        "format, or a name of its hub, owner/name; or a run of the same model, whose words and "
        "layers this one starts with; the labels may be others. The most frequent words that the "
        "weights know fill the vocabulary up.",
    ] = "auto"
    unlabelled: Annotated[
        AnyPath | None,
        Flag("--unlabelled-data"),
        "Further texts without labels, for a teacher to answer, or for word2vec: a table, a "
        "folder, a glob or .txt.",
    ] = None
    teacher: Annotated[
        AnyPath | None,
        "A run of a larger model, from whose answers to other texts this one learns, too: to "
        "--unlabelled-data, and to variations of the training texts; or a file of anyone's "
        "answers, with how much of each label a text has, such as zoo predict writes.",
    ] = None
    variations: Annotated[
        Distance | None,
        "With --teacher: how many variations of the training texts it answers, in which words are "
        "replaced, lacking, or followed by those of another text. Default: as many as make 20,000 "
        "texts with those of --unlabelled-data.",
    ] = None
    minutes: Annotated[
        Positive | None,
        "Most minutes of training, those of a teacher's answers included, to which it is made "
        "shorter. Default: as long as it takes.",
    ] = None
    cache: Annotated[
        Cache,
        "Keep word ids, while training: memory, disk or none; auto keeps those of up to 200,000 "
        "texts in memory.",
    ] = "auto"
    precision: Annotated[
        Precision,
        "Precision of training: float32, mixed_bfloat16, mixed_float16; auto takes 16 bits where "
        "a GPU is made for them.",
    ] = "auto"
    calibrate: Annotated[
        bool, "Make probabilities as often right as they say, by the validation split."
    ] = True
    devices: Annotated[
        str | int, Group.MACHINE, "How many GPUs of this machine to train on, or all."
    ] = "1"
    coordinator: Annotated[
        str | None, Group.MACHINE, "Several processes, on JAX: host:port of the first."
    ] = None
    processes: Annotated[Size, Group.MACHINE, "Several processes: how many."] = 1
    process_id: Annotated[Distance, Group.MACHINE, "Several processes: which this is, from 0."] = 0
    tensorboard: Annotated[bool, Group.MACHINE, "Also log for TensorBoard (installed apart)."] = (
        False
    )
    safe_csv: Annotated[
        bool, "CSV to open in a spreadsheet: quotes, and an apostrophe before what it would run."
    ] = False
    seed: Annotated[Seed, "Seed of weights, batches, dropout and splits."] = 0
    seeds: Annotated[
        Size | None,
        "Train so many times, with this seed and the following ones: all runs are kept, and a "
        "table of them; the one in the middle is the result. Default: once.",
    ] = None
    output: Annotated[AnyPath, "Where run folders go."] = "runs"
    verbose: Annotated[bool | int | str, Flag(""), Group.MACHINE, "Keras' 0, 1, 2 or auto."] = (
        "auto"
    )

    @property
    def files(self) -> dict[str, Any]:
        """How one's own files are read, as :func:`zoo.datasets.load_files` takes it."""
        given = {argument: getattr(self, name) for argument, name in file_arguments().items()}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def of_recipe(self) -> dict[str, Any]:
        """What replaces values of the recipe."""
        own = {one.name: getattr(self, one.name, None) for one in dataclasses.fields(Recipe)}
        return {name: value for name, value in own.items() if value is not None}

    def check(self) -> None:
        """Checks each setting, and those that go together.

        Raises:
            UsageError: naming the first one that cannot be.
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
            raise UsageError("minutes are of one process: leave out coordinator and processes")
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
                "vocabulary_size is what the texts have: set max_vocabulary (--max-vocabulary) "
                "instead"
            )
        check_weights(self.weights)
        for_vectors = self.weights in ("auto", "word2vec")
        if self.unlabelled is not None and not for_vectors and self.teacher is None:
            raise UsageError(
                "unlabelled texts are for a teacher (--teacher RUN) or for word2vec: weights must "
                f"be word2vec (--weights word2vec), got {self.weights}"
            )

    def _check_open(self):
        """Refuses what needs a model, where none is named."""
        for name, default in (("options", {}), ("preset", None), ("recipe", "default")):
            if getattr(self, name) != default:
                flag = next(one.flag for one in described() if one.name == name)
                raise UsageError(f"{name} ({flag}) are those of a model: name it")

    def kept(self) -> dict[str, Any]:
        """What ``config.json`` keeps of them, with paths that are still right from elsewhere."""
        others = {*names(Group.FILES), *names(Group.MACHINE), "output"} - {"devices", "processes"}
        values = {name: getattr(self, name) for name in names() if name not in others}
        for name in ("weights", "unlabelled", "teacher"):
            if values[name] not in (None, *WEIGHTS):
                values[name] = absolute(values[name])
        return values


class Described(NamedTuple):
    """A setting, as its annotation tells it.

    Attributes:
        kind: the type of a value.
        types: those that it may have; NoneType is among them where it may be left open.
        flag: its option of the command line; "" where it has none.
        values: those that it may have; None where that is not told here.
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
    """An annotation of the values that are not left open."""
    kind, *notes = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        kind = functools.reduce(or_, (one for one in get_args(kind) if one is not NoneType))
    return Annotated[kind, *notes]


def check_weights(weights: str | Path) -> None:
    """Raises UsageError for what looks like a name of weights, and neither is one nor a path."""
    check_values({"weights": values_of(Weights)}, {"weights": weights})
    is_name = isinstance(weights, str) and re.fullmatch("[A-Za-z0-9-]+", weights)
    if is_name and weights not in WEIGHTS and not expanded(weights).exists():
        raise unknown("weights", weights, [*WEIGHTS, "a file of word vectors", "a run"])


def _check_text(name, value):
    """Refuses what no JSON could hold."""
    from zoo.datasets.own_files.text_files import undecodable

    if undecodable(str(value)):
        raise UsageError(f"{name}: not UTF-8, which JSON cannot hold: {str(value)!r}")


def names(group: Group | None = None) -> list[str]:
    """The names of all settings, or of those of a group."""
    return [one.name for one in described() if group in (None, one.group)]


def file_arguments() -> dict[str, str]:
    """The settings of own files by their names as arguments of :func:`zoo.datasets.load_files`."""
    return {name.removesuffix("_data"): name for name in names(Group.FILES)}


def from_keywords(
    settings: Mapping[str, Any], function: str = "zoo.train", allowed: Iterable[str] = ()
) -> TrainSettings:
    """Settings of a function's keywords; ``files``, a dictionary, is an older way to give some.

    Args:
        settings: by their names.
        function: in a message.
        allowed: names that it takes; by default all.

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
    """A path or a glob that is still right from elsewhere, under its own name."""
    path = expanded(path)
    is_glob = glob.has_magic(str(path)) and not path.exists()
    return str(Path(glob.escape(str(Path.cwd())), path) if is_glob else path.absolute())


def documented(*left_out: str) -> Callable:
    """Decorator of a function that takes settings as keywords: ``help`` and editors show them.

    Its docstring has ``{settings}`` where they are told.

    Args:
        left_out: settings that it does not take.
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
    """Adds settings that a function takes as ``**settings`` to what its signature shows.

    Args:
        function: those that it names itself are not added.
        left_out: settings that it does not take.
        annotation: of each.

    Returns:
        Those added.
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
    """A help of the command line, with the names that options have in Python."""
    named = {one.flag: one.name for one in described()}
    return re.sub("--[a-z-]+", lambda found: named[found[0]], help)
