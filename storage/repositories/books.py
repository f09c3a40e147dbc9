"""Books, their briefs, and the lease that lets one worker at a time write one."""

import json
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Result,
    Row,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.edit import EditState
from bookwright.models.errors import BookHeld, BookNotFound, LeaseLost
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.studio import Studio
from bookwright.storage.tables import books, briefs, edits

_latest_brief = (
    select(briefs.c.book, func.max(briefs.c.version).label("version")).group_by(briefs.c.book).subquery("latest_brief")
)
_BOOKS = (
    select(books, briefs.c.brief, briefs.c.version.label("brief_version"))
    .join(_latest_brief, _latest_brief.c.book == books.c.id)
    .join(briefs, (briefs.c.book == books.c.id) & (briefs.c.version == _latest_brief.c.version))
)

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
        row = self._connection.execute(_BOOKS.where(books.c.id == identity)).one_or_none()
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
    values = dict(row._mapping)
    values |= {"brief": make_brief(json.loads(values["brief"])), "windows": json.loads(values["windows"])}
    return Book.model_validate({name: values[name] for name in Book.model_fields})


class HolderNews(NamedTuple):
    """What others want of the holder of a book, read wherever it writes."""

    is_stop_asked: bool
    edits_wait: bool
    """True while edits of the author's wait to be taken in."""


class Lease:
    """The right to write one book, until it runs out or a newer worker takes it.

    `token` grows with every take-over and is checked inside every write transaction, so a worker
    that was stopped and woke up again can write nothing. Source: DESIGN section 5, rule 5.
    """

    def __init__(self, book: str, owner: str, token: int, seconds: float, expires: float) -> None:
        self.book = book
        self.owner = owner
        self.token = token
        self.seconds = seconds
        self._expires = expires

    @classmethod
    def take(
        cls, connection: Connection, book: str, owner: str, seconds: float, unsure: "Lease | None" = None
    ) -> "Lease":
        """Take the lease if it is free or has run out, by the database's clock.

        A wish that the book rest is met once its holder has died; with a book that was let go it stands.
        `unsure` is a lease that was taken in a commit whose answer was lost: if it stands, it is ours.

        Raises:
            BookHeld: Another worker holds it.
        """
        may_take = [books.c.lease_owner.is_(None), books.c.lease_expires <= database_now()]
        if unsure is not None:  # its very moment is told too: a token alone could be another's
            may_take.append(and_(books.c.lease_token == unsure.token, books.c.lease_expires == unsure._expires))
        taken = connection.execute(
            update(books)
            .where(books.c.id == book, or_(*may_take))
            .values(
                lease_owner=owner, lease_token=books.c.lease_token + 1, lease_expires=database_now() + seconds,
                updated_at=database_now(),
                stop_requested=and_(books.c.stop_requested, books.c.lease_owner.is_(None)),
            )
            .returning(books.c.lease_token, books.c.lease_expires)
        ).one_or_none()  # fmt: skip
        if taken is None:
            holder = connection.execute(
                select(books.c.lease_owner, (books.c.lease_expires - database_now()).label("left")).where(
                    books.c.id == book
                )
            ).one()
            raise BookHeld(book, holder.lease_owner, max(holder.left, 0.0))
        return cls(book, owner, taken.lease_token, seconds, taken.lease_expires)

    @staticmethod
    def end(connection: Connection, book: str, owner: str, expires: float) -> bool:
        """End the lease of a worker that is known to be dead; False if it is another's or was renewed."""
        same = (books.c.id == book, books.c.lease_owner == owner, books.c.lease_expires == expires)
        return bool(connection.execute(update(books).where(*same).values(lease_expires=0.0)).rowcount)

    def fence(self, connection: Connection, **changes: Any) -> HolderNews:
        """Renew the lease, make `changes` to the book's row, and tell what others want of its holder.

        The first statement of every write to the book.

        Raises:
            LeaseLost: A newer worker holds the book; the transaction must be given up.
        """
        fence = _FENCE.values(changes) if changes else _FENCE
        return self._holds(connection.execute(fence, self._identity))

    def fence_step(self, connection: Connection, bill: dict[str, Any]) -> HolderNews:
        """Do the same for one recorded step, adding its bill to the book's sums.

        `bill` has `intent`, `calls`, `input_tokens`, `cached_tokens`, `output_tokens`, `cost` and `unpriced`.

        Raises:
            LeaseLost: A newer worker holds the book; the transaction must be given up.
        """
        values = self._identity | {f"bill_{name}": value for name, value in bill.items()}
        return self._holds(_FENCE_STEP.execute(connection, values))

    @property
    def _identity(self) -> dict[str, Any]:
        return {"fenced_book": self.book, "fenced_token": self.token, "lease_seconds": self.seconds}

    def _holds(self, fenced: Result[Any]) -> HolderNews:
        row = fenced.one_or_none()
        if row is None:
            raise LeaseLost(f"another worker has taken over book {self.book!r}; this one stops without writing")
        return HolderNews._make(row)

    def release(self, connection: Connection, *, keeps_wish: bool = False) -> None:
        """Let the book go; says nothing if it was lost before.

        A wish that it rest is met by that, unless `keeps_wish` leaves it to the next holder.
        """
        freed = {"lease_owner": None, "lease_expires": 0.0} | ({} if keeps_wish else {"stop_requested": False})
        own = (books.c.id == self.book, books.c.lease_token == self.token)
        connection.execute(update(books).where(*own).values(freed))


_FENCE = (
    update(books)
    .where(books.c.id == bindparam("fenced_book"), books.c.lease_token == bindparam("fenced_token"))
    .values(lease_expires=database_now() + bindparam("lease_seconds"), updated_at=database_now())
    .returning(
        books.c.stop_requested,
        exists().where(edits.c.book == bindparam("fenced_book"), edits.c.state == EditState.WAITING.value),
    )
)
_FENCE_STEP = Prepared(
    _FENCE.values(
        intent=bindparam("bill_intent"),
        calls=books.c.calls + bindparam("bill_calls"),
        input_tokens=books.c.input_tokens + bindparam("bill_input_tokens"),
        cached_tokens=books.c.cached_tokens + bindparam("bill_cached_tokens"),
        output_tokens=books.c.output_tokens + bindparam("bill_output_tokens"),
        cost=books.c.cost + bindparam("bill_cost"),
        unpriced_calls=books.c.unpriced_calls + bindparam("bill_unpriced"),
    )
)
