"""One process at a time in a folder; folders of a process; and which processes are no more."""

import contextlib
import glob
import os
import platform
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from zoo.errors import UsageError


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps other processes out of a folder that takes the same precaution, to the end or a kill.

    Raises:
        UsageError: if another process is there.
    """
    try:
        import fcntl
    except ImportError:  # Windows, which has no such locks
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)  # a separate lock file would stay after a kill
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}") from None
    try:
        with contextlib.suppress(OSError):  # of a file system without locks
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(
                    f"another process works in {folder}: wait until it ends, or stop it"
                ) from None
        yield
    finally:
        os.close(handle)


_used = set()  # folders of this process
_looking = threading.Lock()  # for those of others


@contextlib.contextmanager
def scratch(folder: Path, name: str) -> Iterator[Path]:
    """A new folder in one that others may write to, for what is gone afterwards.

    Those of the same name that killed processes of this machine left are removed: they may be
    large.
    """
    own = f"{name}-{platform.node()}-"
    with _looking:
        for left in folder.glob(f"{glob.escape(own)}*"):
            found = re.fullmatch(r"(\d+)-\w+", left.name.removeprefix(own))
            mine = found and int(found[1]) == os.getpid()  # or of an earlier one of the same number
            if found and (left not in _used if mine else not is_alive(int(found[1]))):
                shutil.rmtree(left, ignore_errors=True)
        temporary = tempfile.TemporaryDirectory(prefix=f"{own}{os.getpid()}-", dir=folder)
        _used.add(Path(temporary.name))
    with temporary:
        yield Path(temporary.name)


def is_alive(process: int) -> bool:
    """Whether a process of this machine still runs; where that cannot be asked, True."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):  # no such process, and no number of any
        return False
    except OSError:  # another user's
        return True
    return True
