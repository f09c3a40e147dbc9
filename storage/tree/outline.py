"""Bounded looks at the tree around a node: so many lines each way, however large the book."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import nodes
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
class LineSpan:
    """Some neighbouring lines, and how many more there are on either side."""

    lines: tuple[TreeLine, ...] = ()
    before: int = 0
    after: int = 0

    def narrowed(self, label: str, width: int) -> "LineSpan":
        """The same with at most `width` lines around the one with that label, or at the end."""
        if len(self.lines) <= width:
            return self
        labels = [line.label for line in self.lines]
        place = labels.index(label) if label in labels else len(labels) - 1
        start = min(max(place - (width * 2) // 3, 0), len(labels) - width)
        hidden = len(labels) - start - width
        return replace(
            self,
            lines=self.lines[start : start + width],
            before=self.before + start,
            after=self.after + hidden,
        )


class OutlineReader:
    """Looks at the tree of one book in one transaction."""

    def __init__(self, connection: Connection, book: str) -> None:
        self._connection = connection
        self._nodes = NodeRepository(connection, book)

    def siblings(self, unit: TaskNode, width: int) -> LineSpan:
        """Return a unit among its sibling units, with up to `width` before and as many after it."""
        if unit.parent is None:
            return LineSpan(tuple(self._lines(nodes.c.key == unit.key)))
        units = _units_of(unit.parent)
        before = self._lines(*units, nodes.c.ordinal < unit.ordinal, newest=width)
        after = self._lines(*units, nodes.c.ordinal >= unit.ordinal, limit=width + 1)
        return LineSpan(
            lines=(*before, *after),
            before=self._count(*units, nodes.c.ordinal < unit.ordinal) - len(before),
            after=self._count(*units, nodes.c.ordinal >= unit.ordinal) - len(after),
        )

    def last_units(self, parent: int, width: int) -> LineSpan:
        """Return the last child units of a unit."""
        lines = self._lines(*_units_of(parent), newest=width)
        return LineSpan(tuple(lines), before=self._count(*_units_of(parent)) - len(lines))

    def tasks(self, parents: Sequence[int]) -> list[TreeLine]:
        """Return the design and search tasks right below some nodes, in the order they were planned."""
        return self._lines(
            nodes.c.parent.in_(list(parents)),
            nodes.c.task_type != TaskType.WRITE.value,
            nodes.c.status != NodeStatus.VOID.value,
            newest=_TASKS_READ,
        )

    def has_text_after(self, unit: TaskNode) -> bool:
        """True if anything that stands after a unit in reading order is written."""
        later = [
            and_(nodes.c.parent == node.parent, nodes.c.ordinal > node.ordinal)
            for node in (unit, *self._nodes.ancestors(unit))
            if node.parent is not None
        ]
        return bool(later and self._lines(or_(*later), nodes.c.written > 0, limit=1))

    def _lines(self, *conditions: Any, limit: int | None = None, newest: int | None = None) -> list[TreeLine]:
        query = select(nodes).with_only_columns(*_COLUMNS).where(*conditions)
        if newest is not None:
            rows = self._connection.execute(query.order_by(nodes.c.ordinal.desc(), nodes.c.key.desc()).limit(newest))
            return sorted(map(_line, rows), key=_reading_order)
        return [_line(row) for row in self._connection.execute(query.order_by(nodes.c.ordinal).limit(limit))]

    def _count(self, *conditions: Any) -> int:
        return self._connection.execute(select(func.count()).select_from(nodes).where(*conditions)).scalar_one()


_COLUMNS = (
    nodes.c.key, nodes.c.parent, nodes.c.label, nodes.c.ordinal, nodes.c.level, nodes.c.task_type, nodes.c.title,
    nodes.c.goal, nodes.c.length, nodes.c.status,
)  # fmt: skip


def _units_of(parent: int) -> tuple[Any, ...]:
    return (
        nodes.c.parent == parent,
        nodes.c.task_type == TaskType.WRITE.value,
        nodes.c.status != NodeStatus.VOID.value,
    )


def _line(row: Any) -> TreeLine:
    values = dict(row._mapping)
    values |= {"task_type": TaskType(row.task_type), "status": NodeStatus(row.status)}
    return TreeLine(**values)


def _reading_order(line: TreeLine) -> tuple[int, ...]:
    return tuple(int(ordinal) for ordinal in line.label.split("."))
