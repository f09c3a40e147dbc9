"""What a span says of a call of a model, by OpenTelemetry's semantic conventions for generative AI."""

import json
from collections.abc import Iterator
from typing import Any

from bookwright.agents.backends.protocol import Request
from bookwright.models.amount import MICROS
from bookwright.models.step import Reply

Attributes = dict[str, Any]

_PROVIDERS = {"claude-cli": "anthropic"}
"""Whose models a provider of ours gives, where its name does not say so."""


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
