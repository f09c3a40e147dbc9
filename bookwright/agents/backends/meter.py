"""Meters one try: holds the budget before it, counts what was heard, and settles whatever came of it."""

from time import monotonic

from bookwright.agents.backends import catalogue, prices
from bookwright.agents.backends.budget import BudgetLedger, Reservation
from bookwright.agents.backends.protocol import Backend, EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.schema import schema_text
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage


class Meter:
    """The bill of one try at one model."""

    def __init__(
        self,
        request: Request,
        settings: Settings,
        counter: TokenCounter,
        budget: BudgetLedger | None,
        listener: Listener,
    ) -> None:
        self._request = request
        self._settings = settings
        self._counter = counter
        self._budget = budget
        self._listener = listener
        self._start = monotonic()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self.partial = Reply(text="", model=request.model, finish_reason="length")
        """What a failed or cancelled try had brought, with an estimated bill."""

    async def run(self, backend: Backend) -> Reply:
        """Make the try.

        Raises:
            BudgetExceeded: It could cost more than is left; nothing was sent.
            BackendError: It failed; `partial` says what had come.
        """
        reservation = self._reserve()
        try:
            reply = await backend.complete(self._request, self._hear)
        except BaseException:  # whatever ends it, and be it a cancel: what had come may have been billed
            self.partial = self._bill(self._estimated())
            self._settle(reservation, self.partial)
            raise
        reply = self._bill(reply)
        self._settle(reservation, reply)
        self._learn(reply.usage)
        return reply

    def _hear(self, event: StreamEvent) -> None:
        if event.kind is EventKind.TEXT:
            self._text.append(event.text)
        elif event.kind is EventKind.REASONING:
            self._reasoning.append(event.text)
        self._listener(event)

    @property
    def _sent(self) -> tuple[str, ...]:
        """All text that the call sends."""
        request = self._request
        turns = (part for correction in request.corrections for part in (correction.reply, correction.problem))
        schema = "" if request.output is None else schema_text(request.output)
        return (request.prompt.system, *request.prompt.blocks, *turns, schema)

    def _reserve(self) -> Reservation | None:
        if self._budget is None:
            return None
        if not self._budget.is_capped:
            return self._budget.reserve(0, 0)
        name = self._request.model
        prompt = self._counter.estimate(name, *self._sent)
        output = self._request.sampling.max_output_tokens + catalogue.thinking_allowance(name)
        return self._budget.reserve(prices.worst_cost(name, prompt, output, self._settings), prompt + output)

    def _settle(self, reservation: Reservation | None, reply: Reply) -> None:
        if reservation:
            reservation.settle(reply.cost, reply.usage.input_tokens + reply.usage.output_tokens)

    def _bill(self, reply: Reply) -> Reply:
        if reply.cost is not None:  # a backend may know better
            return reply
        return reply.model_copy(update={"cost": prices.cost(self._request.model, reply.usage, self._settings)})

    def _estimated(self) -> Reply:
        """What had come of a try that ended early. A provider that had sent nothing bills nothing."""
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        usage = Usage(is_estimate=True)
        if text or reasoning:
            usage = Usage(
                input_tokens=self._counter.estimate(self._request.model, *self._sent),
                output_tokens=self._counter.estimate(self._request.model, text, reasoning),
                is_estimate=True,
            )
        return self.partial.model_copy(
            update={
                "text": text,
                "reasoning": reasoning,
                "usage": usage,
                "duration_millis": round((monotonic() - self._start) * 1000),
            }
        )

    def _learn(self, usage: Usage) -> None:
        if not usage.is_estimate:
            self._counter.observe(self._request.model, usage.input_tokens, *self._sent)
