"""Calls as figures, of all books of a database: what was recorded after a step, and nothing of any text."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from bookwright.storage.engine.database import database_now
from bookwright.storage.tables import nodes, steps

_AT_ONCE = 5_000


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
    query = select(*columns, age).where(steps.c.id > step).order_by(steps.c.id).limit(_AT_ONCE)
    for *values, seconds in connection.execute(query):
        if seconds < settled_seconds:
            break
        found.append(CallFigures(*values))
    return found


def written_in_all(connection: Connection) -> int:
    """Return how much prose all books have: words, or characters of those whose length is counted so."""
    query = select(func.coalesce(func.sum(nodes.c.written), 0)).where(nodes.c.parent.is_(None))
    return int(connection.execute(query).scalar_one())
