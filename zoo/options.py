"""Which values an option of a model may have: its annotation in the constructor tells.

It is ``bool``, ``int``, ``float``, ``str``, a ``Literal``, a kind of those below, or several, as in
``Size | None``. An option without such an annotation may have any value. What only several options
tell together, such as whether heads divide a width, the constructor checks.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from zoo.errors import UsageError, unknown


class Values(NamedTuple):
    """The values that an option may have.

    Attributes:
        what: they in words.
        has: whether a value is one of them.
        choices: all of them, where they are few.
    """

    what: str
    has: Callable[[Any], bool]
    choices: tuple[Any, ...] = ()


def is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return (
        isinstance(value, Real) and not isinstance(value, bool) and abs(value) <= sys.float_info.max  # type: ignore[operator]
    )


def are_sizes(value: Any) -> bool:
    whole = isinstance(value, list | tuple) and all(map(is_whole, value))
    return whole and len(value) > 0 and min(value) >= 1


def at_least(least: int) -> Values:
    return Values(f"a whole number of at least {least}", lambda x: is_whole(x) and x >= least)


Classes = Annotated[int, at_least(2)]
Size = Annotated[int, at_least(1)]
Sizes = Annotated[tuple[int, ...], Values("a list of whole numbers of at least 1", are_sizes)]
Distance = Annotated[int, at_least(0)]
Positive = Annotated[float, Values("a number above 0", lambda x: is_number(x) and x > 0)]
Weight = Annotated[float, Values("a number of at least 0", lambda x: is_number(x) and x >= 0)]
Share = Annotated[float, Values("a number from 0 to 1", lambda x: is_number(x) and 0 <= x <= 1)]
Rate = Annotated[float, Values("at least 0 and below 1", lambda x: is_number(x) and 0 <= x < 1)]

PLAIN = {
    bool: Values("True or False", lambda x: isinstance(x, bool)),
    int: Values("a whole number", is_whole),
    float: Values("a number", is_number),
    str: Values("a string", lambda x: isinstance(x, str)),
    NoneType: Values("None", lambda x: x is None, (None,)),
}


def values_of(annotation: Any) -> Values | None:
    """What an annotation allows; None where it tells nothing that could be checked."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        found = (one for one in annotation.__metadata__ if isinstance(one, Values))
        return next(found, values_of(parts[0]))
    if origin is Literal:
        return Values(" or ".join(map(repr, parts)), lambda x: _is_one_of(x, parts), parts)
    if origin in (Union, UnionType):
        kinds = [values_of(part) for part in parts]
        return None if None in kinds else _any_of(kinds)
    return PLAIN.get(annotation) if isinstance(annotation, type) else None


def _is_one_of(value, choices):
    alike = (one for one in choices if isinstance(value, type(one)))
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in alike)


def _any_of(kinds):
    few = all(kind.choices for kind in kinds)
    return Values(
        ", or ".join(kind.what for kind in kinds),
        lambda x: any(kind.has(x) for kind in kinds),
        sum((kind.choices for kind in kinds), ()) if few else (),
    )


def declared_values(constructors: Iterable[Callable]) -> dict[str, Values]:
    """What annotations allow, by the name of the argument; the first that has one counts."""
    found = {}
    for constructor in constructors:
        try:
            annotations = get_type_hints(constructor, include_extras=True)
        except Exception:  # they may be anything, and name what only a type checker knows
            continue
        annotations.pop("return", None)
        for name, annotation in annotations.items():
            found.setdefault(name, values_of(annotation))
    return {name: values for name, values in found.items() if values is not None}


def check_values(values: Mapping[str, Values], given: Mapping[str, Any]) -> None:
    """Raises UsageError for a value that its option cannot have."""
    for option, value in given.items():
        allowed = values.get(option)
        if allowed is None or allowed.has(value):
            continue
        if allowed.choices:
            raise unknown(option, value, allowed.choices)
        raise UsageError(f"{option} must be {allowed.what}: got {value!r}")


def as_python(value: Any) -> Any:
    """NumPy's numbers as Python's, which Keras and JSON know; all else as it is."""
    if isinstance(value, int | float) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)
