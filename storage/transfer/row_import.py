"""Puts the told rows of a book into a database, with keys of that database's own."""

import uuid
from array import array
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.exc import DataError, IntegrityError

from bookwright.failpoints import Failpoint
from bookwright.models.errors import BookwrightError, InvalidInput, UnusableBook
from bookwright.storage.batches import batches
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.tables import books, session_messages, sessions
from bookwright.storage.transfer.portable import BookTable, Keys, parts, taken_in
from bookwright.storage.tree.nodes import NodeRepository

Row = dict[str, Any]

_RESERVED = text("SELECT nextval(pg_get_serial_sequence(:table, :column)) FROM generate_series(1, :count)")


def take_in(
    told: Iterable[tuple[BookTable, Row]], counts: Mapping[str, int], told_id: str, book: str, database: Database
) -> None:
    """Make the book `book` of the told rows of `told_id`, in one transaction.

    Raises:
        InvalidInput: There is a book of that id.
        UnusableBook: The rows make no book; nothing was written.
    """
    try:
        with database.write(Failpoint.CREATE_BOOK) as connection:
            if BookRepository(connection).find(book) is not None:
                raise InvalidInput(f"book {book!r} is here already; `--as NAME` takes the file in under another name")
            _Taking(connection, counts, told_id, book).do(told)
            _check_readable(connection, book)
    except (IntegrityError, DataError) as error:
        raise UnusableBook(f"its rows do not fit together ({' '.join(str(error.orig).split())[:120]})") from None


class _Taking:
    def __init__(self, connection: Connection, counts: Mapping[str, int], told_id: str, book: str) -> None:
        self._connection = connection
        self._told_id = told_id
        self._book = book
        self._keys = Keys(
            {part.name: _reserved(part, counts.get(part.name, 0), connection) for part in parts() if part.key}
        )
        self._session_names: dict[str, str] = {}

    def do(self, told: Iterable[tuple[BookTable, Row]]) -> None:
        """Insert all rows, some at a time; rows of one statement name the same columns."""
        rows = ((part, self._row(part, values)) for part, values in told)
        for _, some in groupby(rows, key=lambda item: (item[0].name, tuple(item[1]))):
            for batch in batches(some):
                self._connection.execute(insert(batch[0][0].table), [row for _, row in batch])

    def _row(self, part: BookTable, values: Row) -> Row:
        row = taken_in(part, values, self._keys)
        if part.table is books:
            return row | {"id": self._book}
        if part.table is sessions:
            is_own_lane = row["tab"] == self._told_id
            row |= {"id": self._session(row["id"]), "parent": row["parent"] and self._session(row["parent"])}
            row |= {"tab": self._book} if is_own_lane else {}
        if part.table is session_messages:
            row |= {"session": self._session(row["session"])}
        return row | {"book": self._book} if "book" in part.table.c else row

    def _session(self, told: str) -> str:
        """A session keeps its id unless the database has one of that id, of another book."""
        if told not in self._session_names:
            is_taken = self._connection.execute(select(sessions.c.id).where(sessions.c.id == told)).first()
            self._session_names[told] = str(uuid.uuid4()) if is_taken else told
        return self._session_names[told]


def _reserved(part: BookTable, count: int, connection: Connection) -> "array[int]":
    """Return so many keys that no row has or will be given: SQLite lets nobody else write meanwhile."""
    column = part.table.c[str(part.key)]
    if connection.dialect.name == "postgresql":
        names = {"table": part.name, "column": column.name, "count": count}
        return array("q", connection.execute(_RESERVED, names).scalars())
    last: int = connection.execute(select(func.coalesce(func.max(column), 0))).scalar_one()
    return array("q", range(last + 1, last + 1 + count))


def _check_readable(connection: Connection, book: str) -> None:
    """Read what every verb reads first: the brief and the root; `UnusableBook` where they cannot be read."""
    try:
        BookRepository(connection).get(book)
        NodeRepository(connection, book).root()
    except (ValueError, BookwrightError) as error:
        raise UnusableBook(f"it holds no book that can be read ({' '.join(str(error).split())[:120]})") from None
