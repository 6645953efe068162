"""Long work tells how it goes, short work nothing."""

import io
import sys

import pytest

from zoo import progress as module
from zoo.progress import duration, progress


class Clock:
    """Seconds that pass as the work says."""

    now = 0.0

    def monotonic(self):
        return self.now

    def work(self, number, seconds):
        for item in range(number):
            self.now += seconds
            yield item


@pytest.fixture
def clock(monkeypatch, caplog):
    caplog.set_level("INFO", "zoo")
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_lines_of_a_log(clock, caplog):
    """Each tenth of the work, and what it came to."""
    assert list(progress(clock.work(200, 0.5), "Predicting", 200)) == list(range(200))
    assert len(caplog.messages) == 10
    first, *_, last = caplog.messages
    assert first == "Predicting: 20 of 200 texts (10%), 2.0 texts a second, 90 s left"
    assert last == "Predicting: 200 texts in 2 min, 2.0 texts a second"


def test_slow_work_is_told_each_half_minute(clock, caplog):
    list(progress(clock.work(700, 1), "Reading", 700_000, "rows", size=lambda item: 1000))
    assert caplog.messages[0].startswith(
        "Reading: 30,000 of 700,000 rows (4%), 1,000 rows a second"
    )
    assert len(caplog.messages) == 700 // 30 + 1


def test_work_of_unknown_length(clock, caplog):
    list(progress(clock.work(40, 1), "Reading", unit="rows"))
    assert caplog.messages == [
        "Reading: 30 rows, 1.0 rows a second",
        "Reading: 40 rows in 40 s, 1.0 rows a second",
    ]


def test_short_work_and_what_is_not_to_be_shown_tell_nothing(clock, caplog):
    list(progress(clock.work(40, 0.1), "Reading", 40))
    list(progress(clock.work(40, 10), "Reading", 40, shown=False))
    caplog.set_level("WARNING", "zoo")
    list(progress(clock.work(40, 10), "Reading", 40))
    assert not caplog.messages


def test_work_inside_other_work_is_told_once(clock, caplog):
    def texts():
        for _ in range(3):
            yield from progress(clock.work(10, 2), "Reading", 10)

    list(progress(texts(), "Predicting", 30))
    assert caplog.messages and all(line.startswith("Predicting") for line in caplog.messages)
    left = progress(clock.work(9, 9), "Left", 9)
    next(left)  # and no more of it: work beside it is still told
    list(progress(clock.work(10, 10), "Reading", 10))
    assert caplog.messages[-1].startswith("Reading")


def test_an_error_ends_it(clock):
    def broken():
        yield 1
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(progress(broken(), "Reading", 2))
    assert not module._here.inside


def test_a_terminal_has_a_bar(clock, monkeypatch, caplog):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    list(progress(clock.work(5, 0.1), "Short", 5))
    assert terminal.getvalue() == ""
    list(progress(clock.work(20, 1), "Predicting", 40_000, size=lambda item: 2000))
    for part in ("Predicting", "of 40,000 texts, 2,000 a second"):
        assert part in terminal.getvalue()
    assert not caplog.messages


def test_a_time_as_people_say_it():
    told = [duration(seconds) for seconds in (0.4, 45, 99.4, 750, 5940, 12_000)]
    assert told == ["0 s", "45 s", "99 s", "12 min", "99 min", "3 h 20 min"]
