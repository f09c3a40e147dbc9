"""Sums up the events of one tab for a screen: the last text, uses of tools with their times, what is waited for."""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.react.unwrapping import ReplyPart, ShownPiece, Unwrapping
from bookwright.agents.runtime.events.event_file import EventReader
from bookwright.exports.markup import clean
from bookwright.models.step import Activity
from bookwright.models.talk.event import (
    STEP,
    UNIT_FINISHED,
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    MessageEvent,
    ReasoningEvent,
    SpeakerRole,
    TextEvent,
)
from bookwright.models.talk.tool import status_and_text
from bookwright.models.wording import tool_use_in_words

_CHARACTERS = 12_000
"""What is kept of the text; a whole unit's prose and more."""
_TOOLS = 20
_ARGUMENTS = 80
_NOTE = 160
"""Characters of what is said of a use of a tool."""
_TURN_SECONDS = 0.2
"""How long events are taken in before they are shown."""
_BATCH = 200


class PieceKind(StrEnum):
    """What a piece of the stream is."""

    HEAD = "head"
    """Which step or agent speaks from here on."""
    TEXT = "text"
    THOUGHT = "thought"
    NOTE = "note"
    ERROR = "error"
    PERSON = "person"
    """What somebody said to an agent."""


@dataclass(frozen=True)
class StreamPiece:
    """Neighbouring text of one kind."""

    kind: PieceKind
    text: str


@dataclass(frozen=True)
class Use:
    """One use of a tool."""

    tool: str
    arguments: str
    task: str
    began: int
    """Milliseconds since 1970."""
    millis: int | None = None
    """How long it took; None while it runs."""
    status: str = ""
    """As the tool's envelope says."""


@dataclass(frozen=True)
class Heard:
    """What a stream has come to, at one moment."""

    pieces: tuple[StreamPiece, ...] = ()
    uses: tuple[Use, ...] = ()
    call: str = ""
    """The call in flight; empty between two."""
    characters: int = 0
    """How many have come of it."""
    waits: str = ""
    """What a provider has us wait for."""
    error: str = ""
    """What last went wrong, until something goes well again."""
    last: int = 0
    """When the last event was said, in milliseconds since 1970."""
    skipped: int = 0
    """Lines that were no events."""


