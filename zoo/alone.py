"""One process at a time in a folder; and which processes are no more."""

import contextlib
import os
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
        handle = os.open(folder, os.O_RDONLY)  # no file of its own, which a kill would leave
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


def is_alive(process: int) -> bool:
    """Whether a process of this machine still runs; where that cannot be asked, True."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
