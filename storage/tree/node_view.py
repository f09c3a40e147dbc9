"""What the one worker that holds a book has just read of its tree, so that it need not read it again."""

from collections import OrderedDict
from collections.abc import Iterable

from bookwright.models.tree.task import TaskNode

_KEPT = 256
"""Nodes; many times what stands above any one of them."""


class NodeView:
    """The nodes that the holder of a book's lease read last.

    While the lease stands nobody else changes the book, so what was read holds until the holder
    itself writes. Every write tells what it changed when it is over, one that failed drops all; a
    holder whose lease is lost fails on the fence of its next write, and so sees no more of this.
    """

    def __init__(self) -> None:
        self._nodes: OrderedDict[int, TaskNode] = OrderedDict()
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
        """Take in how nodes stand that were changed, if they are known."""
        for node in changed:
            if node.key in self._nodes:
                self._nodes[node.key] = node

    def clear(self) -> None:
        """Forget everything, as when nobody can say what was written."""
        self._nodes.clear()
