"""How often a provider is asked: each try takes a turn first, which all workers of a database share."""

from dataclasses import dataclass
from typing import Protocol

from bookwright.failpoints import Failpoint
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.pace import PaceBoard


@dataclass(frozen=True)
class Permit:
    """How long to wait before a provider may be asked."""

    seconds: float = 0.0
    """To wait."""
    is_ours: bool = True
    """Whether it may be asked then; otherwise a turn has to be taken anew."""


class Pacer(Protocol):
    """Hands out turns."""

    def take(self, provider: str) -> Permit:
        """Take a turn at a provider that has a rate; may block for as long as a short transaction does."""
        ...


class DatabasePacer:
    """Hands out turns by the database that the books stand in."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._rates = settings.requests_per_minute

    def take(self, provider: str) -> Permit:
        """Take the next free turn.

        Raises:
            StorageError: The database could not be asked.
        """
        with self._database.write(Failpoint.TAKE_ALLOWANCE) as connection:
            return Permit(PaceBoard(connection).take_turn(provider, 60.0 / self._rates[provider]))
