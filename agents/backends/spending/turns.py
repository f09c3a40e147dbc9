"""Waiting for one's turn at a provider whose rate is limited."""

import asyncio

from bookwright.agents.backends import catalogue
from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.agents.backends.spending.pace import Pacer
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings

_TOLD_SECONDS = 3.0
"""A wait that is longer is told."""


class Turns:
    """Has each try wait until its provider may be asked."""

    def __init__(self, settings: Settings, pacer: Pacer | None) -> None:
        for provider in settings.requests_per_minute:
            if provider not in catalogue.PROVIDERS:
                known = ", ".join(sorted(catalogue.PROVIDERS))
                raise InvalidSetting(f"requests_per_minute names {provider!r}, which is no provider; known are {known}")
        self._limited = frozenset(settings.requests_per_minute) if pacer else frozenset[str]()
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
