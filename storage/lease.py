"""The lease that lets one worker at a time write a book, with the fence before all that it writes; who holds what."""

import os
import re
import socket
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Result, bindparam, exists, select, update

from bookwright.models.book import BookState
from bookwright.models.edit import EditState
from bookwright.models.errors import BookHeld, BookNotFound, LeaseLost
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared, Rows
from bookwright.storage.files.file_system import lives
from bookwright.storage.tables import books, edits

IS_HELD = books.c.lease_owner.is_not(None) & (books.c.lease_expires > database_now())
"""The condition that a living worker has a book's lease, which it renews before it runs out."""

SECONDS_LEFT = (books.c.lease_expires - database_now()).label("lease_left")
"""By the database's clock; negative once the lease has run out."""

_OWNER = re.compile(r"process (\d+) on (.+)")
"""As `owner_name` names a worker."""


class HolderNews(NamedTuple):
    """What others want of the holder of a book, read wherever it writes."""

    is_stop_asked: bool
    edits_wait: bool
    """True while edits of the author's wait to be taken in."""


class Lease:
    """The right to write one book, until it runs out or a newer worker takes it.

    `token` grows with every take-over and is checked by a fence inside every write transaction, so a worker
    that was stopped and woke up again can write nothing: a fence raises `LeaseLost` where a newer worker holds the
    book, and the transaction must be given up. Source: DESIGN section 5, rule 5.
    """

    def __init__(self, book: str, owner: str, token: int, seconds: float, expires: float, left: float) -> None:
        self.book = book
        self.owner = owner
        self.token = token
        self.seconds = seconds
        self._expires = expires
        self._left = left
        """When the wish was made that the holder leaves to the next one, without hearing it; 0 for none."""

    @classmethod
    def take(
        cls, connection: Connection, book: str, owner: str, seconds: float, unsure: "Lease | None" = None,
        *, wished_since: float | None = None,
    ) -> "Lease":  # fmt: skip
        """Take the lease if it is free or has run out, by the database's clock.

        A wish that the book rest is left to the next holder by whoever does not ask for it. One who does is told what
        was `wished_since` a moment: since its run was handed in, or after the wish that it knew of when it began.
        `unsure` was taken in a commit whose answer was lost: if it stands, by token and moment, it is ours.

        Raises:
            BookHeld: Another worker holds it.
            BookNotFound: It was deleted after it was found.
        """
        values = {
            "taken_book": book, "owner": owner, "lease_seconds": seconds, "unsure_token": unsure and unsure.token,
            "unsure_expires": unsure and unsure._expires, "since": -1.0 if wished_since is None else wished_since,
        }  # fmt: skip
        taken = _TAKE.execute(connection, values).first()
        if taken is None:
            holder = _HOLDER.execute(connection, {"book": book}).first()
            if holder is None:
                raise BookNotFound(f"there is no book {book!r} any more; it was deleted")
            raise BookHeld(book, holder[0], max(holder[1], 0.0))
        left_wish = taken.stop_requested_at if wished_since is None and taken.stop_requested else 0.0
        return cls(book, owner, taken.lease_token, seconds, taken.lease_expires, left_wish)

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

        `bill` has `intent`, `calls`, `input_tokens`, `cached_tokens`, `output_tokens`, `cost` and `unpriced_calls`.

        Raises:
            LeaseLost: A newer worker holds the book; the transaction must be given up.
        """
        values = self._identity | {f"bill_{name}": value for name, value in bill.items()}
        return self._holds(_FENCE_STEP.execute(connection, values))

    @property
    def _identity(self) -> dict[str, Any]:
        return {"fenced_book": self.book, "fenced_token": self.token, "lease_seconds": self.seconds, "left": self._left}

    def _holds(self, fenced: Result[Any] | Rows) -> HolderNews:
        row = fenced.first()
        if row is None:
            raise LeaseLost(f"another worker has taken over book {self.book!r}; this one stops without writing")
        return HolderNews._make(row)

    def release(self, connection: Connection, *, keeps_wish: bool = False) -> None:
        """Let the book go; says nothing if it was lost before.

        A wish that it rest is met by that, unless an older one was not for this holder, or `keeps_wish` leaves it.
        """
        kept = {} if keeps_wish or self._left else {"stop_requested": False}
        own = (books.c.id == self.book, books.c.lease_token == self.token)
        connection.execute(update(books).where(*own).values(lease_owner=None, lease_expires=0.0, **kept))


_UNSURE = (books.c.lease_token == bindparam("unsure_token")) & (books.c.lease_expires == bindparam("unsure_expires"))
_TAKE = Prepared(
    update(books)
    .where(books.c.id == bindparam("taken_book"), ~IS_HELD | _UNSURE)
    .values(
        lease_owner=bindparam("owner"), lease_token=books.c.lease_token + 1, updated_at=database_now(),
        lease_expires=database_now() + bindparam("lease_seconds"),
        stop_requested=books.c.stop_requested & (books.c.stop_requested_at > bindparam("since")),
    )
    .returning(books.c.lease_token, books.c.lease_expires, books.c.stop_requested, books.c.stop_requested_at)
)  # fmt: skip
_HOLDER = Prepared(select(books.c.lease_owner, SECONDS_LEFT).where(books.c.id == bindparam("book")))
_FENCE = (
    update(books)
    .where(books.c.id == bindparam("fenced_book"), books.c.lease_token == bindparam("fenced_token"))
    .values(lease_expires=database_now() + bindparam("lease_seconds"), updated_at=database_now())
    .returning(
        books.c.stop_requested & (books.c.stop_requested_at > bindparam("left")),
        exists().where(edits.c.book == bindparam("fenced_book"), edits.c.state == EditState.WAITING.value),
    )
)
_SUMS = ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "unpriced_calls")
_FENCE_STEP = Prepared(
    _FENCE.values(
        {"intent": bindparam("bill_intent")} | {name: books.c[name] + bindparam(f"bill_{name}") for name in _SUMS}
    )
)


@dataclass(frozen=True)
class Holder:
    """A worker whose lease of a book was not released."""

    book: str
    owner: str
    seconds_left: float
    """By the database's clock; negative once the lease has run out."""

    @property
    def is_alive(self) -> bool:
        """Whether the book may be in its hands: the lease runs, and its process is not known to be dead."""
        return self.seconds_left > 0 and not is_dead(self.owner)


