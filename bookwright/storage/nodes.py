"""The task tree of one book, as if it were a collection in memory."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, func, insert, literal, select, update

from bookwright.models.errors import NodeNotFound
from bookwright.models.level import Level
from bookwright.models.plan import PlanNode, TaskType
from bookwright.models.task import NodeStatus, TaskNode
from bookwright.storage.tables import nodes

_SPEC = ("instructions", "input_brief", "constraints", "acceptance_criteria")
_LISTS = ("open_points", "outline")
_PLAIN = (
    "key", "book", "parent", "unit", "label", "ordinal", "revision", "level", "task_type", "title", "goal",
    "complexity_score", "length", "written", "is_last", "unit_index", "status", "planning_round", "decided_round",
    "verdict", "decision",
)  # fmt: skip

_BY_KEY = select(nodes).where(nodes.c.key == bindparam("key"))
_BY_LABEL = select(nodes).where(
    nodes.c.book == bindparam("book"), nodes.c.label == bindparam("label"), nodes.c.status != NodeStatus.VOID.value
)
_FIRST_OPEN_UNIT = (
    select(nodes)
    .where(
        nodes.c.parent == bindparam("parent"),
        nodes.c.status.in_([NodeStatus.OPEN.value, NodeStatus.WRITTEN.value]),
        nodes.c.task_type == TaskType.WRITE.value,
    )
    .order_by(nodes.c.ordinal)
    .limit(1)
)
_FIRST_OPEN_TASK = (
    select(nodes)
    .where(
        nodes.c.parent == bindparam("parent"),
        nodes.c.status == NodeStatus.OPEN.value,
        nodes.c.task_type != TaskType.WRITE.value,
    )
    .order_by(nodes.c.ordinal)
    .limit(1)
)
_CHILDREN = (
    select(nodes)
    .where(nodes.c.parent == bindparam("parent"), nodes.c.status != NodeStatus.VOID.value)
    .order_by(nodes.c.ordinal)
)
_WRITTEN_UNITS = (
    select(nodes)
    .where(
        nodes.c.parent == bindparam("parent"),
        nodes.c.status != NodeStatus.VOID.value,
        nodes.c.task_type == TaskType.WRITE.value,
        nodes.c.written > 0,
        nodes.c.ordinal < bindparam("before"),
    )
    .order_by(nodes.c.ordinal.desc())
    .limit(bindparam("count"))
)
_NO_ORDINAL = 2**31 - 1

_ADD = insert(nodes).returning(nodes.c.key)
_LAST_ORDINAL = select(func.max(nodes.c.ordinal)).where(nodes.c.parent == bindparam("parent"))
_ADD_WRITTEN = (
    update(nodes)
    .where(nodes.c.key.in_(bindparam("keys", expanding=True)))
    .values(written=nodes.c.written + bindparam("amount"))
)


def _ancestors() -> Select[Any]:
    above = (
        select(nodes.c.key, nodes.c.parent, literal(0).label("distance"))
        .where(nodes.c.key == bindparam("key"))
        .cte(recursive=True)
    )
    chain = nodes.alias()
    above = above.union_all(
        select(chain.c.key, chain.c.parent, above.c.distance + 1).where(chain.c.key == above.c.parent)
    )
    found = select(nodes).join(above, above.c.key == nodes.c.key)
    return found.where(above.c.distance > 0).order_by(above.c.distance)


def _written_leaves() -> Select[Any]:
    child = nodes.alias()
    has_parts = select(child.c.key).where(child.c.parent == nodes.c.key, child.c.task_type == TaskType.WRITE.value)
    return (
        select(nodes)
        .where(
            nodes.c.book == bindparam("book"),
            nodes.c.task_type == TaskType.WRITE.value,
            nodes.c.status.in_([NodeStatus.WRITTEN.value, NodeStatus.DONE.value]),
            nodes.c.written > 0,
            ~has_parts.exists(),
        )
        .order_by(nodes.c.key.desc())
        .limit(bindparam("limit"))
    )


_ANCESTORS = _ancestors()
_WRITTEN_LEAVES = _written_leaves()


class NodeRepository:
    """The nodes of one book in one transaction."""

    def __init__(self, connection: Connection, book: str) -> None:
        self._connection = connection
        self._book = book

    def get(self, key: int) -> TaskNode:
        """Return the node with this key.

        Raises:
            NodeNotFound: There is none.
        """
        row = self._connection.execute(_BY_KEY, {"key": key}).one_or_none()
        if row is None:
            raise NodeNotFound(f"book {self._book!r} has no node with key {key}")
        return _node(row)

    def by_label(self, label: str) -> TaskNode:
        """Return the living node with this label.

        Raises:
            NodeNotFound: There is none; the message says where to look.
        """
        row = self._connection.execute(_BY_LABEL, {"book": self._book, "label": label}).first()
        if row is None:
            raise NodeNotFound(f"book {self._book!r} has no node {label!r}; `bookwright tree {self._book}` shows them")
        return _node(row)

    def root(self) -> TaskNode:
        """Return the book's own unit."""
        return self.by_label("1")

    def first_open_unit(self, parent: int) -> TaskNode | None:
        """Return the first child unit that is not closed."""
        return self._maybe(_FIRST_OPEN_UNIT, parent=parent)

    def first_open_task(self, parent: int) -> TaskNode | None:
        """Return the first design or search child that is not done."""
        return self._maybe(_FIRST_OPEN_TASK, parent=parent)

    def children(self, parent: int, *types: TaskType) -> list[TaskNode]:
        """Return the living children in order, of the given types or of all."""
        found = map(_node, self._connection.execute(_CHILDREN, {"parent": parent}))
        return [node for node in found if not types or node.task_type in types]

    def ancestors(self, node: TaskNode) -> list[TaskNode]:
        """Return the nodes above, nearest first; one query however deep."""
        return [_node(row) for row in self._connection.execute(_ANCESTORS, {"key": node.key})]

    def tasks_of_round(self, unit: int, planning_round: int) -> list[TaskNode]:
        """Return the tasks that one round of planning gave a unit."""
        return [
            node
            for node in self.children(unit, TaskType.DESIGN, TaskType.SEARCH)
            if node.planning_round == planning_round
        ]

    def units_before(self, node: TaskNode, count: int) -> list[TaskNode]:
        """Return up to `count` units that hold prose, in reading order before `node`, nearest last.

        Goes up and back through the tree, so it costs as many queries as the tree is deep.
        """
        found: list[TaskNode] = []
        for at in (node, *self.ancestors(node)):
            if len(found) < count and at.parent is not None:
                found += self._last_leaves(at.parent, at.ordinal, count - len(found))
        return found[::-1]

    def _last_leaves(self, parent: int, before: int, count: int) -> list[TaskNode]:
        """The last units with prose below a node's children up to an ordinal, nearest first."""
        found: list[TaskNode] = []
        units = self._connection.execute(_WRITTEN_UNITS, {"parent": parent, "before": before, "count": count})
        for unit in map(_node, units.all()):
            if len(found) < count:
                found += self._last_leaves(unit.key, _NO_ORDINAL, count - len(found)) or [unit]
        return found

    def add(self, parent: TaskNode, items: Iterable[PlanNode], **common: Any) -> list[TaskNode]:
        """Add children below `parent`, numbered on from its last child.

        `common` sets columns of all of them, such as `unit`, `level` or `planning_round`; a
        callable value is called with the item's place in the list, from 0.
        """
        last = self._connection.execute(_LAST_ORDINAL, {"parent": parent.key}).scalar_one_or_none()
        added = []
        for index, item in enumerate(items):
            ordinal = (last or 0) + 1 + index
            columns = {name: value(index) if callable(value) else value for name, value in common.items()}
            added.append(self._insert(parent, item, ordinal, columns))
        return added

    def _insert(self, parent: TaskNode, item: PlanNode, ordinal: int, columns: dict[str, Any]) -> TaskNode:
        values = {
            "book": self._book,
            "parent": parent.key,
            "label": f"{parent.label}.{ordinal}",
            "ordinal": ordinal,
            "task_type": item.task_type.value,
            "title": item.title,
            "goal": item.goal,
            "spec": json.dumps({name: getattr(item, name) for name in _SPEC}, ensure_ascii=False),
            "complexity_score": item.complexity_score,
            "length": item.length,
            "status": NodeStatus.OPEN.value,
        } | _encoded(columns)
        return self.get(self._insert_row(values))

    def add_root(self, title: str, goal: str, length: int) -> TaskNode:
        """Add the book's own unit."""
        values = {
            "book": self._book, "label": "1", "ordinal": 1, "level": Level.BOOK.value, "title": title, "goal": goal,
            "task_type": TaskType.WRITE.value, "length": length, "is_last": True, "unit_index": 1,
        }  # fmt: skip
        return self.get(self._insert_row(values))

    def _insert_row(self, values: dict[str, Any]) -> int:
        return int(self._connection.execute(_ADD, values).scalar_one())

    def change(self, key: int, **columns: Any) -> None:
        """Change some columns of one node."""
        self._connection.execute(update(nodes).where(nodes.c.key == key).values(_encoded(columns)))

    def add_written(self, node: TaskNode, amount: int) -> None:
        """Count `amount` more as written in a unit and in every unit above it."""
        keys = [node.key, *(above.key for above in self.ancestors(node))]
        self._connection.execute(_ADD_WRITTEN, {"keys": keys, "amount": amount})

    def siblings_with(self, parents: Iterable[int]) -> list[TaskNode]:
        """Return the living children of all those nodes, in reading order; one query."""
        found = self._connection.execute(
            select(nodes).where(nodes.c.parent.in_(list(parents)), nodes.c.status != NodeStatus.VOID.value)
        )
        return sorted(map(_node, found), key=lambda node: node.order)

    def walk(self, *types: TaskType) -> Iterator[TaskNode]:
        """Yield the living nodes of the book in reading order, parents before children.

        Reads level by level of one branch, so memory stays with the depth of the tree.
        """
        stack = [self.root()]
        while stack:
            node = stack.pop()
            if not types or node.task_type in types:
                yield node
            stack.extend(reversed(self.children(node.key)))

    def leaves(self) -> Iterator[TaskNode]:
        """Yield the units that hold prose of their own, in reading order."""
        for node in self.walk(TaskType.WRITE):
            if node.written and not self.children(node.key, TaskType.WRITE):
                yield node

    def count(self, *conditions: Any) -> int:
        """Count the book's living nodes that meet some conditions on the table's columns."""
        return self._connection.execute(
            select(func.count())
            .select_from(nodes)
            .where(and_(nodes.c.book == self._book, nodes.c.status != NodeStatus.VOID.value, *conditions))
        ).scalar_one()

    def closed_units(self, level: Level) -> int:
        """Count the closed units of a level."""
        return self.count(
            nodes.c.level == level.value,
            nodes.c.task_type == TaskType.WRITE.value,
            nodes.c.status == NodeStatus.DONE.value,
        )

    def open_path(self) -> list[TaskNode]:
        """Return the nodes from the book down to where the work goes on."""
        path = [self.root()]
        while path[-1].status is not NodeStatus.DONE:
            below = self.first_open_task(path[-1].key) or self.first_open_unit(path[-1].key)
            if below is None:
                break
            path.append(below)
        return path

    def _maybe(self, statement: Select[Any], **values: Any) -> TaskNode | None:
        row = self._connection.execute(statement, values).one_or_none()
        return None if row is None else _node(row)


def _encoded(columns: dict[str, Any]) -> dict[str, Any]:
    lists = {name: json.dumps(list(columns[name]), ensure_ascii=False) for name in _LISTS if name in columns}
    return columns | lists


def _node(row: Row[Any]) -> TaskNode:
    values = row._mapping
    fields = {name: values[name] for name in _PLAIN}
    fields |= {name: tuple(items) for name, items in json.loads(values["spec"]).items()}
    fields |= {name: tuple(json.loads(values[name])) for name in _LISTS}
    return TaskNode.model_validate(fields)
