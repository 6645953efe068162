"""Imports run down only: a room knows those below it, and none above; and nowhere in a circle."""

import ast
import graphlib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOPS = ("zoo", "layers", "datasets")
# From below to above; those on a line do not know each other, but for what is named here.
LEVELS = [
    "errors",
    "letters progress filesystem options backend",
    "optimizers layers",
    "answers",
    "datasets",
    "recipes input_checks words_and_labels",
    "text_inputs",
    "first_fit fit_at_once",
    "explanation",  # below the classifier, whose method it is
    "classifier",
    "registry",
    "settings",
    "models runs",
    "weights",
    "evaluation",
    "shipping",
    "training",
    "estimator",
    "cli",
    "__main__",
]
LEVEL = {room: number for number, rooms in enumerate(LEVELS) for room in rooms.split()}


def imports():
    """Of each module: the modules that it imports, also within functions and for types."""
    paths = {}
    for path in [
        path for top in ("zoo", "layers", "datasets") for path in ROOT.glob(f"{top}/**/*.py")
    ]:
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts if parts[0] == "zoo" else ("zoo", *parts))
        paths[name.removesuffix(".__init__")] = path
    found = defaultdict(set)
    for name, path in paths.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found[name] |= {one.name for one in node.names if one.name in paths}
            elif isinstance(node, ast.ImportFrom) and node.module in paths:
                inner = {f"{node.module}.{one.name}" for one in node.names}
                found[name] |= inner & paths.keys() or {node.module}
    del found["zoo"]  # the public functions, of all rooms
    assert len(found) > 80
    return found


def room_of(module):
    return module.split(".")[1]


def test_no_room_knows_one_above_it():
    known = {
        (name, other)
        for name, others in imports().items()
        for other in others - {"zoo"}  # which knows all by name only
        if room_of(name) != room_of(other)
    }
    up = [pair for pair in known if LEVEL[room_of(pair[0])] <= LEVEL[room_of(pair[1])]]
    assert not up


def test_no_module_knows_itself_by_way_of_others():
    graph = {name: others - {"zoo"} for name, others in imports().items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises for a circle