def owner_name() -> str:
    """Return this worker's name, as others are told who holds a book."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def holders(connection: Connection) -> list[Holder]:
    """Return who has not released the book that it took, by book."""
    taken = select(books.c.id, books.c.lease_owner, SECONDS_LEFT).where(books.c.lease_owner.is_not(None))
    return [Holder(*row) for row in connection.execute(taken.order_by(books.c.id))]


def holder_of(connection: Connection, book: str) -> Holder | None:
    """Return who has not released a book that it took; None if nobody holds it."""
    return next((one for one in holders(connection) if one.book == book), None)


def is_held(connection: Connection, book: str) -> bool:
    """True while a living worker has the lease of a book."""
    return connection.execute(select(books.c.id).where(books.c.id == book, IS_HELD)).first() is not None


def interrupted(connection: Connection) -> list[str]:
    """Return the ids of the books that are being written by nobody and that nobody asked to rest, oldest first."""
    left = books.c.state == BookState.WRITING.value
    query = select(books.c.id).where(left, ~IS_HELD, ~books.c.is_archived, ~books.c.stop_requested)
    return list(connection.execute(query.order_by(books.c.created_at, books.c.id)).scalars())


def refuse_if_held(found: list[Holder]) -> None:
    """Raise `BookHeld` if a living worker is among the holders."""
    for holder in found:
        if holder.is_alive:
            raise BookHeld(holder.book, holder.owner, holder.seconds_left)


def is_dead(owner: str) -> bool:
    """True if a lease's owner is a process of this machine that no longer runs."""
    found = _OWNER.fullmatch(owner)
    return found is not None and found.group(2) == socket.gethostname() and not lives(int(found.group(1)))
