"""The event bus: agents speak on it, screens, files and stores listen, and neither waits for the other."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from bookwright.models.talk.event import DELTAS, ENDS, Event, EventType, check_event

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
            lasting = (each for each in self._subscribers if not each.is_once and not each.takes_batches)
            known = next((each for each in lasting if each.handler == handler), None)
            if known is not None:
                known.topics = known.topics | {wanted}
            else:
                self._add(_Subscriber(handler, {wanted}, capacity))

    def on_batches(self, handler: BatchHandler) -> None:
        """Call `handler` with lists of all events that came while it was busy with those before."""
        with self._lock:
            self._add(_Subscriber(handler, {"*"}, CAPACITY, takes_batches=True))

    def once(self, topic: Topic | str, handler: Handler) -> None:
        """Call `handler` for the next event of a type only."""
        with self._lock:
            self._add(_Subscriber(handler, {_topic(topic)}, 1, is_once=True))

    def off(self, topic: Topic | str, handler: Callable[..., None], *, seconds: float = 0.0) -> None:
        """Stop calling a handler for a type.

        Once it listens for nothing, what still waits for it is thrown away, after so many `seconds` at the most.
        """
        with self._lock:
            for subscriber in self._subscribers:
                if subscriber.handler == handler:
                    subscriber.topics = subscriber.topics - {_topic(topic)}
            left = [each for each in self._subscribers if not each.topics]
            self._subscribers = tuple(each for each in self._subscribers if each.topics)
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
        heard = (each for each in self._subscribers if not each.queue.is_closed)
        return [SubscriberStanding(each.name, each.heard, each.queue.dropped, each.failed) for each in heard]

    def _add(self, subscriber: "_Subscriber") -> None:
        if not self._is_closed:
            self._subscribers = (*(each for each in self._subscribers if not each.is_over), subscriber)
            subscriber.thread.start()


class EventQueue:
    """Events in order. Putting never waits: a full queue lets go of its oldest increments of text.

    Where none is left, the oldest other event goes; the ends of executions are always kept, one for
    each execution, so a queue grows past its capacity only by those.
    """

    def __init__(self, capacity: int, *, takes_one: bool = False) -> None:
        """`takes_one` closes the queue behind its first event."""
        self._capacity = capacity
        self._takes_one = takes_one
        self._deltas: deque[tuple[int, Event]] = deque()
        self._others: deque[tuple[int, Event]] = deque()
        self._ends: deque[tuple[int, Event]] = deque()
        self._queues = (self._deltas, self._others, self._ends)
        self._number = 0
        self._is_busy = False
        self.is_closed = False
        """True once it takes no more."""
        self._changed = threading.Condition(threading.Lock())
        self.dropped = 0
        """Events that were let go."""

    def put(self, event: Event) -> None:
        """Add an event; without effect once the queue is closed."""
        with self._changed:
            if self.is_closed:
                return
            self.is_closed = self._takes_one
            self._number += 1
            queue = self._deltas if event.type in DELTAS else self._ends if event.type in ENDS else self._others
            queue.append((self._number, event))
            if self._size > self._capacity:
                self._make_room()
            self._changed.notify_all()

    def take(self) -> Event | None:
        """Wait for the next event and return it, busy until it is called again; None once closed and empty."""
        with self._changed:
            self._wait()
            return self._pop() if self._size else None

    def take_all(self) -> list[Event]:
        """Wait, and return everything that is there; nothing once closed and empty."""
        with self._changed:
            self._wait()
            return [self._pop() for _ in range(self._size)]

    def close(self, *, empties: bool = False) -> None:
        """Take no more; what is there may still be taken, unless it is thrown away."""
        with self._changed:
            self.is_closed = True
            if empties:
                for queue in self._queues:
                    queue.clear()
            self._changed.notify_all()

    def wait_idle(self, seconds: float) -> bool:
        """Wait until everything was taken and dealt with; False if that took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._size and not self._is_busy, seconds)

    def _wait(self) -> None:
        self._is_busy = False
        if not self._size:
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._size or self.is_closed)
        self._is_busy = self._size > 0

    @property
    def _size(self) -> int:
        return len(self._deltas) + len(self._others) + len(self._ends)

    def _pop(self) -> Event:
        return min((queue for queue in self._queues if queue), key=lambda queue: queue[0][0]).popleft()[1]

    def _make_room(self) -> None:
        """Let the oldest of the least important go."""
        victims = self._deltas or self._others
        if victims:
            victims.popleft()
            self.dropped += 1


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
        self.heard = 0
        self.failed = 0

    @property
    def is_over(self) -> bool:
        return self.queue.is_closed and not self.thread.is_alive()

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
        self.heard += len(events) if self.takes_batches else 1
        try:
            self.handler(events)
        except BaseException:  # the thread's edge; also SystemExit, as of a view whose pipe broke
            self.failed += 1
            if self.failed == 1:  # it may fail at every event; a log handler may fail, too
                with suppress(Exception):
                    logger.info("the event subscriber %s failed", self.name, exc_info=True)


def _topic(topic: Topic | str) -> str:
    return topic if topic == "*" else EventType(topic)
