"""A book as it stood before one of its steps, copied into memory, where a walk may do with it what it likes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, insert, or_, select, true

from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.plan import TaskType
from bookwright.storage.engine.database import memory_database
from bookwright.storage.steps.queries import AskedStep
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import (
    books,
    briefs,
    codex,
    documents,
    maintenance,
    metadata,
    nodes,
    steps,
    texts,
    tool_uses,
)

_MAKING = (Activity.PLAN, Activity.DECOMPOSE, Activity.DIVIDE)


@contextmanager
def book_before(step: AskedStep, source: BookStorage, settings: Settings) -> Iterator[BookStorage]:
    """Copy a book as it stood before a step; nothing is written to the book itself, held or not.

    The copy has the documents, the tree, the queue and the brief of then. Of the journal it has what was recorded
    for the step's node and its unit, every repair, and for a repair what was recorded above it; of the nodes' own
    columns only `written` is set back: what a decision or a division wrote to them, whoever knows the rules of it
    sets back.
    """
    database = memory_database(settings)
    try:
        metadata.create_all(database.engine)
        with source.database.read() as old, database.engine.begin() as new:
            _Copying(step, old, new).do()
        yield BookStorage(database, source.book, source.language)
    finally:
        database.dispose()


class _Copying:
    """What was there before a step: ids grow, and the steps tell which came with them."""

    def __init__(self, step: AskedStep, old: Connection, new: Connection) -> None:
        self._step = step
        self._book = step.key.book
        self._old = old
        self._new = new
        self._is_node_then = _is_below(nodes.c.key, self._first_later_node())
        was_made = or_(documents.c.made_at.is_(None), documents.c.made_at <= step.recorded_at)
        self._is_document_then = and_(_is_below(documents.c.id, self._first_later_document()), was_made)

    def do(self) -> None:
        """Copy table by table, what is referred to first."""
        self._put(books, self._rows(books, books.c.id == self._book))
        is_brief_then = or_(briefs.c.created_at <= self._step.recorded_at, briefs.c.version == 1)
        self._put(briefs, self._rows(briefs, is_brief_then))
        found = self._rows(documents, self._is_document_then, order=documents.c.id)
        self._put(nodes, self._nodes(found))
        self._put(steps, self._steps())
        self._put(tool_uses, self._tool_uses())
        self._put(documents, _current(found))
        self._put_texts()
        self._put(maintenance, self._queue({document["id"] for document in found}))
        self._put(codex, self._codex())

    def _codex(self) -> list[dict[str, Any]]:
        """Every record with the versions that it had, the newest of them current."""
        found = self._rows(codex, codex.c.recorded_at <= self._step.recorded_at, order=codex.c.id)
        newest = {(row["kind"], row["slug"]): row["version"] for row in found}
        return [row | {"is_current": newest[row["kind"], row["slug"]] == row["version"]} for row in found]

    def _first_later_document(self) -> int | None:
        return self._value(
            select(func.min(documents.c.id)).where(documents.c.book == self._book, documents.c.step >= self._step.id)
        )

    def _first_later_node(self) -> int | None:
        """The first node that this step's activity, or a later one, made."""
        maker = self._old.execute(
            select(steps.c.node, steps.c.activity, steps.c.round)
            .where(steps.c.book == self._book, steps.c.id >= self._step.id)
            .where(steps.c.activity.in_([activity.value for activity in _MAKING]), steps.c.has_move.is_(True))
            .order_by(steps.c.id)
            .limit(1)
        ).one_or_none()
        if maker is None:
            return None
        is_unit = nodes.c.task_type == TaskType.WRITE.value
        made = {
            Activity.PLAN: ~is_unit & (nodes.c.planning_round == maker.round),
            Activity.DECOMPOSE: true(),
            Activity.DIVIDE: is_unit & (nodes.c.unit_index >= maker.round),
        }[Activity(maker.activity)]
        return self._value(select(func.min(nodes.c.key)).where(nodes.c.parent == maker.node, made))

    def _nodes(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows = self._rows(nodes, self._is_node_then, order=nodes.c.key)
        parents = {row["key"]: row["parent"] for row in rows}
        written = dict.fromkeys(parents, 0)
        prose = {document["node"]: document["length"] for document in found if document["kind"] == DocumentKind.PROSE}
        for node, length in prose.items():
            while node is not None:
                written[node] += length
                node = parents[node]
        return [row | {"written": written[row["key"]]} for row in rows]

    def _steps(self) -> list[dict[str, Any]]:
        node = self._step.key.node
        unit = select(nodes.c.unit).where(nodes.c.key == node).scalar_subquery()
        is_repair = (steps.c.activity == Activity.WRITE.value) & (steps.c.round > 0)
        is_near = (steps.c.node == node) | (steps.c.node == unit) | is_repair
        if self._step.key.activity is Activity.WRITE and self._step.key.round:
            is_near |= steps.c.node.in_(self._closed())
        return self._rows(steps, steps.c.id < self._step.id, is_near, order=steps.c.id)

    def _closed(self) -> list[int]:
        """The unit of a repair and those above it, at the close of one of which it was ordered."""
        parents = {row["key"]: row["parent"] for row in self._rows(nodes)}
        found = [self._step.key.node]
        while (parent := parents[found[-1]]) is not None:
            found.append(parent)
        return found

    def _tool_uses(self) -> list[dict[str, Any]]:
        """What the copied steps used, all of which came before."""
        there = list(self._new.execute(select(steps.c.id)).scalars())
        return [
            row
            for start in range(0, len(there), _AT_ONCE)
            for row in self._rows(tool_uses, tool_uses.c.step.in_(there[start : start + _AT_ONCE]))
        ]

    def _put_texts(self) -> None:
        """Copy the texts that the copied rows name, some at a time."""
        named = [
            *self._new.execute(select(documents.c.text_hash)).scalars(),
            *self._new.execute(select(documents.c.data_hash).where(documents.c.data_hash.is_not(None))).scalars(),
            *self._new.execute(select(steps.c.reply)).scalars(),
            *self._new.execute(select(tool_uses.c.response)).scalars(),
        ]
        wanted = list(dict.fromkeys(named))
        for start in range(0, len(wanted), _AT_ONCE):
            some = texts.c.hash.in_(wanted[start : start + _AT_ONCE])
            self._put(texts, self._rows(texts, some))

    def _queue(self, then: set[int]) -> list[dict[str, Any]]:
        """What the maintainers were owed, applied up to where a step before this one took it in."""
        applied = self._old.execute(
            select(steps.c.step, func.max(steps.c.round))
            .where(steps.c.book == self._book, steps.c.id < self._step.id, steps.c.failure.is_(None))
            .where(steps.c.activity == Activity.MAINTAIN.value)
            .group_by(steps.c.step)
        )
        up_to: dict[str, int] = dict(map(tuple, applied))
        rows = [row for row in self._rows(maintenance, true()) if row["document"] in then]
        return [row | {"is_applied": row["id"] <= up_to.get(row["kind"], 0)} for row in rows]

    def _rows(
        self, table: Table, *conditions: ColumnElement[bool], order: ColumnElement[int] | None = None
    ) -> list[dict[str, Any]]:
        of_book = true() if table is books else table.c.book == self._book
        query = select(table).where(of_book, *conditions).order_by(order)
        return [dict(row) for row in self._old.execute(query).mappings()]

    def _put(self, table: Table, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._new.execute(insert(table), rows)

    def _value(self, query: Any) -> int | None:
        found: int | None = self._old.execute(query).scalar_one()
        return found


_AT_ONCE = 5_000
"""Hashes asked for in one statement."""


def _is_below(column: ColumnElement[int], bound: int | None) -> ColumnElement[bool]:
    return true() if bound is None else column < bound


def _current(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents with the newest version of then as the current one; the steps that made them are not copied."""
    newest = {(document["node"], document["kind"]): document["id"] for document in found}
    return [
        document | {"is_current": newest[document["node"], document["kind"]] == document["id"], "step": None}
        for document in found
    ]
