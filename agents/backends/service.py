"""The model service: lets any thread call models, synchronously, over one event loop."""

import asyncio
import importlib
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from bookwright import failpoints
from bookwright.agents.backends import catalogue
from bookwright.agents.backends.catalogue import Dialect
from bookwright.agents.backends.protocol import Backend, FailedAttempt, FailureListener, Listener, Request, StreamEvent
from bookwright.agents.backends.retry import RetryPolicy, complete_with_retries
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.spending.meter import Meter
from bookwright.agents.backends.spending.pace import Pacer, Turns
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.failpoints import Failpoint
from bookwright.models.errors import BackendError, BackendUnavailable
from bookwright.models.settings import Settings
from bookwright.models.step import Reply

_CANCEL_SECONDS = 5
"""How long a waiting thread that gives up lets its call put things in order."""

_CLOSE_SECONDS = 10

_OWN = {
    "claude-cli": "claude.claude_cli:ClaudeCliBackend",
    "embedded": "local.embedded:EmbeddedBackend",
    "rehearsal": "rehearsal.backend:RehearsalBackend",
}
"""The backends of providers with a dialect of their own: module and class. They are imported when first asked."""


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


def _guarded(listener: Listener) -> Listener:
    """Wrap a listener so that nothing it raises reaches the loop, where it would end all calls."""

    def hear(event: StreamEvent) -> None:
        with suppress(BaseException):  # also SystemExit, as of a view whose pipe broke
            listener(event)

    return hear


class ModelService:
    """Asks models. Many threads may share one service.

    Backends are made when first asked for; the SDKs are not imported before.
    """

    def __init__(
        self,
        settings: Settings,
        backends: dict[str, Backend] | None = None,
        *,
        policy: RetryPolicy | None = None,
        pacer: Pacer | None = None,
    ) -> None:
        """Begin with no backend made, but for those that are given by the name of their provider.

        `pacer` hands out turns at the providers whose rate is limited; without one nobody waits.

        Raises:
            InvalidSetting: A rate is set for a provider that nobody knows.
        """
        self._settings = settings
        self._turns = Turns(settings, pacer)
        self._backends: dict[str, Backend] = dict(backends or {})
        self._policy = policy or RetryPolicy(settings.max_attempts, settings.retry_after_cap_seconds)
        self.counter = TokenCounter()
        """The token estimates that this service's replies correct."""
        self._lock = Lock()
        self._closing = Lock()
        self._in_flight = Canceller()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def ask(
        self,
        request: Request,
        budget: BudgetLedger | None = None,
        listener: Listener = lambda _: None,
        on_failure: FailureListener = lambda _: None,
        canceller: Canceller | None = None,
    ) -> Reply:
        """Complete a prompt and wait for it.

        Args:
            budget: Held at the worst before each try, settled after it.
            listener: Hears the stream, on the event loop's thread: it must be quick.
            on_failure: Hears of each failed try, on the caller's thread, while the call goes on.
                What it raises ends the call.
            canceller: Cancels this call and leaves the others alone.

        Raises:
            BackendUnavailable: No model answered; `kind` is `"cancelled"` after `cancel`, or after the canceller's.
            RequestRejected: The last model refuses the request.
            BudgetExceeded: The call could cost more than is left; nothing was sent.
            InvalidInput: A model is unknown or cannot be reached as things are set.
        """
        if canceller is not None and canceller.is_cancelled:
            raise BackendUnavailable(f"the call to {request.model} was cancelled", kind="cancelled")
        backends = {name: self._backend(name) for name in (request.model, *request.fallbacks)}
        call, in_flight = LoopCall(self._running_loop()), self._in_flight  # before it begins: no `cancel` may miss it
        call.start(self._complete(call, request, backends, budget, _guarded(listener)))
        try:
            with in_flight.over(call), (canceller or Canceller()).over(call):
                return call.wait(on_failure)
        except asyncio.CancelledError:
            raise BackendUnavailable(f"the call to {request.model} was cancelled", kind="cancelled") from None

    def cancel(self) -> None:
        """Cancel every call in flight, from any thread; the providers see the disconnect."""
        self._in_flight, ended = Canceller(), self._in_flight
        ended.cancel()

    def close(self) -> None:
        """Cancel what is in flight, close the backends and end the loop's thread; a second call waits for the first."""
        self.cancel()
        with self._closing:
            with self._lock:
                loop, thread, backends = self._loop, self._thread, list(self._backends.values())
                self._loop = self._thread = None
                self._backends.clear()
            if loop is None or thread is None:
                return
            try:
                asyncio.run_coroutine_threadsafe(_close_all(backends), loop).result(_CLOSE_SECONDS)
            finally:
                loop.call_soon_threadsafe(loop.stop)
                thread.join(_CLOSE_SECONDS)

    async def _complete(
        self,
        call: LoopCall,
        request: Request,
        backends: dict[str, Backend],
        budget: BudgetLedger | None,
        listener: Listener,
    ) -> Reply:
        meters: dict[str, Meter] = {}

        async def attempt(name: str, hear: Listener) -> Reply:
            meters[name] = Meter(replace(request, model=name), self._settings, self.counter, budget, hear)
            await self._turns.wait(name, hear)
            with failpoints.around(Failpoint.CALL_MODEL):
                return await meters[name].run(backends[name])

        def failed(name: str, number: int, error: BackendError) -> None:
            call.tell(FailedAttempt(name, number, error, meters[name].partial))

        return await complete_with_retries(tuple(backends), attempt, self._policy, listener, failed)

    def _backend(self, name: str) -> Backend:
        """Find or make the backend for a model; an unknown provider without one is an `UnknownModel`."""
        provider_name = name.partition(":")[0]
        with self._lock:
            if provider_name not in self._backends:
                self._backends[provider_name] = self._make(catalogue.split_name(name)[0])
            return self._backends[provider_name]

    def _make(self, provider: catalogue.Provider) -> Backend:
        """Make a backend, importing its module only now."""
        if provider.dialect is Dialect.OWN:
            place, _, name = _OWN[provider.name].partition(":")
            module = importlib.import_module(f"bookwright.agents.backends.{place}")
            own: Backend = getattr(module, name)(self._settings)
            return own
        from bookwright.agents.backends.remote.provider import ProviderBackend

        return ProviderBackend(provider, self._settings)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="bookwright-models", daemon=True)
                self._thread.start()
            return self._loop


async def _close_all(backends: list[Backend]) -> None:
    """Let cancelled calls come to their end, then close."""
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=_CLOSE_SECONDS / 2)
    for backend in backends:
        await backend.close()
