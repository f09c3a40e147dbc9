"""A worker or a server that ends by itself is told of and started again; a server that ends soon is not."""

import subprocess
import sys

import pytest

from bookwright.flows.prefect import workers
from bookwright.flows.prefect.workers import KeptProcess, look_after
from bookwright.models.errors import BookwrightError

_LIVES = "import time; time.sleep(600)"


class Started:
    """Starts processes that live until they are killed, and kills the first of them."""

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.processes: list[subprocess.Popen[bytes]] = []

    def __call__(self) -> subprocess.Popen[bytes]:
        self.processes.append(subprocess.Popen([sys.executable, "-c", _LIVES]))
        if len(self.processes) <= self.deaths:
            self.processes[-1].kill()
        return self.processes[-1]


def test_a_worker_that_is_killed_is_told_of_and_started_again_until_the_server_ends_soon() -> None:
    told: list[str] = []
    server = KeptProcess("Prefect server", Started(0), told.append, is_vital=True)

    def start() -> subprocess.Popen[bytes]:
        process = started()
        if len(started.processes) == 3:
            server.process.kill()
        return process

    started = Started(2)
    worker = KeptProcess("worker", start, told.append)
    with pytest.raises(BookwrightError, match=r"^the Prefect server ended by itself with code -9$"):
        look_after(server, worker)
    worker.process.kill()

    assert len(started.processes) == 3
    assert told == [f"the worker ended by itself with code -9; another one is started in {rest} s" for rest in (1, 2)]


def test_a_server_that_had_long_been_up_is_started_again_and_its_worker_stays() -> None:
    told: list[str] = []
    servers, others = Started(1), Started(0)
    server, worker = (
        KeptProcess("Prefect server", servers, told.append, is_vital=True, first_rest_seconds=0.0, steady_seconds=-1.0),
        KeptProcess("worker", others, told.append),
    )

    server.process.wait()
    server.look()
    worker.look()

    assert told == ["the Prefect server ended by itself with code -9; another one is started in 0 s"]
    assert (len(servers.processes), len(others.processes)) == (2, 1)
    assert [child.process.poll() for child in (server, worker)] == [None, None]
    for child in (server, worker):
        child.process.kill()


def test_a_server_that_ends_is_seen_while_a_worker_is_to_wait_for_its_next_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers.time, "sleep", lambda seconds: pytest.fail("slept") if seconds > 1 else None)
    told: list[str] = []
    workers_started = Started(1)
    server = KeptProcess("Prefect server", Started(1), told.append, is_vital=True)
    worker = KeptProcess("worker", workers_started, told.append, first_rest_seconds=60.0)
    worker.process.wait()

    worker.look()
    worker.look()
    with pytest.raises(BookwrightError, match=r"^the Prefect server ended by itself with code -9$"):
        look_after(worker, server)

    assert told == ["the worker ended by itself with code -9; another one is started in 60 s"]
    assert len(workers_started.processes) == 1
