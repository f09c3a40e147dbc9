"""Bounded looks at the tree, a line for each node: so many lines around a place, however large the book."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select

from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import IS_LIVING, IS_UNIT, nodes


@dataclass(frozen=True)
class ChildLine:
    """A node as one line, with how much of it is written and whether it has parts."""

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
    written: int
    has_parts: bool

    @property
    def is_unit(self) -> bool:
        """True for what becomes prose."""
        return self.task_type is TaskType.WRITE

    @property
    def is_finished(self) -> bool:
        """True once its prose or its document stands."""
        return self.status in (NodeStatus.WRITTEN, NodeStatus.DONE)


_Line = TypeVar("_Line", ChildLine, TaskNode)

_part = nodes.alias("part")
_PARTS = select(_part.c.key).where(_part.c.parent == nodes.c.key, _part.c.status != NodeStatus.VOID.value)
_UNIT_PARTS = _PARTS.where(_part.c.task_type == TaskType.WRITE.value)
_FIELDS = [nodes.c[name] for name in ChildLine.__dataclass_fields__ if name != "has_parts"]
_LINES, _UNIT_LINES = (select(*_FIELDS, parts.exists().label("has_parts")) for parts in (_PARTS, _UNIT_PARTS))


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


class ChildReader:
    """Looks at the living nodes of one book, or with `units_only` at what becomes prose, each as one line."""

    def __init__(self, connection: Connection, *, units_only: bool = False) -> None:
        self._connection = connection
        self._query = _UNIT_LINES if units_only else _LINES
        self._shown = (IS_LIVING, IS_UNIT) if units_only else (IS_LIVING,)

    def line(self, key: int) -> ChildLine:
        """Return one node as a line."""
        return self._read(self._query.where(nodes.c.key == key))[0]

    def children(self, parent: int, ordinal: int, before: int, after: int) -> LineSpan[ChildLine]:
        """Return the child with an ordinal, if it lives, with up to so many before and after it."""
        of_parent = (nodes.c.parent == parent, *self._shown)
        earlier, later = (*of_parent, nodes.c.ordinal < ordinal), (*of_parent, nodes.c.ordinal >= ordinal)
        first = self._read(self._query.where(*earlier).order_by(nodes.c.ordinal.desc()).limit(before))[::-1]
        last = self._read(self._query.where(*later).order_by(nodes.c.ordinal).limit(after + 1))
        return LineSpan(
            lines=(*first, *last),
            before=self._count(*earlier) - len(first) if len(first) == before else 0,
            after=self._count(*later) - len(last) if len(last) > after else 0,
        )

    def _read(self, query: Select[Any]) -> list[ChildLine]:
        rows = (dict(row._mapping) for row in self._connection.execute(query))
        return [
            ChildLine(**row | {"task_type": TaskType(row["task_type"]), "status": NodeStatus(row["status"])})
            for row in rows
        ]

    def _count(self, *conditions: ColumnElement[bool]) -> int:
        return self._connection.execute(select(func.count()).select_from(nodes).where(*conditions)).scalar_one()


def has_text_after(connection: Connection, path: Sequence[TaskNode]) -> bool:
    """True if anything is written that stands in reading order after a unit, given with those above it."""
    later = [
        and_(nodes.c.parent == node.parent, nodes.c.ordinal > node.ordinal) for node in path if node.parent is not None
    ]
    query = select(nodes.c.key).where(or_(*later), nodes.c.written > 0).limit(1)
    return bool(later) and connection.execute(query).first() is not None
