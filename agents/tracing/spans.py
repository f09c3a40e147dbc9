"""The spans of one book while it is held (flow, activities, steps, calls), and of what is asked beside the walk.

They hear from the observer of activities, the asker of models and the journal, so that no traced code knows of them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, Status, StatusCode, set_span_in_context

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import Canceller
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.runtime.stream import TalkAsker
from bookwright.agents.steps.desk import Asker
from bookwright.agents.tracing.calls import Spans
from bookwright.models.step import CODE, Activity, Reply
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt


class BookSpans(Spans):
    """Makes the spans of one book, and asks as another asker does, each call in a span of its own."""

    def __init__(self, provider: TracerProvider, inner: Asker, book: str, *, captures_texts: bool = False) -> None:
        super().__init__(provider, book, captures_texts=captures_texts)
        self._inner = inner
        self._step: tuple[str, Span] | None = None
        """The step that is not concluded yet, by its name."""

    @contextmanager
    def flow(self, name: str) -> Iterator[None]:
        """Stand around all that is done while the book is held."""
        named = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": name}
        with self._span(f"invoke_workflow {name}", named):
            try:
                yield
            finally:
                self._leave_step()

    @contextmanager
    def activity(self, activity: Activity, node: TaskNode) -> Iterator[None]:
        """Stand around one activity at a node."""
        place = {
            "bookwright.activity": activity.value, "bookwright.node": node.label,
            "bookwright.level": node.level.value, "bookwright.revision": node.revision,
        }  # fmt: skip
        self._leave_step()
        with self._span(f"{activity} {node.label}", place):
            try:
                yield
            finally:
                self._leave_step()

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt inside the span of its step.

        Raises:
            BackendError: Nothing was delivered.
        """
        inside = set_span_in_context(self._step_of(request))
        return self._reply(request, inside, lambda hear: self._inner.ask(request, budget, listener, hear), on_failure)

    def recorded(self, attempt: Attempt) -> None:
        """Note an attempt that is on record; the one that stands concludes its step."""
        if self._step is None or attempt.reply.model == CODE:
            return
        _, span = self._step
        span.set_attribute("bookwright.attempts", attempt.attempt)
        if attempt.failure is None:
            self._leave_step(has_failed=False)
        elif attempt.failure.is_fault:
            span.add_event("attempt failed", {"error.type": attempt.failure.value})

    def _step_of(self, request: Request) -> Span:
        if self._step is not None and self._step[0] == request.name:
            return self._step[1]
        self._leave_step()
        agent = request.name.rpartition("/")[2]
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, "bookwright.step": request.name}
        span = self._tracer.start_span(f"invoke_agent {agent}", attributes=self._book | named)
        self._step = request.name, span
        return span

    def _leave_step(self, *, has_failed: bool = True) -> None:
        """End the open step, if there is one; one that is left without a result has failed."""
        if self._step is not None:
            _, span = self._step
            self._step = None
            if has_failed:
                span.set_status(Status(StatusCode.ERROR))
            span.end()


def attempt_listener(spans: BookSpans, told: Callable[[Attempt, int], None] | None) -> Callable[[Attempt, int], None]:
    """Return a journal listener that hands each attempt to the spans and to `told`."""

    def recorded(attempt: Attempt, step: int) -> None:
        with suppress(Exception):  # what is only told must not cost a step
            spans.recorded(attempt)
        if told is not None:
            told(attempt, step)

    return recorded


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
