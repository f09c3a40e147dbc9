"""Connects an agent's sinks to the event bus."""

from dataclasses import dataclass, replace
from typing import Any

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.sinks import CanUseTool, Sinks, allow
from bookwright.models.talk.event import (
    AgentEvent,
    CompletedEvent,
    CompletedPayload,
    EventPayload,
    FailedEvent,
    FailedPayload,
    ReasoningEvent,
    StreamMetrics,
    TextEvent,
    TextPayload,
    speakable,
)

SESSION = "session"
"""The name of the event that tells the id of an execution's session."""


@dataclass(frozen=True)
class MessageAdapter:
    """Makes sinks that speak on a bus for one agent in one tab. Source: REQUIREMENTS S4-016."""

    bus: EventBus
    agent_id: str
    tab_id: str
    task_id: str | None = None
    parent_agent_id: str | None = None

    def create_sinks(self, can_use_tool: CanUseTool = allow) -> Sinks:
        """Return sinks; each call of one is one event."""
        return Sinks(
            on_text=self._text,
            on_reasoning=self._reasoning,
            on_event=self._event,
            on_completed=self._completed,
            on_failed=self._failed,
            on_session_id=self._session,
            can_use_tool=can_use_tool,
            of_agent=lambda agent: self._under(agent).create_sinks(can_use_tool),
        )

    def _under(self, agent: str) -> "MessageAdapter":
        return replace(self, agent_id=agent, parent_agent_id=self.agent_id)

    def _text(self, text: str) -> None:
        self.bus.emit(TextEvent(payload=TextPayload(text=speakable(text)), **self._place))

    def _reasoning(self, text: str) -> None:
        self.bus.emit(ReasoningEvent(payload=TextPayload(text=speakable(text)), **self._place))

    def _event(self, payload: EventPayload) -> None:
        told = payload.model_copy(update={"text": speakable(payload.text)})
        self.bus.emit(AgentEvent(payload=told, **self._place))

    def _session(self, identity: str) -> None:
        self._event(EventPayload(name=SESSION, data={"sessionId": identity}))

    def _completed(self, text: str, metrics: StreamMetrics) -> None:
        payload = CompletedPayload(text=speakable(text), metrics=metrics)
        self.bus.emit(CompletedEvent(payload=payload, **self._place))

    def _failed(self, error: BaseException, metrics: StreamMetrics) -> None:
        kind = str(getattr(error, "kind", "") or type(error).__name__)
        payload = FailedPayload(error=speakable(str(error)), kind=kind, metrics=metrics)
        self.bus.emit(FailedEvent(payload=payload, **self._place))

    @property
    def _place(self) -> dict[str, Any]:
        return {
            "agent_id": self.agent_id, "tab_id": self.tab_id, "task_id": self.task_id,
            "parent_agent_id": self.parent_agent_id,
        }  # fmt: skip
