"""Spans, and that of one call of a model: what it tells of the request, of failed tries and of the reply."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Request
from bookwright.agents.tracing import genai
from bookwright.models.step import Reply


class Spans:
    """Makes spans, of one book if there is one. They hold names, figures and places, and texts only if wanted."""

    def __init__(self, provider: TracerProvider, book: str, *, captures_texts: bool) -> None:
        self._tracer = provider.get_tracer("bookwright")
        self._book: dict[str, Any] = {"bookwright.book": book} if book else {}
        self._captures_texts = captures_texts

    @contextmanager
    def _span(
        self, name: str, attributes: dict[str, Any], kind: SpanKind = SpanKind.INTERNAL, inside: Context | None = None
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
        attributes = genai.of_request(request) | {"bookwright.step": request.name}
        if self._captures_texts:
            attributes |= genai.texts_asked(request)
        failures, reply = 0, None
        with self._span(f"chat {attributes['gen_ai.request.model']}", attributes, SpanKind.CLIENT, inside) as span:

            def hear(failure: FailedAttempt) -> None:
                nonlocal failures
                failures += 1
                with suppress(Exception):  # what is only told must not cost a call
                    span.add_event("try failed", _attributes_of(failure))
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
            span.set_attributes(genai.of_reply(reply))
            if self._captures_texts:
                span.set_attributes(genai.text_answered(reply))


def _attributes_of(failure: FailedAttempt) -> dict[str, Any]:
    return {
        "error.type": _kind_of(failure.error),
        "bookwright.model": failure.model,
        "bookwright.try": failure.attempt,
    }


def _kind_of(error: BaseException) -> str:
    """The error in one word; its message may hold texts."""
    return str(getattr(error, "kind", "") or type(error).__name__)
