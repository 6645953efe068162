"""Paths as users give them."""

import os
from pathlib import Path


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
