"""Paths as users give them."""

import glob
import os
from pathlib import Path

from zoo.errors import UsageError


def expanded(path: str | Path) -> Path:
    """The path, with a ``~`` at its start as the home folder.

    A shell does not expand that one after ``=``, nor does Python. What is really named ``~`` is
    ``./~``. The result may be given again.

    >>> expanded("./~").is_absolute()
    True
    """
    found = Path(os.path.expanduser(path))
    is_name = isinstance(path, str) and not path.startswith("~") and str(found).startswith("~")
    return found.absolute() if is_name else found


def check_no_pattern(path: Path) -> None:
    """Refuses a path that TensorFlow and Apache Beam could not read from: they take it as a glob.

    Raises:
        UsageError: if it has ``*``, ``?`` or ``[``.
    """
    if glob.has_magic(str(path.absolute())):
        raise UsageError(
            f"TensorFlow takes {path.absolute()} for a pattern: choose a path without *, ? and ["
        )
