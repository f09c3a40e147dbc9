"""Gathers the events of one stream into a text, and tells a listener as they come."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.agents.react.action import Action, Finish, is_in_form, write


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
            case _:
                pass

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
