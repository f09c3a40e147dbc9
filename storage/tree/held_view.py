"""A cache of what a book's holder has read of the book since it last wrote."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.document import Document, DocumentKind
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tree.reading_order import UnitTable

Shelves = dict[RecordKind, list[Stored[Record]]]
"""What stands in a codex, by kind, in the order in which it came."""

_KEPT = 256
"""Nodes, and documents or places where there is none; many times what one unit's activities look at."""
_KEPT_PARENTS = 128
_KEPT_DATA = 64


class NodeView:
    """The nodes that were read last."""

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
        _bound(self._nodes, _KEPT)
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
        _bound(self._below, _KEPT_PARENTS)

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


class DocumentView:
    """The current documents of some nodes and kinds, with their texts, and the newest of some kinds."""

    def __init__(self) -> None:
        self._current: OrderedDict[tuple[int, DocumentKind], Document | None] = OrderedDict()
        self.latest: dict[DocumentKind, Document | None] = {}
        """The newest document of the book, by kind; None where it is known that there is none."""
        self.data: OrderedDict[str, str] = OrderedDict()
        """The structures of documents by their hashes."""

    def knows(self, node: int, kind: DocumentKind) -> bool:
        """Whether it is known which document a node has of a kind, or that it has none."""
        return (node, kind) in self._current

    def current(self, node: int, kind: DocumentKind) -> Document | None:
        """Return the document of a node and kind, if one is known."""
        if (node, kind) in self._current:
            self._current.move_to_end((node, kind))
        return self._current.get((node, kind))

    def find(self, identity: int) -> Document | None:
        """Return a current document by its id, if it is known."""
        return next((own for own in self._current.values() if own is not None and own.id == identity), None)

    def keep(self, node: int, kind: DocumentKind, document: Document | None) -> Document | None:
        """Remember what a node has of a kind; return it."""
        self._current[node, kind] = document
        _bound(self._current, _KEPT)
        return document

    def keep_data(self, key: str, data: str) -> str:
        """Remember the structure with a hash; return it."""
        self.data[key] = data
        _bound(self.data, _KEPT_DATA)
        return data

    def take_in(self, added: Iterable[tuple[Document, str]]) -> None:
        """Take in documents that were written, each with its structure."""
        for document, data in added:
            self.keep(document.node, document.kind, document)
            if document.kind in self.latest:
                self.latest[document.kind] = document
            if document.data_hash:
                self.keep_data(document.data_hash, data)


@dataclass
class HeldView:
    """What was read since this worker's last write that touched it; None for what is to be read anew.

    While the lease stands nobody else changes the book, so it holds until the holder itself writes. Every write tells
    what it changed when it is over, one that failed drops all; a holder whose lease is lost fails on the fence of its
    next write, and so sees no more of this.
    """

    nodes: NodeView = field(default_factory=NodeView)
    documents: DocumentView = field(default_factory=DocumentView)
    shelves: Shelves | None = None
    units: UnitTable | None = None
    reading: ReadingOrder | None = None
    waiting: tuple[tuple[int, DocumentKind, int], ...] | None = None
    """What the maintainers are owed: queue id, maintained kind and document id."""

    def clear(self) -> None:
        """Forget everything, as when nobody can say what was written."""
        self.nodes, self.documents = NodeView(), DocumentView()
        self.shelves = self.units = self.reading = self.waiting = None


def _bound(kept: OrderedDict, size: int) -> None:  # type: ignore[type-arg]
    while len(kept) > size:
        kept.popitem(last=False)
