"""The messages of all tabs, made of what is said on a bus: what a screen lists."""

import threading
import uuid
from collections import defaultdict, deque
from dataclasses import dataclass, field

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.models.talk.event import (
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    Message,
    MessageEvent,
    MessagePayload,
    ReasoningEvent,
    SpeakerRole,
    TextEvent,
    now_millis,
)

MOST_MESSAGES = 1_000
MOST_CHARACTERS = 200_000
"""Of one message: of a longer one the end is kept."""

_ROLES = {"tool_use": SpeakerRole.TOOL, "tool_result": SpeakerRole.TOOL, "waiting": SpeakerRole.SYSTEM}
_TALKS = 64
"""Texts that may be under way at once; one that never ends is given up for a newer one."""

_Talk = tuple[str, str, str | None]


@dataclass
class _Draft:
    """A message under way."""

    opening: Event
    role: SpeakerRole
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)
    pieces: deque[str] = field(default_factory=deque)
    size: int = 0
    is_cut: bool = False

    def add(self, piece: str) -> None:
        """Add a piece, letting the oldest go where the message grows too long."""
        self.pieces.append(piece)
        self.size += len(piece)
        while self.size > MOST_CHARACTERS and len(self.pieces) > 1:
            self.size -= len(self.pieces.popleft())
            self.is_cut = True

    def message(self) -> Message:
        """The message as far as it has come; marked as cut where its beginning was let go."""
        return _message(self.opening, self.role, "".join(self.pieces), self.identity, is_cut=self.is_cut)


class MessageStore:
    """Gathers increments into messages, the newest of each tab in order.

    Subscribe `hear` to a bus. A message that is whole is told there as `message:added`.
    """

    def __init__(self, bus: EventBus | None = None, most: int = MOST_MESSAGES) -> None:
        self._bus = bus
        self._tabs: defaultdict[str, deque[Message]] = defaultdict(lambda: deque(maxlen=most))
        self._drafts: dict[_Talk, _Draft] = {}
        self._lock = threading.Lock()

    def append_message(self, message: Message) -> None:
        """Add a whole message, and say so."""
        with self._lock:
            self._tabs[message.tab_id].append(message)
        if self._bus is not None:
            payload = MessagePayload(message=message)
            self._bus.emit(MessageEvent(agent_id=message.agent_id, tab_id=message.tab_id, payload=payload))

    def messages(self, tab: str) -> list[Message]:
        """The messages of a tab, oldest first, those under way last."""
        with self._lock:
            drafts = [draft.message() for draft in self._drafts.values() if draft.opening.tab_id == tab]
            return [*self._tabs.get(tab, ()), *drafts]

    def hear(self, event: Event) -> None:
        """Take an event in."""
        match event:
            case TextEvent():
                self._extend(event, SpeakerRole.ASSISTANT, event.payload.text)
            case ReasoningEvent():
                self._extend(event, SpeakerRole.REASONING, event.payload.text)
            case CompletedEvent():
                self._end(event, without=SpeakerRole.ASSISTANT)  # the whole text says it again
                self.append_message(_message(event, SpeakerRole.ASSISTANT, event.payload.text))
            case FailedEvent():
                self._end(event)
                self.append_message(_message(event, SpeakerRole.SYSTEM, event.payload.error))
            case AgentEvent(payload=EventPayload(name="restarted")):
                self._take(event)  # what came of a broken stream is void
            case AgentEvent(payload=EventPayload(name=name, text=text, data=data)) if name in _ROLES:
                self._end(event)
                tool = data.get("tool")
                self.append_message(_message(event, _ROLES[name], f"{tool}: {text}" if tool else text))

    def _extend(self, event: Event, role: SpeakerRole, text: str) -> None:
        draft = self._drafts.get(_talk(event))
        if draft is None or draft.role is not role:
            self._end(event)
            draft = _Draft(event, role)
        with self._lock:
            draft.add(text)
            self._drafts[_talk(event)] = draft
            while len(self._drafts) > _TALKS:
                self._drafts.pop(next(iter(self._drafts)))

    def _end(self, event: Event, without: SpeakerRole | None = None) -> None:
        """Make a message of what was under way."""
        draft = self._take(event)
        if draft is not None and draft.role is not without:
            self.append_message(draft.message())

    def _take(self, event: Event) -> _Draft | None:
        with self._lock:
            return self._drafts.pop(_talk(event), None)


def spoken(text: str, tab: str, agent: str) -> Message:
    """Return what a person says to an agent in a tab."""
    return Message(
        id=uuid.uuid4().hex, tab_id=tab, agent_id=agent, role=SpeakerRole.USER, text=text, timestamp=now_millis()
    )


def _talk(event: Event) -> _Talk:
    return (event.tab_id, event.agent_id, event.task_id)


def _message(event: Event, role: SpeakerRole, text: str, identity: str = "", *, is_cut: bool = False) -> Message:
    return Message(
        id=identity or uuid.uuid4().hex, tab_id=event.tab_id, agent_id=event.agent_id, role=role,
        text=text[-MOST_CHARACTERS:], timestamp=event.timestamp, is_cut=is_cut or len(text) > MOST_CHARACTERS,
    )  # fmt: skip
