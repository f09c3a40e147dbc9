"""Books and their briefs."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.errors import BookNotFound
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.studio import Studio
from bookwright.storage.tables import books, briefs

_latest_brief = (
    select(briefs.c.book, func.max(briefs.c.version).label("version")).group_by(briefs.c.book).subquery("latest_brief")
)
_BOOKS = (
    select(books, briefs.c.brief, briefs.c.version.label("brief_version"))
    .join(_latest_brief, _latest_brief.c.book == books.c.id)
    .join(briefs, (briefs.c.book == books.c.id) & (briefs.c.version == _latest_brief.c.version))
)

_BY_ID = Prepared(_BOOKS.where(books.c.id == bindparam("book")))
_LENGTH_RATIO = Prepared(select(books.c.length_ratio).where(books.c.id == bindparam("book")))


@lru_cache(maxsize=64)
def _change(*columns: str) -> Prepared:
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
    changed = update(books).where(books.c.id == bindparam("book")).values(values | {"updated_at": database_now()})
    return Prepared(changed)


class BookRepository:
    """All books of a database in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(self, identity: str, brief: Brief) -> None:
        """Add a book that rests until somebody writes it."""
        self._connection.execute(
            insert(books).values(
                id=identity, title=brief.working_title, state=BookState.PAUSED.value, reason="not begun",
                created_at=database_now(), updated_at=database_now(),
            )
        )  # fmt: skip
        self._add_brief(identity, 1, brief)

    def find(self, identity: str) -> Book | None:
        """Return a book, or None."""
        row = _BY_ID.execute(self._connection, {"book": identity}).first()
        return None if row is None else _book(row)

    def get(self, identity: str) -> Book:
        """Return a book by its id or by a beginning of it that only one book has.

        Raises:
            BookNotFound: No book, or more than one, answers to that.
        """
        exact = self.find(identity)
        if exact is not None:
            return exact
        near = self._connection.execute(_BOOKS.where(books.c.id.startswith(identity, autoescape=True)).limit(5)).all()
        if len(near) == 1 and identity:
            return _book(near[0])
        if near and identity:
            raise BookNotFound(f"more than one book begins with {identity!r}: {', '.join(row.id for row in near)}")
        raise BookNotFound(f"there is no book {identity!r}; `bookwright status` lists the books")

    def all(self, with_archived: bool = False) -> list[Book]:
        """Return the books, newest first."""
        query = _BOOKS if with_archived else _BOOKS.where(books.c.is_archived.is_(False))
        return [_book(row) for row in self._connection.execute(query.order_by(books.c.created_at.desc()))]

    def set_state(self, identity: str, state: BookState, reason: str = "", advice: str = "") -> None:
        """Say where a book stands and why."""
        self.change(identity, state=state.value, reason=reason, advice=advice, has_failed=False)

    def ask_to_rest(self, identity: str) -> None:
        """Wish that a book rest before its next step; a run of it that is still to take it hears of that, too."""
        asked = update(books).where(books.c.id == identity)
        self._connection.execute(asked.values(stop_requested=True, stop_requested_at=database_now()))

    def change(self, identity: str, **columns: Any) -> None:
        """Change some columns of a book's row."""
        values = {f"new_{name}": value for name, value in columns.items()}
        _change(*columns).execute(self._connection, {"book": identity} | values)

    def length_ratio(self, identity: str) -> float:
        """Return how this book's models have answered lengths so far."""
        return float(_LENGTH_RATIO.execute(self._connection, {"book": identity}).scalar_one())

    def edit_brief(self, identity: str, brief: Brief) -> int:
        """Store a new version of a book's brief; return its number."""
        version = self.get(identity).brief_version + 1
        self._add_brief(identity, version, brief)
        self.change(identity, title=brief.working_title)
        return version

    def delete(self, identity: str) -> None:
        """Remove a book with all that belongs to it; the studio goes on counting what it has cost.

        Raises:
            InvalidInput: It has branches, which share its texts.
        """
        from bookwright.storage.branches.repository import BranchRepository  # a look at books does without

        BranchRepository(self._connection).refuse_deletion(identity)
        Studio(self._connection).keep_spent(identity)
        self._connection.execute(delete(books).where(books.c.id == identity))

    def _add_brief(self, identity: str, version: int, brief: Brief) -> None:
        self._connection.execute(
            insert(briefs).values(
                book=identity, version=version, created_at=database_now(),
                brief=json.dumps(brief.model_dump(mode="json"), ensure_ascii=False),
            )
        )  # fmt: skip


def _book(row: Row[Any]) -> Book:
    values = row._asdict()
    return Book.model_validate(values | {"brief": _brief(values["brief"]), "windows": json.loads(values["windows"])})


@lru_cache(maxsize=16)
def _brief(stored: str) -> Brief:
    return make_brief(json.loads(stored))