@dataclass
class StreamText:
    """Takes in events, and is what they come to."""

    heard: Heard = field(default_factory=Heard)
    _pieces: deque[StreamPiece] = field(default_factory=deque)
    _uses: deque[Use] = field(default_factory=lambda: deque(maxlen=_TOOLS))
    _speaker: str = ""
    _unwrapping: Unwrapping | None = None
    """Takes the form of an agent's reply off; None where a unit's prose comes, which may hold anything."""
    _size: int = 0
    """Of the pieces, one more for each than its characters."""

    def hear(self, event: Event) -> None:
        """Take in one event."""
        self._change(last=event.timestamp)
        match event:
            case TextEvent():
                self._flow(event, PieceKind.TEXT, event.payload.text)
            case ReasoningEvent():
                self._flow(event, PieceKind.THOUGHT, event.payload.text)
            case CompletedEvent():
                self._show_rest()
                self._change(call="", waits="", error="")
            case FailedEvent():
                self._fail(event.payload.error, f"{_speaker(event)}: {event.payload.error}")
                self._change(call="", waits="")
            case AgentEvent():
                self._happen(event, event.payload)
            case MessageEvent() if event.payload.message.role is SpeakerRole.USER:
                self._put(PieceKind.PERSON, event.payload.message.text)

    def snapshot(self, skipped: int) -> Heard:
        """Return what it has come to, which stays as it is."""
        self._change(pieces=tuple(self._pieces), uses=tuple(self._uses), skipped=skipped)
        return self.heard

    def _flow(self, event: TextEvent | ReasoningEvent, kind: PieceKind, text: str) -> None:
        if _speaker(event) != self._speaker:
            self._head(event)
        count = self.heard.characters + (len(text) if kind is PieceKind.TEXT else 0)
        self._change(call=_speaker(event), characters=count, waits="")
        if kind is PieceKind.TEXT and self._unwrapping is not None:
            self._show(self._unwrapping.feed(text))
        else:
            self._put(kind, text)

    def _show(self, pieces: Iterable[ShownPiece]) -> None:
        for piece in pieces:
            self._put(PieceKind.THOUGHT if piece.part is ReplyPart.THOUGHT else PieceKind.TEXT, piece.text)

    def _show_rest(self) -> None:
        """Show what was held back of a reply that is over."""
        if self._unwrapping is not None:
            self._show(self._unwrapping.close())

    def _happen(self, event: AgentEvent, payload: EventPayload) -> None:
        match payload.name:
            case EventKind.STARTED:
                self._head(event)
                self._change(call=_speaker(event), waits="")
            case EventKind.RESTARTED:
                self._void()
            case EventKind.FINISHED:
                self._show_rest()
            case EventKind.WAITING:
                self._change(call=_speaker(event), waits=clean(payload.text))
            case EventKind.TOOL_USE:
                tool, told = str(payload.data.get("tool") or "a tool"), clean(payload.text)[:_ARGUMENTS]
                self._uses.append(Use(tool, told, _speaker(event), event.timestamp))
                self._put(PieceKind.NOTE, clean(tool_use_in_words(tool, payload.text))[:_NOTE])
            case EventKind.TOOL_RESULT:
                self._answered(event, payload)
            case _ if payload.name == STEP and payload.data.get("failure") not in (None, "tool_use"):
                self._fail(f"{payload.data['failure']}: {payload.data.get('detail')}")
            case _ if payload.name == UNIT_FINISHED:
                self._put(PieceKind.NOTE, f"{payload.data.get('name')} is done")

    def _answered(self, event: AgentEvent, payload: EventPayload) -> None:
        tool, task = payload.data.get("tool"), _speaker(event)
        for place in reversed(range(len(self._uses))):
            use = self._uses[place]
            if use.millis is None and use.task == task and tool in (None, use.tool):
                took = max(event.timestamp - use.began, 0)
                self._uses[place] = replace(use, millis=took, status=clean(status_and_text(payload.text)[0]))
                return

    def _head(self, event: Event) -> None:
        self._speaker = _speaker(event)
        is_prose = f" {Activity.WRITE.value}/" in self._speaker
        self._unwrapping = None if is_prose else Unwrapping()
        self._change(characters=0)
        self._put(PieceKind.HEAD, self._speaker)

    def _void(self) -> None:
        """Drop the text that a broken stream has brought since its head."""
        while self._pieces and self._pieces[-1].kind is not PieceKind.HEAD:
            self._pop()
        self._unwrapping = self._unwrapping and Unwrapping()
        self._change(characters=0)
        self._put(PieceKind.NOTE, "again: the stream broke")

    def _fail(self, error: str, told: str = "") -> None:
        self._change(error=clean(error))
        self._put(PieceKind.ERROR, told or error)

    def _put(self, kind: PieceKind, text: str) -> None:
        flows = kind in (PieceKind.TEXT, PieceKind.THOUGHT)
        if flows and self._pieces and self._pieces[-1].kind is kind:
            text = self._pop().text + clean(text)
        self._pieces.append(StreamPiece(kind, clean(text)[-_CHARACTERS:]))
        self._size += len(self._pieces[-1].text) + 1
        while self._size > _CHARACTERS and len(self._pieces) > 1:
            self._size -= len(self._pieces.popleft().text) + 1

    def _pop(self) -> StreamPiece:
        piece = self._pieces.pop()
        self._size -= len(piece.text) + 1
        return piece

    def _change(self, **values: object) -> None:
        self.heard = replace(self.heard, **values)  # type: ignore[arg-type]


class StreamFollower:
    """Reads the new events of a tab's file whenever it is asked, also while another process writes it."""

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


def _speaker(event: Event) -> str:
    """Who speaks: of a walk the step, whose name has a space in it; else the agent, with whom it works for."""
    if event.task_id and " " in event.task_id:
        return clean(event.task_id)
    return clean(f"{event.parent_agent_id} > {event.agent_id}" if event.parent_agent_id else event.agent_id)
