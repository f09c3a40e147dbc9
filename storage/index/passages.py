"""Passages of documents, where they stand in the tree, and their vectors, as the database keeps them for the index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Label, Result, Select, Table, delete, func, or_, select

from bookwright.models.document import DocumentKind
from bookwright.models.text.language import Language, detect_language
from bookwright.models.tree.place import order_of
from bookwright.storage.batches import batches
from bookwright.storage.branches.lineage import ancestors_of, of_heirs, of_lineage
from bookwright.storage.engine.prepared import insert_new
from bookwright.storage.index.chunks import header
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, ONE, documents, nodes, passages, vectors

KINDS = (DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.SUMMARY, DocumentKind.PROSE)
"""What is indexed. Running documents always stand in the context. What happened is found by summaries, how it was
worded by the prose."""

PassageId = tuple[int, int]
"""Document id and chunk number from 0."""

Row = int
"""A passage's place in its table: grows with every passage, and is what the index's stamp counts."""


@dataclass(frozen=True)
class Passage:
    """A piece of a document, and where it stands in the tree."""

    text: str
    document: int
    chunk: int
    kind: DocumentKind
    node: int
    label: str
    level: str
    task_type: str
    title: str
    goal: str = field(repr=False)
    score: float = 0.0
    """Only its order among the answers to the same questions means anything."""

    @property
    def id(self) -> PassageId:
        """What names the passage."""
        return self.document, self.chunk

    @property
    def order(self) -> tuple[int, ...]:
        """Reading order of the node that the passage belongs to."""
        return order_of(self.label)

    @property
    def language(self) -> Language:
        """The language of the text itself, which need not be the book's."""
        return detect_language(self.text)

    @property
    def searchable(self) -> str:
        """What is embedded and compared: the text; before a design's or a finding's, what it is about.

        A summary names what it tells of, prose tells it, and a unit's goal is told by every passage of it alike.
        """
        if self.kind in (DocumentKind.SUMMARY, DocumentKind.PROSE):
            return self.text
        return f"{header(self.title, self.goal)}\n{self.text}"


@dataclass(frozen=True)
class NewPassage:
    """A passage about to be stored."""

    passage: Passage
    vector_hash: str


@dataclass(frozen=True)
class StoredVector:
    """A passage's place in the index: what Chroma is told about it."""

    row: Row
    passage: Passage
    vector: Vectors
    """Shape (dimension,)."""


_AT_ONCE = 2_000
"""Rows of one query with a list of ids: far below what a statement may hold."""


