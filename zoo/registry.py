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
from zoo.options import checked

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

_registered: dict[str, tuple[type, dict[str, Any]]] = {}


def register_model(name: str, **options: Any) -> Callable[[type], type]:
    """Class decorator that gives a TextClassifier a name for :func:`build`.

    Options of its constructor have a default, and the model keeps each as an attribute of its
    name, from which it is saved.

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
        >>> zoo.build("mean_of_words", num_classes=2)
    """

    def decorate(cls: type) -> type:
        taken = _registered.get(name)
        if taken and taken[0].__qualname__ != cls.__qualname__:
            raise UsageError(f"the name {name!r} is taken by {taken[0].__qualname__}")
        if (shipped := _shipped().get(name, cls.__module__)) != cls.__module__:
            raise UsageError(f"the name {name!r} is taken by a model of {shipped}")
        _registered[name] = (cls, options)
        return cls

    return decorate


@functools.cache
def _shipped() -> dict[str, str]:
    """Names of the models in zoo/models, each with its module, without importing any."""
    modules = {}
    for path in sorted((Path(__file__).parent / "models").glob("[!_]*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            for decorator in getattr(node, "decorator_list", []):
                if ast.unparse(decorator).startswith("register_model("):
                    modules[decorator.args[0].value] = f"zoo.models.{path.stem}"
    return modules


def list_models(pattern: str = "*") -> list[str]:
    """Names of all models, sorted; ``pattern`` as in ``zoo.list_models("*hcan*")``."""
    return sorted(fnmatch.filter({*_shipped(), *_registered}, pattern))


def check_name(name: str) -> None:
    """Raises UsageError with the nearest matches unless ``name`` is a model."""
    if name not in list_models():
        raise unknown("model", name, list_models())


def import_model(name: str) -> tuple[type["TextClassifier"], dict[str, Any]]:
    """The class of a model and the options that make up the variant."""
    check_name(name)
    if name not in _registered:
        importlib.import_module(_shipped()[name])
    return _registered[name]


def name_of(model: "TextClassifier") -> str:
    """The registered name of a model: its own, or that of the variant whose options it has.

    Raises:
        UsageError: if its class is not registered.
    """
    variants = {name: options for name, (cls, options) in _registered.items() if cls is type(model)}
    if not variants:
        raise UsageError(
            f"{type(model).__name__} is no registered model: decorate it with "
            "@zoo.register_model('a_name')"
        )
    if model.name in variants:
        return model.name

    def alike(name):
        options = variants[name]
        same = sum(getattr(model, option) == value for option, value in options.items())
        return same - len(options), same, -len(name)

    return max(variants, key=alike)


def build(
    name: str, num_classes: int, preset: str | None = None, **options: Any
) -> "TextClassifier":
    """Builds a model with fresh weights.

    Args:
        name: a name of :func:`list_models`.
        num_classes: number of classes, at least 2.
        preset: a named set of options, usually a paper's; see :func:`describe`.
        options: constructor options; they win over the preset.

    Returns:
        A built :class:`zoo.TextClassifier`: ids in, ``[batch, num_classes]`` probabilities out.

    Raises:
        UsageError: for an unknown name, preset or option, with the nearest matches, and for a
            value that an option cannot take.

    Note:
        Inside a functional model two of the same name need names of their own: set
        ``model.name``. Keras loads such a model once the files of the models in it are imported,
        as by ``import zoo.models.hcan``.

    Example:
        >>> import numpy as np
        >>> model = zoo.build("hcan", num_classes=5)
        >>> model.predict(np.array([[[4, 5, 0], [6, 0, 0]]])).shape
        (1, 5)
    """
    model = create(name, num_classes, preset, **options)
    model.build()
    return model


def create(
    name: str, num_classes: int, preset: str | None = None, **options: Any
) -> "TextClassifier":
    """What :func:`build` does, but without weights yet: these take a second."""
    cls, variant = import_model(name)
    if preset is not None and preset not in list(cls.presets):
        raise unknown(f"preset of {name}", preset, cls.presets)
    for option in variant | options:
        if option not in cls.option_defaults():
            raise unknown(f"option of {name}", option, cls.option_defaults())
    settings = {"name": name} | (cls.presets[preset] if preset else {}) | variant | options
    settings = checked(name, settings | {"num_classes": num_classes}, cls.option_defaults())
    try:
        return cls(**settings)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


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
        from keras import StatelessScope

        with StatelessScope(initialize_variables=False):  # shapes are enough
            return {
                preset or "default": build(
                    self.name, num_classes=5, preset=preset, vocabulary_size=2
                ).parameter_count()
                for preset in (None, *self.presets)
            }


def describe(name: str) -> Description:
    """Options with defaults, presets, recipes, parameter counts and the paper of a model.

    Raises:
        UsageError: for an unknown name.
    """
    from zoo.recipes import Recipe

    cls, variant = import_model(name)
    summary, _, about = inspect.getdoc(cls).partition("\n\n")
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
