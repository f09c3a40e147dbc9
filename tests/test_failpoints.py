"""Named places where a process can be ended."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright import failpoints
from bookwright.failpoints import Failpoint, FailpointReached, around, reach


@pytest.fixture(autouse=True)
def _disarmed() -> Iterator[None]:
    yield
    failpoints.arm()


def test_nothing_happens_unless_it_is_armed() -> None:
    failpoints.arm()
    done = []

    with around(Failpoint.RECORD_STEP):
        done.append("the work")

    assert done == ["the work"]


def test_it_raises_at_the_count_that_was_asked_for() -> None:
    failpoints.arm("before:record_step:2=raise")

    reach("before", Failpoint.RECORD_STEP)
    reach("after", Failpoint.RECORD_STEP)
    reach("before", Failpoint.MOVE)
    with pytest.raises(FailpointReached, match="before:record_step"):
        reach("before", Failpoint.RECORD_STEP)
    reach("before", Failpoint.RECORD_STEP)


def test_after_is_not_passed_when_the_inside_fails() -> None:
    failpoints.arm("after:move=raise")

    with pytest.raises(KeyError), around(Failpoint.MOVE):
        raise KeyError


def test_what_is_passed_is_logged(tmp_path: Path) -> None:
    failpoints.arm(log=str(tmp_path / "log"))

    with around(Failpoint.CALL_MODEL):
        pass

    assert (tmp_path / "log").read_text().splitlines() == ["before:call_model", "after:call_model"]


@pytest.mark.parametrize(("action", "number"), [("kill", signal.SIGKILL), ("stop", signal.SIGSTOP)])
def test_a_signal_reaches_the_process(action: str, number: int) -> None:
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        failpoints.arm(f"before:move={action}")
        reach("before", Failpoint.MOVE)
        os._exit(0)

    _, status = os.waitpid(pid, os.WUNTRACED)

    assert (os.WSTOPSIG(status) if os.WIFSTOPPED(status) else os.WTERMSIG(status)) == number
    if os.WIFSTOPPED(status):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("spec", ["record_step", "after:nothing=kill", "after:move=dance", "after:move:0=kill"])
def test_a_wrong_order_is_refused(spec: str) -> None:
    with pytest.raises(ValueError):
        failpoints.arm(spec)
