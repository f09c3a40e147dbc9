"""Who decides whether an agent may change something: the person, if one is there."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from bookwright.agents.runtime.sinks import EDITING_TOOLS, Allowed, Denied, Permission

Confirm = Callable[[str, Mapping[str, Any]], bool]
"""Given a tool and its input, asks the person."""


@dataclass(frozen=True)
class Question:
    """A use of a tool that waits for the person."""

    tool: str
    given: Mapping[str, Any]
    answer: "Future[bool]"


@dataclass(frozen=True)
class Permitting:
    """The permission function of a talk. It asks on the thread that has the terminal, not on the agent's."""

    confirm: Confirm | None
    """None where nobody can be asked."""
    hand_over: Callable[[Question], None]
    """Brings a question to that thread, which calls `decide`."""

    def __call__(self, tool: str, given: Mapping[str, Any]) -> Permission:
        """Decide on a use, waiting for the person where it would change something."""
        if tool not in EDITING_TOOLS:
            return Allowed(given)
        if self.confirm is None:
            return Denied("nobody is there to permit it; the option --yes does")
        question = Question(tool, given, Future())
        self.hand_over(question)
        return Allowed(given) if question.answer.result() else Denied("the person refuses")

    def decide(self, question: Question, *, is_cancelled: bool) -> None:
        """Ask the person; nothing is asked any more once the answer was broken off."""
        is_allowed = False
        try:
            is_allowed = not is_cancelled and self.confirm is not None and self.confirm(question.tool, question.given)
        finally:  # whatever comes between: the agent's thread waits
            question.answer.set_result(is_allowed)
