"""Who holds books, whether such a worker still lives, and which books are held by nobody though they are written."""

import os
import re
import socket
from dataclasses import dataclass

from sqlalchemy import Connection, select

from bookwright.models.book import BookState
from bookwright.models.errors import BookHeld
from bookwright.storage.engine.database import database_now
from bookwright.storage.files.processes import lives
from bookwright.storage.tables import books

_OWNER = re.compile(r"process (\d+) on (.+)")
"""As `owner_name` names a worker."""

IS_HELD = books.c.lease_owner.is_not(None) & (books.c.lease_expires > database_now())
"""The condition that a living worker has a book's lease, which it renews before it runs out."""


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
    left = (books.c.lease_expires - database_now()).label("left")
    rows = connection.execute(select(books.c.id, books.c.lease_owner, left).order_by(books.c.id))
    return [Holder(row.id, row.lease_owner, row.left) for row in rows if row.lease_owner is not None]


def is_held(connection: Connection, book: str) -> bool:
    """True while a living worker has the lease of a book."""
    return connection.execute(select(books.c.id).where(books.c.id == book, IS_HELD)).first() is not None


def interrupted(connection: Connection) -> list[str]:
    """Return the ids of the books that are being written by nobody, oldest first."""
    query = select(books.c.id).where(books.c.state == BookState.WRITING.value, ~IS_HELD, ~books.c.is_archived)
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
