"""Counts what the stress tests try, and reports it: on the screen, and with ``--report`` as a page.

A test calls ``cases(kind)`` for each generated case, and ``faults(kind, lost="nothing")`` for each
fault that it injects. Both work inside Hypothesis' tests. Run in one process.
"""

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from rich.console import Console
from rich.table import Table

CASES = ("kind of test", "cases", "failures", "seconds")
FAULTS = ("fault", "injected", "lost")

ABOUT = (
    "Cases are generated inputs, each of which has to come out right; a failure is a test that "
    "failed, and seconds are of tests. Tests that inject faults have no cases: the second table "
    "counts what they break or kill, and what was lost by it. A kind with the name of a file is "
    "of tests that fit no other."
)

settings.register_profile(
    "stress",
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=set(Phase) - {Phase.explain},  # that takes minutes
)
settings.load_profile("stress")


class Tally:
    """What was tried, by kind. Failures and seconds are those of tests, of the first kind in each.

    Attributes:
        cases, failures, seconds: by kind of test.
        faults: by kind of fault and what was lost.
    """

    def __init__(self):
        self.cases, self.failures, self.seconds, self.faults = (Counter() for _ in range(4))
        self.started = time.perf_counter()
        self.kind = None  # that of the test that runs

    def case(self, kind, n=1):
        self.kind = self.kind or kind
        self.cases[kind] += n

    def fault(self, kind, n=1, lost="nothing"):
        self.kind = self.kind or kind
        self.faults[kind, lost] += n

    def ended(self, report):
        """Counts a part of a test; the teardown is the last one."""
        kind = self.kind or Path(report.nodeid.split("::")[0]).stem
        if report.when == "call" and not report.skipped:
            self.seconds[kind] += report.duration
        if report.failed:
            self.failures[kind] += 1
        if report.when == "teardown":
            self.kind = None

    def case_rows(self):
        kinds = dict.fromkeys([*self.cases, *self.seconds, *self.failures])
        rows = [
            (kind, f"{self.cases[kind]:,}", str(self.failures[kind]), f"{self.seconds[kind]:.0f}")
            for kind in kinds
        ]
        seconds = time.perf_counter() - self.started
        totals = (f"{self.cases.total():,}", str(self.failures.total()), f"{seconds:.0f}")
        return [*rows, ("all", *totals)]

    def fault_rows(self):
        return [(kind, f"{n:,}", lost) for (kind, lost), n in self.faults.items()]


tally = Tally()


@pytest.fixture(scope="session")
def cases():
    """``cases(kind, n=1)`` counts generated cases."""
    return tally.case


@pytest.fixture(scope="session")
def faults():
    """``faults(kind, n=1, lost="nothing")`` counts injected faults, and what they cost."""
    return tally.fault


def pytest_addoption(parser):
    parser.addoption("--report", type=Path, help="Write what was tried to this Markdown file.")


def pytest_runtest_logreport(report):
    if "stress" in Path(report.nodeid.split("::")[0]).parts:
        tally.ended(report)


def pytest_terminal_summary(exitstatus, config):
    if not (tally.cases or tally.faults):
        return
    for titles, rows in ((CASES, tally.case_rows()), (FAULTS, tally.fault_rows())):
        if rows:
            _print(titles, rows)
    path = config.getoption("--report", None)
    if path is not None and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        path.write_text(page(tally), "utf-8")
        print(f"Written: {path}")


def page(tally):
    """The report in Markdown."""
    from benchmarks.report import machine

    parts = [f"# Stress\n\nWritten by `make stress` on {machine()}. {ABOUT}\n"]
    parts += [_table(CASES, tally.case_rows())]
    if tally.faults:
        parts += [_table(FAULTS, tally.fault_rows())]
    return "\n".join(parts)


def _table(titles, rows):
    rules = ["---"] + ["--:"] * (len(titles) - 1)
    return "".join(f"| {' | '.join(row)} |\n" for row in (titles, rules, *rows))


def _print(titles, rows):
    table = Table(*titles)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
