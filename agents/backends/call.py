"""Runs one model call on the event loop of another thread, and waits for it."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener
from bookwright.models.step import Reply

_CANCEL_SECONDS = 5
"""How long a waiting thread that gives up lets its call put things in order."""


class Canceller:
    """Cancels the call it was given to, and whatever it is given to later, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: set[LoopCall] = set()
        self._is_cancelled = False

    @property
    def is_cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._is_cancelled

    def cancel(self) -> None:
        """End the call in flight, and each one at its beginning; the provider sees the disconnect."""
        with self._lock:
            self._is_cancelled = True
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    @contextmanager
    def over(self, call: "LoopCall") -> Iterator[None]:
        """Reach a call, which has begun, for as long as the block lasts."""
        with self._lock:
            self._calls.add(call)
            is_late = self._is_cancelled
        if is_late:
            call.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._calls.discard(call)


class LoopCall:
    """Runs a coroutine on another thread's event loop and hands failed tries to the thread that waits."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._task: asyncio.Task[Reply] | None = None
        self._told: SimpleQueue[FailedAttempt | None] = SimpleQueue()

    def start(self, work: Coroutine[Any, Any, Reply]) -> None:
        """Begin, from any thread."""
        self._loop.call_soon_threadsafe(self._begin, work)

    def tell(self, failure: FailedAttempt) -> None:
        """Hand a failed try to the waiting thread, from any thread."""
        self._told.put(failure)

    def cancel(self) -> None:
        """Cancel, from any thread; `wait` then raises once the call has put things in order."""
        self._loop.call_soon_threadsafe(self._cancel)

    def wait(self, on_failure: FailureListener) -> Reply:
        """Wait for the reply; `on_failure` is called here, on the waiting thread.

        Raises:
            asyncio.CancelledError: The call was cancelled.
        """
        try:
            while (failure := self._told.get()) is not None:
                on_failure(failure)
        except BaseException:  # also an interrupt: the call must not go on without us
            self.cancel()
            with suppress(Empty):
                while self._told.get(timeout=_CANCEL_SECONDS) is not None:
                    pass
            raise
        assert self._task is not None
        return self._task.result()

    def _begin(self, work: Coroutine[Any, Any, Reply]) -> None:
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(lambda _: self._told.put(None))

    def _cancel(self) -> None:
        if self._task is not None:  # calls from one thread arrive in order, so it has begun
            self._task.cancel()
