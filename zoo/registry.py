"""The factory: names to models.

A model file registers its names with :func:`register_model`. Importing such a file imports
Keras, which takes seconds, so listing and checking names only reads the decorators.
"""

import ast
import fnmatch
import functools
import importlib
import inspect
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

    Options of its constructor have a default, and the model keeps each as an attribute of its
    name, from which it is saved. An annotation tells which values one may have, as in
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
        module: where it is.
        paper: the first line of its file, which names the paper.
        summary: the first sentence of its class.
        variant: the options that set it apart from others of its class.
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
    """The models in a line each, those of a paper together; fast, as nothing is imported.

    Args:
        pattern: of their names, as of :func:`list_models`.
        reads: only models that read "sentences" (of words), "words" or "characters".

    Raises:
        UsageError: for another ``reads``.
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
        else:  # of one's own, and imported by now
            own, module = describe(name), _registered[name][0].__module__
            kind, *_ = own.reads.split()
            found.append(Outline(name, module, "Your own", own.summary, own.variant, kind))
    return [one for one in found if reads in (None, one.reads)]


def list_models(pattern: str = "*") -> list[str]:
    """Names of all models, sorted; ``pattern`` as in ``zoo.list_models("*hcan*")``.

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
    """The registered name of a model: its own, or that of the variant whose options it has.

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
    """What :func:`zoo.build` does, but without weights yet: these take a second."""
    cls = import_model(name)[0]
    settings = {"name": name} | told_options(name, preset, options)
    settings |= {"num_classes": as_python(num_classes)}
    try:
        check_values(cls.option_values(), settings)
        return cls(**settings)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


def told_options(name: str, preset: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a model that are not left at the defaults of its class.

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
    """What :func:`describe` tells of a model.

    Attributes:
        summary, about: of its class, in a sentence, and what more there is to say.
        variant: the options that set it apart from others of its class.
        options: all of them, with their defaults.
        presets: options by the name of a preset.
        recipes: by their names; those of papers, and "default".
        characters: whether it reads these, and not words.
    """

    name: str
    summary: str
    about: str
    variant: dict[str, Any]
    options: dict[str, Any]
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
        about=about.partition("Args:")[0].strip(),
        variant=variant,
        options=cls.option_defaults() | variant,
        presets={preset: values | variant for preset, values in cls.presets.items()},
        recipes={"default": Recipe()} | cls.recipes,
        characters=cls.clean_up == "characters",
    )
