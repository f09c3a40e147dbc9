"""The task tree of one book, as if it were a collection in memory."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Row, and_, func, select

from bookwright.models.errors import NodeNotFound
from bookwright.models.story_time.times import story_time
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.prepared import Prepared, Rows
from bookwright.storage.tables import IS_LIVING, IS_UNIT, nodes
from bookwright.storage.tree import node_statements as sql
from bookwright.storage.tree.held_view import NodeView
from bookwright.storage.tree.node_statements import encoded, node_of

_SPEC = ("instructions", "input_brief", "constraints", "acceptance_criteria")
_SIZING = frozenset({"length", "status", "decision", "is_last", "story_time"})
"""Columns that say where a unit stands: among the pages, or in the story."""
_UNCLOSED = (NodeStatus.OPEN, NodeStatus.WRITTEN)
_NO_ORDINAL = 2**31 - 1


class NodeRepository:
    """The nodes of one book in one transaction; `NodeNotFound` is raised for a node that it has not.

    `view` holds what the book's holder knows already; it is asked until something is written.
    """

    def __init__(self, connection: Connection, book: str, view: NodeView | None = None) -> None:
        self._connection = connection
        self._book = book
        self._held = view
        self.changed: dict[int, TaskNode] = {}
        """The nodes that this transaction changed, as they stand now, by key."""
        self.added: list[TaskNode] = []
        self.has_resized = False
        """Whether a share of the book's length may lie elsewhere now."""
        self.has_replaced = False
        """True once this transaction marked nodes as replaced."""

    @property
    def _view(self) -> NodeView | None:
        """What the holder knows, as long as this transaction has changed nothing."""
        return None if self.changed or self.added else self._held

    @property
    def has_reordered(self) -> bool:
        """Whether the units may stand elsewhere now, or share the book's length otherwise."""
        is_unit_resized = self.has_resized and any(node.is_unit for node in self.changed.values())
        return self.has_replaced or is_unit_resized or any(node.is_unit for node in self.added)

    def get(self, key: int) -> TaskNode:
        """Return the node with this key."""
        known = self._view.find(key) if self._view else None
        if known is not None:
            return known
        row = sql.BY_KEY.execute(self._connection, {"key": key}).first()
        if row is None:
            raise NodeNotFound(f"book {self._book!r} has no node with key {key}")
        return self._read(row)

    def by_label(self, label: str) -> TaskNode:
        """Return the living node with this label."""
        row = sql.BY_LABEL.execute(self._connection, {"book": self._book, "label": label}).first()
        if row is None:
            raise NodeNotFound(f"book {self._book!r} has no node {label!r}; `bookwright tree {self._book}` shows them")
        return self._read(row)

    def root(self) -> TaskNode:
        """Return the book's own unit."""
        return (self._view and self._view.root()) or self.by_label("1")

    def first_open_unit(self, parent: int) -> TaskNode | None:
        """Return the first child unit that is not closed."""
        if self._view is None:  # a look from outside reads no more than it shows
            return next(iter(self._all(sql.FIRST_OPEN_UNIT, parent=parent)), None)
        return next((unit for unit in self.child_units(parent) if unit.status in _UNCLOSED), None)

    def open_tasks(self, parent: int) -> list[TaskNode]:
        """Return the design and search children that are not done, in order."""
        return [node for node in self.children(parent) if node.status is NodeStatus.OPEN and not node.is_unit]

    def first_open_task(self, parent: int) -> TaskNode | None:
        """Return the first design or search child that is not done."""
        if self._view is None:
            return next(iter(self._all(sql.FIRST_OPEN_TASK, parent=parent)), None)
        return next(iter(self.open_tasks(parent)), None)

    def children(self, parent: int, *types: TaskType) -> list[TaskNode]:
        """Return the living children in order, of the given types or of all."""
        found = self._view.children(parent) if self._view else None
        if found is None:
            found = self._all(sql.CHILDREN, parent=parent)
            if self._view:
                self._view.keep_children(parent, found)
        return [node for node in found if not types or node.task_type in types]

    def child_units(self, parent: int) -> list[TaskNode]:
        """Return the living child units in order."""
        return self.children(parent, TaskType.WRITE)

    def design_tasks(self, parent: int) -> list[TaskNode]:
        """Return the living design tasks in order."""
        return self.children(parent, TaskType.DESIGN)

    def titled_units(self) -> list[TaskNode]:
        """Return the units below the book that have a title."""
        return self._all(sql.TITLED_UNITS, book=self._book)

    def last_unit(self, parent: int) -> TaskNode | None:
        """Return the last living child unit in reading order; None where there is none."""
        return next(reversed(self.child_units(parent)), None)

    def waiting_units(self, parent: int) -> list[TaskNode]:
        """Return the child units, in order, that nobody has begun to plan or write."""
        units = self.child_units(parent)
        return [
            unit for unit in units if unit.status is NodeStatus.OPEN and not unit.planning_round and not unit.written
        ]

    def ancestors(self, node: TaskNode) -> list[TaskNode]:
        """Return the nodes above, nearest first; one query at most, however deep."""
        known = self._view.above(node) if self._view else None
        return self._all(sql.ANCESTORS, at=node.key) if known is None else known

    def mean_brought_in(self, parent: int, level: Level) -> int:
        """Return how long the child units of a level are on average that were written before the book came here."""
        found = self._connection.execute(sql.MEAN_BROUGHT_IN, {"parent": parent, "level": level.value})
        return round(found.scalar_one_or_none() or 0)

    def units_before(
        self, node: TaskNode, count: int, *, level: Level | None = None, with_own: bool = False
    ) -> list[TaskNode]:
        """Return up to `count` units that hold prose, in reading order before `node`, nearest last.

        With a `level`, of each unit of that level only the last part is returned. `with_own` begins
        with what the node itself holds. Goes up and back through the tree, so it costs as many
        queries as the tree is deep, and with a `level` up to `count` times as many.
        """
        found = self._last_leaves(node.key, _NO_ORDINAL, count, level) if with_own else []
        for at in (node, *self.ancestors(node)):
            if len(found) < count and at.parent is not None:
                found += self._last_leaves(at.parent, at.ordinal, count - len(found), level)
        return found[::-1]

    def _last_leaves(self, parent: int, before: int, count: int, level: Level | None) -> list[TaskNode]:
        """The last units with prose below a node's children up to an ordinal, nearest first."""
        found: list[TaskNode] = []
        units = [unit for unit in self.child_units(parent) if unit.written and unit.ordinal < before]
        for unit in reversed(units[-count:]):
            wanted = 1 if unit.level == level else count - len(found)
            found += self._last_leaves(unit.key, _NO_ORDINAL, wanted, level) or [unit]
            if len(found) == count:
                break
        return found

    def add(self, parent: TaskNode, items: Iterable[PlanNode], **common: Any) -> list[TaskNode]:
        """Add children below `parent`, numbered on from its last child.

        `common` sets columns of all of them, such as `unit`, `level` or `planning_round`; a
        callable value is called with the item's place in the list, from 0.
        """
        last = sql.LAST_ORDINAL.execute(self._connection, {"parent": parent.key}).scalar_one()
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
            "spec": _spec_json(item),
            "complexity_score": item.complexity_score,
            "length": item.length,
            "story_time": story_time(item.story_time) if item.task_type is TaskType.WRITE else None,
            "status": NodeStatus.OPEN.value,
        } | columns
        return self._insert_row(encoded(values))

    def add_root(self, title: str, goal: str, length: int) -> TaskNode:
        """Add the book's own unit."""
        values = {
            "book": self._book, "label": "1", "ordinal": 1, "level": Level.BOOK.value, "title": title, "goal": goal,
            "task_type": TaskType.WRITE.value, "length": length, "is_last": True, "unit_index": 1,
        }  # fmt: skip
        return self._insert_row(values)

    def _insert_row(self, values: dict[str, Any]) -> TaskNode:
        self.added.append(node_of(sql.add(*values).execute(self._connection, values).one()))
        return self.added[-1]

    def change(self, key: int, **columns: Any) -> None:
        """Change some columns of one node."""
        self.has_resized = self.has_resized or not _SIZING.isdisjoint(columns)
        values = {f"new_{name}": value for name, value in encoded(columns).items()}
        self._note(sql.change(*columns).execute(self._connection, {"at": key} | values))

    def revise(self, node: TaskNode, order: str, **columns: Any) -> None:
        """Make a newer revision of a node, whose instructions end with an order."""
        spec = _spec_json(node, instructions=(*node.instructions, order))
        self.change(node.key, revision=node.revision + 1, spec=spec, **columns)

    def replace_below(self, parent: int, *types: TaskType, only_planned: bool = False) -> list[TaskNode]:
        """Mark the living children of some types, and all below them, as replaced; return them.

        With `only_planned`, tasks stay that no round has planned: the author's outline, a world's pages.
        """
        replaced: list[TaskNode] = []
        self.has_replaced = True
        for child in self.children(parent, *types):
            if only_planned and not child.planning_round:
                continue
            replaced += [child, *self.replace_below(child.key)]
            self.change(child.key, status=NodeStatus.VOID.value)
        return replaced

    def add_written(self, node: TaskNode, amount: int) -> None:
        """Count `amount` more as written in a unit and in every unit above it."""
        self.has_resized = True
        self._note(sql.ADD_WRITTEN.execute(self._connection, {"at": node.key, "amount": amount}))

    def walk(self, *types: TaskType, depth: int | None = None) -> Iterator[TaskNode]:
        """Yield the living nodes of the book in reading order, parents before children, down to a depth.

        Reads level by level of one branch, so memory stays with the depth of the tree.
        """
        stack = [self.root()]
        while stack:
            node = stack.pop()
            if not types or node.task_type in types:
                yield node
            if depth is None or node.depth < depth:
                stack.extend(reversed(self.children(node.key)))

    def leaves(self) -> Iterator[TaskNode]:
        """Yield the units that hold prose of their own, in reading order."""
        for node in self.walk(TaskType.WRITE):
            if node.written and not self.child_units(node.key):
                yield node

    def count(self, *conditions: Any) -> int:
        """Count the book's living nodes that meet some conditions on the table's columns."""
        living = and_(nodes.c.book == self._book, IS_LIVING, *conditions)
        return self._connection.execute(select(func.count()).select_from(nodes).where(living)).scalar_one()

    def closed_units(self, level: Level) -> int:
        """Count the closed units of a level."""
        return self.count(nodes.c.level == level.value, IS_UNIT, nodes.c.status == NodeStatus.DONE.value)

    def open_path(self) -> list[TaskNode]:
        """Return the nodes from the book down to where the work goes on; a book may have tasks after its last page."""
        path = [self.root()]
        while path[-1].status is not NodeStatus.DONE or len(path) == 1:
            is_closed = path[-1].status is NodeStatus.DONE
            below = self.first_open_task(path[-1].key) or (None if is_closed else self.first_open_unit(path[-1].key))
            if below is None:
                break
            path.append(below)
        return path

    def _note(self, rows: Rows) -> None:
        self.changed.update((row.key, node_of(row)) for row in rows)

    def _all(self, statement: Prepared, **values: Any) -> list[TaskNode]:
        return [self._read(row) for row in statement.execute(self._connection, values)]

    def _read(self, row: Row[Any]) -> TaskNode:
        if self._view is None:
            return node_of(row)
        return self._view.find(row.key) or self._view.keep(node_of(row))


def _spec_json(item: PlanNode | TaskNode, **changed: tuple[str, ...]) -> str:
    """Return as JSON what is said about a task; what nothing is said of is left out."""
    said = {name: changed.get(name, getattr(item, name)) for name in _SPEC}
    return json.dumps({name: lines for name, lines in said.items() if lines}, ensure_ascii=False)