class PassageRepository(Repository):
    """The passages of one book in one transaction, with the vectors of one embedding model."""

    def __init__(self, connection: Connection, book: str, model: str) -> None:
        super().__init__(connection, book)
        self._model = model

    def count(self, up_to: Row | None = None) -> int:
        """Count the passages, all or those up to a row, with or without a vector of this model."""
        query = select(func.count()).select_from(passages).where(passages.c.book == self._book)
        if up_to is not None:
            query = query.where(passages.c.id <= up_to)
        return self._connection.execute(query).scalar_one()

    def has(self, count: int) -> bool:
        """True if there are at least so many passages, from 1; reads no more of them than that."""
        some = select(passages.c.id).where(passages.c.book == self._book).order_by(passages.c.id)
        return self._connection.execute(some.offset(count - 1).limit(1)).first() is not None

    def count_documents(self, kinds: Iterable[DocumentKind]) -> int:
        """Count the documents of some kinds, in all their versions."""
        chosen = documents.c.kind.in_([kind.value for kind in kinds])
        query = select(func.count()).select_from(documents).where(documents.c.book == self._book, chosen)
        return self._connection.execute(query).scalar_one()

    def last_document(self) -> int:
        """Return the newest document that has passages; 0 for none. Documents come in order."""
        return self._connection.execute(self._of_newest(passages.c.document)).scalar_one_or_none() or 0

    def add(self, new: Sequence[NewPassage], embedded: Mapping[str, Vectors]) -> None:
        """Store passages, and vectors by text hash; what is there already stays."""
        rows = [
            {
                "book": self._book, "document": item.passage.document, "node": item.passage.node,
                "kind": item.passage.kind.value, "chunk": item.passage.chunk, "text": item.passage.text,
                "vector_hash": item.vector_hash,
            }
            for item in new
        ]  # fmt: skip
        self.add_vectors(embedded)
        self._add_new(passages, rows)

    def add_vectors(self, embedded: Mapping[str, Vectors]) -> None:
        """Store vectors by text hash, as little-endian float32."""
        rows = [
            {"book": self._book, "hash": key, "model": self._model, "vector": vector.astype("<f4").tobytes()}
            for key, vector in embedded.items()
        ]
        self._add_new(vectors, rows)

    def known_vectors(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors that are stored for those text hashes."""
        query = select(vectors.c.hash, vectors.c.vector).where(
            of_lineage(vectors.c.book, self._book), vectors.c.model == self._model
        )
        found = self._each(query, vectors.c.hash, dict.fromkeys(hashes))
        return {row.hash: _vector(row.vector) for row in found}

    def passages_of(self, rows: Iterable[Row]) -> dict[Row, Passage]:
        """Return those passages that still stand, with their texts."""
        return {row.id: _passage(row) for row in self._each(_PLACES.where(*_STANDING), passages.c.id, rows)}

    def standing(self, identities: Iterable[int]) -> set[int]:
        """Return those documents that are current and belong to living nodes."""
        query = select(documents.c.id).join(nodes, nodes.c.key == documents.c.node)
        chosen = documents.c.id.in_(list(identities))
        return set(self._connection.execute(query.where(chosen, *_STANDING)).scalars())

    def vectors_of(self, rows: Iterable[Row]) -> dict[Row, Vectors]:
        """Return the vectors of those passages."""
        return {row.id: _vector(row.vector) for row in self._each(self._rows_and_vectors(), passages.c.id, rows)}

    def after(self, row: Row, limit: int) -> list[StoredVector]:
        """Return up to `limit` passages that came after a row, in order, with their vectors."""
        rows = self._oldest(limit, self._vector(), passages.c.id > row, self._vector().is_not(None))
        return [StoredVector(found.id, _passage(found), _vector(found.vector)) for found in rows]

    def sample(self, count: int, up_to: Row) -> list[StoredVector]:
        """Return about `count` passages spread evenly over the rows up to one."""
        first = select(func.min(passages.c.id)).where(passages.c.book == self._book)
        start = self._connection.execute(first).scalar_one_or_none() or 0
        step = max((up_to - start) // count, 1)
        found: dict[Row, StoredVector] = {}
        for row in range(start - 1, up_to, step):
            found |= {item.row: item for item in self.after(row, 1) if item.row <= up_to}
        return list(found.values())

    def scan(self, kinds: Iterable[DocumentKind]) -> Iterator[tuple[list[Row], Vectors]]:
        """Yield rows and vectors of all passages of some kinds, a few thousand at a time."""
        query = self._rows_and_vectors().where(passages.c.book == self._book, _is_of(kinds))
        for rows in self._connection.execute(query.execution_options(yield_per=_AT_ONCE)).partitions():
            yield [row.id for row in rows], np.array([_vector(row.vector) for row in rows])

    def last_row(self) -> Row:
        """Return the newest passage's row; 0 for none."""
        return self._connection.execute(self._of_newest(passages.c.id)).scalar_one_or_none() or 0

    def naming(
        self, names: Sequence[str], kinds: Iterable[DocumentKind], limit: int, after: Row, up_to: Row
    ) -> dict[str, list[Row]]:
        """Return for each name the first `limit` passages of some kinds, between two rows, that hold it.

        Letter by letter. Goes once through the texts, until all names have enough.
        """
        place = func.instr if self._connection.dialect.name == "sqlite" else func.strpos
        query = (
            select(passages.c.id, passages.c.text)
            .where(passages.c.book == self._book, _is_of(kinds))
            .where(passages.c.id > after, passages.c.id <= up_to)
            .where(or_(*(place(passages.c.text, name) > 0 for name in names)))
            .order_by(passages.c.id)
        )
        found: dict[str, list[Row]] = {name: [] for name in names}
        with self._connection.execute(query) as rows:
            for row, text in rows:
                for name, its_rows in found.items():
                    if len(its_rows) < limit and name in text:
                        its_rows.append(row)
                if all(len(its_rows) == limit for its_rows in found.values()):
                    break
        return found

    def newest_lacks_vector(self) -> bool:
        """True if the newest passage has no vector of this model: it was chosen later, or part way."""
        row = self._connection.execute(self._of_newest(self._vector())).one_or_none()
        return row is not None and row.vector is None

    def without_vector(self, limit: int) -> list[NewPassage]:
        """Return up to `limit` passages that have no vector of this model, oldest first."""
        rows = self._oldest(limit, passages.c.vector_hash, self._vector().is_(None))
        return [NewPassage(_passage(row), row.vector_hash) for row in rows]

    def clear(self) -> None:
        """Forget the passages; vectors stay for those who come again with the same text."""
        self._connection.execute(delete(passages).where(passages.c.book == self._book))

    def drop_unused_vectors(self) -> None:
        """Let go of vectors that no passage has, of a branch neither, and of those of other models."""
        used = select(passages.c.vector_hash).where(of_heirs(passages.c.book, self._book))
        unused = (vectors.c.model != self._model) | vectors.c.hash.not_in(used)
        self._connection.execute(delete(vectors).where(vectors.c.book == self._book, unused))

    def _oldest(self, limit: int, column: ColumnElement[Any], *conditions: ColumnElement[bool]) -> Result[Any]:
        """The first passages that meet some conditions, with their places and one more column."""
        query = _PLACES.add_columns(column).where(passages.c.book == self._book, *conditions)
        return self._connection.execute(query.order_by(passages.c.id).limit(limit))

    def _of_newest(self, column: ColumnElement[Any]) -> Select[Any]:
        """A column of the newest passage."""
        return select(column).where(passages.c.book == self._book).order_by(passages.c.id.desc()).limit(1)

    def _each(self, query: Select[Any], column: ColumnElement[Any], values: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of a query in which a column has one of some values."""
        for some in batches(values, _AT_ONCE):
            yield from self._connection.execute(query.where(column.in_(some)))

    def _rows_and_vectors(self) -> Select[Any]:
        return select(passages.c.id, self._vector()).where(self._vector().is_not(None))

    def _vector(self) -> Label[Any]:
        """The vector of a passage: the book's own, or else an origin's."""
        found = select(vectors.c.vector).where(vectors.c.hash == passages.c.vector_hash, vectors.c.model == self._model)
        own = found.where(vectors.c.book == passages.c.book).correlate(passages).scalar_subquery()
        shared = found.where(vectors.c.book.in_(ancestors_of(passages.c.book))).limit(ONE)
        return func.coalesce(own, shared.correlate(passages).scalar_subquery()).label("vector")

    def _add_new(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            self._connection.execute(insert_new(table, self._connection.dialect.name), rows)


_PLACES = (
    select(
        passages.c.id, passages.c.document, passages.c.chunk, passages.c.kind, passages.c.text, passages.c.node,
        nodes.c.label, nodes.c.level, nodes.c.task_type, nodes.c.title, nodes.c.goal,
    )
    .join_from(passages, documents, documents.c.id == passages.c.document)
    .join(nodes, nodes.c.key == passages.c.node)
)  # fmt: skip

_STANDING = (IS_CURRENT, IS_LIVING)


def _is_of(kinds: Iterable[DocumentKind]) -> ColumnElement[bool]:
    return passages.c.kind.in_([kind.value for kind in kinds])


def _passage(row: Any) -> Passage:
    return Passage(
        text=row.text, document=row.document, chunk=row.chunk, kind=DocumentKind(row.kind), node=row.node,
        label=row.label, level=row.level, task_type=row.task_type, title=row.title, goal=row.goal,
    )  # fmt: skip


def _vector(blob: bytes) -> Vectors:
    return np.frombuffer(blob, "<f4").astype(np.float32)
