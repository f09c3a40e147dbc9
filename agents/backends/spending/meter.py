"""Meters one try: holds the budget before it, counts what was heard, and settles whatever came of it."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

from bookwright.agents.backends import catalogue, windows
from bookwright.agents.backends.protocol import Backend, EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.schema import texts_of
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.spending.budget import BudgetLedger, Reservation
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.models.errors import BackendError, BackendUnavailable
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage

_UNTOLD = ("timeout", "timed_out", "broken_stream")
"""Kinds of failure in which the provider has not said that it did nothing."""


@dataclass
class Meter:
    """The bill of one try at one model."""

    request: Request
    settings: Settings
    counter: TokenCounter
    budget: BudgetLedger | None
    listener: Listener

    def __post_init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self.partial = Reply(text="", model=self.request.model, finish_reason="length", cost=0)
        """What a failed or cancelled try had brought, with an estimated bill; nothing before it was sent."""

    async def run(self, backend: Backend) -> Reply:
        """Make the try.

        Raises:
            BudgetExceeded: It could cost more than is left; nothing was sent.
            LeaseLost, StorageError: No slice of the studio's cap could be asked for; nothing was sent.
            BackendError: It failed; `partial` says what had come.
        """
        self._start = monotonic()
        self._began_at = datetime.now(UTC)
        reservation = await self._reserve()
        try:
            reply = await backend.complete(self.request, self._hear)
        except BaseException as error:  # whatever ends it, and be it a cancel: what had come may have been billed
            self.partial = self._bill(self._estimated(error))
            self._settle(reservation, self.partial)
            raise
        reply = self._bill(self._counted(reply))
        self._settle(reservation, reply)
        if not reply.usage.is_estimate and not catalogue.provider_of(self.request.model).overhead_tokens:
            self.counter.observe(self.request.model, reply.usage.input_tokens, *texts_of(self.request))
        return reply

    def _hear(self, event: StreamEvent) -> None:
        if event.kind is EventKind.TEXT:
            self._text.append(event.text)
        elif event.kind is EventKind.REASONING:
            self._reasoning.append(event.text)
        self.listener(event)

    async def _reserve(self) -> Reservation | None:
        if self.budget is None:
            return None
        if not self.budget.is_capped:
            return self.budget.reserve(0, 0)
        name = self.request.model
        prompt = self.counter.bound(name, *texts_of(self.request)) + catalogue.provider_of(name).overhead_tokens
        output = self.request.sampling.max_output_tokens + windows.thinking_allowance(name, self.settings)
        worst = prices.worst_cost(name, prompt, output, self.settings, self._began_at)
        if not self.budget.has_slice(worst, prompt + output):
            await asyncio.to_thread(self.budget.ask_for_slice, worst, prompt + output)
        return self.budget.reserve(worst, prompt + output)

    def _settle(self, reservation: Reservation | None, reply: Reply) -> None:
        if reservation:
            reservation.settle(reply.cost, reply.usage.input_tokens + reply.usage.output_tokens)

    def _bill(self, reply: Reply) -> Reply:
        if reply.cost is not None:  # a backend may know better
            return reply
        cost = prices.cost(self.request.model, reply.usage, self.settings, self._began_at)
        return reply.model_copy(update={"cost": cost})

    def _estimated(self, error: BaseException) -> Reply:
        """What had come of a try that ended early, and what that takes: as told, else as estimated.

        A provider that refuses or cannot be reached bills nothing; one that fell silent may have read the prompt.
        """
        if isinstance(error, BackendError) and error.reply is not None:
            return error.reply
        heard = self.partial.model_copy(
            update={
                "text": "".join(self._text),
                "reasoning": "".join(self._reasoning),
                "usage": Usage(is_estimate=True),
                "cost": None,
                "duration_millis": round((monotonic() - self._start) * 1000),
            }
        )
        is_untold = not isinstance(error, Exception) or (
            isinstance(error, BackendUnavailable) and error.kind in _UNTOLD
        )
        return self._counted(heard) if heard.text or heard.reasoning or is_untold else heard

    def _counted(self, reply: Reply) -> Reply:
        """The reply with what its provider counted, and with our own count of what that leaves out."""
        told, count, name = reply.usage, self.counter.unsaid, self.request.model
        if told.input_tokens and (told.output_tokens or not reply.text + reply.reasoning):
            return reply
        usage = told.model_copy(
            update={
                "input_tokens": told.input_tokens or count(name, *texts_of(self.request)),
                "output_tokens": told.output_tokens or count(name, reply.text, reply.reasoning),
                "is_estimate": True,
            }
        )
        return reply.model_copy(update={"usage": usage})
