"""What the steps of one activity make for each other, and what each comes to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bookwright.models.step import Reply
from bookwright.storage.steps.journal import Move


@dataclass(frozen=True)
class Artefact:
    """What an earlier step of the activity made, or a document put before the activity."""

    tag: str
    text: str
    is_prose: bool = False
    """Prose of the unit, or the author's own words: shown as it is."""

    @property
    def block(self) -> str:
        """The artefact as it stands in a prompt."""
        return f"<{self.tag}>\n{self.text}\n</{self.tag}>"


@dataclass(frozen=True)
class Outcome:
    """What a step came to."""

    value: Any
    """Of the agent's output type; text where it has none."""
    step: int
    """The step's id in the journal."""
    reply: Reply


Conclude = Callable[[Any], Move | None]
"""Given a step's value, what it does to the book; None if only the next step can tell."""
