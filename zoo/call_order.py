"""The order in which a model calls its layers."""

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import keras


@contextmanager
def recorded_calls(layers: Iterable[keras.layers.Layer]) -> Iterator[list[keras.layers.Layer]]:
    """The layers that were called in a ``with`` block, in the order of their first calls."""
    called = []

    def record(layer, call, *args, **kwargs):
        if not any(layer is one for one in called):
            called.append(layer)
        return call(*args, **kwargs)

    layers = list(layers)
    for layer in layers:
        layer.call = functools.partial(record, layer, layer.call)
    try:
        yield called
    finally:
        for layer in layers:
            del layer.call
