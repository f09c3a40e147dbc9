"""Bounded looks at the tree, a line for each node: so many lines around a place, however large the book."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, func, or_, select

from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.prepared import Prepared, Values
from bookwright.storage.tables import IS_LIVING, IS_UNIT, first_rows, nodes
from bookwright.storage.tree.nodes import NO_ORDINAL, NodeRepository

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
_TASKS = Prepared(
    _TREE_LINES.where(nodes.c.parent.in_(bindparam("parents", expanding=True)), ~IS_UNIT, IS_LIVING)
    .order_by(nodes.c.ordinal.desc(), nodes.c.key.desc())
    .limit(first_rows(_TASKS_READ))
)


class _Looks:
    """The statements of one kind of lines, each built once."""

    def __init__(self, lines: Select[Any], *shown: ColumnElement[bool]) -> None:
        of_parent = (nodes.c.parent == bindparam("parent"), *shown)
        earlier = (*of_parent, nodes.c.ordinal < bindparam("ordinal"))
        later = (*of_parent, nodes.c.ordinal >= bindparam("ordinal"))
        before, onwards = lines.where(*earlier).order_by(nodes.c.ordinal.desc()), lines.where(*later)
        total = select(func.count()).select_from(nodes)
        self.one = Prepared(lines.where(nodes.c.key == bindparam("key")))
        self.before = cache(lambda count: Prepared(before.limit(first_rows(count))))
        self.onwards = cache(lambda count: Prepared(onwards.order_by(nodes.c.ordinal).limit(first_rows(count))))
        self.count_before, self.count_onwards = Prepared(total.where(*earlier)), Prepared(total.where(*later))


_ALL_LOOKS, _UNIT_LOOKS = _Looks(_LINES, IS_LIVING), _Looks(_UNIT_LINES, IS_LIVING, IS_UNIT)
_TREE_LOOKS = _Looks(_TREE_LINES, IS_LIVING, IS_UNIT)


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

    def __init__(self, connection: Connection, looks: _Looks, line: type[_Line]) -> None:
        self._connection = connection
        self._looks = looks
        self._make = line

    def children(self, parent: int, ordinal: int, before: int, after: int) -> LineSpan[_Line]:
        """Return the child with an ordinal, if it lives, with up to so many before and after it."""
        place, looks = {"parent": parent, "ordinal": ordinal}, self._looks
        first = self._read(looks.before(before), place)[::-1]
        last = self._read(looks.onwards(after + 1), place)
        return LineSpan(
            lines=(*first, *last),
            before=self._count(looks.count_before, place) - len(first) if len(first) == before else 0,
            after=self._count(looks.count_onwards, place) - len(last) if len(last) > after else 0,
        )

    def _read(self, statement: Prepared, values: Values) -> list[_Line]:
        rows = statement.execute(self._connection, values)
        return [
            self._make(**row._asdict() | {"task_type": TaskType(row.task_type), "status": NodeStatus(row.status)})
            for row in rows
        ]

    def _count(self, statement: Prepared, values: Values) -> int:
        return int(statement.execute(self._connection, values).scalar_one())


class ChildReader(_LineReader[ChildLine]):
    """Looks at the nodes of one book, or with `units_only` at what becomes prose."""

    def __init__(self, connection: Connection, *, units_only: bool = False) -> None:
        super().__init__(connection, _UNIT_LOOKS if units_only else _ALL_LOOKS, ChildLine)

    def line(self, key: int) -> ChildLine:
        """Return one node as a line."""
        return self._read(self._looks.one, {"key": key})[0]


class OutlineReader(_LineReader[TreeLine]):
    """Looks at the tree of one book as the prompts show it."""

    def __init__(self, connection: Connection, book: str) -> None:
        super().__init__(connection, _TREE_LOOKS, TreeLine)
        self._nodes = NodeRepository(connection, book)

    def siblings(self, unit: TaskNode, width: int) -> LineSpan[TreeLine]:
        """Return a unit among its sibling units, with up to `width` before and as many after it."""
        if unit.parent is None:
            return LineSpan(tuple(self._read(self._looks.one, {"key": unit.key})))
        return self.children(unit.parent, unit.ordinal, width, width)

    def last_units(self, parent: int, width: int) -> LineSpan[TreeLine]:
        """Return the last child units of a unit."""
        place = {"parent": parent, "ordinal": NO_ORDINAL}
        lines = self._read(self._looks.before(width), place)[::-1]
        before = self._count(self._looks.count_before, place) - len(lines) if len(lines) == width else 0
        return LineSpan(tuple(lines), before=before)

    def tasks(self, parents: Sequence[int]) -> list[TreeLine]:
        """Return the design and search tasks right below some nodes, in the order they were planned."""
        return sorted(self._read(_TASKS, {"parents": list(parents)}), key=lambda line: order_of(line.label))

    def has_text_after(self, unit: TaskNode) -> bool:
        """True if anything that stands after a unit in reading order is written."""
        later = [
            and_(nodes.c.parent == node.parent, nodes.c.ordinal > node.ordinal)
            for node in (unit, *self._nodes.ancestors(unit))
            if node.parent is not None
        ]
        written = select(nodes.c.key).where(nodes.c.written > 0, IS_LIVING, IS_UNIT).limit(1)
        return bool(later and self._connection.execute(written.where(or_(*later))).first())
