"""The condition of a database: whether its file is whole, what can still be read of it, its log, its clock."""

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select
from sqlalchemy.exc import DatabaseError

from bookwright.models.document import DocumentKind
from bookwright.models.errors import DatabaseDamaged, StorageError
from bookwright.models.settings import Settings
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.engine.database import Database, database_file, database_now
from bookwright.storage.engine.sqlite import damaged, readers
from bookwright.storage.repositories.texts import TextStore
from bookwright.storage.tables import IS_CURRENT, books, documents

_NAMED = 5
"""Faults that are told; SQLite finds as many as it is let."""

_STUCK_SECONDS = 60.0
"""After which an open transaction of somebody else is no short look any more."""


def faults(database: Database, *, is_deep: bool = False) -> list[str]:
    """Return what is wrong with SQLite's file, in SQLite's words; empty if nothing is, and for Postgres.

    `is_deep` also compares every index with its table. Postgres checks its own pages and its own log at each start.
    """
    if not database.is_sqlite:
        return []
    check = "integrity_check" if is_deep else "quick_check"
    try:
        with database.read() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {check}({_NAMED})")]
    except DatabaseDamaged as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def check_after_unclean_stop(database: Database, book: str) -> None:
    """Look through the file before a book is gone on with whose last worker did not release it.

    It died, or the machine did. SQLite itself loses nothing by that, but a disk may lie. Once for each such stop,
    since whoever takes the lease takes the dead one's name off. Source: facts, "Database facts that matter".

    Raises:
        DatabaseDamaged: The file is broken; it says what to do and what can still be read.
    """
    if not database.is_sqlite:
        return
    with database.read() as connection:
        owner = connection.execute(select(books.c.lease_owner).where(books.c.id == book)).scalar_one_or_none()
    if owner is not None and (found := faults(database)):
        raise DatabaseDamaged(f"{damaged(' '.join(found[0].split()))}. {salvageable(database, book)}")


def salvageable(database: Database, book: str) -> str:
    """Tell how much of a book's prose can still be read, and how."""
    try:
        readable = list(_readable(database, book))
    except (DatabaseError, StorageError):
        return f"Which prose of {book} there is cannot be read any more"
    return (
        f"Of {len(readable)} written units of {book}, {sum(readable)} can still be read "
        f"(`bookwright read {book} --node LABEL`)"
    )


def _readable(database: Database, book: str) -> Iterator[bool]:
    """Tell for each piece of current prose whether its text can be read."""
    prose = select(words_of(documents.c.text_hash)).where(
        documents.c.book == book, documents.c.kind == DocumentKind.PROSE.value, IS_CURRENT
    )
    with database.read() as connection:
        hashes = list(connection.execute(prose).scalars())
    for key in hashes:
        try:
            with database.read() as connection:
                TextStore(connection, book).get(key)
            yield True
        except Exception:  # a broken page may give anything: SQLite's error, another row, bytes that do not unpack
            yield False


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
