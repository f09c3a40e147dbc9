"""A worker that dies is told of and started again; a server that dies ends the watch over it."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from bookwright.flows.prefect.workers import look_after
from bookwright.models.errors import BookwrightError

_LIVES = "import time; time.sleep(600)"


def process(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program])


def test_a_worker_that_is_killed_is_told_of_and_started_again_until_the_server_ends() -> None:
    server, workers, told = process(_LIVES), list[subprocess.Popen[bytes]](), list[str]()

    def start() -> subprocess.Popen[bytes]:
        worker = process(_LIVES)
        workers.append(worker)
        if len(workers) < 3:
            worker.kill()
        else:
            server.kill()
        return worker

    with pytest.raises(BookwrightError, match="the Prefect server ended by itself with code -9"):
        look_after(server, start, told.append)

    assert len(workers) == 3
    assert told == [f"the worker ended by itself with code -9; another one is started in {rest} s" for rest in (1, 2)]
    assert workers[-1].poll() is not None


def test_a_worker_ends_with_whoever_looks_after_it() -> None:
    server, workers = process(_LIVES), list[subprocess.Popen[bytes]]()
    stop: Callable[[str], None] = lambda line: (_ for _ in ()).throw(KeyboardInterrupt)  # noqa: E731

    def start() -> subprocess.Popen[bytes]:
        workers.append(process(""))
        return workers[-1]

    try:
        with pytest.raises(KeyboardInterrupt):
            look_after(server, start, stop)
    finally:
        server.kill()

    assert [worker.poll() for worker in workers] == [0]
