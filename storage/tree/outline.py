"""Bounded looks at the tree, a line for each node: so many lines around a place, however large the book."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select

from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import IS_LIVING, IS_UNIT, nodes
from bookwright.storage.tree.nodes import NodeRepository

_TASKS_READ = 200
"""Tasks of one look: more than a whole path of units has."""


@dataclass(frozen=True)
class TreeLine:
    """A node as one line of the tree shows it."""

    key: int
    parent: int | None
    label: str
    ordinal: int
    level: str
    task_type: TaskType
    title: str
    goal: str
    length: int | None
    status: NodeStatus

    @property
    def is_finished(self) -> bool:
        """True once its prose or its document stands."""
        return self.status in (NodeStatus.WRITTEN, NodeStatus.DONE)


@dataclass(frozen=True)
class ChildLine(TreeLine):
    """A node as one line, with how much of it is written and whether it has parts."""

    written: int
    has_parts: bool

    @property
    def is_unit(self) -> bool:
        """True for what becomes prose."""
        return self.task_type is TaskType.WRITE


_Line = TypeVar("_Line", bound=TreeLine)

_part = nodes.alias("part")
_PARTS = select(_part.c.key).where(_part.c.parent == nodes.c.key, _part.c.status != NodeStatus.VOID.value)
_UNIT_PARTS = _PARTS.where(_part.c.task_type == TaskType.WRITE.value)
_FIELDS = tuple(nodes.c[name] for name in TreeLine.__dataclass_fields__)
_TREE_LINES = select(*_FIELDS)
_LINES, _UNIT_LINES = (
    select(*_FIELDS, nodes.c.written, parts.exists().label("has_parts")) for parts in (_PARTS, _UNIT_PARTS)
)


@dataclass(frozen=True)
class LineSpan(Generic[_Line]):
    """Some neighbouring lines, and how many more there are on either side."""

    lines: tuple[_Line, ...] = ()
    before: int = 0
    after: int = 0

    def narrowed(self, label: str, width: int) -> "LineSpan[_Line]":
        """The same with at most `width` lines around the one with that label, or at the end."""
        if len(self.lines) <= width:
            return self
        labels = [line.label for line in self.lines]
        place = labels.index(label) if label in labels else len(labels) - 1
        start = min(max(place - (width * 2) // 3, 0), len(labels) - width)
        hidden = len(labels) - start - width
        lines = self.lines[start : start + width]
        return replace(self, lines=lines, before=self.before + start, after=self.after + hidden)


class _LineReader(Generic[_Line]):
    """Reads living nodes in one transaction, each as one line."""

    def __init__(self, connection: Connection, query: Select[Any], line: type[_Line], *, units_only: bool) -> None:
        self._connection = connection
        self._query = query
        self._make = line
        self._shown = (IS_LIVING, IS_UNIT) if units_only else (IS_LIVING,)

    def children(self, parent: int, ordinal: int, before: int, after: int) -> LineSpan[_Line]:
        """Return the child with an ordinal, if it lives, with up to so many before and after it."""
        of_parent = (nodes.c.parent == parent, *self._shown)
        earlier, later = (*of_parent, nodes.c.ordinal < ordinal), (*of_parent, nodes.c.ordinal >= ordinal)
        first = self._last(before, *earlier)
        last = self._read(self._query.where(*later).order_by(nodes.c.ordinal).limit(after + 1))
        return LineSpan(
            lines=(*first, *last),
            before=self._count(*earlier) - len(first) if len(first) == before else 0,
            after=self._count(*later) - len(last) if len(last) > after else 0,
        )

    def _last(self, count: int, *conditions: ColumnElement[bool]) -> list[_Line]:
        query = self._query.where(*conditions).order_by(nodes.c.ordinal.desc())
        return self._read(query.limit(count))[::-1]

    def _read(self, query: Select[Any]) -> list[_Line]:
        rows = (dict(row._mapping) for row in self._connection.execute(query))
        return [
            self._make(**row | {"task_type": TaskType(row["task_type"]), "status": NodeStatus(row["status"])})
            for row in rows
        ]

    def _count(self, *conditions: ColumnElement[bool]) -> int:
        return self._connection.execute(select(func.count()).select_from(nodes).where(*conditions)).scalar_one()


class ChildReader(_LineReader[ChildLine]):
    """Looks at the nodes of one book, or with `units_only` at what becomes prose."""

    def __init__(self, connection: Connection, *, units_only: bool = False) -> None:
        query = _UNIT_LINES if units_only else _LINES
        super().__init__(connection, query, ChildLine, units_only=units_only)

    def line(self, key: int) -> ChildLine:
        """Return one node as a line."""
        return self._read(self._query.where(nodes.c.key == key))[0]


class OutlineReader(_LineReader[TreeLine]):
    """Looks at the tree of one book as the prompts show it."""

    def __init__(self, connection: Connection, book: str) -> None:
        super().__init__(connection, _TREE_LINES, TreeLine, units_only=True)
        self._nodes = NodeRepository(connection, book)

    def siblings(self, unit: TaskNode, width: int) -> LineSpan[TreeLine]:
        """Return a unit among its sibling units, with up to `width` before and as many after it."""
        if unit.parent is None:
            return LineSpan(tuple(self._read(self._query.where(nodes.c.key == unit.key))))
        return self.children(unit.parent, unit.ordinal, width, width)

    def last_units(self, parent: int, width: int) -> LineSpan[TreeLine]:
        """Return the last child units of a unit."""
        units = (nodes.c.parent == parent, *self._shown)
        lines = self._last(width, *units)
        return LineSpan(tuple(lines), before=self._count(*units) - len(lines) if len(lines) == width else 0)

    def tasks(self, parents: Sequence[int]) -> list[TreeLine]:
        """Return the design and search tasks right below some nodes, in the order they were planned."""
        query = self._query.where(nodes.c.parent.in_(list(parents)), ~IS_UNIT, IS_LIVING)
        newest = query.order_by(nodes.c.ordinal.desc(), nodes.c.key.desc()).limit(_TASKS_READ)
        return sorted(self._read(newest), key=lambda line: order_of(line.label))

    def has_text_after(self, unit: TaskNode) -> bool:
        """True if anything that stands after a unit in reading order is written."""
        later = [
            and_(nodes.c.parent == node.parent, nodes.c.ordinal > node.ordinal)
            for node in (unit, *self._nodes.ancestors(unit))
            if node.parent is not None
        ]
        return bool(later and self._read(self._query.where(or_(*later), nodes.c.written > 0).limit(1)))
