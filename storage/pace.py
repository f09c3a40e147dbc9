"""Rate limit for calls to a provider, shared by all processes on one database: hands out turns."""

from sqlalchemy import Connection, insert, select, update

from bookwright.storage.engine.database import database_now
from bookwright.storage.tables import paces, studio


class PaceBoard:
    """When the next request may go to each provider, by the database's clock."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take_turn(self, provider: str, interval: float) -> float:
        """Take the next free turn, turns being `interval` seconds apart; return in how many seconds it comes."""
        self._connection.execute(select(studio.c.id).with_for_update())  # one at a time, also before there is a row
        now = float(self._connection.execute(select(database_now())).scalar_one())
        free = self._connection.execute(select(paces.c.next_free).where(paces.c.provider == provider)).scalar()
        turn = max(now, free or 0.0)
        if free is None:
            self._connection.execute(insert(paces).values(provider=provider, next_free=turn + interval))
        else:
            self._connection.execute(
                update(paces).where(paces.c.provider == provider).values(next_free=turn + interval)
            )
        return turn - now
