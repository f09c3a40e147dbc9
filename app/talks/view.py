"""Whoever shows a talk: a terminal, a pipe, a page."""

from typing import Protocol

from bookwright.app.talks.bill import TalkBill
from bookwright.models.talk.event import Event

CANCELLED = "cancelled"
"""The kind of failure of an answer that was broken off."""
SOURCES = "sources"
"""The name of the `agent:event` that tells which pages an answer rests on, and whether anything was looked up."""


class ChatView(Protocol):
    """Whoever shows a talk. Called on one thread alone."""

    shows_raw: bool

    def hear(self, event: Event) -> None:
        """Show an event."""
        ...

    def note(self, line: str) -> None:
        """Say something that is no part of the talk."""
        ...

    def ended(self, bill: TalkBill) -> None:
        """An answer is over, well or not."""
        ...
