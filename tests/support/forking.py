"""`python -m tests.support.forking`: the process that programs are forked from, one for all that share the tests.

It takes orders from a socket, each a line of JSON with the files that a program is to have open, and answers each
with one. One that names nothing to run or to look at has it get ready.
"""

import atexit
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
import sys
import tempfile
import termios
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO, cast

from sqlalchemy.orm import configure_mappers

from bookwright.flows.prefect.server import CHILD
from bookwright.prompts.templates import environment
from tests.support.forks import ADDRESS, MOST_BYTES, SHARING, forking_python

_IMPORTED = (
    "prefect.server.api.server", "prefect.cli", "prefect.workers.process", "bookwright.flows.prefect.guard",
    "bookwright.flows.write_book", "bookwright.agents.backends.remote.provider", "openai", "anthropic", "chromadb",
    "uvicorn",
    "tests.support.fake_provider", "tests.support.novelist",
    # What these import only once they run.
    "alembic.command", "aiosqlite", "docket.tasks", "burner_redis", "mako.template", "anyio._backends._asyncio",
    "uvicorn.loops.auto", "uvicorn.lifespan.on", "uvicorn.protocols.http.auto", "uvicorn.protocols.websockets.auto",
    "prefect.server.database.query_components", "prefect.server.events.services.actions", "prefect.server.api.clients",
    "prefect.server.events.ordering.memory", "prefect.cli.worker", "prefect.task_engine",
    "prefect.utilities.visualization", "prefect.concurrency.services", "pydantic_ai.models.openai",
    "pydantic_ai.providers.openai_compatible", "openai.resources.chat.completions",
    "openai.lib.streaming.chat", "pydantic_ai.models.anthropic",
    "genai_prices.data", "numpy.ma", "pysqlite3", "bookwright.studio.server",
    "bookwright.agents.backends.rehearsal.backend", "bookwright.garbage",
)  # fmt: skip
_VERBS = "bookwright.cli"
"""A package all of whose modules are imported, too."""

Order = dict[str, Any]


class _Door:
    """Where orders come in."""

    def __init__(self, address: str) -> None:
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(address)
        self.door.listen()
        self.heard = selectors.DefaultSelector()
        self.heard.register(self.door, selectors.EVENT_READ)
        self.heard.register(sys.stdin, selectors.EVENT_READ)
        self.pipes: dict[socket.socket, tuple[int, int]] = {}
        """By the line to each process that runs tests: its forks read the end of stdin when it closes that."""
        self.children: dict[socket.socket, int] = {}
        """By the line to each process that stands for a fork which another has started: that fork ends with it."""

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
                if given := _received(line):
                    return line, *given
                self.heard.unregister(line)
                if line in self.children:
                    _end(self.children.pop(line))
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


_starters: dict[int, int] = {}
"""Of each fork that lives, the fork that has started it, or 0."""
_spent: Counter[int] = Counter()
"""The CPU seconds of all that a fork has started and that has ended."""


def main(address: str, get_ready: Callable[[], None]) -> None:
    """Carry out orders until the process that began this one ends; the first waits until it is ready."""
    gc.disable()
    door = _Door(address)
    print(flush=True)
    while given := door.next():
        line, order, files = given
        if "look" in order:
            answer: Any = _looked(order["look"])
        elif "run" not in order:
            answer = get_ready()
        else:
            get_ready()
            answer = os.fork()
            if answer == 0:
                inner = os.dup(door.pipes[line][0])
                door.close()
                return _run([inner, *files][-3:], **order)
            parents = order.get("parents", ())
            _starters[answer] = next((parent for parent in parents if parent in _starters), 0)
            if parents:
                door.children[line] = answer
        for number in files:
            os.close(number)
        with suppress(OSError):  # whoever asked was killed: the end of its line is what is heard next
            line.send(json.dumps(answer).encode())


def _received(line: socket.socket) -> tuple[Order, list[int]] | None:
    """Return an order and its files; None from somebody who has ended, or was killed while giving it."""
    files: list[int] = []
    with suppress(OSError):
        said, files, _, _ = socket.recv_fds(line, MOST_BYTES, 3)
        more = said
        while more and not said.endswith(b"\n"):
            said += (more := line.recv(MOST_BYTES))
        if said.endswith(b"\n"):
            return json.loads(said), files
    for number in files:
        os.close(number)
    return None


