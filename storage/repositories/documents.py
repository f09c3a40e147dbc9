"""Documents: versioned texts, with the inputs they rested on."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select

from bookwright.models.document import Document, DocumentKind, Findings, NewDocument, Source, distinct
from bookwright.storage.branches.lineage import ADD_INPUTS, inputs, words_of
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.repositories import Repository
from bookwright.storage.repositories import document_statements as sql
from bookwright.storage.repositories.texts import TextStore, text_hash, unpacked
from bookwright.storage.tables import IS_CURRENT, documents, nodes, steps
from bookwright.storage.tree.held_view import DocumentView

_LOOKED_UP = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
"""Kinds whose structure is what they rest on."""
_INPUTS = Prepared(select(inputs.c.input).where(inputs.c.document == bindparam("document")).order_by(inputs.c.input))


class DocumentRepository(Repository):
    """The documents of one book in one transaction."""

    def __init__(
        self, connection: Connection, book: str, measure: Callable[[str], int], texts: TextStore,
        view: DocumentView | None = None,
    ) -> None:  # fmt: skip
        """Begin; `view` holds what the book's holder knows already, and is asked until something is written."""
        super().__init__(connection, book)
        self._measure = measure
        self._texts = texts
        self._held = view
        self.added: list[tuple[Document, str]] = []
        """What this transaction has written, each document with its structure."""
        self.has_replaced = False
        """True once this transaction gave a document that does not run on by itself another version."""

    def add(self, new: NewDocument, step: int | None) -> Document:
        """Store a document as the current version of its node's kind; `step` is 0 or None if none made it."""
        key = text_hash(new.text)
        data_key = text_hash(new.data) if new.data else None
        self._texts.put({key: new.text} | ({data_key: new.data} if data_key else {}))
        place = {"of_node": new.node, "of_kind": new.kind.value}
        told: dict[str, Any] = {
            "book": self._book, "node": new.node, "kind": new.kind, "text_hash": key, "data_hash": data_key,
            "length": self._measure(new.text), "origin": new.origin, "base": new.base, "step": step or None,
        }  # fmt: skip
        values = told | {"kind": new.kind.value, "origin": new.origin.value, "note": new.note or None}
        add = sql.ADD if step else sql.ADD_NOW
        added = add.execute(self._connection, values | place | {"is_current": True}).one()
        if added.version > 1:
            sql.REPLACE.execute(self._connection, place | {"old": added.version - 1})
            self.has_replaced = self.has_replaced or not new.kind.is_running
        rests_on = [{"resting": added.id, "source": source} for source in dict.fromkeys(new.inputs)]
        if rests_on:
            ADD_INPUTS.execute(self._connection, rests_on)
        if new.codex is not None:
            sql.keep_use(self._connection, added.id, new.codex)
        document = Document(
            **told, id=added.id, version=added.version, text=new.text, note=new.note, made_at=added.made_at
        )
        self.added.append((document, new.data))
        return document

    @property
    def _view(self) -> DocumentView | None:
        """What the holder knows, as long as this transaction has written nothing."""
        return None if self.added else self._held

    def current(self, node: int, kind: DocumentKind, with_text: bool = True) -> Document | None:
        """Return the current document of a node and kind."""
        wanted, view = {"node": node, "kind": kind.value}, self._view
        if view and view.knows(node, kind):
            return view.current(node, kind)
        if with_text or view:
            found = self._maybe(sql.CURRENT, **wanted)
            return view.keep(node, kind, found) if view else found
        row = sql.CURRENT_WITHOUT_TEXT.execute(self._connection, wanted).first()
        return None if row is None else _document(row)

    def latest(self, kind: DocumentKind) -> Document | None:
        """Return the newest current document of a kind in the whole book, with its text."""
        view = self._view
        if view and kind in view.latest:
            return view.latest[kind]
        found = self._maybe(sql.LATEST, book=self._book, kind=kind.value)
        if view:
            view.latest[kind] = found
        return found

    def get(self, identity: int) -> Document | None:
        """Return one document with its text."""
        return (self._view and self._view.find(identity)) or self._maybe(sql.GET, id=identity)

    def of_nodes(self, keys: Iterable[int], *kinds: DocumentKind) -> list[Document]:
        """Return the current documents of those nodes and kinds with their texts, oldest first."""
        nodes, view = list(dict.fromkeys(keys)), self._view
        unknown = [key for key in nodes if not (view and all(view.knows(key, kind) for kind in kinds))]
        read = self._all(sql.OF_NODES, nodes=unknown, kinds=[kind.value for kind in kinds]) if unknown else []
        if view is None:
            return read
        known = [view.current(key, kind) for key, kind in product(set(nodes).difference(unknown), kinds)]
        by_place = {(document.node, document.kind): document for document in read}
        for key, kind in product(unknown, kinds):  # which may put out what was known
            view.keep(key, kind, by_place.get((key, kind)))
        return sorted((*read, *filter(None, known)), key=lambda document: document.id)

    def as_of(self, keys: Iterable[int], kind: DocumentKind, before: int) -> list[Document]:
        """Return the documents of a kind that were current at those nodes when another was stored, with their texts."""
        query = sql.WITH_TEXT.where(documents.c.node.in_(list(keys)), documents.c.kind == kind.value)
        rows = self._connection.execute(query.where(documents.c.id < before).order_by(documents.c.id))
        return [_document(row, _text_in(row)) for row in {row.node: row for row in rows}.values()]

    def labelled(self, kind: DocumentKind) -> list[tuple[str, Document]]:
        """Return the current documents of a kind of all living nodes, without texts, each with its node's label."""
        rows = self._connection.execute(sql.LABELLED, {"book": self._book, "kind": kind.value})
        return [(row.label, _document(row)) for row in rows]

    def versions(self, node: int, kind: DocumentKind) -> list[Document]:
        """Return every version of a node's kind, oldest first, without texts."""
        rows = self._connection.execute(sql.VERSIONS, {"node": node, "kind": kind.value})
        return [_document(row) for row in rows]

    def after(self, identity: int, kinds: Iterable[DocumentKind], limit: int) -> list[Document]:
        """Return up to `limit` documents of some kinds that came after one, with texts, in order."""
        return self._all(sql.after(limit), book=self._book, after=identity, kinds=[kind.value for kind in kinds])

    def drawn(self, kinds: Sequence[DocumentKind], draws: Sequence[float]) -> list[tuple[Document, str]]:
        """Return a document for each draw, 0 to 1 over the book's ids, with text and its node's label; each once."""
        values: dict[str, Any] = {"book": self._book} | {f"draw_{i}": draw for i, draw in enumerate(draws)}
        values |= {f"kind_{i}": kind.value for i, kind in enumerate(kinds)}
        rows = sql.drawn(len(draws), len(kinds)).execute(self._connection, values)
        by_id = {row.id: (_document(row, _text_in(row)), row.label) for row in rows}
        starts = [rows[0].first + draw * (rows[0].last - rows[0].first) - sql.HALF for draw in draws if rows]
        return [by_id[hit] for hit in dict.fromkeys(min(key for key in by_id if key >= start) for start in starts)]

    def written_within(self, seconds: float) -> int:
        """Count what was written of the book's prose in the last so many seconds, by the database's clock."""
        written = (
            select(func.sum(documents.c.length))
            .join(steps, steps.c.id == documents.c.step)
            .where(
                documents.c.book == self._book,
                documents.c.kind == DocumentKind.PROSE.value,
                steps.c.book == documents.c.book,  # what a branch shares was written by its origin
                steps.c.recorded_at >= database_now() - seconds,
            )
        )
        return int(self._connection.scalar(written) or 0)

    def inputs_of(self, identity: int) -> list[int]:
        """Return the ids of the documents that stood in this one's prompt."""
        return [row.input for row in _INPUTS.execute(self._connection, {"document": identity})]

    def text_of(self, document: Document) -> str:
        """Return a document's text."""
        return document.text or self._texts.get(document.text_hash)

    def data_of(self, document: Document | None) -> str:
        """Return a document's structure as JSON; empty where it is only text, or there is no document."""
        return self.data_of_all([document])[0] if document else ""

    def data_of_all(self, found: Sequence[Document]) -> list[str]:
        """Return the structures of several documents, in one look, each as `data_of` does."""
        wanted = dict.fromkeys(one.data_hash for one in found if one.data_hash)
        view = self._held or DocumentView()  # a structure is found by its hash, so it is never an old one
        held = {key: view.data[key] for key in wanted if key in view.data}
        read = self._texts.get_many(key for key in wanted if key not in held)
        held |= {key: view.keep_data(key, data) for key, data in read.items()}
        return [held[one.data_hash] if one.data_hash else "" for one in found]

    def findings_of(self, document: Document) -> Findings | None:
        """Return what a design or findings rest on outside the book; None where nothing was looked up for it."""
        if document.kind not in _LOOKED_UP or document.data_hash is None:
            return None
        return Findings.model_validate_json(self._texts.get(document.data_hash))

    def sources(self) -> tuple[Source, ...]:
        """Return the pages outside the book that its current designs and findings rest on, each once, oldest first."""
        data = words_of(documents.c.data_hash)
        chosen = (documents.c.kind.in_([kind.value for kind in _LOOKED_UP]), data.is_not(None))
        query = select(data).where(documents.c.book == self._book, *chosen, IS_CURRENT)
        hashes = self._connection.execute(query.order_by(documents.c.id)).scalars()
        found = (Findings.model_validate_json(self._texts.get(key)) for key in dict.fromkeys(hashes))
        return distinct(source for each in found for source in each.sources)

    def news_of(self, node: int, kind: DocumentKind, news: DocumentKind) -> list[tuple[int, str]]:
        """Return what each version of a running document took in: its id and the label of the news' node.

        In order of the versions; one that took in several documents comes several times.
        """
        source = documents.alias("source")
        rows = self._connection.execute(
            select(documents.c.id, nodes.c.label)
            .join(inputs, inputs.c.document == documents.c.id)
            .join(source, source.c.id == inputs.c.input)
            .join(nodes, nodes.c.key == source.c.node)
            .where(documents.c.node == node, documents.c.kind == kind.value, source.c.kind == news.value)
            .order_by(documents.c.version)
        )
        return [(row.id, row.label) for row in rows]

    def _maybe(self, statement: Prepared, **values: Any) -> Document | None:
        return next(iter(self._all(statement, **values)), None)

    def _all(self, statement: Prepared, **values: Any) -> list[Document]:
        return [_document(row, _text_in(row)) for row in statement.execute(self._connection, values)]


def _text_in(row: Row[Any]) -> str:
    if row.body is None:
        raise KeyError(row.text_hash)  # a document without its text must not be taken for no document
    return unpacked(row.body)


def _document(row: Row[Any], text: str = "") -> Document:
    return Document(  # told by name: the walk reads more of these than of anything
        id=row.id, book=row.book, node=row.node, kind=row.kind, version=row.version, text_hash=row.text_hash,
        data_hash=row.data_hash, length=row.length, text=text, origin=row.origin, base=row.base, note=row.note or "",
        step=row.step, made_at=row.made_at,
    )  # fmt: skip
