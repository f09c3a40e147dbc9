"""Events for tests."""

from bookwright.models.talk.event import (
    AgentEvent,
    CompletedEvent,
    CompletedPayload,
    EventPayload,
    ReasoningEvent,
    TextEvent,
    TextPayload,
)

PLACE = {"agent_id": "draft", "tab_id": "lamp", "task_id": "1.2 write/draft"}


def text(words="Rain ", **place):
    """A piece of an answer."""
    return TextEvent(payload=TextPayload(text=words), **{**PLACE, **place})


def thought(words="hm ", **place):
    """A piece of reasoning."""
    return ReasoningEvent(payload=TextPayload(text=words), **{**PLACE, **place})


def happened(name, words="", **data):
    """Something that is no text."""
    return AgentEvent(payload=EventPayload(name=name, text=words, data=data), **PLACE)


def completed(words="Rain fell."):
    """The end of an execution."""
    return CompletedEvent(payload=CompletedPayload(text=words), **PLACE)
