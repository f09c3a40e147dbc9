"""How the fake provider reads requests and words replies in the two APIs that it speaks."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: no UTF-8 can carry it, so it travels as an escape."""


@dataclass(frozen=True)
class Question:
    """One request, whatever API it came by."""

    model: str
    prompt: str
    """System, user and assistant texts in order, as one text."""
    schema: dict[str, Any] | None
    tool: str
    """The tool to answer by; empty for an answer in text."""
    is_stream: bool
    tools: tuple[str, ...] = ()
    """What may be called before the answer."""


@dataclass(frozen=True)
class Answer:
    """One reply, whatever API it goes by."""

    text: str
    finish: str
    """`stop`, `length` or `refusal`."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    has_usage: bool = True
    call: str = ""
    """The tool that is called with `text`; empty for an answer."""
    thought: str = ""
    """Said before the call."""


_ANSWERS = "Give your answer by calling this."
"""The description of a tool that is no tool but the shape of the answer."""


def _flatten(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    parts = groupby((part for part in content if isinstance(part, dict)), lambda part: part.get("type") == "text")
    pieces = [("" if is_text else "\n\n").join(map(_told, group)) for is_text, group in parts]  # a text may be cut
    return "\n\n".join(filter(None, pieces))


def _told(part: dict[str, Any]) -> str:
    """A part of a message as text; calls and what they gave in the form that models without calls have."""
    match part.get("type"):
        case "tool_use":
            return f"Action: {part['name']}[{json.dumps(part['input'], ensure_ascii=False)}]"
        case "tool_result":
            return f"Observation: {_flatten(part['content'])}"
        case _:
            return str(part.get("text", ""))


def _message_text(message: dict[str, Any]) -> str:
    """The same for a message of chat completions."""
    text = _flatten(message.get("content"))
    if message["role"] == "tool":
        return f"Observation: {text}"
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return "\n\n".join(filter(None, (text, *(f"Action: {call['name']}[{call['arguments']}]" for call in calls))))


def _schema_in(prompt: str) -> dict[str, Any] | None:
    """Find a schema that stands in the prompt itself."""
    _, mark, rest = prompt.partition("JSON schema:\n")
    return json.JSONDecoder().raw_decode(rest)[0] if mark else None


def _event(data: dict[str, Any], name: str = "") -> str:
    head = f"event: {name}\n" if name else ""
    text = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(data, ensure_ascii=False))
    return f"{head}data: {text}\n\n"


class OpenAI:
    """Chat completions."""

    name = "openai"

    @staticmethod
    def read(body: dict[str, Any]) -> Question:
        """Understand a request."""
        functions = [tool["function"] for tool in body.get("tools") or ()]
        form = body.get("response_format") or {}
        answers = [tool for tool in functions if tool.get("description") == _ANSWERS]
        schema = answers[0]["parameters"] if answers else form.get("json_schema", {}).get("schema")
        prompt = "\n\n".join(map(_message_text, body["messages"]))
        tool = answers[0]["name"] if answers else ""
        called = tuple(tool["name"] for tool in functions if tool not in answers)
        return Question(body["model"], prompt, schema or _schema_in(prompt), tool, bool(body.get("stream")), called)

    @staticmethod
    def whole(question: Question, answer: Answer) -> dict[str, Any]:
        """Word a reply that is not streamed."""
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.finish == "refusal":
            message = {"role": "assistant", "content": None, "refusal": answer.text}
        elif name := answer.call or question.tool:
            call = {"name": name, "arguments": answer.text}
            message |= {
                "content": answer.thought or None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
            }
        choice = {"index": 0, "message": message, "finish_reason": OpenAI._finish(question, answer)}
        reply = {"id": "chat_1", "object": "chat.completion", "created": 1, "model": question.model}
        return {**reply, "choices": [choice], **OpenAI._usage(answer)}

    @staticmethod
    def opening(question: Question, answer: Answer) -> str:
        """Begin a stream."""
        said = {"content": answer.thought} if answer.thought else {}
        return OpenAI._chunk(question, {"role": "assistant"} | said)

    @staticmethod
    def piece(question: Question, answer: Answer, text: str, is_first: bool) -> str:
        """Stream a piece of the text."""
        if answer.finish == "refusal":
            return OpenAI._chunk(question, {"refusal": text})
        name = answer.call or question.tool
        if not name:
            return OpenAI._chunk(question, {"content": text})
        call: dict[str, Any] = {"index": 0, "function": {"arguments": text}}
        if is_first:
            call |= {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
        return OpenAI._chunk(question, {"tool_calls": [call]})

    @staticmethod
    def closing(question: Question, answer: Answer) -> Iterator[str]:
        """End a stream."""
        yield OpenAI._chunk(question, {}, OpenAI._finish(question, answer))
        if answer.has_usage:
            yield _event({"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": question.model,
                          "choices": [], **OpenAI._usage(answer)})  # fmt: skip
        yield "data: [DONE]\n\n"

    @staticmethod
    def error(status: int, message: str) -> dict[str, Any]:
        """Word an error."""
        return {"error": {"message": message, "type": "error", "code": None}}

    @staticmethod
    def error_event() -> str:
        """Break a stream with an error of the provider's own."""
        return _event({"error": {"message": "the engine is overloaded", "type": "server_error", "code": "overloaded"}})

    @staticmethod
    def _finish(question: Question, answer: Answer) -> str:
        if answer.finish == "stop" and (answer.call or question.tool):
            return "tool_calls"
        return "stop" if answer.finish == "refusal" else answer.finish

    @staticmethod
    def _usage(answer: Answer) -> dict[str, Any]:
        if not answer.has_usage:
            return {}
        usage = {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
            "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
        }
        return {"usage": usage}

    @staticmethod
    def _chunk(question: Question, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": question.model,
                       "choices": [choice]})  # fmt: skip


