"""A Prefect server that suffers, a novelist who waits for it, and a walk in a thread beside the test."""

import os
import resource
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect.client.schemas.objects import State

from bookwright import NO_CALLS_OUT
from bookwright.flows.prefect.server import (
    api_url,
    prefect_home,
    server_environment,
    wait_until_up,
)
from bookwright.models.settings import Settings
from tests.support.forks import SERVER, Fork, Forks
from tests.support.novelist import write as novelist
from tests.support.prefect_database import give_database

IN_THE_MIDDLE = 6
"""The call during which something happens to Prefect."""
PATIENCE_SECONDS = 240


@dataclass
class Server:
    """A Prefect server, its database, and what may befall them."""

    environment: dict[str, str]
    home: Path
    forks: Forks
    process: Fork

    @classmethod
    def start(cls, forks: Forks, settings: Settings, port: int) -> "Server":
        environment, home = server_environment(settings, port, has_ui=False), prefect_home(settings)
        give_database(home)
        process = forks.start([SERVER], environment, home / "server.log")
        wait_until_up(process, api_url(port), PATIENCE_SECONDS)
        return cls(environment, home, forks, process)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def start_again(self) -> None:
        self.process = self.forks.start([SERVER], self.environment, self.home / "server.log")
        wait_until_up(self.process, self.environment["PREFECT_API_URL"], PATIENCE_SECONDS)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody write to its database."""
        with closing(sqlite3.connect(self.home / "prefect.db", isolation_level=None, timeout=60)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave it no room to write, as a full disk does."""
        before = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (1, before[1]))
        try:
            yield
        finally:
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, before)


@dataclass
class StockServer:
    """A server as `prefect server start` runs it, without a setting of ours."""

    forks: Forks
    environment: dict[str, str]
    port: int
    log: Path
    deaths: int = -1
    process: Fork | None = None

    @classmethod
    def begin(cls, forks: Forks, home: Path, port: int) -> "StockServer":
        alone = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        give_database(home)
        server = cls(forks, alone | {"PREFECT_HOME": str(home)} | NO_CALLS_OUT, port, home / "server.log")
        server.start_again()
        return server

    def start_again(self) -> None:
        command = ["prefect", "server", "start", "--no-ui", "--port", str(self.port)]
        self.process = self.forks.start(command, self.environment, self.log)
        self.deaths += 1
        wait_until_up(self.process, api_url(self.port), PATIENCE_SECONDS)

    def kill(self) -> None:
        """End it and whatever it started, at once."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@dataclass
class Gates:
    """The novelist, who at certain calls waits until the test lets her go on."""

    at: tuple[int, ...] = (IN_THE_MIDDLE,)
    calls: int = 0
    reached: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    opened: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def write(self, prompt: str, schema: dict[str, Any] | None) -> str:
        self.calls += 1
        if self.calls in self.at:
            self.reached.release()
            self.opened.acquire(timeout=PATIENCE_SECONDS)
        return novelist(prompt, schema)

    @contextmanager
    def during_the_next(self) -> Iterator[None]:
        """Do something while a call is in flight."""
        assert self.reached.acquire(timeout=PATIENCE_SECONDS), "no call came"
        try:
            yield
        finally:
            self.opened.release()


class Walk:
    """A book that is being written in a thread, seen by Prefect as its settings here say."""

    def __init__(self, work: Callable[[], State[Any] | None]) -> None:
        self.state: State[Any] | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=copy_context().run, args=(self._run, work), daemon=True)
        self._thread.start()

    def ended(self) -> State[Any] | None:
        """How the flow run ended, as far as this process knows."""
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), "the walk did not end"
        return self.state

    def _run(self, work: Callable[[], State[Any] | None]) -> None:
        try:
            self.state = work()
        except Exception as error:  # a thread has no further out; the test looks
            self.error = error
