"""A cache of what a book's holder has read of the book since it last wrote."""

from dataclasses import dataclass, field

from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.document import DocumentKind
from bookwright.models.tree.place import ReadingOrder
from bookwright.storage.tree.document_view import DocumentView
from bookwright.storage.tree.node_view import NodeView
from bookwright.storage.tree.unit_table import UnitTable

Shelves = dict[RecordKind, list[Stored[Record]]]
"""What stands in a codex, by kind, in the order in which it came."""


@dataclass
class HeldView:
    """What was read since this worker's last write that touched it; None for what is to be read anew.

    While the lease stands nobody else changes the book, so it holds until the holder itself writes;
    a holder whose lease is lost fails on the fence of its next write, and so sees no more of this.
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
        self.nodes.clear()
        self.documents.clear()
        self.shelves = self.units = self.reading = self.waiting = None
