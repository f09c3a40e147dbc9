"""The spans of one book while it is held (flow, activities, steps, calls), and of what is asked beside the walk.

They hear from the observer of activities, the asker of models and the journal, so that no traced code knows of them.
A call tells of its request, of failed tries and of the reply, by the names of OpenTelemetry's semantic conventions for
generative AI.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Listener, Request
from bookwright.agents.backends.service import Canceller
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.runtime.stream import TalkAsker
from bookwright.agents.steps.desk import Asker
from bookwright.models.amount import MICROS
from bookwright.models.step import CODE, Activity, Reply
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt

Attributes = dict[str, Any]

_PROVIDERS = {"claude-cli": "anthropic"}
"""Whose models a provider of ours gives, where its name does not say so."""


class Spans:
    """Makes spans, of one book if there is one. They hold names, figures and places, and texts only if wanted."""

    def __init__(self, provider: TracerProvider, book: str, *, captures_texts: bool) -> None:
        self._tracer = provider.get_tracer("bookwright")
        self._book: Attributes = {"bookwright.book": book} if book else {}
        self._captures_texts = captures_texts

    @contextmanager
    def _span(
        self, name: str, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL, inside: Context | None = None
    ) -> Iterator[Span]:
        """A span that is the current one; of an error it tells the type, for messages hold texts."""
        with self._tracer.start_as_current_span(
            name, inside, kind, self._book | attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:  # also an interrupt
                span.set_attribute("error.type", _kind_of(error))
                span.set_status(Status(StatusCode.ERROR))
                raise

    def _reply(
        self, request: Request, inside: Context, ask: Callable[[FailureListener], Reply], on_failure: FailureListener
    ) -> Reply:
        """Ask in a span of its own; `ask` is given who hears of the tries that fail."""
        attributes = _of_request(request) | {"bookwright.step": request.name}
        if self._captures_texts:
            attributes |= _texts_asked(request)
        failures, reply = 0, None
        with self._span(f"chat {attributes['gen_ai.request.model']}", attributes, SpanKind.CLIENT, inside) as span:

            def hear(failure: FailedAttempt) -> None:
                nonlocal failures
                failures += 1
                with suppress(Exception):  # what is only told must not cost a call
                    told: Attributes = {"bookwright.model": failure.model, "bookwright.try": failure.attempt}
                    span.add_event("try failed", told | {"error.type": _kind_of(failure.error)})
                on_failure(failure)

            try:
                reply = ask(hear)
            finally:
                with suppress(Exception):
                    self._conclude(span, reply, failures)
        return reply

    def _conclude(self, span: Span, reply: Reply | None, failures: int) -> None:
        span.set_attribute("bookwright.retries", failures if reply else max(failures - 1, 0))
        if reply is not None:
            span.set_attributes(_of_reply(reply))
            if self._captures_texts:
                span.set_attributes(_text_answered(reply))


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
        """Complete a prompt inside the span of its step; a `BackendError` says that nothing was delivered."""
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
        """Complete a prompt inside the span of its answer; a `BackendError` says that nothing was delivered."""
        return self._reply(
            request, self._answer, lambda hear: self._inner.ask(request, budget, listener, hear, canceller), on_failure
        )


def _kind_of(error: BaseException) -> str:
    """The error in one word; its message may hold texts."""
    return str(getattr(error, "kind", "") or type(error).__name__)


def _of_request(request: Request) -> Attributes:
    """What is known before the call: whom it asks, as whom, and how."""
    name, _, model = request.model.partition(":")
    sampling = request.sampling
    found = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(name, name),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": sampling.max_output_tokens,
        "gen_ai.request.temperature": sampling.temperature,
        "gen_ai.request.top_p": sampling.top_p,
        "gen_ai.request.seed": sampling.seed,
        "gen_ai.output.type": "text" if request.output is None else "json",
        "gen_ai.conversation.id": request.cache_key,
        "gen_ai.agent.name": request.role,
    }
    return {key: value for key, value in found.items() if value not in (None, "")}


def _of_reply(reply: Reply) -> Attributes:
    """What came of it: tokens, the cache's share of them, the price, and how soon it began to speak."""
    usage = reply.usage
    found = {
        "gen_ai.response.model": reply.model.partition(":")[2],
        "gen_ai.response.finish_reasons": (reply.finish_reason,),
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "bookwright.cache_share": usage.cached_tokens / usage.input_tokens if usage.input_tokens else 0.0,
        "bookwright.usage_is_estimate": usage.is_estimate,
    }
    if reply.cost is not None:
        found["bookwright.cost_usd"] = reply.cost / MICROS
    if reply.first_event_millis is not None:
        found["gen_ai.response.time_to_first_chunk"] = reply.first_event_millis / 1_000
    return found


def _texts_asked(request: Request) -> Attributes:
    """The prompt, for those who want texts in their spans."""
    return {
        "gen_ai.system_instructions": _dumped([_text(request.prompt.system)]),
        "gen_ai.input.messages": _dumped(list(_messages(request))),
    }


def _text_answered(reply: Reply) -> Attributes:
    """The answer, for those who want texts in their spans."""
    message = _message("assistant", reply.text) | {"finish_reason": reply.finish_reason}
    return {"gen_ai.output.messages": _dumped([message])}


def _messages(request: Request) -> Iterator[Attributes]:
    yield _message("user", request.prompt.user)
    for turn in request.corrections:
        yield _message("assistant", turn.reply)
        yield _message("user", turn.problem)


def _message(role: str, text: str) -> Attributes:
    return {"role": role, "parts": [_text(text)]}


def _text(text: str) -> Attributes:
    return {"type": "text", "content": text}


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
