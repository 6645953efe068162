"""The peak memory of a process."""

import resource
from pathlib import Path


def forget_peak() -> None:
    """Lets the peak start anew from what is held now; on Linux."""
    peak = Path("/proc/self/clear_refs")
    if peak.exists():
        peak.write_text("5")


def peak_memory() -> float:
    """The most resident memory that this process has held, in MiB.

    Not ``ru_maxrss`` on Linux, which starts at what the process that started this one held.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # bytes, on a Mac
