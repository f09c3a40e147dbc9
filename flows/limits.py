"""Where a walk is to rest: after a certain unit, or after enough words for today."""

from dataclasses import dataclass

from bookwright.models.errors import BookPaused, InvalidSetting
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import chapter_number
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

DAY = 24 * 3600
"""Seconds."""


@dataclass(frozen=True)
class Limits:
    """What a person set for this run; None means no limit."""

    until_level: Level | None = None
    until_count: int = 0
    words_today: int | None = None
    """Words, or characters for zh, ja and ko, written in the last 24 hours."""

    @classmethod
    def parse(cls, until: str | None, words_today: int | None) -> "Limits":
        """Read `--until chapter:3`; `3` and `chapter 3` say the same.

        Raises:
            InvalidSetting: It is not a level, a colon and a number from 1.
        """
        if words_today is not None and words_today < 1:
            raise InvalidSetting(f"--words-today is {words_today}; it must be at least 1")
        if until is None:
            return cls(words_today=words_today)
        number = chapter_number(until)
        level, _, count = until.partition(":") if number is None else (Level.CHAPTER.value, "", str(number))
        if level not in list(Level) or not count.isdigit() or int(count) < 1:
            levels = ", ".join(Level)
            raise InvalidSetting(f"--until is {until!r}; write a level and a number, such as chapter:3 ({levels})")
        return cls(Level(level), int(count), words_today)

    def check(self, unit: TaskNode, stores: Stores) -> None:
        """Rest if a limit is reached: by the unit that was just closed, or before the root is walked.

        Raises:
            BookPaused: One is.
        """
        advice = f"`bookwright resume {unit.book}` goes on"
        asks = self.until_level is not None and (unit.level is self.until_level or unit.parent is None)
        if asks and self.until_level and stores.nodes.closed_units(self.until_level) >= self.until_count:
            raise BookPaused(f"reached {self.until_level}:{self.until_count}", advice)
        if self.words_today is not None:
            written = stores.documents.written_within(DAY)
            if written >= self.words_today:
                raise BookPaused(f"{written} written in the last 24 hours", advice)
