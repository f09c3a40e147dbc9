"""A tool, a keeper and an author for tests of the loop."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bookwright.agents.backends.protocol import Correction, Prompt, Request, Sampling, StreamEvent, ToolSpec
from bookwright.agents.backends.service import ModelService
from bookwright.agents.react.action import Action, Finish, NoAction, write
from bookwright.agents.react.loop import Loop
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.models.step import Reply, ToolUse
from bookwright.models.talk.tool import ToolResponse

ROOM = 2_000
PRICE = "Lamp oil cost [nine] pence a gallon in 1890."


class LookParams(Params):
    """What to look for."""

    query: str


class Look(Tool[LookParams]):
    """Finds one sentence, whatever is asked."""

    name: ClassVar[str] = "look"
    parameters: ClassVar[type[Params]] = LookParams

    def __init__(self, sentence: str = PRICE) -> None:
        self.asked: list[str] = []
        self._sentence = sentence

    def description(self, locale: str = "en") -> str:
        """As a model is told."""
        return "Look something up."

    def run(self, params: LookParams) -> ToolResponse:
        """Find it."""
        self.asked.append(params.query)
        return success({"found": self._sentence}, f"Looked for {params.query!r}.")


@dataclass
class Kept:
    """Keeps the turns in memory."""

    replies: list[Reply] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)

    def acted(self, reply: Reply, turn: Action | NoAction) -> int:
        """Keep a reply."""
        self.replies.append(reply)
        return len(self.replies)

    def observed(self, use: ToolUse) -> None:
        """Keep a use."""
        self.uses.append(use)


@dataclass
class Teller:
    """Answers by turns, and remembers what it was asked."""

    lines: list[str]
    asked: list[tuple[Correction, ...]] = field(default_factory=list)
    given: list[tuple[ToolSpec, ...]] = field(default_factory=list)

    def __call__(self, said: tuple[Correction, ...], tools: tuple[ToolSpec, ...]) -> Reply:
        """Say the next line; the last is repeated."""
        self.asked.append(said)
        self.given.append(tools)
        return Reply(text=self.lines[min(len(self.asked), len(self.lines)) - 1])


def action(query: str = "oil", thought: str = "what did it cost?", tool: str = "look") -> str:
    """An action in the text form."""
    return write(Action(tool, json.dumps({"query": query}), thought))


def finish(answer: str) -> str:
    """An answer in the text form."""
    return write(Finish(answer))


def make_loop(ask: Any, keeper: Kept, look: Look | None = None, heard: list[StreamEvent] | None = None) -> Loop:
    """A loop with one tool."""
    listener = (heard if heard is not None else []).append
    return Loop(ToolRegistry([look or Look()]), ask, keeper, listener, ROOM)


def asking(service: ModelService, model: str, output: Any = None) -> Any:
    """Ask a model service, as the desk does."""

    def ask(said: tuple[Correction, ...], tools: tuple[ToolSpec, ...]) -> Reply:
        request = Request(
            model=model, role="researcher", name="1 execute/search", prompt=Prompt("You search.", ("Find the price.",)),
            sampling=Sampling(0.1, 400, 7), corrections=said, tools=tools, output=output,
        )  # fmt: skip
        return service.ask(request)

    return ask
