"""Each public name has an example in its docstring, and each example runs."""

import doctest
import importlib
import inspect
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

import zoo
from zoo import datasets, layers, registry

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
GOOD, BAD = ("fine", "great", "lovely"), ("dull", "poor", "awful")
THINGS = ("film", "day", "book", "room", "meal", "song", "play", "trip", "hotel", "garden")


PUBLIC = [f"{room.__name__}.{name}" for room in (zoo, layers, datasets) for name in room.__all__]
PUBLIC.remove("zoo.datasets.CATALOGUE")  # a dictionary


def modules_with_examples():
    for top, name in (("zoo", "zoo"), ("layers", "zoo.layers"), ("datasets", "zoo.datasets")):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT / top).with_suffix("").parts
            module = ".".join([name, *parts]).removesuffix(".__init__")
            if ">>> " in path.read_text("utf-8"):
                yield module


def thing_of(name):
    """What a public name is; of a model its class."""
    room, _, own = name.rpartition(".")
    return getattr(importlib.import_module(room), own) if room else registry.import_model(name)[0]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """``reviews.csv``, and two runs that learnt from it: ``run`` and ``other``."""
    folder = tmp_path_factory.mktemp("examples")
    rows = [
        (f"A {word} {thing}.", label)
        for label, words in (("good", GOOD), ("bad", BAD))
        for word, thing in product(words, THINGS)
    ]
    pd.DataFrame(rows, columns=["text", "label"]).to_csv(folder / "reviews.csv", index=False)
    runs = {
        name: zoo.train(model, folder / "reviews.csv", output=folder / "runs")
        for name, model in (("run", "svm_bigrams"), ("other", "svm_unigrams"))
    }
    return folder, runs


@pytest.fixture
def _forgets_models():
    """Models that an example registers are not there for other tests."""
    before = {*registry._registered}
    yield
    for name in {*registry._registered} - before:
        if not registry._registered[name][0].__module__.startswith("zoo.models."):
            del registry._registered[name]


@pytest.mark.usefixtures("_forgets_models")
@pytest.mark.parametrize("module", [*modules_with_examples()])
def test_examples_run(module, folder, monkeypatch):
    """In a folder with ``reviews.csv``, where ``run`` and ``other`` are runs."""
    place, runs = folder
    monkeypatch.chdir(place)
    module = importlib.import_module(module)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner, said = doctest.DocTestRunner(optionflags=FLAGS, verbose=False), []
    for test in finder.find(module, module.__name__, globs=vars(module) | runs | {"zoo": zoo}):
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("name", [*PUBLIC, *zoo.list_models()])
def test_public_names_have_an_example(name):
    assert ">>> " in (inspect.getdoc(thing_of(name)) or ""), f"{name} has no example"
