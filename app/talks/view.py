"""The other side of a talk: whoever shows it, is told what it took, and permits what would change something."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from bookwright.models.talk.event import Event
from bookwright.models.wording import dollars, money, tokens

CANCELLED = "cancelled"
"""The kind of failure of an answer that was broken off."""
SOURCES = "sources"
"""The name of the `agent:event` that tells which pages an answer rests on, and whether anything was looked up."""

Confirm = Callable[[str, Mapping[str, Any]], bool]
"""Given a tool and its input, asks the person."""


@dataclass(frozen=True)
class TalkBill:
    """What an answer took, and the talk so far."""

    tokens: int
    cost: int | None
    """Millionths of a US dollar; None where nobody knows what the model costs."""
    all_tokens: int
    all_cost: int | None
    cap_usd: float | None

    def line(self) -> str:
        """The last answer and the talk in one line."""
        return f"{tokens(self.tokens)} tokens, {money(self.cost)}; in all {self.total_line()}"

    def total_line(self) -> str:
        """The talk in one line."""
        cap = f" of {dollars(self.cap_usd)}" if self.cap_usd is not None else ""
        return f"{tokens(self.all_tokens)} tokens, {money(self.all_cost)}{cap}"


class ChatView(Protocol):
    """Whoever shows a talk. Called on one thread alone."""

    shows_raw: bool

    def hear(self, event: Event) -> None:
        """Show an event."""

    def note(self, line: str) -> None:
        """Say something that is no part of the talk."""

    def ended(self, bill: TalkBill) -> None:
        """An answer is over, well or not."""


@dataclass(frozen=True)
class Question:
    """A use of a tool that waits for the person."""

    tool: str
    given: Mapping[str, Any]
    answer: Future[bool]
