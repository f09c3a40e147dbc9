"""The condition of a database: its log, who keeps it from shrinking, its clock, its version."""

import os
import tempfile
import time
from dataclasses import dataclass

from sqlalchemy import Connection, select

from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database, database_file, database_now
from bookwright.storage.engine.sqlite_lock import readers

_STUCK_SECONDS = 60.0
"""After which an open transaction of somebody else is no short look any more."""


@dataclass(frozen=True)
class Log:
    """SQLite's write-ahead log."""

    bytes: int
    waiting: int
    """Pages that cannot be moved into the database yet, because somebody still reads what stood there before."""
    readers: tuple[str, ...]
    """Other processes that are reading just now."""
    is_used: bool
    """False if the file system does not let SQLite keep such a log."""


def log_of(database: Database, settings: Settings) -> Log:
    """Move what can be moved out of SQLite's log, and tell what is left. Not for Postgres."""
    file = database_file(settings)
    assert file is not None
    with database.look() as connection:
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        _, pages, moved = connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)").one()
        log = file.with_name(f"{file.name}-wal")
        size = log.stat().st_size if log.exists() else 0
        return Log(size, max(pages - moved, 0), tuple(readers(file)), mode == "wal")


def stuck_sessions(connection: Connection) -> list[str]:
    """Name the sessions of Postgres that have kept a transaction open for over a minute without doing anything."""
    rows = connection.exec_driver_sql(
        "SELECT pid, coalesce(nullif(application_name, ''), 'unnamed'), extract(epoch from now() - xact_start)"
        " FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%%'"
        f" AND now() - xact_start > make_interval(secs => {_STUCK_SECONDS}) ORDER BY xact_start"
    )
    return [f"session {pid} ({name}), idle in a transaction for {seconds:,.0f} s" for pid, name, seconds in rows]


def server_version(connection: Connection) -> str:
    """Return the version of a Postgres server."""
    return str(connection.exec_driver_sql("SHOW server_version").scalar_one())


def clock_ahead(connection: Connection) -> float:
    """Return how many seconds the database's clock is ahead of this host's, to about the time that asking takes."""
    before = time.time()
    there = float(connection.execute(select(database_now())).scalar_one())
    return there - (before + time.time()) / 2


def file_clock_ahead(settings: Settings) -> float:
    """Return how many seconds the file system's clock is ahead of this host's, by a file that is made and removed."""
    with tempfile.NamedTemporaryFile(dir=settings.home) as file:
        before = time.time()
        os.write(file.fileno(), b"now")
        return os.fstat(file.fileno()).st_mtime - before
