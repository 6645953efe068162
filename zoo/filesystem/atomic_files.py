"""Files and folders that are whole at any moment, whatever stops the process."""

import contextlib
import errno
import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zoo.errors import UsageError
from zoo.filesystem.folder_locks import is_alive

KINDS = (".partial-", ".old-")  # how names begin of what is being written, and of what was there
# Of the machine, as several may share a disk; short, as the rest of a name has to fit, too.
NODE = hashlib.sha256(platform.node().encode()).hexdigest()[:12]


def check_new(path: Path, option: str = "--output") -> None:
    """Raises UsageError if a file or folder is there, or a link to nowhere."""
    if os.path.lexists(path):
        name = option.lstrip("-")
        raise UsageError(f"{path} is there already: remove it, or choose another {name} ({option})")


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name to write a file or folder under, which becomes ``path`` once it is complete.

    If writing fails, or the power does while it is a file, ``path`` is as before. Two processes
    that write it at once, also of two machines, do not touch each other's work: the last one stays.
    What a killed one of this machine left is removed.

    Raises:
        UsageError: if there is no room, or no leave, to write.
    """
    path = path if path.name else path.absolute()
    partial, old = (path.with_name(f"{kind}{NODE}-{os.getpid()}-{path.name}") for kind in KINDS)
    try:
        path.parent.mkdir(exist_ok=True)
        _remove_left_over(path)
        yield partial
        if partial.is_file():  # whose name could reach the disk before what is in it
            to_disk(partial)
        if path.is_dir():
            if not partial.is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            path.replace(old)  # at once: removing it takes time, in which it would be half there
        partial.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"cannot write {path}: {reason}. What is there is complete") from None
    finally:
        for left in (partial, old):
            with contextlib.suppress(OSError):
                _remove_or_put_back(left, path)


def to_disk(path: Path) -> None:
    """Waits until what was written into a file would outlast a power cut."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _remove_left_over(path):
    """Removes what was being written to ``path`` by processes that are no more, or by this one.

    A folder that one of them had moved away, with nothing in its place yet, comes back.
    """
    kinds = "|".join(map(re.escape, KINDS))
    name = re.compile(rf"(?:{kinds}){NODE}-(\d+)-{re.escape(path.name)}")
    for left in path.parent.iterdir():
        found = name.fullmatch(left.name)
        if found and (int(found[1]) == os.getpid() or not is_alive(int(found[1]))):
            _remove_or_put_back(left, path)


def _remove_or_put_back(left, path):
    if left.name.startswith(KINDS[1]) and left.is_dir() and not path.exists():
        left.replace(path)
    else:
        _remove(left)


def _remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON."""
    with whole(path) as partial:
        text = json.dumps(value, indent=2, ensure_ascii=False, default=_of_numpy)
        partial.write_text(text + "\n", "utf-8")


def _of_numpy(number):
    """A number of NumPy's as one of Python's."""
    return number.item()
