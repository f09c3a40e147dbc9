"""One answer of an agent, for a page: its words as they come, what it looks up meanwhile, what it took."""

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.react.unwrapping import ReplyPart, Unwrapping
from bookwright.agents.runtime.cast import CAST, CastMember
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.app.access import paced_models
from bookwright.app.talks.opening import Opening
from bookwright.app.talks.talk import Talk
from bookwright.app.talks.view import CANCELLED, SOURCES, TalkBill
from bookwright.flows.talking import ground
from bookwright.models.settings import Settings
from bookwright.models.talk.event import AgentEvent, CompletedEvent, Event, FailedEvent, TextEvent
from bookwright.storage.engine.database import Database

_NAMES = ("writer", "planner", "researcher")
AT_A_PAGE: tuple[CastMember, ...] = tuple(member for member in CAST if member.name in _NAMES)
"""Those that a person can talk to about a book without naming a folder of files."""


@dataclass
class SpokenAnswer:
    """What an agent says to one message; heard on one thread, looked at by others."""

    told: Callable[[str], None] = lambda words: None
    """Hears the words so far, each time that there are more."""
    shows_raw: bool = False
    text: str = ""
    uses: list[str] = field(default_factory=list)
    """The tools that it used, in order."""
    failure: str = ""
    is_broken_off: bool = False
    sources: list[dict[str, Any]] = field(default_factory=list)
    is_verified: bool = True
    """False for a researcher's answer that rests on nothing it looked up."""
    bill: TalkBill | None = None
    _unwrapping: Unwrapping = field(default_factory=Unwrapping)
    _so_far: list[str] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        """Take in an event; of a sub-agent what it does, and none of its words."""
        if event.parent_agent_id is not None and not isinstance(event, AgentEvent):
            return
        match event:
            case TextEvent():
                self._add(event.payload.text)
            case CompletedEvent():
                self.text = event.payload.text
            case FailedEvent():
                self.is_broken_off = event.payload.kind == CANCELLED
                self.failure, self.text = event.payload.error, "".join(self._so_far)
            case AgentEvent():
                self._happened(event.payload.name, event.payload.data)

    def note(self, line: str) -> None:
        """Nothing: a page says it in its own words."""

    def ended(self, bill: TalkBill) -> None:
        """Keep what it took."""
        self.bill = bill

    def _add(self, piece: str) -> None:
        shown = [one.text for one in self._unwrapping.feed(piece) if one.part is ReplyPart.ANSWER]
        if shown:
            self._so_far += shown
            self.told("".join(self._so_far))

    def _happened(self, name: str, data: dict[str, Any]) -> None:
        if name in (EventKind.STARTED, EventKind.RESTARTED):
            self._unwrapping, self._so_far = Unwrapping(), []
        elif name == EventKind.TOOL_USE:
            self.uses.append(str(data.get("tool") or ""))
        elif name == SOURCES:
            self.sources, self.is_verified = list(data["sources"]), bool(data["isVerified"])


@dataclass
class Exchange:
    """One message and its answer."""

    opening: Opening
    words: str
    cap_usd: float
    """Of this answer alone."""
    _talk: Talk | None = None
    _is_unwanted: threading.Event = field(default_factory=threading.Event)

    def hold(self, settings: Settings, database: Database, told: Callable[[str], None]) -> SpokenAnswer:
        """Say the message and return the answer, also one that was broken off or did not come.

        What the agent would write is refused: nobody is asked.
        """
        answer = SpokenAnswer(told)
        with (
            ground(self.opening.member, settings, database, Path(), self.opening.book) as stands_on,
            closing(EventBus()) as bus,
            paced_models(database, settings) as models,
        ):
            self._talk = Talk(self.opening, stands_on, database, models, bus, answer, None, self.cap_usd)
            if not self._is_unwanted.is_set():
                self._talk.say(self.words)
        return answer

    def break_off(self) -> None:
        """End the answer; what had come of it is kept."""
        self._is_unwanted.set()
        if self._talk is not None:
            self._talk.break_off()
