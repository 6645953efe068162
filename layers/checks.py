"""Checks of constructors' arguments."""

from numbers import Integral
from typing import Any


def check_sizes(least: int = 1, **sizes: Any) -> None:
    """Raises ValueError unless each of the arguments is a whole number of at least ``least``."""
    for name, size in sizes.items():
        if not isinstance(size, Integral) or size < least:
            raise ValueError(f"{name} must be a whole number of at least {least}: got {size!r}")


def check_heads(num_heads: int, dim: int, name: str) -> None:
    """Raises ValueError unless ``num_heads`` divides ``dim``, the option called ``name``."""
    check_sizes(num_heads=num_heads)
    if dim % num_heads:
        possible = (heads for heads in range(1, dim + 1) if dim % heads == 0)
        nearest = min(possible, key=lambda heads: abs(heads - num_heads))
        raise ValueError(
            f"num_heads must divide {name}: got num_heads={num_heads}, {name}={dim}; "
            f"the nearest that does is {nearest}"
        )


def half_of(position_dim: int) -> int:
    """Each of two entities has half of it: raises ValueError for an odd one."""
    if position_dim % 2:
        raise ValueError(
            f"position_dim must be even, as each entity has half of it: got {position_dim}"
        )
    return position_dim // 2
