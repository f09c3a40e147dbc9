"""Opens SQLite or Postgres the way the engine needs it, and hands out short transactions."""

import importlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import Float

from bookwright.failpoints import Failpoint, reach
from bookwright.models.errors import (
    DatabaseBusy,
    DatabaseUnreachable,
    DiskFull,
    InvalidSetting,
    StorageError,
    UnwritableFolder,
)
from bookwright.models.settings import Settings

SAFE_SQLITE = (3, 51, 3)
"""The first SQLite without the WAL-reset fault that can corrupt under two writers."""

_BUSY_MILLIS = 30_000


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


class Database:
    """One engine; `read()` and `write()` open one short transaction each."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine = engine
        self._settings = settings

    @property
    def is_sqlite(self) -> bool:
        """True for SQLite, False for Postgres."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction. Keep it short: an old reader holds the log back.

        Raises:
            DatabaseUnreachable: The server is down.
        """
        try:
            with self.engine.connect() as connection:
                yield connection
        except OperationalError as error:
            raise self._translated(error) from error

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Reads that need not fit one another: each statement sees what is committed when it runs.

        For the one worker that writes a book, and so sees no other's changes; a `read` costs it a
        statement more.

        Raises:
            DatabaseUnreachable: The server is down.
        """
        try:
            with self.engine.connect().execution_options(bookwright_looks=True) as connection:
                yield connection
        except OperationalError as error:
            raise self._translated(error) from error

    @contextmanager
    def write(self, point: Failpoint) -> Iterator[Connection]:
        """A write transaction: committed on a clean exit, rolled back on an error.

        `point` names it, so that a crash suite can end the process right before and after its commit.

        Raises:
            DiskFull: There is no room.
            DatabaseBusy: Another process has held the database for too long.
            DatabaseUnreachable: The server is down, or went away; the write may have arrived.
        """
        try:
            with self.engine.connect().execution_options(bookwright_writes=True) as connection, connection.begin():
                yield connection
                reach("before", point)
        except OperationalError as error:
            raise self._translated(error) from error
        reach("after", point)

    def free_megabytes(self) -> int:
        """Room on the disk where the data lies; Postgres is asked about its client's folder."""
        return shutil.disk_usage(self._settings.home).free // 2**20

    def _translated(self, error: OperationalError) -> Exception:
        text = str(error.orig).strip()
        if "full" in text or "No space" in text or "disk I/O" in text:
            return DiskFull(f"the database could not be written: {text}; make room and resume")
        if "locked" in text or "busy" in text:
            seconds = _BUSY_MILLIS // 1000
            return DatabaseBusy(f"another process has locked the database for {seconds} s; close it and resume")
        if self.is_sqlite:
            return StorageError(f"the database fails: {text}")
        return DatabaseUnreachable(f"the database cannot be reached: {text}")

    def dispose(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_database(settings: Settings) -> Database:
    """Open the database that the settings name, without looking into it.

    Raises:
        UnwritableFolder: The data folder cannot be made or written to.
        InvalidSetting: The address cannot be used.
    """
    make_home(settings)
    if settings.database_url.startswith("postgres"):
        return Database(_postgres(settings.database_url), settings)
    path = settings.database_url.removeprefix("sqlite:///") or str(settings.database_path)
    return Database(_sqlite(path), settings)


def make_home(settings: Settings) -> None:
    """Make the data folder.

    Raises:
        UnwritableFolder: It cannot be made or written to.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.home):  # nobody else's, however many start at once
            pass
    except OSError as error:
        raise UnwritableFolder(
            f"the data folder {str(settings.home)!r} cannot be written to ({error.strerror}); set BOOKWRIGHT_HOME"
        ) from None


def sqlite_driver() -> Any:
    """The DB-API module to use: the interpreter's own where it is safe, else the newer wheel."""
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return sqlite3
    try:
        return importlib.import_module("pysqlite3.dbapi2")
    except ImportError:
        return sqlite3  # not on every platform; `doctor` names the fault


def _sqlite(path: str) -> Engine:
    # Built, not written: a path may hold what means something else in an address.
    address = URL.create("sqlite", database=path)
    engine = create_engine(address, module=sqlite_driver(), connect_args={"timeout": _BUSY_MILLIS / 1000})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver guesses
        cursor = connection.cursor()
        for pragma in (
            "page_size=8192",  # before the first table: 2 KB texts fill a 4 KB page badly
            "journal_mode=WAL",
            "synchronous=FULL",  # a paid reply is worth one sync
            "foreign_keys=ON",
            "journal_size_limit=67108864",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("bookwright_writes"):
            # A deferred transaction that reads and then writes fails at once if another wrote between.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif not options.get("bookwright_looks"):
            connection.exec_driver_sql("BEGIN")

    return engine


def _postgres(url: str) -> Engine:
    try:
        address = make_url(url.replace("postgresql://", "postgresql+psycopg://", 1))
        engine = create_engine(address, pool_pre_ping=True)
    except (ArgumentError, ValueError, ImportError) as error:
        raise InvalidSetting(f"the database address cannot be used: {error}") from None

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.execute("SET synchronous_commit = on")  # whatever the server's own default is
        connection.commit()

    return engine
