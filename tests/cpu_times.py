"""`pytest -p tests.cpu_times` tells what each test file cost in CPU seconds, processes included that ended in it.

Seconds on the wall tell little where others use the machine, and nothing of what waits.
"""

import os
from collections import Counter
from collections.abc import Generator

import pytest

from tests.support.forks import CPU_SECONDS

_CPU = "cpu seconds"
_SHOWN = 40
_spent: Counter[str] = Counter()
_begun: dict[str, float] = {}


def pytest_runtest_logstart(nodeid: str) -> None:
    _begun[nodeid] = _now()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown" and item.nodeid in _begun:
        report.user_properties.append((_CPU, _now() - _begun.pop(item.nodeid)))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, seconds in report.user_properties:
        if name == _CPU and isinstance(seconds, float):
            _spent[report.nodeid.partition("::")[0]] += seconds


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"CPU seconds: {_spent.total():.0f}, and {len(_spent)} files")
    for file, seconds in _spent.most_common(_SHOWN):
        terminalreporter.write_line(f"{seconds:8.1f}  {file}")


def _now() -> float:
    """The CPU seconds of this process and of its children that were waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system + sum(CPU_SECONDS)
