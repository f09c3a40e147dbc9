"""The event bus: agents speak on it, screens, files and stores listen, and neither waits for the other."""

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from bookwright.agents.runtime.events.queue import EventQueue
from bookwright.models.talk.event import Event, EventType, check_event

logger = logging.getLogger(__name__)

CAPACITY = 4_096
"""Events that wait for one subscriber, unless it asks for another number."""

_CLOSE_SECONDS = 2.0

Handler = Callable[[Event], None]
BatchHandler = Callable[[list[Event]], None]
Topic = EventType | Literal["*"]


@dataclass(frozen=True)
class SubscriberStanding:
    """Counts of one subscriber: events that it heard, lost or failed at."""

    name: str
    heard: int
    dropped: int
    """Events that it was too slow for."""
    failed: int
    """Events at which it raised."""


class EventBus:
    """Hands every event to whoever listens for its type, each on a thread of its own.

    A subscriber that raises or sleeps stops and slows nobody: it gets its events late, loses the oldest
    increments of text once `capacity` events wait for it, and what it raises is counted. Events of one
    subscriber keep their order. Any thread may emit.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: tuple[_Subscriber, ...] = ()
        self._is_closed = False

    def on(self, topic: Topic | str, handler: Handler, *, capacity: int = CAPACITY) -> None:
        """Call `handler` for each event of a type, or of all with `"*"`; several types of one handler keep order."""
        wanted = _topic(topic)
        with self._lock:
            known = self._find(handler)
            if known is not None:
                known.topics = known.topics | {wanted}
            else:
                self._add(_Subscriber(handler, {wanted}, capacity))

    def on_batches(self, handler: BatchHandler, *, capacity: int = CAPACITY) -> None:
        """Call `handler` with lists of all events that came while it was busy with those before."""
        with self._lock:
            self._add(_Subscriber(handler, {"*"}, capacity, takes_batches=True))

    def once(self, topic: Topic | str, handler: Handler) -> None:
        """Call `handler` for the next event of a type only."""
        with self._lock:
            self._add(_Subscriber(handler, {_topic(topic)}, 1, is_once=True))

    def off(self, topic: Topic | str, handler: Callable[..., None], *, seconds: float = 0.0) -> None:
        """Stop calling a handler for a type.

        Once it listens for nothing, what still waits for it is thrown away, after so many `seconds` at the most.
        """
        left = []
        with self._lock:
            for subscriber in self._subscribers:
                if subscriber.handler == handler and _topic(topic) in subscriber.topics:
                    subscriber.topics = subscriber.topics - {_topic(topic)}
                    if not subscriber.topics:
                        self._remove(subscriber)
                        left.append(subscriber)
        for subscriber in left:
            subscriber.queue.close(empties=seconds <= 0)
            subscriber.ended(seconds)
            subscriber.queue.close(empties=True)

    def emit(self, event: Event | Mapping[str, Any]) -> None:
        """Hand an event to its subscribers, without waiting for any of them.

        Raises:
            InvalidEvent: It is no event.
        """
        checked = check_event(event)
        for subscriber in self._subscribers:
            if "*" in subscriber.topics or checked.type in subscriber.topics:
                subscriber.queue.put(checked)

    def drain(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Wait until every subscriber has dealt with what was emitted; False if that took too long."""
        until = monotonic() + seconds
        is_idle = all(each.queue.wait_idle(max(until - monotonic(), 0)) for each in self._subscribers)
        with self._lock:
            self._subscribers = tuple(each for each in self._subscribers if not each.is_over)
        return is_idle

    def close(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Let the subscribers come to their ends for so long, then leave them; False if one was left.

        What is emitted later is heard by nobody.
        """
        with self._lock:
            self._is_closed = True
            left, self._subscribers = self._subscribers, ()
        until = monotonic() + seconds
        for subscriber in left:
            subscriber.queue.close()
        ended = [subscriber.ended(max(until - monotonic(), 0)) for subscriber in left]
        return all(ended)

    @property
    def standings(self) -> list[SubscriberStanding]:
        """How each subscriber fares."""
        return [each.standing for each in self._subscribers if not each.queue.is_closed]

    def _find(self, handler: Handler) -> "_Subscriber | None":
        lasting = (each for each in self._subscribers if not each.is_once and not each.takes_batches)
        return next((each for each in lasting if each.handler == handler), None)

    def _add(self, subscriber: "_Subscriber") -> None:
        if not self._is_closed:
            self._subscribers = (*(each for each in self._subscribers if not each.is_over), subscriber)
            subscriber.thread.start()

    def _remove(self, subscriber: "_Subscriber") -> None:
        self._subscribers = tuple(each for each in self._subscribers if each is not subscriber)


class _Subscriber:
    """A handler with its queue and its thread."""

    def __init__(
        self, handler: Callable[[Any], None], topics: set[str], capacity: int, *, is_once: bool = False,
        takes_batches: bool = False,
    ) -> None:  # fmt: skip
        self.handler = handler
        self.topics = topics
        self.is_once = is_once
        self.takes_batches = takes_batches
        self.queue = EventQueue(capacity, takes_one=is_once)
        self.name = getattr(handler, "__qualname__", type(handler).__qualname__)
        self.thread = threading.Thread(target=self._run, name=f"bookwright-bus-{self.name}", daemon=True)
        self._heard = 0
        self._failed = 0

    @property
    def is_over(self) -> bool:
        return self.queue.is_closed and not self.thread.is_alive()

    @property
    def standing(self) -> SubscriberStanding:
        return SubscriberStanding(self.name, self._heard, self.queue.dropped, self._failed)

    def ended(self, seconds: float) -> bool:
        """Wait for the thread to end; a handler may itself close the bus and is not waited for by itself."""
        if threading.current_thread() is not self.thread:
            self.thread.join(seconds)
        return not self.thread.is_alive() or threading.current_thread() is self.thread

    def _run(self) -> None:
        take: Callable[[], Any] = self.queue.take_all if self.takes_batches else self.queue.take
        while events := take():
            self._handle(events)

    def _handle(self, events: Any) -> None:
        self._heard += len(events) if self.takes_batches else 1
        try:
            self.handler(events)
        except BaseException:  # the thread's edge; also SystemExit, as of a view whose pipe broke
            self._failed += 1
            if self._failed == 1:  # it may fail at every event; a log handler may fail, too
                with suppress(Exception):
                    logger.info("the event subscriber %s failed", self.name, exc_info=True)


def _topic(topic: Topic | str) -> str:
    return topic if topic == "*" else EventType(topic)
