"""Between us and the library: a request's messages, settings and output form, and the stream that comes back.

The events of a stream are gathered into a text, and told to a listener as they come.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from bookwright.agents.backends.catalogue import Feature, OutputMode, Provider
from bookwright.agents.backends.protocol import Correction, EventKind, Listener, Prompt, Request, StreamEvent, ToolSpec
from bookwright.agents.backends.schema import compact_schema, schema_request, tools_request
from bookwright.agents.react.action import OBSERVATION, Action, Finish, is_in_form, read, write

_NO_ANSWER = "(no answer)"


@dataclass(frozen=True)
class LibraryCall:
    """One call in the library's terms."""

    messages: list[ModelMessage]
    settings: ModelSettings
    parameters: ModelRequestParameters


@dataclass(frozen=True)
class Form:
    """How a model is asked for what is not plain text."""

    output: OutputMode
    calls_tools: bool = False
    """Tools are given, called and answered in the provider's own way; else all of it is text."""

    def plainer(self, request: Request) -> "Form | None":
        """What to fall back on where a server will not have this; None if nothing is left to give up."""
        if request.tools and self.calls_tools:
            return Form(self.output)
        if request.output is not None and self.output is not OutputMode.PROMPTED:
            return Form(OutputMode.PROMPTED, self.calls_tools)
        return None


def to_wire(
    request: Request, provider: Provider, form: Form, *, thinking_allowance: int, takes_sampling: bool
) -> LibraryCall:
    """Put a request into the library's terms for this provider."""
    is_in_words = bool(request.tools) and not form.calls_tools
    mode = OutputMode.PROMPTED if is_in_words else form.output  # a forced shape would leave no room for an action
    prompted = request.output if mode is OutputMode.PROMPTED else None
    tails = (
        schema_request(prompted, request.locale) if prompted else "", tools_request(request) if is_in_words else "",
    )  # fmt: skip
    called = () if is_in_words else request.tools
    return LibraryCall(
        _messages(request, provider, "\n\n".join(filter(None, tails)), frozenset(tool.name for tool in called)),
        _settings(request, provider, thinking_allowance, takes_sampling),
        _parameters(request, provider, mode, called),
    )


def _messages(request: Request, provider: Provider, tail: str, called: frozenset[str]) -> list[ModelMessage]:
    opening: list[ModelRequestPart] = [SystemPromptPart(request.prompt.system)] if request.prompt.system else []
    opening.append(UserPromptPart(_user_content(request.prompt, provider, tail)))
    messages: list[ModelMessage] = [ModelRequest(parts=opening)]
    for number, correction in enumerate(request.corrections, start=1):
        messages += _called(correction, f"call_{number}", called) or _said(correction, called)
    if request.prompt.prefill and Feature.PREFILL in provider.features:
        messages.append(ModelResponse(parts=[TextPart(request.prompt.prefill)]))
    return messages


def _said(correction: Correction, called: frozenset[str]) -> list[ModelMessage]:
    """A turn in text; a model that calls tools never saw the form around its answer."""
    turn = read(correction.reply) if called else None
    reply = turn.answer if isinstance(turn, Finish) else correction.reply
    return [
        ModelResponse(parts=[TextPart(reply.strip() or _NO_ANSWER)]),
        ModelRequest(parts=[UserPromptPart(correction.problem)]),
    ]


def _called(correction: Correction, identity: str, called: frozenset[str]) -> list[ModelMessage]:
    """A turn as the call of a tool and what it gave back; nothing where it was none that the API would take."""
    turn = read(correction.reply)
    if not (isinstance(turn, Action) and turn.tool in called and correction.problem.startswith(OBSERVATION)):
        return []
    try:
        arguments = json.loads(turn.arguments, strict=False)
    except (ValueError, RecursionError):
        return []
    if not isinstance(arguments, dict):
        return []
    thought = [TextPart(turn.thought)] if turn.thought else []
    return [
        ModelResponse(parts=[*thought, ToolCallPart(turn.tool, arguments, identity)]),
        ModelRequest(parts=[ToolReturnPart(turn.tool, correction.problem.removeprefix(OBSERVATION), identity)]),
    ]


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
    sampling, features = request.sampling, provider.features
    settings: dict[str, Any] = {
        "max_tokens": sampling.max_output_tokens + thinking_allowance,
        "max_retries": 0,
        "framing_announcement": "never",
        "temperature": sampling.temperature if takes_sampling else None,
        "top_p": sampling.top_p if takes_sampling else None,
        "seed": sampling.seed if Feature.SEED in features else None,
        "extra_body": (dict(sampling.extra) or None) if Feature.EXTRA in features else None,
        "openai_prompt_cache_key": (request.cache_key or None) if Feature.CACHE_KEY in features else None,
        f"{provider.name}_cache_instructions": True if Feature.CACHE_POINTS in features else None,
    }
    told = {name: value for name, value in settings.items() if value is not None}
    return cast(ModelSettings, told)  # holds keys of one provider alone, too


