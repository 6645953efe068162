"""ONNX graphs, written as one writes NumPy: Python's operators, and ``graph.Operator(values)``."""

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

VERSIONS = {"": 20, "ai.onnx.ml": 4, "com.microsoft": 1}  # version of each domain's operators
DOMAINS = {"LabelEncoder": "ai.onnx.ml", "Tokenizer": "com.microsoft"}
LAST = np.iinfo("int64").max


class Value:
    """A tensor of a graph, to which Python's operators apply."""

    def __init__(self, graph: "Graph", name: str):
        self.graph, self.name = graph, name

    def __add__(self, other):
        return self.graph.Add(self, other)

    def __sub__(self, other):
        return self.graph.Sub(self, other)

    def __mul__(self, other):
        return self.graph.Mul(self, other)

    def __eq__(self, other):
        return self.graph.Equal(self, other)

    def __lt__(self, other):
        return self.graph.Less(self, other)

    def __gt__(self, other):
        return self.graph.Greater(self, other)

    def __and__(self, other):
        return self.graph.And(self, other)

    def __or__(self, other):
        return self.graph.Or(self, other)

    def __invert__(self):
        return self.graph.Not(self)

    __hash__ = None

    def __getitem__(self, places: "Value | slice") -> "Value":
        """The elements along the first axis at the places, or in a slice."""
        if isinstance(places, Value):
            return self.graph.Gather(self, places)
        end = LAST if places.stop is None else places.stop
        return self.graph.Slice(self, [places.start or 0], [end], [0])

    def where(self) -> "Value":
        """The places, int64, at which a tensor of one axis is true."""
        return self.graph.Reshape(self.graph.NonZero(self), [-1])

    def int64(self) -> "Value":
        return self.graph.Cast(self, to=TensorProto.INT64)

    def sums(self, exclusive: bool = False) -> "Value":
        """Cumulative sums along the first axis, int64, with each element or without it."""
        return self.graph.CumSum(self, 0, exclusive=int(exclusive))


class Graph:
    """Nodes and constants, in the order in which they are made.

    ``graph.Where(a, b, c)`` adds a node of that operator. An operand that is not a :class:`Value`
    becomes a constant: numbers become int64, arrays keep their type.

    Args:
        name: a prefix for the names of all values of the graph.
    """

    def __init__(self, name: str):
        self.nodes, self.constants, self.begins, self.made = [], {}, name, 0

    def __getattr__(self, operator: str) -> Callable[..., Value]:
        if not operator[0].isupper():
            raise AttributeError(operator)
        return lambda *operands, **attributes: self._add(operator, operands, attributes)

    def value(self, operand: Any) -> Value:
        """An operand as a value; equal constants are stored once."""
        if isinstance(operand, Value):
            return operand
        array = np.asarray(operand)
        array = (
            array.astype("int64")
            if not isinstance(operand, np.ndarray) and array.dtype.kind == "i"
            else array
        )
        array = array.astype(object) if array.dtype.kind == "U" else array
        content = repr(array.tolist()) if array.dtype == object else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self.constants:
            self.constants[key] = numpy_helper.from_array(array, self._name())
        return Value(self, self.constants[key].name)

    def when(self, condition: Value, change: Callable[[], Value], otherwise: Value) -> Value:
        """What ``change`` computes if the condition is true, in a subgraph; else ``otherwise``."""
        branches = {}
        for name, make in (("then", change), ("else", lambda: self.Identity(otherwise))):
            outer, self.nodes = self.nodes, []
            result = helper.make_empty_tensor_value_info(make().name)
            branches[f"{name}_branch"] = helper.make_graph(self.nodes, name, [], [result])
            self.nodes = outer
        return self._add("If", [condition], branches)

    def rename(self, value: Value, name: str) -> None:
        """Gives a value another name, such as an output's."""
        self.nodes.append(helper.make_node("Identity", [value.name], [name]))

    def _name(self):
        self.made += 1
        return f"{self.begins}_{self.made}"

    def _add(self, operator, operands, attributes):
        names = [self.value(one).name for one in operands]
        output = self._name()
        domain = DOMAINS.get(operator, "")
        self.nodes.append(helper.make_node(operator, names, [output], domain=domain, **attributes))
        return Value(self, output)
