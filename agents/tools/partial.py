"""What an answer lacks, gathered while it is made: the difference between success and partial."""

from collections.abc import Mapping
from typing import Any

from bookwright.agents.tools.files.folder_walk import WalkBounds
from bookwright.agents.tools.tool import partial, success
from bookwright.models.talk.tool import ToolResponse


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class PartialReasons:
    """Reasons why an answer is only partial, each with what to do about it."""

    def __init__(self) -> None:
        self._lacking: list[str] = []
        self._advice: list[str] = []
        self._data: dict[str, Any] = {"truncated": False}

    def add(self, lacking: str, advice: str, **data: Any) -> None:
        """Add one reason, as sentences, and what it says in the answer's data."""
        self._lacking.append(lacking)
        self._advice.append(advice)
        self._data |= data

    def of(self, bounds: WalkBounds) -> "PartialReasons":
        """Add what a walk's bounds left out."""
        if bounds.broken:
            self.add(f"Not all was looked at: {bounds.broken}.", "Name a smaller folder in path.", truncated=True)
        if bounds.unread:
            lacking = f"Left out as unreadable or too large: {', '.join(bounds.unread[:3])}."
            self.add(lacking, "Go on without them.", failed_items=bounds.unread)
        return self

    def answer(self, data: Mapping[str, Any], done: str, stats: Mapping[str, Any], **context: Any) -> ToolResponse:
        """Success if nothing is lacking, else partial."""
        data = {**data, **self._data}
        if not self._lacking:
            return success(data, done, stats=stats, **context)
        return partial(data, done, " ".join(self._lacking), " ".join(self._advice), stats=stats, **context)
