"""The factory: names to models.

A model file registers its names with :func:`register_model`. Importing such a file imports
Keras, which takes seconds, so listing and checking names only reads the decorators.
"""

import ast
import fnmatch
import functools
import importlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import UsageError, unknown
from zoo.options import as_python, check_values

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.recipes import Recipe

READS = ("sentences", "words", "characters")  # what a text is to a model

_registered: dict[str, tuple[type, dict[str, Any]]] = {}


def register_model(name: str, **options: Any) -> Callable[[type], type]:
    """Class decorator that gives a TextClassifier a name for :func:`zoo.build`.

    Each option of the constructor needs a default, and the model keeps it as an attribute of the
    same name, from which it is saved. An annotation tells the allowed values, as in
    ``units: Size = 50``; see :mod:`zoo.options`.

    Args:
        name: the name. One class may have several, each with its own ``options``.
        options: constructor options that make up this variant.

    Raises:
        UsageError: if another class already has the name.

    Example:
        >>> import keras
        >>> import zoo
        >>> @zoo.register_model("mean_of_words")
        ... @keras.saving.register_keras_serializable("own")  # to be loaded again
        ... class MeanOfWords(zoo.TextClassifier):
        ...     def __init__(self, num_classes, **kwargs):
        ...         super().__init__(num_classes, **kwargs)
        ...         self.mean = zoo.layers.MaskedAveragePooling()  # padding must not count
        ...
        ...     def call(self, ids, training=None):
        ...         return self.classify(self.mean(self.embed(ids), mask=ids != 0))
        >>> zoo.build("mean_of_words", num_classes=2).hierarchical
        False
    """

    def decorate(cls: type) -> type:
        taken = _registered.get(name)
        if taken and taken[0].__qualname__ != cls.__qualname__:
            raise UsageError(f"the name {name!r} is taken by {taken[0].__qualname__}")
        shipped = _shipped().get(name)
        if shipped is not None and shipped.module != cls.__module__:
            raise UsageError(f"the name {name!r} is taken by a model of {shipped.module}")
        _registered[name] = (cls, options)
        return cls

    return decorate


@dataclass(frozen=True)
class Outline:
    """A model in a line, as :func:`outlines` gives it.

    Attributes:
        module: the module of its class.
        paper: the first line of that module, which names the paper.
        summary: the first sentence of the class's docstring.
        variant: the options that distinguish the model from others of its class.
        reads: "sentences" (of words), "words" or "characters".
    """

    name: str
    module: str
    paper: str
    summary: str
    variant: dict[str, Any]
    reads: str


