"""Documents: versioned texts, with the inputs they rested on."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.storage.database import database_now
from bookwright.storage.tables import document_inputs, documents, maintenance, nodes, steps
from bookwright.storage.texts import TextStore, text_hash

_CURRENT = (
    select(documents)
    .where(
        documents.c.node == bindparam("node"),
        documents.c.kind == bindparam("kind"),
        documents.c.is_current.is_(True),
    )
    .limit(1)
)
_LATEST = (
    select(documents)
    .where(
        documents.c.book == bindparam("book"),
        documents.c.kind == bindparam("kind"),
        documents.c.is_current.is_(True),
    )
    .order_by(documents.c.id.desc())
    .limit(1)
)

_ADD = insert(documents).returning(documents.c.id)
_OF_KINDS = (
    documents.c.book == bindparam("book"),
    documents.c.kind.in_(bindparam("kinds", expanding=True)),
    documents.c.is_current.is_(True),
)
_BY_ID = select(documents.c.id).where(*_OF_KINDS).limit(1)
_ID_RANGE = select(  # ordered, each end is one look at the index; min() and max() would read all ids
    _BY_ID.order_by(documents.c.id).scalar_subquery(), _BY_ID.order_by(documents.c.id.desc()).scalar_subquery()
)
_NEXT_ID = select(documents).where(*_OF_KINDS, documents.c.id >= bindparam("start")).order_by(documents.c.id).limit(1)
_LAST_VERSION = select(func.max(documents.c.version)).where(
    documents.c.node == bindparam("node"), documents.c.kind == bindparam("kind")
)
_WAITING = (
    select(maintenance.c.id, maintenance.c.kind, maintenance.c.document)
    .where(maintenance.c.book == bindparam("book"), maintenance.c.is_applied.is_(False))
    .order_by(maintenance.c.id)
)


class DocumentRepository:
    """The documents of one book in one transaction."""

    def __init__(self, connection: Connection, book: str, measure: Callable[[str], int]) -> None:
        self._connection = connection
        self._book = book
        self._measure = measure
        self._texts = TextStore(connection, book)

    def add(self, new: NewDocument, step: int | None) -> Document:
        """Store a document as the current version of its node's kind; `step` is 0 or None if none made it."""
        key = text_hash(new.text)
        data_key = text_hash(new.data) if new.data else None
        self._texts.put({key: new.text} | ({data_key: new.data} if data_key else {}))
        last = self._connection.execute(_LAST_VERSION, {"node": new.node, "kind": new.kind.value}).scalar_one_or_none()
        if last:
            self._connection.execute(
                update(documents)
                .where(documents.c.node == new.node, documents.c.kind == new.kind.value)
                .values(is_current=False)
            )
        length = self._measure(new.text)
        values = {
            "book": self._book, "node": new.node, "kind": new.kind.value, "version": (last or 0) + 1,
            "is_current": True, "text_hash": key, "data_hash": data_key, "length": length, "step": step or None,
        }  # fmt: skip
        identity = int(self._connection.execute(_ADD, values).scalar_one())
        inputs = [{"document": identity, "input": source} for source in dict.fromkeys(new.inputs)]
        if inputs:
            self._connection.execute(insert(document_inputs), inputs)
        return Document(
            id=identity, book=self._book, node=new.node, kind=new.kind, version=(last or 0) + 1,
            text_hash=key, data_hash=data_key, length=length, text=new.text,
        )  # fmt: skip

    def current(self, node: int, kind: DocumentKind, with_text: bool = True) -> Document | None:
        """Return the current document of a node and kind."""
        row = self._connection.execute(_CURRENT, {"node": node, "kind": kind.value}).one_or_none()
        return None if row is None else self._document(row, with_text)

    def latest(self, kind: DocumentKind) -> Document | None:
        """Return the newest current document of a kind in the whole book, with its text."""
        row = self._connection.execute(_LATEST, {"book": self._book, "kind": kind.value}).one_or_none()
        return None if row is None else self._document(row, True)

    def get(self, identity: int) -> Document | None:
        """Return one document with its text."""
        row = self._connection.execute(select(documents).where(documents.c.id == identity)).one_or_none()
        return None if row is None else self._document(row, True)

    def of_nodes(self, keys: Iterable[int], *kinds: DocumentKind) -> list[Document]:
        """Return the current documents of those nodes and kinds with their texts, oldest first."""
        rows = self._connection.execute(
            select(documents)
            .where(
                documents.c.node.in_(list(keys)),
                documents.c.kind.in_([kind.value for kind in kinds]),
                documents.c.is_current.is_(True),
            )
            .order_by(documents.c.id)
        ).all()
        bodies = self._texts.get_many(row.text_hash for row in rows)
        return [self._document(row, False).model_copy(update={"text": bodies[row.text_hash]}) for row in rows]

    def versions(self, node: int, kind: DocumentKind) -> list[Document]:
        """Return every version of a node's kind, oldest first, without texts."""
        rows = self._connection.execute(
            select(documents)
            .where(documents.c.node == node, documents.c.kind == kind.value)
            .order_by(documents.c.version)
        )
        return [self._document(row, False) for row in rows]

    def after(self, identity: int, kinds: Iterable[DocumentKind], limit: int) -> list[Document]:
        """Return up to `limit` documents of some kinds that came after one, with texts, in order."""
        rows = self._connection.execute(
            select(documents)
            .where(
                documents.c.book == self._book,
                documents.c.id > identity,
                documents.c.kind.in_([kind.value for kind in kinds]),
            )
            .order_by(documents.c.id)
            .limit(limit)
        )
        return [self._document(row, True) for row in rows]

    def drawn(self, kinds: Iterable[DocumentKind], draws: Iterable[float]) -> list[Document]:
        """Return a document for each draw, 0 to 1 over the book's ids; each at most once, with text."""
        wanted = {"book": self._book, "kinds": [kind.value for kind in kinds]}
        first, last = self._connection.execute(_ID_RANGE, wanted).one()
        if first is None:
            return []
        found: dict[int, Document] = {}
        for draw in draws:
            row = self._connection.execute(_NEXT_ID, wanted | {"start": first + round(draw * (last - first))}).one()
            found.setdefault(row.id, self._document(row, True))
        return list(found.values())

    def written_within(self, seconds: float) -> int:
        """Count what was written of the book's prose in the last so many seconds, by the database's clock."""
        total = self._connection.execute(
            select(func.sum(documents.c.length))
            .join(steps, steps.c.id == documents.c.step)
            .where(
                documents.c.book == self._book,
                documents.c.kind == DocumentKind.PROSE.value,
                steps.c.recorded_at >= database_now() - seconds,
            )
        ).scalar_one_or_none()
        return int(total or 0)

    def inputs_of(self, identity: int) -> list[int]:
        """Return the ids of the documents that stood in this one's prompt."""
        return list(
            self._connection.execute(
                select(document_inputs.c.input).where(document_inputs.c.document == identity)
            ).scalars()
        )

    def text_of(self, document: Document) -> str:
        """Return a document's text."""
        return document.text or self._texts.get(document.text_hash)

    def data_of(self, document: Document) -> str:
        """Return a document's structure as JSON; empty where it is only text."""
        return self._texts.get(document.data_hash) if document.data_hash else ""

    def news_of(self, node: int, kind: DocumentKind, news: DocumentKind) -> list[tuple[int, str]]:
        """Return what each version of a running document took in: its id and the label of the news' node.

        In order of the versions; one that took in several documents comes several times.
        """
        source = documents.alias("source")
        rows = self._connection.execute(
            select(documents.c.id, nodes.c.label)
            .join(document_inputs, document_inputs.c.document == documents.c.id)
            .join(source, source.c.id == document_inputs.c.input)
            .join(nodes, nodes.c.key == source.c.node)
            .where(documents.c.node == node, documents.c.kind == kind.value, source.c.kind == news.value)
            .order_by(documents.c.version)
        )
        return [(row.id, row.label) for row in rows]

    def _document(self, row: Row[Any], with_text: bool) -> Document:
        return Document(
            id=row.id, book=row.book, node=row.node, kind=row.kind, version=row.version, text_hash=row.text_hash,
            data_hash=row.data_hash, length=row.length, text=self._texts.get(row.text_hash) if with_text else "",
        )  # fmt: skip


class MaintenanceQueue:
    """What the two maintainers of one book are owed, in the order in which it came."""

    def __init__(self, connection: Connection, book: str) -> None:
        self._connection = connection
        self._book = book

    def add(self, kind: DocumentKind, document: int) -> None:
        """Owe the maintainer of `kind` a look at a document."""
        self._connection.execute(insert(maintenance).values(book=self._book, kind=kind.value, document=document))

    def waiting(self) -> Iterator[tuple[int, DocumentKind, int]]:
        """Yield queue id, maintained kind and document id of what waits, oldest first."""
        for row in self._connection.execute(_WAITING, {"book": self._book}):
            yield row.id, DocumentKind(row.kind), row.document

    def mark_applied(self, kind: DocumentKind, up_to: int) -> None:
        """Take everything of a kind up to a queue id off the list."""
        self._connection.execute(
            update(maintenance)
            .where(maintenance.c.book == self._book, maintenance.c.kind == kind.value, maintenance.c.id <= up_to)
            .values(is_applied=True)
        )
