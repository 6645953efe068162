"""How weights start: initializers as Keras' own layers take them, and those of joint kernels."""

import inspect
import random
from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from zoo.errors import UsageError, unknown
from zoo.layers.types import InitializerLike


def get_initializer(given: InitializerLike | None, copied: bool = True) -> Any:
    """The initializer of a name, a configuration or an object; None stays None.

    Args:
        given: as Keras' own layers take it: ``"he_normal"``, its ``keras.initializers.serialize``
            dictionary, a ``keras.initializers.Initializer``, or a function of shape and dtype.
        copied: whether each weight takes a copy of it, by :func:`fresh`. Then only the copies draw
            a seed, and Python's generator of random numbers stays as it was.

    Raises:
        UsageError: for an unknown name, with the nearest ones, and for anything else.

    Example:
        >>> from zoo.layers.initializers import get_initializer
        >>> get_initializer("zeros").__class__.__name__
        'Zeros'
    """
    name = given.get("class_name") if isinstance(given, dict) else given
    state = random.getstate()
    try:
        return keras.initializers.get(given)
    except ValueError as error:
        if not isinstance(name, str):
            raise UsageError(
                "an initializer must be a name, a configuration or an object of "
                f"keras.initializers: got {given!r}"
            ) from error
        if name in names():
            raise
        raise unknown("initializer", name, names()) from None
    finally:
        if copied:
            random.setstate(state)


def names() -> list[str]:
    """The names of Keras' initializers."""
    return [
        name
        for name, kind in vars(keras.initializers).items()
        if inspect.isclass(kind) and name.islower()
    ]


def fresh(initializer: Any) -> Any:
    """A copy that draws its own seed, unless one was given: weights must not start alike.

    None gives "glorot_uniform", which is what Keras starts a kernel with by default.
    """
    known = isinstance(initializer, keras.initializers.Initializer)
    return initializer.clone() if known else initializer or "glorot_uniform"


def in_parts(initializer: Any, parts: int, axis: int = -1) -> Callable[..., Any]:
    """How kernels start that are held as one weight: each as if it stood alone.

    Args:
        initializer: of each.
        parts: how many kernels there are.
        axis: the axis along which they stand side by side.
    """

    def start(shape, dtype=None):
        part = list(shape)
        part[axis] //= parts
        kernels = [fresh(initializer)(tuple(part), dtype=dtype) for _ in range(parts)]
        return ops.concatenate(kernels, axis)

    return start


def orthogonal(rows: int, columns: int, parts: int) -> keras.initializers.Initializer:
    """An orthogonal start of kernels side by side, each as large as it would start alone.

    Columns of an orthogonal kernel are of length 1 as long as there are no more than rows; beyond
    that they get shorter, and side by side there are more.

    Args:
        rows: rows of the kernel.
        columns: columns of all kernels together.
        parts: how many kernels there are.
    """
    alone, together = (min(1.0, rows / number) for number in (columns / parts, columns))
    return keras.initializers.Orthogonal((alone / together) ** 0.5)
