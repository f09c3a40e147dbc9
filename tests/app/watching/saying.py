"""What a walk says, made by hand, and a file of it."""

from bookwright.agents.runtime.events.event_file import EventFile, event_path
from bookwright.models.talk.event import AgentEvent, EventPayload, TextEvent, TextPayload

DRAFT = "1.2 write/draft"


def said(text, task=DRAFT, kind=TextEvent, **place):
    return kind(agent_id="draft", tab_id="lamp", task_id=task, payload=TextPayload(text=text), **place)


def happened(name, task=DRAFT, text="", at=1_000, **data):
    payload = EventPayload(name=name, text=text, data=data)
    return AgentEvent(agent_id="draft", tab_id="lamp", task_id=task, timestamp=at, payload=payload)


def say(settings, *events, tab="lamp", limit=10_000):
    """Add events to a tab's file as another process does."""
    file = EventFile(event_path(settings.home, tab), limit)
    file.finish()  # rests no more between writes
    for event in events:
        file.hear([event])
    file.close()
