"""What changes of books while they are written: one line a book, cheap enough to be read every second."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from bookwright.models.book import BookState
from bookwright.storage.engine.database import database_now
from bookwright.storage.holders import is_dead
from bookwright.storage.tables import books


@dataclass(frozen=True)
class BookPulse:
    """Where a book stands. Two that are equal but for `lease_left` mean that nothing has changed between them."""

    id: str
    title: str
    state: BookState
    is_archived: bool
    stop_requested: bool
    updated_at: float
    calls: int
    lease_owner: str | None
    lease_left: float
    """Seconds by the database's clock; negative once the lease has run out."""

    @property
    def is_held(self) -> bool:
        """True while a worker that may be alive holds the book."""
        return self.lease_owner is not None and self.lease_left > 0 and not is_dead(self.lease_owner)

    @property
    def standing(self) -> str:
        """Where the book stands in one word: its state, or `interrupted` or `stopping`."""
        if self.state is BookState.WRITING and not self.is_held:
            return "interrupted"
        return "stopping" if self.is_held and self.stop_requested else self.state.value

    @property
    def stamp(self) -> tuple[object, ...]:
        """Differs whenever something of the book has changed."""
        return (self.updated_at, self.calls, self.standing, self.title, self.lease_owner, self.is_archived)


def pulses(connection: Connection) -> list[BookPulse]:
    """Return the pulse of every book, oldest book first."""
    left = (books.c.lease_expires - database_now()).label("lease_left")
    names = [name for name in BookPulse.__dataclass_fields__ if name != "lease_left"]
    rows = connection.execute(select(*(books.c[name] for name in names), left).order_by(books.c.created_at, books.c.id))
    return [BookPulse(**(dict(row._mapping) | {"state": BookState(row.state)})) for row in rows]
