"""The bounded queue of one subscriber: what is dropped first, and what never is."""

import threading
from collections import deque

from bookwright.models.talk.event import DELTAS, ENDS, Event

_Entry = tuple[int, Event]


class EventQueue:
    """Events in order. Putting never waits: a full queue lets go of its oldest increments of text.

    Where none is left, the oldest other event goes; the ends of executions are always kept, one for
    each execution, so a queue grows past its capacity only by those.
    """

    def __init__(self, capacity: int, *, takes_one: bool = False) -> None:
        """`takes_one` closes the queue behind its first event."""
        self._capacity = capacity
        self._takes_one = takes_one
        self._deltas: deque[_Entry] = deque()
        self._others: deque[_Entry] = deque()
        self._ends: deque[_Entry] = deque()
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
