"""The clock of one try: how long its first event, a silence between events and the whole may take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

from bookwright.models.errors import BackendUnavailable
from bookwright.models.settings import Settings


class Deadline:
    """Counts from when it is made."""

    def __init__(self, settings: Settings, name: str) -> None:
        """Start the clock of a try at the model `name`."""
        self._settings = settings
        self._name = name
        self._start = monotonic()
        self._first: float | None = None
        self._timeout: asyncio.Timeout | None = None

    @property
    def elapsed_millis(self) -> int:
        """Milliseconds since the try began."""
        return round((monotonic() - self._start) * 1000)

    @property
    def first_event_millis(self) -> int | None:
        """Milliseconds to the first event."""
        return None if self._first is None else round((self._first - self._start) * 1000)

    @asynccontextmanager
    async def enforced(self) -> AsyncIterator[None]:
        """Cancel the block when a deadline passes.

        Raises:
            BackendUnavailable: It passed; the message says which.
        """
        try:
            async with asyncio.timeout(None) as self._timeout:
                self._set(self._settings.first_event_seconds)
                yield
        except TimeoutError:
            raise BackendUnavailable(self._complaint(), kind="timeout") from None

    def extend(self, *, may_be_silent: bool = False) -> None:
        """Note that an event has come; where silence may follow, only the whole is bounded from now on."""
        self._first = self._first or monotonic()
        self._set(self._settings.total_seconds if may_be_silent else self._settings.idle_seconds)

    def _set(self, seconds: float) -> None:
        left = self._settings.total_seconds - (monotonic() - self._start)
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + min(seconds, left))

    def _complaint(self) -> str:
        settings = self._settings
        if monotonic() - self._start >= settings.total_seconds:
            return f"{self._name} did not finish within {settings.total_seconds:g} s (total_seconds)"
        if self._first is None:
            return f"{self._name} gave no answer within {settings.first_event_seconds:g} s (first_event_seconds)"
        return f"{self._name} fell silent for {settings.idle_seconds:g} s (idle_seconds)"
