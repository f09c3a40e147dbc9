"""Whether the database's file is whole, and what can still be read where it is not."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError

from bookwright.models.document import DocumentKind
from bookwright.models.errors import DatabaseDamaged, StorageError
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.engine.database import Database
from bookwright.storage.engine.sqlite_errors import damaged
from bookwright.storage.repositories.texts import TextStore
from bookwright.storage.tables import books, documents
from bookwright.storage.tables.conditions import IS_CURRENT

_NAMED = 5
"""Faults that are told; SQLite finds as many as it is let."""


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
