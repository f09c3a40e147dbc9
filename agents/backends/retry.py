"""How long a try of a call may take, and when it is tried again.

A try has a deadline for its first event, for a silence between events and for the whole. Between tries a call backs off
with jitter and honours Retry-After; then it turns to other models in order.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic

from bookwright.agents.backends import catalogue
from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.models.errors import BackendError, BackendUnavailable, RequestRejected
from bookwright.models.settings import Settings
from bookwright.models.step import Reply

_FIRST_DELAY_SECONDS = 1.0
_LONGEST_DELAY_SECONDS = 60.0

Attempt = Callable[[str, Listener], Awaitable[Reply]]
"""One try at a model named `provider:model`."""
OnFailure = Callable[[str, int, BackendError], None]
"""Hears of each failed try: the model, the try's number from 1, the error."""


class Deadline:
    """Counts from when it is made."""

    def __init__(self, settings: Settings, name: str) -> None:
        """Start the clock of a try at the model `name`."""
        self._settings = settings
        self._name = name
        self._start = monotonic()
        self._first: float | None = None
        self._timeout: asyncio.Timeout | None = None

    @property
    def elapsed_millis(self) -> int:
        """Milliseconds since the try began."""
        return round((monotonic() - self._start) * 1000)

    @property
    def first_event_millis(self) -> int | None:
        """Milliseconds to the first event."""
        return None if self._first is None else round((self._first - self._start) * 1000)

    @asynccontextmanager
    async def enforced(self) -> AsyncIterator[None]:
        """Cancel the block when a deadline passes.

        Raises:
            BackendUnavailable: It passed; the message says which.
        """
        try:
            async with asyncio.timeout(None) as self._timeout:
                self._set(self._settings.first_event_seconds)
                yield
        except TimeoutError:
            raise BackendUnavailable(self._complaint(), kind="timeout") from None

    def extend(self, *, may_be_silent: bool = False) -> None:
        """Note that an event has come; where silence may follow, only the whole is bounded from now on."""
        self._first = self._first or monotonic()
        self._set(self._settings.total_seconds if may_be_silent else self._settings.idle_seconds)

    def _set(self, seconds: float) -> None:
        left = self._settings.total_seconds - (monotonic() - self._start)
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + min(seconds, left))

    def _complaint(self) -> str:
        settings = self._settings
        if monotonic() - self._start >= settings.total_seconds:
            return f"{self._name} did not finish within {settings.total_seconds:g} s (total_seconds)"
        if self._first is None:
            return f"{self._name} gave no answer within {settings.first_event_seconds:g} s (first_event_seconds)"
        return f"{self._name} fell silent for {settings.idle_seconds:g} s (idle_seconds)"


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a call is tried; clock and random numbers can be given."""

    max_attempts: int = 4
    """Tries of each model, the first among them."""
    retry_after_cap_seconds: float = 120
    """A provider that asks for a longer rest is given up on at once."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    """0 to 1."""

    def for_model(self, name: str) -> "RetryPolicy":
        """Return the policy for one model: some providers try again by themselves, and are asked less often."""
        limit = catalogue.provider_of(name).max_attempts
        return self if limit is None else replace(self, max_attempts=min(limit, self.max_attempts))

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Seconds to rest after the failed try of this number.

        What the provider asks for and up to a tenth more; else half to all of an exponential step.
        """
        if retry_after:
            return retry_after * (1 + 0.1 * self.random())
        step = min(_FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1), _LONGEST_DELAY_SECONDS)
        return step * (0.5 + 0.5 * self.random())


async def complete_with_retries(
    models: tuple[str, ...], attempt: Attempt, policy: RetryPolicy, listener: Listener, on_failure: OnFailure
) -> Reply:
    """Ask the first model, again while that may help, then the next ones.

    Raises:
        BackendUnavailable: All models failed; this tells of the last one's last failure.
        RequestRejected: The last model refuses the request.
        BudgetExceeded: From `attempt`, at once.
    """
    for model in models[:-1]:
        try:
            return await _ask_one(model, attempt, policy, listener, on_failure)
        except (BackendUnavailable, RequestRejected) as error:
            if _may_have_saved(error):
                raise
            listener(StreamEvent(EventKind.WAITING, f"{error}; turning to the next model"))
    return await _ask_one(models[-1], attempt, policy, listener, on_failure)


async def _ask_one(
    model: str, attempt: Attempt, policy: RetryPolicy, listener: Listener, on_failure: OnFailure
) -> Reply:
    number, policy = 0, policy.for_model(model)
    while True:
        number += 1
        watch = _SpeechWatch(listener)
        try:
            return await attempt(model, watch)
        except asyncio.CancelledError:
            on_failure(model, number, BackendUnavailable(f"the call to {model} was cancelled", kind="cancelled"))
            raise
        except (BackendUnavailable, RequestRejected) as error:
            watch.void()
            on_failure(model, number, error)
            if isinstance(error, RequestRejected):
                raise
            if refusal := _give_up(error, number, policy):
                raise refusal from error
            delay = policy.delay(number, error.retry_after)
            text = f"{error}; trying again in {delay:.0f} s ({number + 1} of {policy.max_attempts})"
        listener(StreamEvent(EventKind.WAITING, text))
        await policy.sleep(delay)


def _give_up(error: BackendUnavailable, number: int, policy: RetryPolicy) -> BackendUnavailable | None:
    """Say why there is no further try; None where there is one."""
    if error.retry_after is not None and error.retry_after > policy.retry_after_cap_seconds:
        why = (
            f"{error}; it asks for a rest of {error.retry_after:.0f} s, "
            f"more than the {policy.retry_after_cap_seconds:g} s of retry_after_cap_seconds: "
            "wait that long, or name another model under [fallbacks] in config.toml"
        )
    elif _may_have_saved(error):
        why = f"{error}; what its tools had saved by then stands, so it is not asked again by itself"
    elif number >= policy.max_attempts:
        why = f"{error} (after {number} attempts)" if number > 1 else str(error)
    else:
        return None
    return BackendUnavailable(why, kind=error.kind, retry_after=error.retry_after)


def _may_have_saved(error: BackendError) -> bool:
    """Tell whether another try might do twice what this one had done. Source: REQUIREMENTS S0-078."""
    return isinstance(error, BackendUnavailable) and error.kind == "timed_out"


class _SpeechWatch:
    """A listener that remembers whether the try has streamed any text."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._has_spoken = False

    def __call__(self, event: StreamEvent) -> None:
        self._has_spoken = self._has_spoken or event.kind in (EventKind.TEXT, EventKind.REASONING)
        self._listener(event)

    def void(self) -> None:
        """Tell the listener that the text so far is void."""
        if self._has_spoken:
            self._listener(StreamEvent(EventKind.RESTARTED))
