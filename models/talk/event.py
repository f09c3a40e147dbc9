"""What an agent tells while it works: the events of the bus, as they also stand in a book's event file."""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from bookwright.models.errors import InvalidEvent

STEP = "step"
"""The name of the `agent:event` that tells of an attempt on record in a book's journal."""
UNIT_FINISHED = "unit_finished"
"""The name of the one that tells of a closed unit, and how far the book is with it."""

FILE_CREATED = "file_created"
"""The name of the one that tells of a new file in a book's folder."""


class EventType(StrEnum):
    """The kinds of events. Source: REQUIREMENTS S4-016, DETAILS "004"."""

    TEXT = "agent:text"
    REASONING = "agent:reasoning"
    EVENT = "agent:event"
    COMPLETED = "agent:completed"
    FAILED = "agent:failed"
    MESSAGE_ADDED = "message:added"


DELTAS = frozenset({EventType.TEXT, EventType.REASONING})
"""Increments of one text: what a slow subscriber may miss."""
ENDS = frozenset({EventType.COMPLETED, EventType.FAILED})
"""The end of an execution: what no subscriber misses."""


class WireModel(BaseModel):
    """Snake case in Python, camel case in JSON; nothing unknown, and checked again whoever made it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True,
        revalidate_instances="always",
    )  # fmt: skip


class ToolTiming(WireModel):
    """How long one use of a tool took."""

    id: str
    name: str
    duration_millis: int = Field(ge=0)


class StreamMetrics(WireModel):
    """What one execution streamed, and when. Source: REQUIREMENTS S4-034, S4-035."""

    assistant_chars: int = 0
    reasoning_chars: int = 0
    event_count: int = 0
    first_event_millis: int | None = None
    """None where nothing came."""
    first_assistant_millis: int | None = None
    """None where no text came."""
    total_duration_millis: int = 0
    tools: tuple[ToolTiming, ...] = ()
    unpaired_tools: tuple[str, ...] = ()
    """Ids of tool uses that were begun and never answered."""


class SpeakerRole(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    REASONING = "reasoning"
    TOOL = "tool"
    SYSTEM = "system"


class Message(WireModel):
    """One whole message of a tab, as a screen lists it."""

    id: str
    tab_id: str
    agent_id: str
    role: SpeakerRole
    text: str
    timestamp: int
    """Milliseconds since 1970."""
    is_cut: bool = False
    """What stands before `text` was let go, because it grew past what a store keeps of one message."""


class TextPayload(WireModel):
    """One increment."""

    text: str


class EventPayload(WireModel):
    """Something that happened: `started`, `waiting`, `session`, `tool_use` and so on."""

    name: str = Field(min_length=1)
    text: str = ""
    """For a person."""
    data: dict[str, JsonValue] = Field(default_factory=dict)


class CompletedPayload(WireModel):
    """The whole text of an execution."""

    text: str
    metrics: StreamMetrics | None = None
    data: dict[str, JsonValue] = Field(default_factory=dict)
    """What it cost: `model`, `inputTokens`, `outputTokens`, `cost` in millionths of a dollar."""


class FailedPayload(WireModel):
    """Why an execution gave nothing."""

    error: str
    kind: str = ""
    metrics: StreamMetrics | None = None


class MessagePayload(WireModel):
    """A message that a store has taken in."""

    message: Message


def now_millis() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class _Event(WireModel):
    agent_id: str = Field(min_length=1)
    tab_id: str = Field(min_length=1)
    """The lane it belongs to: a book's id, or a talk."""
    timestamp: int = Field(default_factory=now_millis, ge=0)
    """Milliseconds since 1970."""
    version: Literal["1.0"] = "1.0"
    task_id: str | None = None
    """The execution it is part of; of a walk the step, such as `"1.2 write/draft"`."""
    parent_agent_id: str | None = None
    """Who gave a sub-agent its task."""


class TextEvent(_Event):
    """A piece of the answer."""

    type: Literal[EventType.TEXT] = EventType.TEXT
    payload: TextPayload


class ReasoningEvent(_Event):
    """A piece of what the model let be seen of its thoughts."""

    type: Literal[EventType.REASONING] = EventType.REASONING
    payload: TextPayload


class AgentEvent(_Event):
    """Whatever is no text."""

    type: Literal[EventType.EVENT] = EventType.EVENT
    payload: EventPayload


class CompletedEvent(_Event):
    """An execution ended well."""

    type: Literal[EventType.COMPLETED] = EventType.COMPLETED
    payload: CompletedPayload


class FailedEvent(_Event):
    """An execution ended without a result."""

    type: Literal[EventType.FAILED] = EventType.FAILED
    payload: FailedPayload


class MessageEvent(_Event):
    """A message stands in a store."""

    type: Literal[EventType.MESSAGE_ADDED] = EventType.MESSAGE_ADDED
    payload: MessagePayload


Event = TextEvent | ReasoningEvent | AgentEvent | CompletedEvent | FailedEvent | MessageEvent

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


def check_event(event: Any) -> Event:
    """Return an event, made of fields where it is a mapping; `InvalidEvent` says what is wrong with what is none."""
    return _checked(_EVENT.validate_python, event)


def read_event(line: bytes) -> Event:
    """Read an event from its JSON; `InvalidEvent` is raised where it is none."""
    return _checked(_EVENT.validate_json, line)


def as_json(event: Event) -> str:
    """Return the event on one line, in camel case."""
    return event.model_dump_json(by_alias=True, exclude_none=True)


def speakable(text: str) -> str:
    """Return a text without lone surrogates, which models send and JSON refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _checked(validate: Callable[[Any], Event], told: Any) -> Event:
    try:
        return validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise InvalidEvent(f"no event: {place}: {first['msg']} (it is {str(first['input'])[:60]!r})") from None
