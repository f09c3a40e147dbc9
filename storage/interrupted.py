"""Books whose worker died, by the database's own clock."""

from sqlalchemy import Connection, and_, select

from bookwright.models.book import BookState
from bookwright.storage.engine.database import database_now
from bookwright.storage.tables import books

_is_held = and_(books.c.lease_owner.is_not(None), books.c.lease_expires > database_now())


def is_held(connection: Connection, book: str) -> bool:
    """True while a living worker has the lease of a book; it renews it before it runs out."""
    return connection.execute(select(books.c.id).where(books.c.id == book, _is_held)).one_or_none() is not None


def interrupted(connection: Connection) -> list[str]:
    """Return the ids of the books that are being written by nobody, oldest first."""
    query = select(books.c.id).where(books.c.state == BookState.WRITING.value, ~_is_held, ~books.c.is_archived)
    return list(connection.execute(query.order_by(books.c.created_at, books.c.id)).scalars())
