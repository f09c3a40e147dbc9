"""A merge on the level of rows: nodes of a branch put into its origin's tree, and a record that undoes it exactly."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, func, insert, select, update

from bookwright.models.document import DocumentKind
from bookwright.models.errors import EditConflict
from bookwright.models.step import AMENDING_ROUNDS
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import (
    books,
    codex,
    codex_suggestions,
    comments,
    documents,
    gates,
    maintenance,
    nodes,
    steps,
    texts,
)

_TABLES = (nodes, texts, documents, codex, codex_suggestions, maintenance, gates, comments)
"""In the order in which rows can be added. What hangs on them goes with them: inputs, uses of the codex."""
_BOOK = ("title", "state", "reason", "advice", "length_ratio")
_UNSEEN = ("body",)
"""Columns that never change, and would be long to compare."""
_OWN = ("key", "book", "parent", "unit", "label", "ordinal", "written", "revision")
"""Columns that say where a node is and not how it stands."""
_STANDING = tuple(column for column in nodes.c if column.name not in _OWN)

Rows = dict[tuple[Any, ...], dict[str, Any]]
Snapshot = dict[str, Rows]
Undo = dict[str, Any]


def snapshot(connection: Connection, book: str) -> Snapshot:
    """Return the rows of a book that a merge may change, by table and key."""
    return {table.name: _rows(connection, table, book) for table in (*_TABLES, books)}


def undo_of(before: Snapshot, after: Snapshot) -> Undo:
    """Return, as JSON takes it, what leads from one state of a book back to an earlier one."""
    undo: Undo = {"after": {name: max(after[name], default=(0,))[0] for name in ("nodes", "documents", "codex")}}
    for name, old in before.items():
        new = after[name]
        undo[name] = {
            "added": [list(key) for key in new if key not in old],
            "changed": [row for key, row in old.items() if key in new and new[key] != row],
            "now": [new[key] for key, row in old.items() if key in new and new[key] != row],
            "removed": [row for key, row in old.items() if key not in new],
        }
    return undo


def take_back(connection: Connection, book: str, undo: Mapping[str, Any], steps_then: int) -> None:
    """Put a book's rows back to what they were; `EditConflict`, and nothing is done, where something came since."""
    _check_unchanged(connection, book, undo, steps_then)
    for table in (*_TABLES, books):  # before a node goes that a document was moved to, and would take it along
        for row in undo[table.name]["changed"]:
            key = [row[column.name] for column in table.primary_key]
            connection.execute(update(table).where(_is(table, key)).values(row))
    for table in reversed(_TABLES):
        for key in undo[table.name]["added"]:
            connection.execute(delete(table).where(_is(table, key)))
    for table in _TABLES:
        for row in undo[table.name]["removed"]:
            connection.execute(insert(table).values(row))


def last_step(connection: Connection, book: str) -> int:
    """Return the newest step of a book's walk; 0 for none."""
    newest = select(func.max(steps.c.id)).where(steps.c.book == book, steps.c.round < AMENDING_ROUNDS)
    return connection.execute(newest).scalar_one() or 0


def _check_unchanged(connection: Connection, book: str, undo: Mapping[str, Any], steps_then: int) -> None:
    now = snapshot(connection, book)
    newest = {name: max(now[name], default=(0,))[0] for name in undo["after"]}
    is_touched = any(
        not _stands(row, now[table.name].get(tuple(row[column.name] for column in table.primary_key)))
        for table in _TABLES
        for row in undo[table.name]["now"]
    )
    if newest != undo["after"] or is_touched or last_step(connection, book) != steps_then:
        raise EditConflict(
            "the book has gone on or was changed since that merge, so taking it back would lose what came after; "
            "`bookwright restore BOOK NODE VERSION` takes single documents back"
        )


def _stands(row: dict[str, Any], now: dict[str, Any] | None) -> bool:
    """Whether a row is as it was told; a newer version may know more columns of it."""
    return now is not None and row.items() <= now.items()


def _rows(connection: Connection, table: Table, book: str) -> Rows:
    names = ("id", *_BOOK) if table is books else [each.name for each in table.c if each.name not in _UNSEEN]
    is_its = books.c.id == book if table is books else table.c.book == book
    found = connection.execute(select(*(table.c[name] for name in names)).where(is_its)).mappings()
    return {tuple(row[column.name] for column in table.primary_key): dict(row) for row in found}


def _is(table: Table, key: list[Any]) -> Any:
    return and_(*(column == value for column, value in zip(table.primary_key, key, strict=True)))


def graft(connection: Connection, theirs: TaskNode, parent: TaskNode, unit: int | None) -> int:
    """Put a copy of a node of another book below one; return its key. Its number is the same, unless that is taken."""
    of_parent = nodes.c.parent == parent.key
    taken = connection.execute(select(nodes.c.key).where(of_parent, nodes.c.ordinal == theirs.ordinal)).first()
    ordinal = _next_ordinal(connection, parent) if taken else theirs.ordinal
    standing = _standing(connection, theirs) | {"unit": unit, "written": theirs.written}
    return _add_below(connection, parent, ordinal, standing)


def stand_as(connection: Connection, mine: TaskNode, theirs: TaskNode) -> None:
    """Let a node stand as one of another book does; what was begun of it while it was open is begun again."""
    values = _standing(connection, theirs)
    is_open = theirs.status is not NodeStatus.DONE
    values["revision"] = mine.revision + is_open
    connection.execute(update(nodes).where(nodes.c.key == mine.key).values(values))


def set_aside(connection: Connection, mine: TaskNode, kinds: Iterable[DocumentKind]) -> None:
    """Move documents of some kinds from a node to a replaced one below it: they stand nowhere any more."""
    void = _standing(connection, mine) | {"unit": None, "written": 0, "status": NodeStatus.VOID.value}
    made = _add_below(connection, mine, _next_ordinal(connection, mine), void)
    moved = update(documents).where(documents.c.node == mine.key, documents.c.kind.in_([kind.value for kind in kinds]))
    connection.execute(moved.values(node=made))


def _next_ordinal(connection: Connection, parent: TaskNode) -> int:
    last = connection.execute(select(func.max(nodes.c.ordinal)).where(nodes.c.parent == parent.key)).scalar_one()
    return (last or 0) + 1


def _add_below(connection: Connection, parent: TaskNode, ordinal: int, standing: dict[str, Any]) -> int:
    place = {"book": parent.book, "parent": parent.key, "label": f"{parent.label}.{ordinal}", "ordinal": ordinal}
    made = connection.execute(insert(nodes).values(standing | place | {"revision": 1}).returning(nodes.c.key))
    return int(made.scalar_one())


def _standing(connection: Connection, node: TaskNode) -> dict[str, Any]:
    return dict(connection.execute(select(*_STANDING).where(nodes.c.key == node.key)).one()._mapping)
