"""Where an execution's output goes, who is asked before a tool is used, and sinks that speak on the event bus."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.permission import CanUseTool, allow
from bookwright.models.talk.event import EventPayload, EventType, StreamMetrics, speakable


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


SESSION = "session"
"""The name of the event that tells the id of an execution's session."""


@dataclass(frozen=True)
class MessageAdapter:
    """Speaks on a bus for one agent in one tab; each call is one event. Source: REQUIREMENTS S4-016."""

    bus: EventBus
    agent_id: str
    tab_id: str
    task_id: str | None = None
    parent_agent_id: str | None = None

    def create_sinks(self, can_use_tool: CanUseTool = allow) -> Sinks:
        """Return sinks that speak on the bus."""
        return Sinks(
            on_text=self.text,
            on_reasoning=self.reasoning,
            on_event=lambda payload: self.event(payload.name, payload.text, payload.data),
            on_completed=self.completed,
            on_failed=self.failed,
            on_session_id=lambda identity: self.event(SESSION, data={"sessionId": identity}),
            can_use_tool=can_use_tool,
            of_agent=lambda agent: self._under(agent).create_sinks(can_use_tool),
        )

    def text(self, text: str) -> None:
        """Say an increment of the answer."""
        self._emit(EventType.TEXT, {"text": speakable(text)})

    def reasoning(self, text: str) -> None:
        """Say an increment of the reasoning."""
        self._emit(EventType.REASONING, {"text": speakable(text)})

    def event(self, name: str, text: str = "", data: Mapping[str, object] | None = None) -> None:
        """Say that something happened."""
        self._emit(EventType.EVENT, {"name": name, "text": speakable(text), "data": data or {}})

    def completed(self, text: str, metrics: StreamMetrics, bill: Mapping[str, object] | None = None) -> None:
        """Say the whole text of an execution that ended well."""
        self._emit(EventType.COMPLETED, {"text": speakable(text), "metrics": metrics, "data": bill or {}})

    def failed(self, error: BaseException, metrics: StreamMetrics) -> None:
        """Say that an execution gave nothing."""
        kind = str(getattr(error, "kind", "") or type(error).__name__)
        self._emit(EventType.FAILED, {"error": speakable(str(error)), "kind": kind, "metrics": metrics})

    def _under(self, agent: str) -> "MessageAdapter":
        return replace(self, agent_id=agent, parent_agent_id=self.agent_id)

    def _emit(self, kind: EventType, payload: Mapping[str, object]) -> None:
        """Hand over the fields, which the bus checks: an event of ours would be checked twice."""
        place = {"agent_id": self.agent_id, "tab_id": self.tab_id, "task_id": self.task_id}
        self.bus.emit({"type": kind, "payload": payload, **place, "parent_agent_id": self.parent_agent_id})
