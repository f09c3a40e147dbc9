"""Takes in the told rows of a book: checks each, and puts them into a database with keys of that database's own."""

import json
import uuid
from array import array
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import groupby
from math import isfinite
from typing import Any

from pydantic import ValidationError
from sqlalchemy import BigInteger, Column, Connection, LargeBinary, func, insert, select, text
from sqlalchemy.exc import DataError, IntegrityError

from bookwright.failpoints import Failpoint
from bookwright.models.book import BookState
from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import BookwrightError, InvalidInput, UnusableBook
from bookwright.models.gate import GateKind, GateState
from bookwright.models.step import Activity, Failure
from bookwright.models.story_time.times import StoryTime
from bookwright.models.talk.event import speakable
from bookwright.models.talk.tool import ToolStatus
from bookwright.models.tree.decision import Decision, Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.engine.database import Database
from bookwright.storage.engine.prepared import batches
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.texts import bytes_hash
from bookwright.storage.tables import books, maintenance, session_messages, sessions, texts
from bookwright.storage.transfer.portable import (
    BookTable,
    Keys,
    bytes_of,
    is_round_of_queue,
    parts,
    python_type,
    taken_in,
)
from bookwright.storage.tree.nodes import NodeRepository

Row = dict[str, Any]

_RESERVED = text("SELECT nextval(pg_get_serial_sequence(:table, :column)) FROM generate_series(1, :count)")
_WORDS: Mapping[tuple[str, str], type[StrEnum]] = {
    ("books", "state"): BookState, ("nodes", "level"): Level, ("nodes", "child_level"): Level,
    ("nodes", "task_type"): TaskType, ("nodes", "status"): NodeStatus, ("nodes", "verdict"): Verdict,
    ("nodes", "decision"): Decision, ("documents", "kind"): DocumentKind, ("documents", "origin"): DocumentOrigin,
    ("maintenance", "kind"): DocumentKind, ("steps", "activity"): Activity, ("steps", "failure"): Failure,
    ("gates", "kind"): GateKind, ("gates", "state"): GateState, ("codex", "kind"): RecordKind,
    ("tool_uses", "status"): ToolStatus,
}  # fmt: skip
"""Columns that hold one of a few words."""
_JSON = {("nodes", "open_points"): list, ("nodes", "outline"): list, ("nodes", "spec"): dict}
"""Columns that hold JSON, and of which kind."""
_TIME = ("nodes", "story_time")


class TreeCheck:
    """Follows the nodes of a book: each stands below an earlier one, where its label says."""

    def __init__(self) -> None:
        self._labels: list[str] = []

    def take(self, values: Mapping[str, Any]) -> None:
        """Raise `ValueError` if the next node, whose parent came before it, has not its parent's label and a place."""
        parent, ordinal = values.get("parent"), values["ordinal"]
        if (parent is None) is bool(self._labels) or ordinal < 1:
            raise ValueError("only the first node has nothing above it, and places count from 1")
        label = f"{self._labels[parent - 1]}.{ordinal}" if parent is not None else "1"
        if values["label"] != label:
            raise ValueError(f"its label is {values['label'][:40]!r}, and its place in the tree is {label!r}")
        self._labels.append(label)


def check_row(part: BookTable, values: Mapping[str, Any], number: int, counts: Mapping[str, int]) -> None:
    """Raise `ValueError`, saying why, if a row cannot be the `number`th of its table, in a book with such counts."""
    columns = {column.name: column for column in part.columns}
    if unknown := sorted(set(values) - set(columns)):
        raise ValueError(f"{part.name} has no {unknown[0]!r}; a newer version wrote it, or it was changed")
    for name, column in columns.items():
        if name in values:
            _check_value(column, values[name])
            _check_meaning(part, name, values[name])
        elif column.primary_key or not (
            column.nullable or column.default is not None or column.server_default is not None
        ):
            raise ValueError(f"{name!r} is missing")
    if part.key and values[part.key] != number:
        raise ValueError(f"its {part.key} is {values[part.key]}, where {number} comes next")
    _check_references(part, values, number, counts)
    if part.table is texts and bytes_hash(bytes_of(values["body"])) != values["hash"]:
        raise ValueError("the text is not the one that its hash names")


def _check_value(column: Column[Any], value: Any) -> None:
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column.name!r} is null")
    elif isinstance(column.type, LargeBinary):
        bytes_of(value)
    elif not _fits(column, value):
        raise ValueError(f"{column.name!r} cannot be {str(value)[:40]!r}")


def _check_meaning(part: BookTable, name: str, value: Any) -> None:
    place, words = (part.name, name), _WORDS.get((part.name, name))
    if words is not None and value is not None and value not in words.__members__.values():
        raise ValueError(f"{name!r} cannot be {value[:40]!r}")
    if place in _JSON and not isinstance(_loaded(name, value), _JSON[place]):
        raise ValueError(f"{name!r} cannot be {value[:40]!r}")
    if place == _TIME and value is not None:
        try:
            StoryTime.model_validate_json(value)
        except ValidationError:
            raise ValueError(f"{name!r} cannot be {value[:40]!r}") from None


def _loaded(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError(f"{name!r} is no JSON") from None


def _fits(column: Column[Any], value: Any) -> bool:
    wanted = python_type(column)
    if wanted is int:
        bits = 63 if isinstance(column.type, BigInteger) else 31
        return type(value) is int and -(2**bits) <= value < 2**bits
    if wanted is str:
        return isinstance(value, str) and "\x00" not in value and speakable(value) == value
    if wanted is float:
        return type(value) in (int, float) and isfinite(value)
    return type(value) is wanted


def _check_references(part: BookTable, values: Mapping[str, Any], number: int, counts: Mapping[str, int]) -> None:
    for name, table in part.references.items():
        target = values.get(name)
        is_hard = bool(part.table.c[name].foreign_keys)
        most = number - 1 if table == part.name else counts.get(table, 0)
        if target is not None and not (1 if is_hard else 0) <= target <= most:
            raise ValueError(f"its {name} is {target}, and there is no such row in {table}")
    if is_round_of_queue(part, values) and not 0 <= values["round"] <= counts.get(maintenance.name, 0):
        raise ValueError(f"its round is {values['round']}, and there is no such row in {maintenance.name}")


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
