"""A book's rows in a form that any database can take: row numbers instead of keys, and plain JSON values.

The tables are those of `tables.metadata` that belong to a book, so that a new one is told with the others.
"""

import base64
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    FromClause,
    LargeBinary,
    Table,
    TypeDecorator,
    and_,
    collate,
    func,
    select,
    union_all,
)
from sqlalchemy.dialects import sqlite

from bookwright.models.book import BookState
from bookwright.models.step import Activity
from bookwright.storage.branches.lineage import inputs, of_lineage, words_of
from bookwright.storage.repositories.texts import packed
from bookwright.storage.tables import books, document_inputs, documents, maintenance, metadata, steps, texts, tool_uses

MADE_AGAIN = {
    "allowances": "a slice of the studio's cap, which only a running book has",
    "branches": "a book that is taken elsewhere stands alone, with what it shared with its origin",
    "lineages": "as the branches, of which they follow",
    "merges": "what would take a merge back holds keys of one database",
    "passages": "cut from the documents when the book is gone on with",
    "vectors": "embedded anew by the embedding that is set where the book comes to",
}
"""Tables of a book that are no part of it, and why."""

LOCAL = {
    "books": frozenset({"id", "lease_owner", "lease_expires", "stop_requested", "stop_requested_at"}),
    "codex": frozenset({"shared"}),
    "documents": frozenset({"shared"}),
}
"""Columns that mean nothing elsewhere; the book's id is told once, beside the rows."""

SOFT_REFERENCES = {
    ("document_inputs", "input"): "documents",
    ("codex", "document"): "documents",
    ("codex", "step"): "steps",
    ("codex_suggestions", "document"): "documents",
    ("codex_suggestions", "step"): "steps",
}
"""Columns that hold another table's key without a constraint."""

RESTS = {
    "state": BookState.PAUSED.value,
    "reason": "it was being written when it was exported",
    "advice": "`bookwright resume` goes on from the state that was exported",
}

_AT_ONCE = 500


@dataclass(frozen=True)
class BookTable:
    """One table of a book, as it is told."""

    table: Table
    key: str | None
    """The column that the database numbers; None where the rows bring their own names."""
    columns: tuple[Column[Any], ...]
    references: Mapping[str, str]
    """The table that a column refers to by its number."""
    optional: frozenset[str] = frozenset()
    """Those of them that may be told as nothing: a branch names steps that are its origin's."""

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    def of(self, book: str) -> ColumnElement[bool]:
        """The condition that a row belongs to a book."""
        return _of_book(self.table, book)


@cache
def parts() -> tuple[BookTable, ...]:
    """Return the tables of a book, each after those that it refers to."""
    wanted = [table for table in metadata.sorted_tables if is_of_a_book(table) and table.name not in MADE_AGAIN]
    return tuple(_part(table) for table in wanted)


def is_of_a_book(table: Table) -> bool:
    """True if each row of a table belongs to one book, by a column or by what it refers to."""
    owners = {key.column.table for key in table.foreign_keys} - {table}
    return table is books or any(owner is books or is_of_a_book(owner) for owner in owners)


def is_number(column: Column[Any]) -> bool:
    """True for a column that may hold a key which the database made."""
    return isinstance(column.type, BigInteger) and column.type.compile(sqlite.dialect()) == "INTEGER"


def python_type(column: ColumnElement[Any]) -> type:
    """Return what the values of a column are."""
    kind = column.type
    return (kind.impl_instance if isinstance(kind, TypeDecorator) else kind).python_type


class Keys:
    """The keys of one book in one database, by their numbers, which are the same in all: 1 is the oldest row."""

    def __init__(self, by_table: Mapping[str, "array[int]"]) -> None:
        self._by_table = by_table

    @classmethod
    def of(cls, book: str, connection: Connection) -> "Keys":
        """Read the keys of a book."""
        return cls({part.name: _keys(part, book, connection) for part in parts() if part.key})

    def count(self, table: str) -> int | None:
        """Return how many rows a table has; None for one without keys."""
        return len(self._by_table[table]) if table in self._by_table else None

    def number(self, table: str, key: int) -> int:
        """Return a key's number; 0 for what is not there."""
        known = self._by_table[table]
        place = bisect_left(known, key)
        return place + 1 if place < len(known) and known[place] == key else 0

    def key(self, table: str, number: int) -> int:
        """Return the key of a number; 0 stands for what is not there."""
        return self._by_table[table][number - 1] if number else 0


def count_rows(part: BookTable, book: str, keys: Keys, connection: Connection) -> int:
    """Count a book's rows in one table."""
    known = keys.count(part.name)
    if known is not None:
        return known
    source, is_its = _seen(part, book)
    return connection.execute(select(func.count()).select_from(source).where(is_its)).scalar_one()


def rows(part: BookTable, book: str, keys: Keys, connection: Connection) -> Iterator[dict[str, Any]]:
    """Yield a book's rows of one table, as JSON knows values, in an order that every database keeps."""
    source, is_its = _seen(part, book)
    key = [source.c[column.name] for column in part.table.primary_key if column.name != "book"]
    query = select(*(words_of(source.c[column.name]) for column in part.columns)).where(is_its)
    query = query.order_by(*(_by_bytes(column, connection) for column in key))
    for row in connection.execute(query, execution_options={"yield_per": _AT_ONCE}).mappings():
        told = _numbered(part, {name: _as_json(value, part) for name, value in row.items()}, keys.number)
        is_running = part.table is books and told["state"] == BookState.WRITING.value
        yield told | RESTS if is_running else told