def _looked(pid: int, options: int = os.WNOHANG) -> tuple[int, float] | None:
    """Return the exit code of a fork and the CPU seconds that it and what it started took; None as long as it runs."""
    found, status, used = os.wait4(pid, options)
    if not found:
        return None
    seconds = used.ru_utime + used.ru_stime + _spent.pop(pid, 0)
    _spent[_starters.pop(pid)] += seconds
    return os.waitstatus_to_exitcode(status), seconds


def _end(pid: int) -> None:
    """Leave nothing behind of a fork whose place in its starter's eyes is empty."""
    if pid in _starters:
        os.kill(pid, signal.SIGKILL)
        _looked(pid, 0)


@cache
def _import_all() -> None:
    for name in _IMPORTED:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(importlib.import_module(_VERBS).__path__, f"{_VERBS}."):
        importlib.import_module(module.name)
    warm_up()


def warm_up() -> None:
    """Have compiled what every book takes, and keep all that is there by then out of every look for garbage."""
    for locale in ("en", "zh"):
        for name in environment(locale).list_templates(extensions=["j2"]):
            if not name.startswith("locales/"):
                environment(locale).get_template(name)
    configure_mappers()
    _write_a_page()
    gc.freeze()


def _write_a_page() -> None:
    """Write one, so that no fork compiles the statements and patterns that this takes."""
    from bookwright.models.settings import load_settings
    from tests.durability.children import write_once

    ours = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("BOOKWRIGHT_")}
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(home=Path(home), model="rehearsal:exact", embedding="hashing", free_megabytes=0)
        write_once(settings, length=600)
    os.environ.update(ours)
    gc.collect()  # a loop of the book's is open, whose files no fork may close when theirs have its numbers


def _run(
    files: list[int], run: list[str], environment: dict[str, str], cwd: str = ".", has_terminal: bool = False,
    parents: Sequence[int] = (),
) -> None:  # fmt: skip
    if run[0] != SHARING:
        sys.executable = forking_python()
    os.setsid()
    os.chdir(cwd)
    for place, number in enumerate(files):
        os.dup2(number, place)
    os.closerange(3, max(files) + 1)
    if has_terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    read = _told_prefect()
    os.environ.clear()
    os.environ.update(environment)
    _reopen()
    context = sys.modules.get("prefect.context")
    if run[0] == SHARING and context is not None:
        context.refresh_global_settings_context()  # before a test says something else for its own time
    elif context is not None and (cwd != "." or _told_prefect() != read):
        LateContext(context)
    if run[0] == CHILD:
        _log_anew(run[1])
    gc.enable()
    if run[0] == SHARING:
        main = sys.modules["__main__"] = ModuleType("__main__")
        return exec(run[-1], main.__dict__)
    sys.argv = run
    code = 0
    try:
        runpy.run_module(run[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if not isinstance(ended.code, int | None):
            print(ended.code, file=sys.stderr)
    _leave(code)


def _told_prefect() -> dict[str, str]:
    """What Prefect reads its settings from, beside files in the working directory."""
    return {name: value for name, value in os.environ.items() if name.startswith(("PREFECT_", "HOME"))}


class LateContext:
    """Prefect's settings, read where they are first asked for: that takes longer than many of our programs do."""

    def __init__(self, module: Any) -> None:
        self._module, self._before = module, module.GLOBAL_SETTINGS_CONTEXT
        self._reading, self._is_read = threading.RLock(), False
        module.GLOBAL_SETTINGS_CONTEXT = self

    def __getattr__(self, name: str) -> Any:
        with self._reading:
            if not self._is_read:
                self._is_read = True
                self._module.refresh_global_settings_context()
            now = self._module.GLOBAL_SETTINGS_CONTEXT
        return getattr(self._before if now is self else now, name)  # the thread that reads them asks for others


def _leave(code: int) -> None:
    """End as a program does, but for taking all down that is imported, which copies most of its memory: half a second.

    Where it raises, and so tells why, the interpreter ends by itself.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code & 0xFF)


def _log_anew(module: str) -> None:
    """Have Prefect log as the environment says, and where that program does, which puts streams of its own in place.

    Its server and its commands set that up themselves; a flow run has it of what it imports, which is there.
    """
    from prefect.logging.configuration import PROCESS_LOGGING_CONFIG, setup_logging

    PROCESS_LOGGING_CONFIG.clear()  # else they would leave it as it is
    if module == "prefect.engine":
        sys.stderr = cast(TextIO, _Stderr())
        setup_logging()
        sys.stderr = sys.__stderr__


class _Stderr:
    """Whatever is stderr at the time."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.__stderr__ if sys.stderr is self else sys.stderr, name)


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
    main(os.environ[ADDRESS], _import_all)
