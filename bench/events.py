"""What an event costs on its way over the bus, beside a bare call of the function that hears it."""

import threading
from collections.abc import Iterator
from time import perf_counter, sleep

from bench.measure import Measure
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.models.talk.event import CompletedEvent, CompletedPayload, Event, TextEvent, TextPayload

_EVENTS = 10_000
_ROUNDS = 5
_PLACE = {"agent_id": "draft", "tab_id": "lamp", "task_id": "1.2 write/draft"}


def run(full: bool) -> Iterator[Measure]:
    """Send events to nobody, to one, to three, and to one that sleeps."""
    count = _EVENTS * (10 if full else 1)
    events = [TextEvent(payload=TextPayload(text="a few words "), **_PLACE) for _ in range(count)]
    bare = min(_seconds_of_calls(events) for _ in range(_ROUNDS)) / count
    yield Measure("events.bare_call", bare * 1e6, "microseconds an event")
    for subscribers in (0, 1, 3):
        emitted, heard = _best(events, subscribers)
        name = f"events.{subscribers}_subscribers"
        yield Measure(f"{name}.emit", emitted / count * 1e6, "microseconds an event")
        yield Measure(f"{name}.ratio", emitted / count / bare, "of a bare call")
        if subscribers:
            yield Measure(f"{name}.heard", heard / count * 1e6, "microseconds an event, until all heard all")
    yield from _beside_a_sleeper(events)


def _seconds_of_calls(events: list[TextEvent]) -> float:
    heard: list[Event] = []

    def hear(event: Event) -> None:
        heard.append(event)

    began = perf_counter()
    for event in events:
        hear(event)
    return perf_counter() - began


def _best(events: list[TextEvent], subscribers: int) -> tuple[float, float]:
    """Seconds until all events are emitted, and until all are heard; the best of some rounds."""
    rounds = [_sent(events, subscribers) for _ in range(_ROUNDS)]
    return min(emitted for emitted, _ in rounds), min(heard for _, heard in rounds)


def _sent(events: list[TextEvent], subscribers: int) -> tuple[float, float]:
    bus = EventBus()
    lists: list[list[Event]] = [[] for _ in range(subscribers)]
    for heard in lists:
        bus.on("*", lambda event, heard=heard: heard.append(event), capacity=len(events))  # type: ignore[misc]
    began = perf_counter()
    for event in events:
        bus.emit(event)
    emitted = perf_counter() - began
    bus.drain(60)
    whole = perf_counter() - began
    bus.close()
    assert all(len(heard) == len(events) for heard in lists)
    return emitted, whole


def _beside_a_sleeper(events: list[TextEvent]) -> Iterator[Measure]:
    """Send events to one subscriber that sleeps at the first of them, and one that does not."""
    bus = EventBus()
    awake, ends = threading.Event(), threading.Event()

    def sleeps(event: Event) -> None:
        awake.wait(60)
        if isinstance(event, CompletedEvent):
            ends.set()

    bus.on("*", sleeps)
    began = perf_counter()
    for event in events:
        bus.emit(event)
    emitted = perf_counter() - began
    bus.emit(CompletedEvent(payload=CompletedPayload(text="all of it"), **_PLACE))
    sleep(0.01)
    [standing] = bus.standings
    awake.set()
    yield Measure("events.sleeper.emit", emitted / len(events) * 1e6, "microseconds an event")
    yield Measure("events.sleeper.dropped", standing.dropped, "increments of text")
    yield Measure("events.sleeper.end_heard", float(ends.wait(60)), "of the end of the execution", ">= 1")
    bus.close()
