"""What reports say of the machine, and what the site's page of results shows of them."""

import platform
from importlib.metadata import version
from pathlib import Path

import psutil

PAGE = Path(__file__).parent.parent / "docs" / "measured.md"


def machine() -> str:
    """What a report says of the machine."""
    memory = psutil.virtual_memory().total / 2**30
    cores = psutil.cpu_count(logical=False)
    known = Path("/proc/cpuinfo")  # of Linux
    lines = known.read_text().splitlines() if known.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    name = next(names, platform.processor() or platform.machine())
    versions = f"TensorFlow {version('tensorflow')}, Keras {version('keras')}"
    return f"{name}, {cores} cores, {memory:.0f} GiB, {versions}"


def tell(part: str, text: str) -> None:
    """Puts a text into its place in the page."""
    start, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, found, rest = PAGE.read_text("utf-8").partition(start)
    assert found and end in rest, f"{PAGE.name} has no place for {part}"
    PAGE.write_text(f"{before}{start}{text}\n{end}{rest.partition(end)[2]}", "utf-8")
