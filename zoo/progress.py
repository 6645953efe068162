"""Long work tells how it goes: a bar on a terminal, a line now and then in a log."""

import contextlib
import importlib.util
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

BAR = 1  # seconds that work takes before there is a bar
LINE = 10  # seconds between two lines, at least; so that short work has none
LONGEST = 30  # seconds between two lines, at most
SHARE = 0.1  # of the work, after which there is a line

_here = threading.local()  # ``inside``: whether this thread computes an item of other progress

logger = logging.getLogger("zoo")


def progress(
    items: Iterable[Any],
    what: str,
    total: int | None = None,
    unit: str = "texts",
    size: Callable[[Any], int] = lambda item: 1,
    shown: bool | None = None,
) -> Iterator[Any]:
    """The items, while standard error tells how far they are.

    On a terminal, and in a notebook with ipywidgets, it is a bar, which goes when the work is done.
    Elsewhere it is a message of the logger ``zoo`` each 10 % of the work, or each 30 seconds, with
    the speed and the time left. Work of under a second has no bar, of under ten no line.

    Where computing an item is long work itself, that tells nothing of its own.

    Args:
        items: what is worked on.
        what: the work, such as "Predicting".
        total: how many units there are, where that is known.
        unit: what is counted.
        size: how many units an item is.
        shown: whether it is; by default where messages of the logger ``zoo`` are, as on the command
            line.

    Example:
        >>> from zoo.progress import progress
        >>> texts = ["A fine day.", "A dull film."]
        >>> sum(len(text) for text in progress(texts, "Reading", len(texts)))
        23
    """
    shown = logger.isEnabledFor(logging.INFO) if shown is None else shown
    if not shown:
        yield from items
        return
    teller, items, inside = (_Bar if _has_bars() else _Lines)(what, total, unit), iter(items), False
    try:
        while True:
            inside, _here.inside = getattr(_here, "inside", False), True
            try:
                item = next(items)
            except StopIteration:
                break
            finally:
                _here.inside = inside
            yield item
            teller.done += size(item)
            if not getattr(_here, "inside", False):  # else the work around this one tells
                teller.tell()
        if not inside:
            teller.end()
    finally:
        teller.close()


@contextlib.contextmanager
def quiet_log() -> Iterator[None]:
    """Keeps back all that is told within, but for warnings."""
    before = logger.level
    logger.setLevel(max(logging.WARNING, logger.getEffectiveLevel()))
    try:
        yield
    finally:
        logger.setLevel(before)


def _has_bars():
    if "ipykernel" in sys.modules:  # where rich needs widgets, and else leaves a warning
        return importlib.util.find_spec("ipywidgets") is not None
    return sys.stderr is not None and sys.stderr.isatty()


class _Lines:
    """Messages of the logger."""

    def __init__(self, what, total, unit):
        self.what, self.total, self.unit = what, total, unit
        self.done, self.told, self.lines = 0, 0, 0  # units: all, and those told of
        self.started = self.last = time.monotonic()

    def tell(self):
        now = time.monotonic()
        since = now - self.last
        if since < LINE:
            return
        far = self.total is not None and self.done - self.told >= SHARE * self.total
        if (far or since >= LONGEST) and self.done != self.total:
            self.last, self.told = now, self.done
            self.lines += 1
            speed = self.done / (now - self.started)
            if self.total is None:
                logger.info("%s: %s %s, %s", self.what, f"{self.done:,}", self.unit, self._a(speed))
                return
            logger.info(
                "%s: %s of %s %s (%.0f%%), %s, %s left",
                *(self.what, f"{self.done:,}", f"{self.total:,}", self.unit),
                100 * self.done / max(self.total, 1),
                *(self._a(speed), duration((self.total - self.done) / speed)),
            )

    def end(self):
        if self.lines:  # else it was short
            took = time.monotonic() - self.started
            logger.info(
                "%s: %s %s in %s, %s",
                *(self.what, f"{self.done:,}", self.unit, duration(took)),
                self._a(self.done / took),
            )

    def close(self):
        pass

    def _a(self, speed):
        return f"{speed:{',.0f' if speed >= 10 else '.1f'}} {self.unit} a second"


class _Bar:
    """A bar of rich, from a second on."""

    def __init__(self, what, total, unit):
        self.what, self.total, self.unit = what, total, unit
        self.done, self.bar, self.started = 0, None, time.monotonic()

    def tell(self):
        if self.bar is None:
            if time.monotonic() - self.started < BAR:
                return
            self._start()
        self.bar.update(self.task, completed=self.done, told=self._told())

    def end(self):
        pass

    def close(self):
        if self.bar is not None:
            self.bar.stop()

    def _start(self):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}")]
        if self.total is not None:
            columns.append(TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task(self.what, total=self.total, told=self._told())
        self.bar.start()

    def _told(self):
        of = "" if self.total is None else f" of {self.total:,}"
        speed = self.done / max(time.monotonic() - self.started, 1e-3)
        return f"{self.done:,}{of} {self.unit}, {speed:,.0f} a second"


def duration(seconds: float) -> str:
    """A time as people say it: ``45 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