def _parameters(
    request: Request, provider: Provider, mode: OutputMode, called: tuple[ToolSpec, ...]
) -> ModelRequestParameters:
    tools = [
        ToolDefinition(name=tool.name, parameters_json_schema=tool.schema, description=tool.description, strict=False)
        for tool in called
    ]
    if request.output is None:
        return ModelRequestParameters(function_tools=tools)
    name, schema = request.output.__name__, compact_schema(request.output)
    shape = OutputObjectDefinition(json_schema=schema, name=name, strict=False)
    match mode:
        case OutputMode.NATIVE:
            return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=shape)
        case OutputMode.TOOL:
            tool = ToolDefinition(
                name=name,
                parameters_json_schema=schema,
                description="Give your answer by calling this.",
                strict=False,
                kind="output",
            )
            return ModelRequestParameters(
                function_tools=tools, output_mode="tool", output_tools=[tool], allow_text_output=False
            )
        case OutputMode.PROMPTED if Feature.JSON_OBJECT in provider.features and not request.tools:
            return ModelRequestParameters(output_mode="prompted", output_object=shape, prompted_output_template=False)
        case OutputMode.PROMPTED:
            return ModelRequestParameters(function_tools=tools)


class StreamedReply:
    """What has arrived of one reply."""

    def __init__(self, listener: Listener, prefill: str = "", tools: Collection[str] = ()) -> None:
        """`tools` names what the model may call before it answers; its reply is then put into the text form."""
        self._listener = listener
        self._tools = tools
        self._called = ""
        self._prefill = prefill
        self._held = ""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._arguments: list[str] = []
        self._tool_part: int | None = None
        self.size = 0
        """Characters of text and reasoning so far."""

    @property
    def text(self) -> str:
        """The reply: the arguments of an answer given by a call, else the text; in the text form if there are tools."""
        said = "".join(self._text) + self._held
        if self._called:
            return write(Action(self._called, "".join(self._arguments) or "{}", said))
        answer = "".join(self._arguments) if self._arguments else said
        if not self._tools or not answer.strip() or is_in_form(answer):
            return answer
        return write(Finish(answer))

    @property
    def reasoning(self) -> str:
        """What the model let be seen of its thoughts."""
        return "".join(self._reasoning)

    def add(self, event: ModelResponseStreamEvent) -> None:
        """Take in one event. The first piece of a part comes with its start."""
        match event:
            case PartStartEvent(part=TextPart(content=content)) if content:
                self._add_text(content)
            case PartStartEvent(part=ThinkingPart(content=content)) if content:
                self._add_reasoning(content)
            case PartStartEvent(index=index, part=ToolCallPart(tool_name=name, args=args)):
                self._begin_call(index, name)
                self._add_arguments(index, args)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=content)) if content:
                self._add_text(content)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=content)) if content:
                self._add_reasoning(content)
            case PartDeltaEvent(index=index, delta=ToolCallPartDelta(args_delta=args)):
                self._add_arguments(index, args)

    def _add_text(self, piece: str) -> None:
        """Take in a piece of text, without the prefill where a server gives it back."""
        if self._prefill:
            self._held += piece
            if self._prefill.startswith(self._held) and self._held != self._prefill:
                return
            piece, self._held = self._held.removeprefix(self._prefill), ""
            self._prefill = ""
        if piece:
            self._text.append(piece)
            self._tell(piece)

    def _add_reasoning(self, piece: str) -> None:
        self._reasoning.append(piece)
        self._tell(piece, EventKind.REASONING)

    def _begin_call(self, index: int, name: str) -> None:
        if self._tool_part is not None:
            return
        self._tool_part = index
        if name in self._tools:
            self._called = name
            self._tell(f"\nAction: {name} ")

    def _add_arguments(self, index: int, args: str | Mapping[str, Any] | None) -> None:
        """Take in arguments of the first call; a model that calls twice has answered twice."""
        if not args or index != self._tool_part:
            return
        piece = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        self._arguments.append(piece)
        self._tell(piece)

    def _tell(self, piece: str, kind: EventKind = EventKind.TEXT) -> None:
        self.size += len(piece)
        self._listener(StreamEvent(kind, piece))