class Anthropic:
    """Messages."""

    name = "anthropic"

    @staticmethod
    def read(body: dict[str, Any]) -> Question:
        """Understand a request."""
        tools = body.get("tools") or []
        answers = [tool for tool in tools if tool.get("description") == _ANSWERS]
        texts = [_flatten(body.get("system")), *(_flatten(message["content"]) for message in body["messages"])]
        prompt = "\n\n".join(texts)
        schema = answers[0]["input_schema"] if answers else _schema_in(prompt)
        tool = answers[0]["name"] if answers else ""
        called = tuple(tool["name"] for tool in tools if tool not in answers)
        return Question(body["model"], prompt, schema, tool, bool(body.get("stream")), called)

    @staticmethod
    def whole(question: Question, answer: Answer) -> dict[str, Any]:
        """Word a reply that is not streamed."""
        content: dict[str, Any] = {"type": "text", "text": answer.text}
        name = answer.call or question.tool
        if name and answer.finish != "refusal":
            content = {"type": "tool_use", "id": "call_1", "name": name, "input": json.loads(answer.text)}
        said = [{"type": "text", "text": answer.thought}] if answer.thought else []
        return {
            **Anthropic._message(question, answer),
            "content": [*said, content],
            "stop_reason": Anthropic._stop(question, answer),
            "usage": Anthropic._usage(answer),
        }

    @staticmethod
    def opening(question: Question, answer: Answer) -> str:
        """Begin a stream."""
        usage = {**Anthropic._usage(answer), "output_tokens": 0}
        message = {**Anthropic._message(question, answer), "content": [], "stop_reason": None, "usage": usage}
        return _event({"type": "message_start", "message": message}, "message_start") + Anthropic._said(answer)

    @staticmethod
    def piece(question: Question, answer: Answer, text: str, is_first: bool) -> str:
        """Stream a piece of the text."""
        name = answer.call or question.tool
        by_tool = bool(name) and answer.finish != "refusal"
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": text}
        if by_tool:
            block = {"type": "tool_use", "id": "call_1", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": text}
        place = int(bool(answer.thought))
        start = {"type": "content_block_start", "index": place, "content_block": block}
        opening = _event(start, "content_block_start") if is_first else ""
        return opening + _event({"type": "content_block_delta", "index": place, "delta": delta}, "content_block_delta")

    @staticmethod
    def closing(question: Question, answer: Answer) -> Iterator[str]:
        """End a stream."""
        if answer.text:
            place = int(bool(answer.thought))
            yield _event({"type": "content_block_stop", "index": place}, "content_block_stop")
        delta = {"stop_reason": Anthropic._stop(question, answer), "stop_sequence": None}
        output = answer.output_tokens if answer.has_usage else 0
        yield _event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}}, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")

    @staticmethod
    def error(status: int, message: str) -> dict[str, Any]:
        """Word an error."""
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        kind = kinds.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    @staticmethod
    def error_event() -> str:
        """Break a stream with an error of the provider's own."""
        return _event(Anthropic.error(529, "the engine is overloaded"), "error")

    @staticmethod
    def _stop(question: Question, answer: Answer) -> str:
        if answer.finish == "stop":
            return "tool_use" if answer.call or question.tool else "end_turn"
        return {"length": "max_tokens"}.get(answer.finish, answer.finish)

    @staticmethod
    def _said(answer: Answer) -> str:
        """The block of text before a call; nothing where there is none."""
        if not answer.thought:
            return ""
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": answer.thought}
        start = {"type": "content_block_start", "index": 0, "content_block": block}
        return (
            _event(start, "content_block_start")
            + _event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")
            + _event({"type": "content_block_stop", "index": 0}, "content_block_stop")
        )

    @staticmethod
    def _message(question: Question, answer: Answer) -> dict[str, Any]:
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": question.model, "stop_sequence": None}

    @staticmethod
    def _usage(answer: Answer) -> dict[str, Any]:
        if not answer.has_usage:
            return {"input_tokens": 0, "output_tokens": 0}
        return {
            "input_tokens": answer.input_tokens - answer.cached_tokens,
            "cache_read_input_tokens": answer.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": answer.output_tokens,
        }


Api = type[OpenAI] | type[Anthropic]
