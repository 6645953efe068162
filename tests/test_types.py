"""Public signatures have types: of each parameter, and of what is returned."""

import inspect

import keras
import pytest

import zoo
from zoo import datasets, layers

MODULES = (zoo, layers, datasets)
PUBLIC = {f"{room.__name__}.{name}": (room, name) for room in MODULES for name in room.__all__}


def functions_of(thing):
    """The functions that a public name makes known: itself, or a class's own methods."""
    if not inspect.isclass(thing):
        return [thing] if callable(thing) else []
    return [
        inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", member)))
        for base in thing.__mro__
        if base.__module__.startswith("zoo.")
        for name, member in vars(base).items()
        if name in ("__init__", "__call__") or not name.startswith("_")
        if isinstance(member, classmethod | staticmethod | property) or inspect.isfunction(member)
    ]


def without_types(function):
    """The parameters of a function that have no type, and "return"."""
    signature = inspect.signature(function)
    bare = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.annotation is parameter.empty and name not in ("self", "cls")
    ]
    returned = signature.return_annotation is not signature.empty or function.__name__ == "__init__"
    return bare if returned else [*bare, "return"]


def check(thing):
    bare = {f.__qualname__: missing for f in functions_of(thing) if (missing := without_types(f))}
    assert not bare


@pytest.mark.parametrize("name", PUBLIC)
def test_public_signatures_have_types(name):
    room, own = PUBLIC[name]
    check(getattr(room, own))


@pytest.mark.parametrize("name", zoo.list_models())
def test_models_signatures_have_types(name):
    kind = zoo.registry.import_model(name)[0]
    assert issubclass(kind, keras.Model)
    check(kind)
