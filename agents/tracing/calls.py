"""The span of one call of a model, whoever asks: what it tells of the request, of failed tries and of the reply."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Request
from bookwright.agents.tracing import genai
from bookwright.models.step import Reply

BOOK = "bookwright.book"


@contextmanager
def span_of(
    tracer: Tracer, name: str, attributes: dict[str, Any], kind: SpanKind = SpanKind.INTERNAL,
    inside: Context | None = None,
) -> Iterator[Span]:  # fmt: skip
    """A span that is the current one; of an error it tells the type, for messages hold texts."""
    with tracer.start_as_current_span(
        name, inside, kind, attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:  # also an interrupt
            span.set_attribute("error.type", kind_of(error))
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
            "error.type": kind_of(failure.error),
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


def reply_in_span(
    tracer: Tracer, request: Request, more: dict[str, Any], inside: Context, ask: Callable[[FailureListener], Reply],
    on_failure: FailureListener, *, captures_texts: bool,
) -> Reply:  # fmt: skip
    """Ask in a span of its own; `ask` is given who hears of the tries that fail, `more` is told of the call besides.

    Raises:
        BackendError: Nothing was delivered.
    """
    attributes = genai.of_request(request) | more | (genai.texts_asked(request) if captures_texts else {})
    name, reply = f"chat {attributes['gen_ai.request.model']}", None
    with span_of(tracer, name, attributes, SpanKind.CLIENT, inside) as span:
        call = CallSpan(span, captures_texts)

        def hear(failure: FailedAttempt) -> None:
            with suppress(Exception):  # what is only told must not cost a call
                call.failed(failure)
            on_failure(failure)

        try:
            reply = ask(hear)
        finally:
            with suppress(Exception):
                call.ended(reply)
    return reply


def kind_of(error: BaseException) -> str:
    """The error in one word; its message may hold texts."""
    return str(getattr(error, "kind", "") or type(error).__name__)
