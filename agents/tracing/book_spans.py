"""The spans of one book while it is held: flow, activities, steps and calls, inside one another.

It hears from the observer of activities, the asker of models and the journal, so that no traced code knows of it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.steps.ports import Asker
from bookwright.agents.tracing import genai
from bookwright.models.step import CODE, Activity, Reply
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt

_BOOK = "bookwright.book"


class BookSpans:
    """Makes the spans of one book. They hold names, figures and places, and texts only if those are wanted."""

    def __init__(self, provider: TracerProvider, book: str, *, captures_texts: bool = False) -> None:
        self._tracer = provider.get_tracer("bookwright")
        self._book = book
        self._captures_texts = captures_texts
        self._step: tuple[str, Span] | None = None
        """The step that is not concluded yet, by its name."""

    @contextmanager
    def flow(self, name: str) -> Iterator[None]:
        """Stand around all that is done while the book is held."""
        named = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": name, _BOOK: self._book}
        with self._span(f"invoke_workflow {name}", named):
            try:
                yield
            finally:
                self._leave_step()

    @contextmanager
    def activity(self, activity: Activity, node: TaskNode) -> Iterator[None]:
        """Stand around one activity at a node."""
        place = {
            _BOOK: self._book, "bookwright.activity": activity.value, "bookwright.node": node.label,
            "bookwright.level": node.level.value, "bookwright.revision": node.revision,
        }  # fmt: skip
        self._leave_step()
        with self._span(f"{activity} {node.label}", place):
            try:
                yield
            finally:
                self._leave_step()

    @contextmanager
    def call(self, request: Request) -> Iterator["CallSpan"]:
        """Stand around one call of a model, inside the span of its step."""
        step = self._step_of(request)
        attributes = genai.of_request(request) | {_BOOK: self._book, "bookwright.step": request.name}
        if self._captures_texts:
            attributes |= genai.texts_asked(request)
        name = f"chat {attributes['gen_ai.request.model']}"
        with self._span(name, attributes, SpanKind.CLIENT, step) as span:
            yield CallSpan(span, self._captures_texts)

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
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, _BOOK: self._book}
        span = self._tracer.start_span(f"invoke_agent {agent}", attributes=named | {"bookwright.step": request.name})
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

    @contextmanager
    def _span(
        self, name: str, attributes: dict[str, Any], kind: SpanKind = SpanKind.INTERNAL, parent: Span | None = None
    ) -> Iterator[Span]:
        """A span that is the current one; of an error it tells the type, for messages hold texts."""
        inside = None if parent is None else trace.set_span_in_context(parent)
        with self._tracer.start_as_current_span(
            name, inside, kind, attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:  # also an interrupt
                span.set_attribute("error.type", _kind_of(error))
                span.set_status(Status(StatusCode.ERROR))
                raise


@dataclass
class CallSpan:
    """The span of one call while it runs."""

    span: Span
    captures_texts: bool
    failures: int = 0

    def failed(self, failure: FailedAttempt) -> None:
        """Note a try that brought nothing, after which another one may follow."""
        self.failures += 1
        told: genai.Attributes = {
            "error.type": _kind_of(failure.error),
            "bookwright.model": failure.model,
            "bookwright.try": failure.attempt,
        }
        self.span.add_event("try failed", told)

    def ended(self, reply: Reply | None) -> None:
        """Say what the call came to."""
        self.span.set_attribute("bookwright.retries", self.failures if reply else max(self.failures - 1, 0))
        if reply is not None:
            self.span.set_attributes(genai.of_reply(reply))
            if self.captures_texts:
                self.span.set_attributes(genai.text_answered(reply))


@dataclass(frozen=True)
class TracedAsker:
    """Asks as another asker does, each call in a span of its own."""

    inner: Asker
    spans: BookSpans

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt.

        Raises:
            BackendError: Nothing was delivered.
        """
        reply: Reply | None = None
        with self.spans.call(request) as call:

            def hear(failure: FailedAttempt) -> None:
                with suppress(Exception):  # what is only told must not cost a call
                    call.failed(failure)
                on_failure(failure)

            try:
                reply = self.inner.ask(request, budget, listener, hear)
            finally:
                with suppress(Exception):
                    call.ended(reply)
        return reply


def telling(spans: BookSpans, told: Callable[[Attempt, int], None] | None) -> Callable[[Attempt, int], None]:
    """Return a journal listener that hands each attempt to the spans and to `told`."""

    def recorded(attempt: Attempt, step: int) -> None:
        with suppress(Exception):  # what is only told must not cost a step
            spans.recorded(attempt)
        if told is not None:
            told(attempt, step)

    return recorded


def _kind_of(error: BaseException) -> str:
    """The error in one word; its message may hold texts."""
    return str(getattr(error, "kind", "") or type(error).__name__)
