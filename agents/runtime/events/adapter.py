"""Connects an agent's sinks, or a call of a walk, to the event bus."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.sinks import CanUseTool, Sinks, allow
from bookwright.models.talk.event import EventType, StreamMetrics, speakable

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
            on_session_id=self._session,
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

    def _session(self, identity: str) -> None:
        self.event(SESSION, data={"sessionId": identity})

    def _emit(self, kind: EventType, payload: Mapping[str, object]) -> None:
        """Hand over the fields, which the bus checks: an event of ours would be checked twice."""
        place = {"agent_id": self.agent_id, "tab_id": self.tab_id, "task_id": self.task_id}
        self.bus.emit({"type": kind, "payload": payload, **place, "parent_agent_id": self.parent_agent_id})
