"""Passages of documents, where they stand in the tree, and their vectors, as the database keeps them for the index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, Table, bindparam, delete, func, or_, select

from bookwright.models.document import DocumentKind
from bookwright.models.tree.place import order_of
from bookwright.storage.branches.lineage import ancestors_of, of_heirs, of_lineage
from bookwright.storage.engine.prepared import Prepared, batches, insert_new
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, ONE, documents, nodes, passages, vectors

KINDS = (DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.SUMMARY, DocumentKind.PROSE)
"""What is indexed: what happened by summaries, how it was worded by the prose. Running documents are always shown."""

PassageId = tuple[int, int]
"""Document id and chunk number from 0."""

_HEADER_CHARACTERS = 60

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
    def searchable(self) -> str:
        """What is embedded and compared: the text; before a design's or a finding's a line of what it is about.

        A summary names what it tells of, prose tells it, and a unit's goal is told by every passage of it alike.
        """
        if self.kind in (DocumentKind.SUMMARY, DocumentKind.PROSE):
            return self.text
        return f"{(self.title or self.goal)[:_HEADER_CHARACTERS]}\n{self.text}"


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
        self._values = {"book": book, "model": model}

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
        newest = _NEWEST.execute(self._connection, {"book": self._book}).first()
        return newest.document if newest else 0

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
        rows = [self._values | {"hash": key, "vector": made.astype("<f4").tobytes()} for key, made in embedded.items()]
        self._add_new(vectors, rows)

    def known_vectors(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors that are stored for those text hashes."""
        return {row.hash: _vector(row.vector) for row in self._each(_KNOWN_VECTORS, dict.fromkeys(hashes))}

    def standing(self, identities: Iterable[int]) -> set[int]:
        """Return those documents that are current and belong to living nodes."""
        return {row.id for row in self._each(_STANDING, identities)}

    def standing_at(self, rows: Iterable[Row]) -> list[StoredVector]:
        """Return those passages that still stand and have a vector."""
        return [_stored(row) for row in self._each(_STANDING_AT, rows)]

    def after(self, row: Row, limit: int) -> list[StoredVector]:
        """Return up to `limit` passages that came after a row, in order, with their vectors."""
        return [*map(_stored, _AFTER.execute(self._connection, self._values | {"row": row, "limit": limit}))]

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
        chosen = (passages.c.book == self._book, passages.c.kind.in_([kind.value for kind in kinds]), _HAS_VECTOR)
        query = select(passages.c.id, _VECTOR).where(*chosen).execution_options(yield_per=_AT_ONCE)
        for rows in self._connection.execute(query, {"model": self._model}).partitions():
            yield [row.id for row in rows], np.array([_vector(row.vector) for row in rows])

    def last_row(self) -> Row:
        """Return the newest passage's row; 0 for none."""
        newest = _NEWEST.execute(self._connection, {"book": self._book}).first()
        return newest.id if newest else 0

    def naming(
        self, names: Sequence[str], kinds: Iterable[DocumentKind], limit: int, after: Row, up_to: Row
    ) -> dict[str, list[Row]]:
        """Return for each name the first `limit` passages of some kinds, between two rows, that hold it.

        Letter by letter. Goes once through the texts, until all names have enough.
        """
        values = {"book": self._book, "kinds": [kind.value for kind in kinds], "after": after, "up_to": up_to}
        values |= {f"name_{place}": name for place, name in enumerate(names)}
        found: dict[str, list[Row]] = {name: [] for name in names}
        with self._connection.execute(_naming(self._connection.dialect.name, len(names)), values) as rows:
            for row, text in rows:
                for name, its_rows in found.items():
                    if len(its_rows) < limit and name in text:
                        its_rows.append(row)
                if all(len(its_rows) == limit for its_rows in found.values()):
                    break
        return found

    def newest_lacks_vector(self) -> bool:
        """True if the newest passage has no vector of this model: it was chosen later, or part way."""
        row = _NEWEST_VECTOR.execute(self._connection, self._values).first()
        return row is not None and row.vector is None

    def without_vector(self, limit: int) -> list[NewPassage]:
        """Return up to `limit` passages that have no vector of this model, oldest first."""
        rows = _WITHOUT_VECTOR.execute(self._connection, self._values | {"limit": limit})
        return [NewPassage(_passage(row), row.vector_hash) for row in rows]

    def clear(self) -> None:
        """Forget the passages; vectors stay for those who come again with the same text."""
        self._connection.execute(delete(passages).where(passages.c.book == self._book))

    def drop_unused_vectors(self) -> None:
        """Let go of vectors that no passage has, of a branch neither, and of those of other models."""
        used = select(passages.c.vector_hash).where(of_heirs(passages.c.book, self._book))
        unused = (vectors.c.model != self._model) | vectors.c.hash.not_in(used)
        self._connection.execute(delete(vectors).where(vectors.c.book == self._book, unused))

    def _each(self, statement: Prepared, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of a statement for some values."""
        for some in batches(values, _AT_ONCE):
            yield from statement.execute(self._connection, self._values | {"among": some})

    def _add_new(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            insert_new(table, self._connection.dialect.name, *rows[0]).execute(self._connection, rows)


_PLACES = (
    select(
        passages.c.id, passages.c.document, passages.c.chunk, passages.c.kind, passages.c.text, passages.c.node,
        nodes.c.label, nodes.c.level, nodes.c.task_type, nodes.c.title, nodes.c.goal,
    )
    .join_from(passages, documents, documents.c.id == passages.c.document)
    .join(nodes, nodes.c.key == passages.c.node)
)  # fmt: skip

_of_text = select(vectors.c.vector).where(
    vectors.c.hash == passages.c.vector_hash, vectors.c.model == bindparam("model")
)
_own = _of_text.where(vectors.c.book == passages.c.book).correlate(passages).scalar_subquery()
_shared = _of_text.where(vectors.c.book.in_(ancestors_of(passages.c.book))).limit(ONE)
_VECTOR = func.coalesce(_own, _shared.correlate(passages).scalar_subquery()).label("vector")
"""The vector of a passage: the book's own, or else an origin's."""
_HAS_VECTOR = _VECTOR.is_not(None)

_OF_BOOK = passages.c.book == bindparam("book")
_NEWEST = Prepared(select(passages.c.id, passages.c.document).where(_OF_BOOK).order_by(passages.c.id.desc()).limit(ONE))
_NEWEST_VECTOR = Prepared(select(_VECTOR).where(_OF_BOOK).order_by(passages.c.id.desc()).limit(ONE))
_OLDEST = _PLACES.where(_OF_BOOK).order_by(passages.c.id).limit(bindparam("limit"))
_AFTER = Prepared(_OLDEST.add_columns(_VECTOR).where(passages.c.id > bindparam("row"), _HAS_VECTOR))
_WITHOUT_VECTOR = Prepared(_OLDEST.add_columns(passages.c.vector_hash).where(_VECTOR.is_(None)))
_STANDING = Prepared(
    select(documents.c.id)
    .join(nodes, nodes.c.key == documents.c.node)
    .where(documents.c.id.in_(bindparam("among", expanding=True)), IS_CURRENT, IS_LIVING)
)
_ROW_IS_AMONG = passages.c.id.in_(bindparam("among", expanding=True))
_STANDING_AT = Prepared(_PLACES.add_columns(_VECTOR).where(_ROW_IS_AMONG, IS_CURRENT, IS_LIVING, _HAS_VECTOR))
_HASH_IS_AMONG = vectors.c.hash.in_(bindparam("among", expanding=True))
_IS_READABLE = (of_lineage(vectors.c.book, bindparam("book")), vectors.c.model == bindparam("model"))
_KNOWN_VECTORS = Prepared(select(vectors.c.hash, vectors.c.vector).where(*_IS_READABLE, _HASH_IS_AMONG))


@lru_cache
def _naming(dialect: str, names: int) -> Select[Any]:
    """The passages of some kinds, between two rows, that hold any of so many names, with their texts."""
    place = func.instr if dialect == "sqlite" else func.strpos
    return (
        select(passages.c.id, passages.c.text)
        .where(_OF_BOOK, passages.c.kind.in_(bindparam("kinds", expanding=True)))
        .where(passages.c.id > bindparam("after"), passages.c.id <= bindparam("up_to"))
        .where(or_(*(place(passages.c.text, bindparam(f"name_{number}")) > 0 for number in range(names))))
        .order_by(passages.c.id)
    )


def _stored(row: Any) -> StoredVector:
    return StoredVector(row.id, _passage(row), _vector(row.vector))


def _passage(row: Any) -> Passage:
    return Passage(
        text=row.text, document=row.document, chunk=row.chunk, kind=DocumentKind(row.kind), node=row.node,
        label=row.label, level=row.level, task_type=row.task_type, title=row.title, goal=row.goal,
    )  # fmt: skip


def _vector(blob: bytes) -> Vectors:
    return np.frombuffer(blob, "<f4").astype(np.float32)
