"""Gathers the events of one stream into a text, and tells a listener as they come."""

import json
from collections.abc import Mapping
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


class Gathering:
    """What has arrived of one reply."""

    def __init__(self, listener: Listener, prefill: str = "") -> None:
        self._listener = listener
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
        """The reply: a tool call's arguments where there is one, else the text."""
        return "".join(self._arguments) if self._arguments else "".join(self._text) + self._held

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
            case PartStartEvent(index=index, part=ToolCallPart(args=args)):
                self._tool_part = index if self._tool_part is None else self._tool_part
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
