"""The database of books: opened, and handed out in short transactions."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import Float

from bookwright.failpoints import Failpoint, reach
from bookwright.models.errors import DatabaseUnreachable, DiskFull, StorageError, UnwritableFolder
from bookwright.models.settings import Settings
from bookwright.storage.engine.engines import postgres_engine, sqlite_engine
from bookwright.storage.engine.prepared import through_driver
from bookwright.storage.engine.sqlite import is_damage, sqlite_error
from bookwright.storage.files.file_system import read_mounts, require_local
from bookwright.storage.files.privacy import make_private

_RECONNECT_PERIOD = 0.25
"""Seconds between tries to reach a server that is away."""
_NO_RIGHT = ("42501", "3F000")
"""What Postgres calls a want of rights, and a schema that its user may not look into."""
NO_RIGHT_WORDS = ("permission denied", "must be owner")
"""What is said of a want of rights where no such name comes along: by Postgres's programs, and to who connects."""


class database_now(GenericFunction[float]):
    """Seconds since 1970 by the database's own clock; a worker's clock may be wrong."""

    type = Float()
    inherit_cache = True


@compiles(database_now, "sqlite")
def _sqlite_now(element: Any, compiler: Any, **kw: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(database_now, "postgresql")
def _postgres_now(element: Any, compiler: Any, **kw: Any) -> str:
    return "extract(epoch from clock_timestamp())::float8"


class _LateConnection:
    """A connection that is made when it is first used."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self.made: Connection | None = None

    def __getattr__(self, name: str) -> Any:
        self.made = self.made or self._connect()
        return getattr(self.made, name)


class _AtRest(threading.local):
    """The connection that a thread has used last, and the process that it belongs to."""

    connection: Connection | None = None
    process = 0


class Database:
    """One engine; `read()` and `write()` open one short transaction each.

    All of them raise `DatabaseUnreachable` where a server is down, or went away.
    """

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        """True for SQLite, False for Postgres."""
        self._settings = settings
        self._was_reached = False
        self._away_since: float | None = None
        self._at_rest = _AtRest()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction. Keep it short: an old reader holds the log back."""
        is_writer = self._at_rest.connection is not None  # a thread that only reads keeps none
        try:
            connection = self._taken()
            try:
                if self.is_sqlite:  # whose driver is told not to; an engine event would cost each statement more
                    through_driver(connection, "BEGIN")
                yield connection
            finally:
                self._put_back(connection) if is_writer else connection.close()
        except DatabaseError as error:
            raise self._translated(error) from error.orig

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A read of many statements that all see one committed state, on Postgres too; for what reads a whole book."""
        with self.read() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Reads that need not fit one another: each statement sees what is committed when it runs.

        For the one worker that writes a book, and so sees no other's changes; a `read` costs it a
        statement more. Who finds all in memory that it looks for makes no connection.
        """
        late = _LateConnection(self._taken)
        try:
            try:
                yield cast(Connection, late)
            finally:
                if late.made is not None:
                    self._put_back(late.made)
        except DatabaseError as error:
            raise self._translated(error) from error.orig

    @contextmanager
    def write(self, point: Failpoint) -> Iterator[Connection]:
        """A write transaction: committed on a clean exit, rolled back on an error.

        `point` names it, so that a crash suite can end the process right before and after its commit.

        Raises:
            DiskFull: There is no room.
            DatabaseBusy: Another process has held the database for too long.
            DatabaseUnreachable: The server went away; the write may have arrived.
        """
        try:
            connection = self._taken()
            try:
                with connection.begin():
                    if self.is_sqlite:  # a deferred one that reads, then writes, fails at once if another wrote between
                        through_driver(connection, "BEGIN IMMEDIATE")
                    yield connection
                    reach("before", point)
            finally:
                self._put_back(connection)
        except DatabaseError as error:
            raise self._translated(error) from error.orig
        reach("after", point)

    def _taken(self) -> Connection:
        """Take the connection that this thread has at rest, unless another process made it; else connect."""
        rest = self._at_rest
        connection, rest.connection = rest.connection, None
        return connection if connection is not None and rest.process == os.getpid() else self._connected()

    def _put_back(self, connection: Connection) -> None:
        """Keep a connection to SQLite for this thread's next look or write: a new one costs more than most of them."""
        if self.is_sqlite and self._at_rest.connection is None:
            connection.rollback()
            connection.connection.rollback()  # what was begun without SQLAlchemy
            self._at_rest.connection, self._at_rest.process = connection, os.getpid()
        else:
            connection.close()

    def _connected(self) -> Connection:
        """Connect; a server that was reached before is waited for, since nothing has been said to it yet."""
        while True:
            try:
                connection = self.engine.connect()
            except OperationalError:
                if not self._may_come_back():
                    raise
                time.sleep(_RECONNECT_PERIOD)
            else:
                self._was_reached, self._away_since = True, None
                return connection

    def _may_come_back(self) -> bool:
        """True while a server that was reached before has not been away for long."""
        if not self._was_reached or self.is_sqlite:
            return False
        self._away_since = self._away_since or time.monotonic()
        return time.monotonic() - self._away_since < self._settings.reconnect_seconds

    def _translated(self, error: DatabaseError) -> Exception:
        text = str(error.orig).strip()
        if self.is_sqlite and (isinstance(error, OperationalError) or is_damage(text)):
            return sqlite_error(text, Path(str(self.engine.url.database)))
        if getattr(error.orig, "sqlstate", None) in _NO_RIGHT:
            return no_right(text)
        if not isinstance(error, OperationalError) and not error.connection_invalidated:
            return error
        if any(words in text for words in NO_RIGHT_WORDS):
            return no_right(text)
        if "full" in text or "No space" in text:
            return DiskFull(f"the database could not be written: {text}; make room and try again")
        if "idle-in-transaction" in text:
            return DatabaseUnreachable(
                "this process stood still in the middle of a write, which was given up; try again"
            )
        return DatabaseUnreachable(f"the database cannot be reached ({' '.join(text.split())}); start it and try again")

    def dispose(self) -> None:
        """Close every connection that is at rest."""
        if (connection := self._at_rest.connection) is not None:
            self._at_rest.connection = None
            connection.close()
        self.engine.dispose()


def no_right(text: str) -> StorageError:
    """Say that the user of a Postgres database may not do what has to be done."""
    return StorageError(
        f"the user that BOOKWRIGHT_DATABASE_URL names may not do that ({' '.join(text.split())}); "
        "let the owner of the database grant it, or name the owner there"
    )


def open_database(settings: Settings) -> Database:
    """Open the database that the settings name, without looking into it.

    Raises:
        UnwritableFolder: The data folder cannot be made or written to.
        InvalidSetting: The address cannot be used, or the file would lie on a network.
    """
    make_home(settings)
    path = database_file(settings)
    if path is None:
        return Database(postgres_engine(settings.database_url, settings.lease_seconds), settings)
    require_local(path, read_mounts())
    return Database(sqlite_engine(str(path), settings.busy_seconds), settings)


@contextmanager
def opened_database(settings: Settings) -> Iterator[Database]:
    """Open the database, as `open_database` does, for as long as the block lasts."""
    database = open_database(settings)
    try:
        yield database
    finally:
        database.dispose()


def database_file(settings: Settings) -> Path | None:
    """Return where the SQLite file lies or would lie; None for Postgres."""
    if settings.database_url.startswith("postgres"):
        return None
    url = settings.database_url.removeprefix("sqlite:///")
    return Path(url) if url else settings.database_path


def free_megabytes(settings: Settings) -> int:
    """Room where the data lies, on the fuller disk if the database has one of its own; Postgres is not asked."""
    file = database_file(settings) if settings.database_url else None
    folders = (settings.home, file.parent) if file else (settings.home,)
    return min(shutil.disk_usage(folder).free for folder in folders) // 2**20


def make_home(settings: Settings) -> None:
    """Make the data folder, which nobody but its owner can look into; `UnwritableFolder` where that cannot be done."""
    try:
        make_private(settings.home)
        with tempfile.TemporaryFile(dir=settings.home):  # nobody else's, however many start at once
            pass
    except OSError as error:
        raise UnwritableFolder(
            f"the data folder {str(settings.home)!r} cannot be written to ({error.strerror}); set BOOKWRIGHT_HOME"
        ) from None
