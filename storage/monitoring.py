"""A database for somebody who only looks: opened so that nothing is written, and what changes in it meanwhile.

That is cheap enough to read every second: books, calls as figures.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, event, func, select

from bookwright.models.book import BookState, standing_of
from bookwright.models.errors import StorageError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database, database_file, database_now, open_database
from bookwright.storage.engine.migrate import HEAD, current_revision
from bookwright.storage.lease import SECONDS_LEFT, is_dead
from bookwright.storage.tables import books, nodes, steps

_CALLS_AT_ONCE = 5_000

_PATIENCE_SECONDS = 1.0
"""How long a look waits for a lock; whoever looks comes again."""


def open_read_only(settings: Settings) -> Database | None:
    """Open the database so that it refuses every write; None where there is none, or nothing is in it yet.

    Raises:
        StorageError: It cannot be reached, or another version of the program wrote it.
    """
    file = database_file(settings)
    if file is not None and not file.exists():
        return None
    hasty = {"busy_seconds": min(settings.busy_seconds, _PATIENCE_SECONDS), "reconnect_seconds": 0.0}
    database = open_database(settings.model_copy(update=hasty))
    _refuse_writes(database)
    with ExitStack() as unless_ours:
        unless_ours.callback(database.dispose)
        with database.read() as connection:
            revision = current_revision(connection)
        if revision is None:
            return None
        if revision != HEAD:
            raise StorageError(
                f"another version wrote this database (revision {revision!r}, this one reads {HEAD!r}); "
                "`bookwright db upgrade` brings an older one up to date"
            )
        unless_ours.pop_all()
    return database


def _refuse_writes(database: Database) -> None:
    statement = "PRAGMA query_only=ON" if database.is_sqlite else "SET default_transaction_read_only = on"

    @event.listens_for(database.engine, "connect")
    def _refuse(connection: Any, _: Any) -> None:
        connection.execute(statement)
        connection.commit()


@dataclass(frozen=True)
class BookStatus:
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
    is_queued: bool = False
    """A run of it waits for a worker, as the database does not know."""

    @property
    def is_held(self) -> bool:
        """True while a worker that may be alive holds the book."""
        return self.lease_owner is not None and self.lease_left > 0 and not is_dead(self.lease_owner)

    @property
    def standing(self) -> str:
        """Where the book stands in one word: its state, or `interrupted`, `queued` or `stopping`."""
        return standing_of(self.state, is_held=self.is_held, is_to_rest=self.stop_requested, is_queued=self.is_queued)

    @property
    def stamp(self) -> tuple[object, ...]:
        """Differs whenever something of the book has changed."""
        seen = self.standing, self.stop_requested, self.title
        return self.updated_at, self.calls, *seen, self.lease_owner, self.is_archived


def statuses(connection: Connection) -> list[BookStatus]:
    """Return the status of every book, oldest book first."""
    names = BookStatus.__dataclass_fields__.keys() - {SECONDS_LEFT.name, "is_queued"}
    query = select(*(books.c[name] for name in names), SECONDS_LEFT).order_by(books.c.created_at, books.c.id)
    rows = connection.execute(query)
    return [BookStatus(**(dict(row._mapping) | {"state": BookState(row.state)})) for row in rows]


@dataclass(frozen=True)
class CallFigures:
    """One recorded attempt, by its figures."""

    id: int
    role: str
    model: str
    failure: str | None
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int | None
    """Millionths of a US dollar; None where no price was known."""
    duration_millis: int
    first_event_millis: int | None


def newest_step(connection: Connection) -> int:
    """Return the id of the newest recorded attempt of any book; 0 if there is none."""
    return int(connection.execute(select(func.coalesce(func.max(steps.c.id), 0))).scalar_one())


def calls_after(connection: Connection, step: int, settled_seconds: float) -> list[CallFigures]:
    """Return the attempts after a step, oldest first, up to the first that is younger than so many seconds.

    Postgres gives ids out before it commits them: a younger attempt may have an older one beside it still to come.
    """
    columns = [steps.c[name] for name in CallFigures.__dataclass_fields__]
    age = (database_now() - steps.c.recorded_at).label("age")
    found = []
    query = select(*columns, age).where(steps.c.id > step).order_by(steps.c.id).limit(_CALLS_AT_ONCE)
    for *values, seconds in connection.execute(query):
        if seconds < settled_seconds:
            break
        found.append(CallFigures(*values))
    return found


def written_in_all(connection: Connection) -> int:
    """Return how much prose all books have: words, or characters of those whose length is counted so."""
    query = select(func.coalesce(func.sum(nodes.c.written), 0)).where(nodes.c.parent.is_(None))
    return int(connection.execute(query).scalar_one())
