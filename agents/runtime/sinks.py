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
class Sinks:
    """What an agent is given to speak into; it knows nothing of what lies behind.

    Source: REQUIREMENTS S4-025 to S4-028, DETAILS "004".
    """

    on_text: Callable[[str], None] = _nothing
    """One increment, as that of the reasoning."""
    on_reasoning: Callable[[str], None] = _nothing
    on_event: Callable[[EventPayload], None] = _nothing
    """Whatever is no text: begun, waiting, finished; `tool_use` and `tool_result` with the use's id and the tool."""
    on_completed: Callable[[str, StreamMetrics], None] = _nothing
    """The full text."""
    on_failed: Callable[[BaseException, StreamMetrics], None] = _nothing
    on_session_id: Callable[[str], None] = _nothing
    can_use_tool: CanUseTool = allow
    of_agent: "Callable[[str], Sinks] | None" = None
    """The sinks of a sub-agent of that name; None where they are not kept apart."""
