"""The spans of what is asked beside the walk: answers of talks, readings of an author's words, each with its calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Status, StatusCode, set_span_in_context

from bookwright.agents.backends.call import Canceller
from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.runtime.stream import TalkAsker
from bookwright.agents.tracing.calls import Spans
from bookwright.models.step import Reply


class TalkSpans(Spans):
    """Asks as another asker does, each call in a span inside that of its answer, whatever thread it is made on."""

    def __init__(
        self, provider: TracerProvider, inner: TalkAsker, book: str = "", *, captures_texts: bool = False
    ) -> None:
        super().__init__(provider, book, captures_texts=captures_texts)
        self._inner = inner
        self._answer = Context()

    @contextmanager
    def answer(self, agent: str) -> Iterator[Callable[[str], None]]:
        """Stand around one answer of an agent; what is handed out is told why it did not come."""
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        with self._span(f"invoke_agent {agent}", named) as span:

            def failed(kind: str) -> None:
                span.set_attribute("error.type", kind)
                span.set_status(Status(StatusCode.ERROR))

            self._answer = set_span_in_context(span)
            yield failed

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener,
        canceller: Canceller | None = None,
    ) -> Reply:  # fmt: skip
        """Complete a prompt.

        Raises:
            BackendError: Nothing was delivered.
        """

        def ask(hear: FailureListener) -> Reply:
            return self._inner.ask(request, budget, listener, hear, canceller)

        return self._reply(request, self._answer, ask, on_failure)
