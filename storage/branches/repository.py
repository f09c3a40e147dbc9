"""Which books are branches of which; making one, and what a book's branches keep from being deleted."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, ScalarSelect, func, insert, literal, select

from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.cut import Cut, CutNode, cut_at
from bookwright.storage.branches.forking import Forking
from bookwright.storage.engine.database import database_now
from bookwright.storage.tables import books, branches, documents, lineages, merges, nodes, steps


@dataclass(frozen=True)
class Fork:
    """How a book came to be a branch."""

    book: str
    origin: str
    name: str
    at: str
    """The label from which on it was open again; empty for a branch of the whole book."""
    nodes: int
    """The last node that it has from its origin; what is newer is its own."""
    documents: int
    """The same of documents."""
    origin_nodes: int
    """The last node that its origin had; what is newer came there since."""
    origin_documents: int
    """The same of documents."""
    forked_at: float


@dataclass(frozen=True)
class Merge:
    """What was taken over from a branch."""

    number: int
    branch: str
    took: str
    """The label of what was taken, with the kind of a document behind it where that was all."""
    merged_at: float


class BranchRepository:
    """The branches of a database in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, book: str) -> Fork | None:
        """Return how a book was forked; None for one that is no branch."""
        row = self._connection.execute(select(branches).where(branches.c.book == book)).one_or_none()
        return None if row is None else Fork(**row._mapping)

    def of(self, origin: str) -> list[Fork]:
        """Return the branches of a book itself, oldest first."""
        query = select(branches).where(branches.c.origin == origin).order_by(branches.c.forked_at, branches.c.book)
        return [Fork(**row._mapping) for row in self._connection.execute(query)]

    def root_of(self, book: str) -> str:
        """Return the book from which a branch comes in the end; a book that is no branch is its own."""
        while found := self.find(book):
            book = found.origin
        return book

    def all(self) -> list[Fork]:
        """Return all branches of all books."""
        return [Fork(**row._mapping) for row in self._connection.execute(select(branches))]

    def family(self, book: str) -> list[Fork]:
        """Return all branches of the book from which a book comes in the end, each behind what it was forked from."""
        found, waiting = [], [self.root_of(book)]
        while waiting:
            here = self.of(waiting.pop(0))
            found += here
            waiting += [fork.book for fork in here]
        return found

    def newest(self, book: str) -> tuple[int, int]:
        """Return the last node and the last document of a book, whatever has become of them."""
        node, document = self._connection.execute(select(_last(nodes.c.key, book), _last(documents.c.id, book))).one()
        return node, document

    def taken(self, book: str) -> list[Merge]:
        """Return what was merged into a book and was not taken back, the newest first."""
        query = select(merges.c.id.label("number"), merges.c.branch, merges.c.took, merges.c.merged_at)
        query = query.where(merges.c.book == book, merges.c.is_undone.is_(False)).order_by(merges.c.id.desc())
        return [Merge(**row._mapping) for row in self._connection.execute(query)]

    def fork(self, origin: str, book: str, name: str, at: str, standing: dict[str, Any]) -> Fork:
        """Make a branch of a book, all of it or open again from a unit on; `standing` are columns of its row.

        Who writes the origin meanwhile waits for the end of the transaction.
        """
        connection = self._connection
        connection.execute(select(books.c.id).where(books.c.id == origin).with_for_update())
        self._make_row(origin, book, standing)
        Forking(connection, origin, book, self._cut(origin, at)).copy()
        connection.execute(
            insert(branches).values(
                book=book, origin=origin, name=name, at=at, forked_at=database_now(),
                nodes=_last(nodes.c.key, book), documents=_last(documents.c.id, book),
                origin_nodes=_last(nodes.c.key, origin), origin_documents=_last(documents.c.id, origin),
            )
        )  # fmt: skip
        self._inherit(origin, book)
        found = self.find(book)
        assert found is not None
        return found

    def refuse_deletion(self, book: str) -> None:
        """Raise `InvalidInput` if a book has branches, which read its texts."""
        query = select(lineages.c.book).where(lineages.c.ancestor == book).order_by(lineages.c.book)
        if names := list(self._connection.scalars(query)):
            raise InvalidInput(
                f"book {book!r} has branches that share its texts: {', '.join(names)}; delete those first "
                "(`export --to json` and `import` make a book of its own of one that is to stay)"
            )

    def _cut(self, origin: str, at: str) -> Cut:
        if not at:
            return Cut()
        columns = (nodes.c.key, nodes.c.label, nodes.c.task_type, nodes.c.status, nodes.c.written)
        rows = self._connection.execute(select(*columns).where(nodes.c.book == origin))
        return cut_at(at, (CutNode(*row) for row in rows))

    def _make_row(self, origin: str, book: str, standing: dict[str, Any]) -> None:
        """Make the row of a branch: as its origin's, but nothing is spent, and nobody holds it."""
        kept = (books.c.title, books.c.length_ratio, books.c.windows)
        row = self._connection.execute(select(*kept).where(books.c.id == origin)).one()
        now = {"created_at": database_now(), "updated_at": database_now()}
        self._connection.execute(insert(books).values(id=book, **row._mapping, **now, **standing))

    def _inherit(self, origin: str, book: str) -> None:
        """Let a branch read what its origin has on record, and what that reads of its own origins."""
        own = {"book": book, "ancestor": origin, "steps": _last(steps.c.id, origin)}
        self._connection.execute(insert(lineages).values(own))
        further = select(literal(book), lineages.c.ancestor, lineages.c.steps).where(lineages.c.book == origin)
        self._connection.execute(insert(lineages).from_select(["book", "ancestor", "steps"], further))


def _last(key: Column[int], book: str) -> ScalarSelect[int]:
    """The highest key of a book's rows in a table; 0 where it has none."""
    return select(func.coalesce(func.max(key), 0)).where(key.table.c.book == book).scalar_subquery()