def _seen(part: BookTable, book: str) -> tuple[FromClause, ColumnElement[bool]]:
    """What a table's rows are read from, and which of them are a book's: a branch leaves some to its origins."""
    is_read_there = part.table is document_inputs
    return (inputs, inputs.c.book == book) if is_read_there else (part.table, part.of(book))


def taken_in(part: BookTable, values: dict[str, Any], keys: Keys) -> dict[str, Any]:
    """Return a told row as a database takes it: with its keys, and bytes as they are stored."""
    stored = {name: _stored(value, part, name) for name, value in values.items()}
    return _numbered(part, stored, keys.key)


def is_round_of_queue(part: BookTable, values: Mapping[str, Any]) -> bool:
    """True if a step's round is a place in the maintainers' queue: they take in what they are owed up to it."""
    return part.table is steps and values.get("activity") == Activity.MAINTAIN.value


def _as_json(value: Any, part: BookTable) -> Any:
    """Return a stored value as JSON knows it; a text of the book as itself unless UTF-8 cannot hold it."""
    if not isinstance(value, (bytes, memoryview)):
        return value
    raw = zlib.decompress(value) if part.table is texts else bytes(value)
    try:
        return raw.decode("utf-8") if part.table is texts else _base64(raw)
    except UnicodeDecodeError:
        return _base64(raw)


def bytes_of(value: Any) -> bytes:
    """Return bytes, or a text, from what JSON says of them; `ValueError` is raised where that is neither."""
    match value:
        case str():
            return value.encode("utf-8")
        case {"base64": str(encoded), **rest} if not rest:
            return base64.b64decode(encoded, validate=True)
    raise ValueError("is neither a text nor bytes in base64")


def _stored(value: Any, part: BookTable, name: str) -> Any:
    if not isinstance(part.table.c[name].type, LargeBinary):
        return value
    return packed(bytes_of(value)) if part.table is texts else bytes_of(value)


def _numbered(part: BookTable, values: dict[str, Any], translate: Any) -> dict[str, Any]:
    referring = dict(part.references)
    if part.key:
        referring[part.key] = part.name
    if is_round_of_queue(part, values):
        referring["round"] = maintenance.name
    told = {name: translate(table, values[name]) for name, table in referring.items() if values.get(name) is not None}
    return values | {name: number or (None if name in part.optional else 0) for name, number in told.items()}


def _part(table: Table) -> BookTable:
    key = next((column.name for column in table.primary_key if is_number(column) and not column.foreign_keys), None)
    if table.primary_key.columns.keys() != [key]:
        key = None
    left_out = LOCAL.get(table.name, frozenset())
    columns = tuple(column for column in table.columns if column.name != "book" and column.name not in left_out)
    optional = frozenset(column.name for column in table.columns if column.foreign_keys and column.nullable)
    return BookTable(table, key, columns, _references(table), optional)


def _references(table: Table) -> dict[str, str]:
    hard = {column.name: key.column.table.name for column in table.columns for key in column.foreign_keys}
    soft = {column: target for (name, column), target in SOFT_REFERENCES.items() if name == table.name}
    return {column: target for column, target in (hard | soft).items() if is_number(table.c[column])}


def _of_book(table: Table, book: str) -> ColumnElement[bool]:
    if table is books:
        return books.c.id == book
    if table is texts:
        return _texts_of(book)
    if "book" in table.c:
        return table.c.book == book
    key = next(key for key in table.foreign_keys if is_of_a_book(key.column.table))
    return key.parent.in_(select(key.column).where(_of_book(key.column.table, book)))


def _texts_of(book: str) -> ColumnElement[bool]:
    """The texts of a book; of a branch, with those of its origins that its documents and its journal have."""
    another = texts.alias("another")
    needed = union_all(
        select(texts.c.hash).where(texts.c.book == book),
        select(words_of(documents.c.text_hash)).where(documents.c.book == book),
        select(words_of(documents.c.data_hash)).where(documents.c.book == book),
        select(steps.c.reply).where(steps.c.book == book),
        select(tool_uses.c.response).where(tool_uses.c.book == book),
    )
    told_already = select(another.c.hash).where(
        another.c.hash == texts.c.hash, another.c.book < texts.c.book, of_lineage(another.c.book, book)
    )
    return and_(of_lineage(texts.c.book, book), texts.c.hash.in_(needed), ~told_already.correlate(texts).exists())


def _keys(part: BookTable, book: str, connection: Connection) -> "array[int]":
    column = part.table.c[str(part.key)]
    query = select(column).where(part.of(book)).order_by(column).execution_options(yield_per=10 * _AT_ONCE)
    return array("q", connection.execute(query).scalars())


def _by_bytes(column: ColumnElement[Any], connection: Connection) -> ColumnElement[Any]:
    """Order texts by their bytes, as SQLite does; a Postgres database may have a language's own order."""
    is_text = connection.dialect.name == "postgresql" and python_type(column) is str
    return collate(column, "C") if is_text else column


def _base64(raw: bytes) -> dict[str, str]:
    return {"base64": base64.b64encode(raw).decode("ascii")}
