"""The queue of documents that the maintainers of the global state and the book's design have yet to read."""

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, bindparam, insert, select, update

from bookwright.models.document import Document, DocumentKind
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import documents, maintenance
from bookwright.storage.tree.held_view import HeldView

_OWE = Prepared(insert(maintenance), "book", "kind", "document")
_APPLY = Prepared(
    update(maintenance)
    .where(
        maintenance.c.book == bindparam("of_book"), maintenance.c.kind == bindparam("of_kind"),
        maintenance.c.id <= bindparam("up_to"),
    )
    .values(is_applied=True)
)  # fmt: skip
_WAITING = Prepared(
    select(maintenance.c.id, maintenance.c.kind, maintenance.c.document)
    .where(maintenance.c.book == bindparam("book"), maintenance.c.is_applied.is_(False))
    .order_by(maintenance.c.id)
)


class MaintenanceQueue:
    """The documents that the two maintainers of one book have yet to read, oldest first."""

    def __init__(self, connection: Connection, book: str, view: HeldView | None = None) -> None:
        self._connection = connection
        self._book = book
        self._view = view
        self.has_changed = False

    def add_again(self, document: Document) -> None:
        """Queue a new version for every maintainer for whom an earlier version of the same document was queued."""
        told = (
            select(maintenance.c.kind)
            .join(documents, documents.c.id == maintenance.c.document)
            .where(documents.c.node == document.node, documents.c.kind == document.kind.value)
            .distinct()
        )
        for kind in sorted(self._connection.execute(told).scalars()):
            self.add(DocumentKind(kind), document.id)

    def add(self, kind: DocumentKind, document: int) -> None:
        """Queue a document for the maintainer of `kind`."""
        self.has_changed = True
        _OWE.execute(self._connection, {"book": self._book, "kind": kind.value, "document": document})

    def waiting(self) -> Iterator[tuple[int, DocumentKind, int]]:
        """Yield queue id, maintained kind and document id of what waits, oldest first."""
        waiting = self._view.waiting if self._view else None
        if waiting is None:
            rows = _WAITING.execute(self._connection, {"book": self._book})
            waiting = tuple((row.id, DocumentKind(row.kind), row.document) for row in rows)
        if self._view:
            self._view.waiting = waiting
        yield from waiting

    def withdraw(self, nodes_: Iterable[int]) -> None:
        """Take the documents of some nodes out of the queue, unread."""
        self.has_changed = True
        of_nodes = select(documents.c.id).where(documents.c.node.in_(list(nodes_)))
        self._connection.execute(
            update(maintenance)
            .where(maintenance.c.book == self._book, maintenance.c.is_applied.is_(False))
            .where(maintenance.c.document.in_(of_nodes))
            .values(is_applied=True)
        )

    def mark_applied(self, kind: DocumentKind, up_to: int) -> None:
        """Take everything of a kind up to a queue id out of the queue."""
        self.has_changed = True
        _APPLY.execute(self._connection, {"of_book": self._book, "of_kind": kind.value, "up_to": up_to})
