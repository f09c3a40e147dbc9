"""A cache of the nodes that a book's holder has just read."""

from collections import OrderedDict
from collections.abc import Iterable

from bookwright.models.tree.task import NodeStatus, TaskNode

_KEPT = 256
"""Nodes; many times what stands above any one of them."""
_KEPT_PARENTS = 128


class NodeView:
    """The nodes that the holder of a book's lease read last.

    While the lease stands nobody else changes the book, so what was read holds until the holder
    itself writes. Every write tells what it changed when it is over, one that failed drops all; a
    holder whose lease is lost fails on the fence of its next write, and so sees no more of this.
    """

    def __init__(self) -> None:
        self._nodes: OrderedDict[int, TaskNode] = OrderedDict()
        self._below: OrderedDict[int, dict[int, TaskNode]] = OrderedDict()
        """The living children of some nodes, by key and in order."""
        self._root: int | None = None

    def find(self, key: int | None) -> TaskNode | None:
        """Return a node if it is known."""
        node = self._nodes.get(key) if key is not None else None
        if node is not None:
            self._nodes.move_to_end(node.key)
        return node

    def root(self) -> TaskNode | None:
        """Return the book's own unit if it is known."""
        return self.find(self._root)

    def keep(self, node: TaskNode) -> TaskNode:
        """Remember a node that was read outside of any write; return it."""
        if node.parent is None:
            self._root = node.key
        self._nodes[node.key] = node
        self._nodes.move_to_end(node.key)
        if len(self._nodes) > _KEPT:
            self._nodes.popitem(last=False)
        return node

    def children(self, parent: int) -> list[TaskNode] | None:
        """Return the living children of a node in order; None if they are not known."""
        below = self._below.get(parent)
        if below is None:
            return None
        self._below.move_to_end(parent)
        return list(below.values())

    def keep_children(self, parent: int, children: Iterable[TaskNode]) -> None:
        """Remember the living children of a node."""
        self._below[parent] = {node.key: node for node in children}
        self._below.move_to_end(parent)
        if len(self._below) > _KEPT_PARENTS:
            self._below.popitem(last=False)

    def above(self, node: TaskNode) -> list[TaskNode] | None:
        """Return the nodes above, nearest first; None unless all of them are known."""
        found: list[TaskNode] = []
        while node.parent is not None:
            parent = self.find(node.parent)
            if parent is None:
                return None
            found.append(parent)
            node = parent
        return found

    def update(self, changed: Iterable[TaskNode]) -> None:
        """Take in how nodes stand that were changed, where they are known."""
        for node in changed:
            if node.key in self._nodes:
                self._nodes[node.key] = node
            siblings = self._below.get(node.parent or 0, {})
            if node.status is NodeStatus.VOID:
                siblings.pop(node.key, None)
            elif node.key in siblings:
                siblings[node.key] = node

    def take_in(self, added: Iterable[TaskNode]) -> None:
        """Take in nodes that were added, each behind its parent's other children and with none of its own."""
        for node in added:
            if (siblings := self._below.get(node.parent or 0)) is not None:
                siblings[node.key] = node
            self.keep(node)
            self.keep_children(node.key, ())

    def clear(self) -> None:
        """Forget everything, as when nobody can say what was written."""
        self._nodes.clear()
        self._below.clear()
