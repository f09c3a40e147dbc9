"""Spans, and that of one call of a model: what it tells of the request, of failed tries and of the reply.

The names are those of OpenTelemetry's semantic conventions for generative AI.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Request
from bookwright.models.amount import MICROS
from bookwright.models.step import Reply

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
        attributes = of_request(request) | {"bookwright.step": request.name}
        if self._captures_texts:
            attributes |= texts_asked(request)
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
            span.set_attributes(of_reply(reply))
            if self._captures_texts:
                span.set_attributes(text_answered(reply))


def _kind_of(error: BaseException) -> str:
    """The error in one word; its message may hold texts."""
    return str(getattr(error, "kind", "") or type(error).__name__)


def of_request(request: Request) -> Attributes:
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


def of_reply(reply: Reply) -> Attributes:
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


def texts_asked(request: Request) -> Attributes:
    """The prompt, for those who want texts in their spans."""
    return {
        "gen_ai.system_instructions": _dumped([_text(request.prompt.system)]),
        "gen_ai.input.messages": _dumped(list(_messages(request))),
    }


def text_answered(reply: Reply) -> Attributes:
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
