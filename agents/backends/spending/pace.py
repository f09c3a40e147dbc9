"""How often a provider is asked: each try takes a turn first, which all workers of a database share."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.failpoints import Failpoint
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.studio import Studio

_TOLD_SECONDS = 3.0
"""A wait that is longer is told."""


@dataclass(frozen=True)
class Permit:
    """How long to wait before a provider may be asked."""

    seconds: float = 0.0
    is_ours: bool = True
    """Whether it may be asked then; otherwise a turn has to be taken anew."""


class Pacer(Protocol):
    """Hands out turns."""

    def take(self, provider: str) -> Permit:
        """Take a turn at a provider that has a rate; may block for as long as a short transaction does."""


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
            return Permit(Studio(connection).take_turn(provider, 60.0 / self._rates[provider]))


class Turns:
    """Has each try wait until its provider may be asked."""

    def __init__(self, settings: Settings, pacer: Pacer | None) -> None:
        self._limited = frozenset(settings.requests_per_minute)
        self._pacer = pacer

    async def wait(self, model: str, listener: Listener) -> None:
        """Return when the model's provider may be asked; at once where its rate is not limited."""
        provider = model.partition(":")[0]
        if self._pacer is None or provider not in self._limited:
            return
        while True:
            turn = await asyncio.to_thread(self._pacer.take, provider)
            if turn.seconds > _TOLD_SECONDS:
                listener(StreamEvent(EventKind.WAITING, f"the next turn at {provider} comes in {turn.seconds:.0f} s"))
            await asyncio.sleep(turn.seconds)
            if turn.is_ours:
                return
