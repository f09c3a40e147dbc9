"""Programs of ours and of Prefect, each a fork of one process that has imported them: that costs more than most do.

`forking.py` is that process. Where a fork starts `sys.executable -m` with a module of ours or of Prefect, it gets
another fork, by way of `forked.py`; so do the benches, where no library is to be loaded before.
"""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TextIO

ADDRESS = "TESTS_FORKS"
"""The variable that holds where the process listens: none of ours, so that settings are read as where none is set."""
SERVER = "bookwright.flows.prefect.app"
"""The module that `start_server` runs."""
SHARING = "xdist"
"""The module that stands for whatever a process runs that shares the tests with others, and the end of the address
where these are ordered."""
_PYTHON = """#!/bin/sh
case "$1 $2${{LD_PRELOAD:+ preloaded}}" in
"-m bookwright"*|"-m prefect"*|"-m bench.shim") shift; exec {python} -IS {forked} {socket} "$@";;
"-m xdist") shift; exec {python} -IS {forked} {socket}-{sharing} "$@";;
*"/_workspace_runtime_bootstrap.py hook") shift; exec {python} -IS {forked} {socket} {hooks} "$@";;
*) exec {python} "$@";;
esac
"""
"""What forks take for their Python."""
_HOOKS = "prefect.runner._workspace_runtime_bootstrap"
"""What Prefect starts as a script where a flow run is cancelled."""
MOST_BYTES = 1 << 17
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
        return json.loads(self.line.recv(MOST_BYTES))


def forking_python() -> str:
    """What forks take for their Python, for others who start programs."""
    return str(Path(os.environ[ADDRESS]).with_name("python"))


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
        _make_python(Path(folder))
        with _up("tests.support.forking"):
            yield


@contextmanager
def sharing(*, is_for_all: bool) -> Iterator[None]:
    """Have the like for those who share the tests, all of which are imported first where they are to be run."""
    with _up("tests.support.sharing", *["all"] * is_for_all):
        yield


@contextmanager
def _up(*module: str) -> Iterator[None]:
    environment = os.environ | {"PREFECT_HOME": str(Path(os.environ[ADDRESS]).parent)}
    with subprocess.Popen(
        [sys.executable, "-m", *module], cwd=Path(__file__).parents[2], env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        yield


def _make_python(folder: Path) -> None:
    """Put what forks take for their Python beside the socket."""
    found = {
        "python": Path(sys.executable),
        "forked": Path(__file__).with_name("forked.py"),
        "socket": folder / "socket",
    }
    python = folder / "python"
    quoted = {name: shlex.quote(str(path)) for name, path in found.items()}
    python.write_text(_PYTHON.format(**quoted, hooks=_HOOKS, sharing=SHARING))
    python.chmod(0o700)