@functools.cache
def _shipped() -> dict[str, Outline]:
    """The models in zoo/models by their names, without importing any."""
    found = {}
    for path in sorted((Path(__file__).parent / "models").glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        paper, *_ = (ast.get_docstring(tree) or "").split("\n")
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and _registers(decorator):
                    name = ast.literal_eval(decorator.args[0])
                    variant = {
                        str(one.arg): ast.literal_eval(one.value) for one in decorator.keywords
                    }
                    summary = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
                    module, reads = f"zoo.models.{path.stem}", _reads(node, variant)
                    found[name] = Outline(name, module, paper, summary, variant, reads)
    return found


def _registers(call):
    """Whether a decorator is :func:`register_model`."""
    return ast.unparse(call.func) == "register_model"


def _reads(node, variant):
    """What the models of a class read, by its base and its attributes."""
    if "clean_up = 'characters'" in map(ast.unparse, node.body):
        return "characters"
    sentences = "HierarchicalClassifier" in map(ast.unparse, node.bases)
    return "sentences" if sentences and variant.get("max_sentences", True) else "words"


def outlines(pattern: str = "*", reads: str | None = None) -> list[Outline]:
    """The models, a line for each and those of a paper together. Nothing is imported for it.

    Args:
        pattern: a pattern for names, as for :func:`list_models`.
        reads: only models that read "sentences" (of words), "words" or "characters".

    Raises:
        UsageError: for another value of ``reads``.
    """
    if reads not in (None, *READS):
        raise unknown("value of reads", reads, READS)
    found, shipped = [], _shipped()
    names = list_models(pattern)
    for name in [name for name in shipped if name in names] + [
        name for name in names if name not in shipped
    ]:
        if name in shipped:
            found.append(shipped[name])
        else:  # a user's model, which is imported by now
            own, module = describe(name), _registered[name][0].__module__
            kind, *_ = own.reads.split()
            found.append(Outline(name, module, "Your own", own.summary, own.variant, kind))
    return [one for one in found if reads in (None, one.reads)]


def list_models(pattern: str = "*") -> list[str]:
    """The names of all models, sorted, or of those that match a pattern such as ``"*hcan*"``.

    Example:
        >>> import zoo
        >>> zoo.list_models("han*")
        ['han', 'han_ave', 'han_max']
    """
    return sorted(fnmatch.filter({*_shipped(), *_registered}, pattern))


def check_name(name: str) -> None:
    """Raises UsageError with the nearest matches unless ``name`` is a model."""
    if name not in list_models():
        raise unknown("model", name, list_models())


def import_model(name: str) -> tuple[type["TextClassifier"], dict[str, Any]]:
    """The class of a model and the options that make up the variant."""
    check_name(name)
    if name not in _registered:
        importlib.import_module(_shipped()[name].module)
    return _registered[name]


def name_of(model: "TextClassifier") -> str:
    """The registered name of a model: ``model.name``, or that of the nearest variant.

    Raises:
        UsageError: if its class is not registered.
    """
    variants = {name: options for name, (cls, options) in _registered.items() if cls is type(model)}
    if not variants:
        raise UsageError(
            f"{type(model).__name__} is not a registered model: decorate it with "
            "@zoo.register_model('a_name')"
        )
    if model.name in variants:
        return model.name

    def alike(name):
        options = variants[name]
        same = sum(getattr(model, option) == value for option, value in options.items())
        return same - len(options), same, -len(name)

    return max(variants, key=alike)


def create(
    name: str, num_classes: int, preset: str | None = None, **options: Any
) -> "TextClassifier":
    """Makes a model as :func:`zoo.build` does, but without weights, which take a second."""
    cls = import_model(name)[0]
    settings = {"name": name} | told_options(name, preset, options)
    settings |= {"num_classes": as_python(num_classes)}
    try:
        check_values(cls.option_values(), settings)
        return cls(**settings)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


def told_options(name: str, preset: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options that preset, variant and user set; all others have the class's defaults.

    Raises:
        UsageError: for an unknown preset or option, with the nearest matches.
    """
    cls, variant = import_model(name)
    if preset is not None and preset not in list(cls.presets):
        raise unknown(f"preset of {name}", preset, cls.presets)
    for option in variant | options:
        if option not in cls.option_defaults():
            raise unknown(f"option of {name}", option, cls.option_defaults())
    told = (cls.presets[preset] if preset else {}) | variant | options
    return {option: as_python(value) for option, value in told.items()}


def solves(name: str, preset: str | None = None, **options: Any) -> bool:
    """Whether a model with these options finds its weights at once, in place of by ``fit``."""
    return create(name, 2, preset, **options).solves


def find_recipe(model: str, name: str) -> "Recipe":
    """A recipe of a model: "default", or a paper's, under the name of its preset.

    Raises:
        UsageError: for an unknown one, with the nearest matches.
    """
    from zoo.recipes import Recipe

    if name == "default":  # without its class, whose import takes seconds
        check_name(model)
        return Recipe()
    recipes = {"default": Recipe()} | import_model(model)[0].recipes
    if name not in recipes:
        raise unknown(f"recipe of {model}", name, recipes)
    return recipes[name]


@dataclass(frozen=True)
class Description:
    """What :func:`describe` tells about a model.

    Attributes:
        summary, about: the first sentence on its class, and the paragraphs after it.
        variant: the options that distinguish the model from others of its class.
        options: all options, with their defaults.
        meanings: what each option is.
        presets: the options of each preset, by its name.
        recipes: the recipes by their names: those of papers, and "default".
        characters: whether it reads characters, and not words.
    """

    name: str
    summary: str
    about: str
    variant: dict[str, Any]
    options: dict[str, Any]
    meanings: dict[str, str]
    presets: dict[str, dict[str, Any]]
    recipes: dict[str, Any]  # zoo.recipes.Recipe
    characters: bool

    @property
    def hierarchical(self) -> bool:
        """Whether documents are sentences of words."""
        return self.options["max_sentences"] is not None

    @property
    def reads(self) -> str:
        """What a text is to the model."""
        if self.characters:
            return "characters"
        return "sentences of words" if self.hierarchical else "words"

    @functools.cached_property
    def parameters(self) -> dict[str, int]:
        """Trainable parameters without the word table, for 5 classes, by preset and "default"."""
        presets = {"default": None} | {preset: preset for preset in self.presets}
        return {name: count_parameters(self.name, preset) for name, preset in presets.items()}


def count_parameters(name: str, preset: str | None = None) -> int:
    """Trainable parameters of a model without the word table, for 5 classes."""
    from keras import StatelessScope

    with StatelessScope(initialize_variables=False):  # shapes are enough
        model = create(name, num_classes=5, preset=preset, vocabulary_size=2)
        model.build()
        return model.parameter_count()


def option_meanings(cls: type) -> dict[str, str]:
    """What each option of a class is, from the section Args of its docstring and its bases'."""
    found: dict[str, str] = {}
    for base in cls.__mro__:
        _, _, section = inspect.cleandoc(base.__dict__.get("__doc__") or "").partition("\nArgs:\n")
        for names, meaning in re.findall(r"^ {4}(\w[\w, ]*): (.+(?:\n {5,}.+)*)", section, re.M):
            for name in names.split(", "):
                found.setdefault(name, _plain(meaning))
    return found


def _plain(docstring):
    """Paragraphs without Sphinx's marks, each in one line."""
    paragraphs = re.sub(r":\w+:`|`", "", docstring).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def describe(name: str) -> Description:
    """Options with defaults, presets, recipes, parameter counts and the paper of a model.

    Raises:
        UsageError: for an unknown name.

    Example:
        >>> import zoo
        >>> zoo.describe("hcan").reads
        'sentences of words'
    """
    from zoo.recipes import Recipe

    cls, variant = import_model(name)
    summary, _, about = (inspect.getdoc(cls) or "").partition("\n\n")
    return Description(
        name=name,
        summary=summary,
        about=_plain(about.partition("Args:")[0]),
        variant=variant,
        options=cls.option_defaults() | variant,
        meanings=option_meanings(cls),
        presets={preset: values | variant for preset, values in cls.presets.items()},
        recipes={"default": Recipe()} | cls.recipes,
        characters=cls.clean_up == "characters",
    )
