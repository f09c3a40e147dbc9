"""Programs of ours and of Prefect, each a fork of one process that has imported them: that costs more than most do.

`python -m tests.support.forks` is that process, one for all processes that share the tests. It takes orders from a
socket, each a line of JSON with the files that a program is to have open, and answers each with one.
"""

import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TextIO

ADDRESS = "BOOKWRIGHT_TESTS_FORKS"
"""The variable that holds where the process listens."""
SERVER = "bookwright.flows.prefect.app"
"""The module that `start_server` runs."""
_IMPORTED = (
    "prefect.server.api.server", "prefect.cli", "prefect.workers.process", "bookwright.flows.prefect.guard",
    "bookwright.flows.write_book", "bookwright.agents.backends.remote.clients", "openai", "chromadb", "uvicorn",
    "tests.support.fake_provider", "tests.support.novelist",
)  # fmt: skip
_VERBS = "bookwright.cli"
"""A package all of whose modules are imported, too."""
_MOST_BYTES = 1 << 17
_LOOK_SECONDS = 0.02
CPU_SECONDS: list[float] = []
"""What each fork that has ended took, with those that it waited for."""
_PATIENCE_SECONDS = 120


@dataclass
class Fork:
    """A program that runs, as `subprocess.Popen` has it."""

    forks: "Forks" = field(repr=False)
    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None as long as it runs."""
        if self.returncode is None and (ended := self.forks.ask(look=self.pid)) is not None:
            self.returncode, seconds = ended
            CPU_SECONDS.append(seconds)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        deadline = time.monotonic() + (timeout or float("inf"))
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a fork", timeout or 0)
            time.sleep(_LOOK_SECONDS)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass(frozen=True)
class Told:
    """What a program left behind, as `subprocess.CompletedProcess` has it."""

    returncode: int
    stdout: bytes
    stderr: bytes


@dataclass
class Forks:
    """The way to the process that is forked; what still runs when it is closed reads the end of its stdin."""

    line: socket.socket

    def start(self, module: Sequence[str], environment: dict[str, str], log: Path | None = None) -> Fork:
        """Run a module of Prefect's as `start_prefect` does, which ends when this process does."""
        from bookwright.flows.prefect.server import CHILD  # what is forked reads this module before it imports any

        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if log else os.dup(2)
        try:
            return Fork(self, self.ask((out, out), run=[CHILD, *module], environment=environment))
        finally:
            os.close(out)

    def begin(
        self, arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[int],
        cwd: Path | None = None, has_terminal: bool = False,
    ) -> Fork:  # fmt: skip
        """Run `python -m` with these arguments, with these files as its stdin, stdout and stderr."""
        order = {"run": [*arguments], "environment": {**environment}, "cwd": str(cwd or Path.cwd())}
        return Fork(self, self.ask(files, **order, has_terminal=has_terminal))

    def run(
        self, arguments: Sequence[str], given: bytes = b"", cwd: Path | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> Told:  # fmt: skip
        """Do so with what is given in a pipe, and wait for the end."""
        inner, outer = os.pipe()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            os.write(outer, given)  # no more than a pipe holds
            os.close(outer)
            fork = self.begin(arguments, environment, (inner, out.fileno(), err.fileno()), cwd)
            os.close(inner)
            code = fork.wait(_PATIENCE_SECONDS)
            out.seek(0)
            err.seek(0)
            return Told(code, out.read(), err.read())

    @contextmanager
    def talking(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> Iterator[tuple[Fork, TextIO]]:
        """Do so for as long as the block lasts; yields it and what it says on its stdout. `log` is its stderr."""
        outer, inner = os.pipe()
        with open(outer, encoding="utf-8") as said, open(os.devnull) as nothing, open(log or os.devnull, "wb") as noted:
            fork = self.begin(arguments, environment, (nothing.fileno(), inner, noted.fileno() if log else 2))
            os.close(inner)
            try:
                yield fork, said
            finally:
                fork.terminate()
                fork.wait(_PATIENCE_SECONDS)

    def ask(self, files: Sequence[int] = (), **order: Any) -> Any:
        """Give an order and return the answer."""
        said = f"{json.dumps(order)}\n".encode()
        sent = socket.send_fds(self.line, [said], files) if files else 0
        self.line.sendall(said[sent:])
        return json.loads(self.line.recv(_MOST_BYTES))


@cache
def reached() -> Forks:
    """The way there that this process goes."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(os.environ[ADDRESS])
    return Forks(line)


@contextmanager
def listening() -> Iterator[None]:
    """Have such a process for as long as the block lasts; it imports nothing before its first order."""
    with tempfile.TemporaryDirectory(prefix="bookwright-forks-", ignore_cleanup_errors=True) as folder:
        os.environ[ADDRESS] = str(Path(folder, "socket"))
        environment = os.environ | {"PREFECT_HOME": folder}
        command = [sys.executable, "-m", __name__]
        with subprocess.Popen(
            command, cwd=Path(__file__).parents[2], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            yield


Order = dict[str, Any]


class _Door:
    """Where orders come in."""

    def __init__(self) -> None:
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(os.environ[ADDRESS])
        self.door.listen()
        self.heard = selectors.DefaultSelector()
        self.heard.register(self.door, selectors.EVENT_READ)
        self.heard.register(sys.stdin, selectors.EVENT_READ)
        self.pipes: dict[socket.socket, tuple[int, int]] = {}
        """By the line to each process that runs tests: its forks read the end of stdin when it closes that."""

    def next(self) -> tuple[socket.socket, Order, list[int]] | None:
        """Wait for an order, and return who gave it and its files; None once there is nobody any more."""
        while True:
            for key, _ in self.heard.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is self.door:
                    line, _ = self.door.accept()
                    self.heard.register(line, selectors.EVENT_READ)
                    self.pipes[line] = os.pipe()
                    continue
                line = key.fileobj
                said, files, _, _ = socket.recv_fds(line, _MOST_BYTES, 3)
                while said and not said.endswith(b"\n"):
                    said += line.recv(_MOST_BYTES)
                if said:
                    return line, json.loads(said), files
                self.heard.unregister(line)
                self._leave(line)

    def close(self) -> None:
        """Have nothing of it open, in a fork."""
        self.heard.close()
        self.door.close()
        for line in [*self.pipes]:
            self._leave(line)

    def _leave(self, line: socket.socket) -> None:
        line.close()
        for number in self.pipes.pop(line):
            os.close(number)


def main() -> None:
    """Carry out orders until the process that began this one ends."""
    gc.disable()
    door = _Door()
    print(flush=True)
    while given := door.next():
        line, order, files = given
        if "look" in order:
            answer = _looked(order["look"])
        else:
            _import_all()
            answer = os.fork()
            if answer == 0:
                inner = os.dup(door.pipes[line][0])
                door.close()
                return _run([inner, *files][-3:], **order)
        for number in files:
            os.close(number)
        line.send(json.dumps(answer).encode())


def _looked(pid: int) -> tuple[int, float] | None:
    """Return the exit code of a fork and the CPU seconds that it took; None as long as it runs."""
    found, status, used = os.wait4(pid, os.WNOHANG)
    return (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime) if found else None


@cache
def _import_all() -> None:
    for name in _IMPORTED:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(importlib.import_module(_VERBS).__path__, f"{_VERBS}."):
        importlib.import_module(module.name)
    gc.freeze()


def _run(
    files: list[int], run: list[str], environment: dict[str, str], cwd: str = ".", has_terminal: bool = False
) -> None:
    from prefect.context import refresh_global_settings_context

    os.setsid()
    os.chdir(cwd)
    for place, number in enumerate(files):
        os.dup2(number, place)
    os.closerange(3, max(files) + 1)
    if has_terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(environment)
    _reopen()
    refresh_global_settings_context()
    gc.enable()
    sys.argv = run
    runpy.run_module(run[0], run_name="__main__", alter_sys=True)


def _reopen() -> None:
    """Read and write as a program that was begun with these files would: a line at a time in a terminal."""
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if os.environ.get("PYTHONUNBUFFERED"):
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), "utf-8", write_through=True)
    else:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.__stdout__ = sys.stdout
    sys.stderr = sys.__stderr__ = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    main()
