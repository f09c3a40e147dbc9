"""A worker beside a server on this machine: started, looked after, and started again when it dies."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bookwright.flows.prefect.server import stop_process
from bookwright.models.errors import BookwrightError

_STOP_SECONDS = 30.0
_LOOK_SECONDS = 0.5
_FIRST_REST_SECONDS, _LONGEST_REST_SECONDS = 1.0, 60.0
_STEADY_SECONDS = 60.0
"""A worker that lived so long is started again at once, however often one died before."""

Process = subprocess.Popen[bytes]


@contextmanager
def _ended(worker: Process) -> Iterator[None]:
    try:
        yield
    finally:
        stop_process(worker, _STOP_SECONDS)


def look_after(server: Process, start: Callable[[], Process], tell: Callable[[str], None]) -> None:
    """Keep a worker running until something ends this process; `tell` hears of each that died.

    Raises:
        BookwrightError: The server ended by itself.
    """
    rest = _FIRST_REST_SECONDS
    while True:
        began, worker = time.monotonic(), start()
        with _ended(worker):
            _wait(server, worker)
        if time.monotonic() - began > _STEADY_SECONDS:
            rest = _FIRST_REST_SECONDS
        tell(f"the worker ended by itself with code {worker.returncode}; another one is started in {rest:.0f} s")
        time.sleep(rest)
        rest = min(2 * rest, _LONGEST_REST_SECONDS)


def _wait(server: Process, worker: Process) -> None:
    while worker.poll() is None:
        if server.poll() is not None:
            raise BookwrightError(f"the Prefect server ended by itself with code {server.returncode}")
        time.sleep(_LOOK_SECONDS)
