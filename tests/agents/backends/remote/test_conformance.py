"""What we send is what the SDKs publish as the providers' parameters: every shape of request, against their types."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter

from bookwright.agents.backends.protocol import Correction, Prompt, ToolSpec
from bookwright.agents.backends.service import ModelService
from bookwright.agents.react.action import OBSERVATION, Action, write
from bookwright.models.tree.plan import PlanOutput
from tests.agents.backends.conftest import ask_for
from tests.support.fake_provider import FakeProvider

MODELS = (
    "openai:gpt-4.1", "openai:gpt-5.6-luna", "anthropic:claude-sonnet-4-6", "anthropic:claude-sonnet-5-5",
    "anthropic:claude-opus-5-5",
)  # fmt: skip
LOOK = ToolSpec(
    "search_story", "Looks into the story.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)  # fmt: skip


UNTYPED = {"anthropic:claude-sonnet-4-6": {"temperature"}}
"""What a model takes and the SDK has no type for any more: Anthropic's newer ones refuse it, and are not sent it."""


class Verdict(BaseModel):
    reasoning: str = Field(min_length=1)
    score: int = Field(ge=1, le=10)


ASKED: dict[str, dict[str, Any]] = {
    "text": {},
    "an object": {"output": Verdict},
    "a tree": {"output": PlanOutput},
    "a correction": {"output": Verdict, "corrections": (Correction("{}", "score is missing"),)},
    "tools": {"tools": (LOOK,)},
    "a tool's answer": {
        "tools": (LOOK,),
        "corrections": (Correction(write(Action("", "search_story", '{"query": "lamp"}')), OBSERVATION + "none"),),
    },
    "a cached prompt": {
        "prompt": Prompt("Be brief.", ("Design.", "State.", "Task."), stable_blocks=2, unit_blocks=1),
        "cache_key": "a-book",
    },
}


@cache
def validator(provider: str) -> Draft202012Validator:
    """The published parameters as a schema that knows no others; the types take seconds to load, here alone."""
    from anthropic.types.message_create_params import MessageCreateParamsStreaming
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

    types: dict[str, Any] = {"openai": CompletionCreateParamsStreaming, "anthropic": MessageCreateParamsStreaming}
    schema = TypeAdapter(types[provider]).json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part.setdefault("additionalProperties", False)
    return Draft202012Validator(schema)


def faults(provider: str, body: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message[:300]}" for error in validator(provider).iter_errors(body)]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("model", MODELS)
def test_a_request_has_the_published_shape(
    model: str, asked: str, provider: FakeProvider, make_service: Callable[..., ModelService]
) -> None:
    make_service(max_attempts=1).ask(ask_for(model, **ASKED[asked]))

    [entry] = provider.ledger
    typed = {key: value for key, value in entry.body.items() if key not in UNTYPED.get(model, ())}
    assert faults(model.partition(":")[0], typed) == []


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_request_of_another_shape_is_found(name: str) -> None:
    body = {"model": "m", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "Tell."}]}

    assert faults(name, body) == []
    assert faults(name, body | {"temprature": 1})
    assert faults(name, body | {"messages": [{"role": "writer", "content": "Tell."}]})
    assert faults(name, {key: value for key, value in body.items() if key != "model"})
