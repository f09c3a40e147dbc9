"""Programs of Prefect, each a fork of one process that has imported it: the imports cost more than most servers do.

`python -m tests.support.forks` is that process; it takes orders as lines of JSON and answers each with one.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bookwright.flows.prefect.server import CHILD
from tests.places import ROOT

_IMPORTED = ("prefect.server.api.server", "prefect.cli", "prefect.workers.process", "bookwright.flows.prefect.guard")
SERVER = "bookwright.flows.prefect.app"
"""The module that `start_server` runs."""
_LOOK_SECONDS = 0.02


@dataclass
class Fork:
    """A program that runs, as `subprocess.Popen` has it."""

    forks: "Forks" = field(repr=False)
    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None as long as it runs."""
        if self.returncode is None:
            self.returncode = self.forks.ask(look=self.pid)
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


@dataclass
class Forks:
    """The process that is forked; whatever still runs when it ends comes to its end as well."""

    process: "subprocess.Popen[str]"

    @classmethod
    @contextmanager
    def begun(cls, folder: Path) -> "Iterator[Forks]":
        """Have such a process for as long as the block lasts."""
        with subprocess.Popen(
            [sys.executable, "-m", __name__], cwd=ROOT, env=os.environ | {"PREFECT_HOME": str(folder)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            yield cls(process)

    def start(self, module: Sequence[str], environment: dict[str, str], log: Path | None = None) -> Fork:
        """Run a module of Prefect's as `start_prefect` does, which ends when this process does."""
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
        return Fork(self, self.ask(run=[CHILD, *module], environment=environment, log=str(log or "")))

    def ask(self, **order: Any) -> Any:
        """Give an order and return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main() -> None:
    """Carry out orders until no more come."""
    gc.disable()
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    stdin, kept = os.pipe()  # what forks read comes to its end when this process does, and then so do they
    while line := sys.stdin.readline():
        order = json.loads(line)
        if "look" in order:
            pid, status = os.waitpid(order["look"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        elif (answer := os.fork()) == 0:
            os.close(kept)
            return _run(stdin, **order)
        print(json.dumps(answer), flush=True)


def _run(stdin: int, run: list[str], environment: dict[str, str], log: str) -> None:
    from prefect.context import refresh_global_settings_context

    os.setsid()
    os.dup2(stdin, 0)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if log else 2
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ.clear()
    os.environ.update(environment)
    refresh_global_settings_context()
    gc.enable()
    sys.argv = run
    runpy.run_module(run[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
