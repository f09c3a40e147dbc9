"""Where an execution's output goes, and who is asked before a tool is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.models.talk.event import EventPayload, StreamMetrics


@dataclass(frozen=True)
class Allowed:
    """The tool may be used, with this input."""

    input: Mapping[str, Any]


@dataclass(frozen=True)
class Denied:
    """The tool may not be used; the model is told why."""

    message: str


Permission = Allowed | Denied
CanUseTool = Callable[[str, Mapping[str, Any]], Permission]
"""Given a tool's name and its input; called before every single use."""


def allow(name: str, given: Mapping[str, Any]) -> Permission:
    """Allow a use as it is: what holds where nobody decides."""
    return Allowed(given)


def _nothing(*_: object) -> None:
    """The sink of those who do not listen."""


@dataclass(frozen=True)
class StreamCallbacks:
    """What a stream calls as it runs. Source: REQUIREMENTS S4-025 to S4-028."""

    on_text_delta: Callable[[str], None] = _nothing
    on_reasoning_delta: Callable[[str], None] = _nothing
    on_tool_use: Callable[[str, str, str], None] = _nothing
    """The use's id, the tool's name, its input as JSON."""
    on_tool_result: Callable[[str, str, str], None] = _nothing
    """The use's id, the tool's name, its envelope as JSON."""
    on_non_assistant_event: Callable[[EventPayload], None] = _nothing
    """Whatever is neither text nor a tool: begun, waiting, finished."""
    on_session_id: Callable[[str], None] = _nothing


@dataclass(frozen=True)
class Sinks:
    """What an agent is given to speak into; it knows nothing of what lies behind. Source: DETAILS "004"."""

    on_text: Callable[[str], None] = _nothing
    on_reasoning: Callable[[str], None] = _nothing
    on_event: Callable[[EventPayload], None] = _nothing
    on_completed: Callable[[str, StreamMetrics], None] = _nothing
    """The full text."""
    on_failed: Callable[[BaseException, StreamMetrics], None] = _nothing
    on_session_id: Callable[[str], None] = _nothing
    can_use_tool: CanUseTool = allow
    of_agent: "Callable[[str], Sinks] | None" = None
    """The sinks of a sub-agent of that name; None where they are not kept apart."""

    def callbacks(self) -> StreamCallbacks:
        """What a stream calls, so that it reaches these."""
        return StreamCallbacks(
            on_text_delta=self.on_text,
            on_reasoning_delta=self.on_reasoning,
            on_tool_use=lambda use, tool, given: self.on_event(_of_tool("tool_use", use, tool, given)),
            on_tool_result=lambda use, tool, answer: self.on_event(_of_tool("tool_result", use, tool, answer)),
            on_non_assistant_event=self.on_event,
            on_session_id=self.on_session_id,
        )


def _of_tool(name: str, use: str, tool: str, text: str) -> EventPayload:
    return EventPayload(name=name, text=text, data={"id": use, "tool": tool})
