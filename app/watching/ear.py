"""Follows one tab's event file while another process writes it."""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bookwright.agents.runtime.events.event_file import EventReader
from bookwright.app.watching.stream import Heard, StreamText
from bookwright.models.talk.event import Event

_TURN_SECONDS = 0.2
"""How long events are taken in before they are shown."""
_BATCH = 200


class Ear:
    """Reads new events of a file whenever it is asked, and keeps what they come to."""

    def __init__(self, path: Path) -> None:
        self._reader = EventReader(path)
        self._stream = StreamText()
        self._new: Iterator[Event] | None = None
        self._heard = Heard()

    @property
    def is_behind(self) -> bool:
        """True while the file holds more that was not listened to."""
        return self._new is not None

    def listened(self) -> Heard:
        """Take new events in for a while, and return what they have come to."""
        until = time.monotonic() + _TURN_SECONDS
        is_new = False
        try:
            while time.monotonic() < until and self._take():
                is_new = True
        except OSError:
            self._new = None  # it may be there the next time
        if is_new or self._reader.skipped != self._heard.skipped:
            self._heard = self._stream.snapshot(self._reader.skipped)
        return self._heard

    def _take(self) -> bool:
        """Take some events in; tell whether there were any."""
        if self._new is None:
            self._new = self._reader.read()
        events = list(islice(self._new, _BATCH))
        for event in events:
            self._stream.hear(event)
        if len(events) < _BATCH:
            self._new = None
        return bool(events)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
