"""The children of a node as lines on a screen: so many around a place, however many there are."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.tables import nodes
from bookwright.storage.tree.outline import TreeLine

_part = nodes.alias("part")
_PARTS = select(_part.c.key).where(_part.c.parent == nodes.c.key, _part.c.status != NodeStatus.VOID.value)
_HAS_PARTS = _PARTS.exists().label("has_parts")
_HAS_UNITS = _PARTS.where(_part.c.task_type == TaskType.WRITE.value).exists().label("has_parts")
_NAMES = (
    "key", "parent", "label", "ordinal", "level", "task_type", "title", "goal", "length", "written", "status",
)  # fmt: skip
_FIELDS = tuple(nodes.c[name] for name in _NAMES)
_LINES, _UNIT_LINES = select(*_FIELDS, _HAS_PARTS), select(*_FIELDS, _HAS_UNITS)


@dataclass(frozen=True)
class ChildLine(TreeLine):
    """A node as one line, with how much of it is written and whether it has parts."""

    written: int
    has_parts: bool

    @property
    def is_unit(self) -> bool:
        """True for what becomes prose."""
        return self.task_type is TaskType.WRITE


@dataclass(frozen=True)
class ChildSpan:
    """Neighbouring children in order, and how many more there are on either side."""

    lines: tuple[ChildLine, ...]
    before: int = 0
    after: int = 0


class ChildReader:
    """Looks at the living nodes of one book in one transaction, or with `units_only` at what becomes prose."""

    def __init__(self, connection: Connection, *, units_only: bool = False) -> None:
        self._connection = connection
        self._query = _UNIT_LINES if units_only else _LINES
        living = (nodes.c.status != NodeStatus.VOID.value,)
        self._shown = (*living, nodes.c.task_type == TaskType.WRITE.value) if units_only else living

    def line(self, key: int) -> ChildLine:
        """Return one node as a line."""
        return _line(self._connection.execute(self._query.where(nodes.c.key == key)).one())

    def children(self, parent: int, ordinal: int, before: int, after: int) -> ChildSpan:
        """Return the child with an ordinal, if it lives, with up to so many before and after it."""
        living = (nodes.c.parent == parent, *self._shown)
        earlier, later = (*living, nodes.c.ordinal < ordinal), (*living, nodes.c.ordinal >= ordinal)
        first = self._lines(self._query.where(*earlier).order_by(nodes.c.ordinal.desc()).limit(before))[::-1]
        last = self._lines(self._query.where(*later).order_by(nodes.c.ordinal).limit(after + 1))
        return ChildSpan(
            lines=(*first, *last),
            before=self._count(earlier) - len(first) if len(first) == before else 0,
            after=self._count(later) - len(last) if len(last) > after else 0,
        )

    def _lines(self, query: Any) -> list[ChildLine]:
        return [_line(row) for row in self._connection.execute(query)]

    def _count(self, conditions: tuple[Any, ...]) -> int:
        return self._connection.execute(select(func.count()).select_from(nodes).where(*conditions)).scalar_one()


def _line(row: Any) -> ChildLine:
    values = dict(row._mapping)
    return ChildLine(**values | {"task_type": TaskType(row.task_type), "status": NodeStatus(row.status)})
