"""Turns a request of ours into the messages, settings and output form of the library."""

from dataclasses import dataclass
from typing import Any, cast

from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from bookwright.agents.backends.catalogue import Feature, OutputMode, Provider
from bookwright.agents.backends.protocol import Prompt, Request
from bookwright.agents.backends.schema import compact_schema, schema_request

_NO_ANSWER = "(no answer)"


@dataclass(frozen=True)
class Wire:
    """One call in the library's terms."""

    messages: list[ModelMessage]
    settings: ModelSettings
    parameters: ModelRequestParameters


def to_wire(
    request: Request, provider: Provider, mode: OutputMode, *, thinking_allowance: int, takes_sampling: bool
) -> Wire:
    """Put a request into the library's terms for this provider."""
    prompted = request.output if mode is OutputMode.PROMPTED else None
    tail = "" if prompted is None else schema_request(prompted, request.locale)
    return Wire(
        _messages(request, provider, tail),
        _settings(request, provider, thinking_allowance, takes_sampling),
        _parameters(request, provider, mode),
    )


def _messages(request: Request, provider: Provider, tail: str) -> list[ModelMessage]:
    opening: list[ModelRequestPart] = [SystemPromptPart(request.prompt.system)] if request.prompt.system else []
    opening.append(UserPromptPart(_user_content(request.prompt, provider, tail)))
    messages: list[ModelMessage] = [ModelRequest(parts=opening)]
    for correction in request.corrections:
        messages.append(ModelResponse(parts=[TextPart(correction.reply.strip() or _NO_ANSWER)]))
        messages.append(ModelRequest(parts=[UserPromptPart(correction.problem)]))
    if request.prompt.prefill and Feature.PREFILL in provider.features:
        messages.append(ModelResponse(parts=[TextPart(request.prompt.prefill)]))
    return messages


def _user_content(prompt: Prompt, provider: Provider, tail: str) -> str | list[UserContent]:
    """The user message with `tail` at its end.

    Where there are cache points, the stable blocks stay apart, with a point after those that the
    unit's other activities share and one after the last: a later prompt is looked up at each point
    that was written and block by block before it, and may have grown by one.
    """
    unit = [block for block in prompt.blocks[: prompt.unit_blocks] if block]
    own = [block for block in prompt.blocks[prompt.unit_blocks : prompt.stable_blocks] if block]
    rest = [block for block in (*prompt.blocks[prompt.stable_blocks :], tail) if block]
    if Feature.CACHE_POINTS not in provider.features or not (unit or own):
        return "\n\n".join((*unit, *own, *rest))
    parts: list[UserContent] = []
    for stable in (unit, own):
        parts += [*(f"{block}\n\n" for block in stable), CachePoint()] if stable else []
    return [*parts, *(["\n\n".join(rest)] if rest else [])]


def _settings(request: Request, provider: Provider, thinking_allowance: int, takes_sampling: bool) -> ModelSettings:
    sampling = request.sampling
    settings: dict[str, Any] = {
        "max_tokens": sampling.max_output_tokens + thinking_allowance,
        "max_retries": 0,
        "framing_announcement": "never",
    }
    if takes_sampling:
        settings["temperature"] = sampling.temperature
    if takes_sampling and sampling.top_p is not None:
        settings["top_p"] = sampling.top_p
    if Feature.SEED in provider.features:
        settings["seed"] = sampling.seed
    if Feature.EXTRA in provider.features and sampling.extra:
        settings["extra_body"] = dict(sampling.extra)
    if Feature.CACHE_KEY in provider.features and request.cache_key:
        settings["openai_prompt_cache_key"] = request.cache_key
    if Feature.CACHE_POINTS in provider.features:
        settings[f"{provider.name}_cache_instructions"] = True
    return cast(ModelSettings, settings)  # holds keys of one provider alone, too


def _parameters(request: Request, provider: Provider, mode: OutputMode) -> ModelRequestParameters:
    if request.output is None:
        return ModelRequestParameters()
    name, schema = request.output.__name__, compact_schema(request.output)
    shape = OutputObjectDefinition(json_schema=schema, name=name, strict=False)
    match mode:
        case OutputMode.NATIVE:
            return ModelRequestParameters(output_mode="native", output_object=shape)
        case OutputMode.TOOL:
            tool = ToolDefinition(
                name=name,
                parameters_json_schema=schema,
                description="Give your answer by calling this.",
                strict=False,
                kind="output",
            )
            return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
        case OutputMode.PROMPTED if Feature.JSON_OBJECT in provider.features:
            return ModelRequestParameters(output_mode="prompted", output_object=shape, prompted_output_template=False)
        case OutputMode.PROMPTED:
            return ModelRequestParameters()
