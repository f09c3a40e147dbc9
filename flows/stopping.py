"""Where a walk stops: at a limit that a person set for this run, or at SIGTERM and Ctrl-C.

Source: DESIGN section 5, rules 6 and 12.
"""

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from bookwright.models.errors import BookPaused, InvalidSetting, NodeNotFound
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import chapter_number
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import Stores

_LABEL = re.compile(r"1(?:\.[1-9][0-9]{0,8})+", re.ASCII)
_LEVELLED = re.compile(r"([a-z]+)[ :]+([0-9-]*)")

DAY = 24 * 3600
"""Seconds."""


@dataclass(frozen=True)
class Limits:
    """What a person set for this run; None means no limit."""

    until_level: Level | None = None
    until_count: int = 0
    until_label: str = ""
    """Of one unit, which is named in the place of so many of a level."""
    words_today: int | None = None
    """Words, or characters for zh, ja and ko, written in the last 24 hours."""

    @classmethod
    def parse(cls, until: str | None, words_today: int | None) -> "Limits":
        """Read `--until`: `3`, `chapter 3` or `chapter:3`, so many units of another level, or a unit's label.

        Raises:
            InvalidSetting: It is none of these.
        """
        if words_today is not None and words_today < 1:
            raise InvalidSetting(f"--words-today is {words_today}; it must be at least 1")
        if until is None:
            return cls(words_today=words_today)
        if _LABEL.fullmatch(until):
            return cls(until_label=until, words_today=words_today)
        number = chapter_number(until)
        level, count = _counted(until) if number is None else (Level.CHAPTER.value, str(number))
        if level not in list(Level) or not count.isdecimal() or int(count) < 1:
            raise InvalidSetting(
                f"--until is {until!r}; name a chapter (chapter 9, or 9), a label (1.16), a title of a book that is "
                f"begun, or so many units of a level, such as scene:12 ({', '.join(Level)})"
            )
        return cls(Level(level), int(count), words_today=words_today)

    def check(self, unit: TaskNode, stores: Stores, way_on: str) -> None:
        """Raise `BookPaused` if a limit is reached: by the unit that was just closed, or before the root is walked.

        `way_on` names, within a message, what goes on with the book.
        """
        advice = f"{way_on} goes on"
        if self.until_level is Level.CHAPTER:
            self._check_chapter(unit, stores, advice)
        asks = self.until_level is not None and (unit.level is self.until_level or unit.parent is None)
        if asks and self.until_level and stores.nodes.closed_units(self.until_level) >= self.until_count:
            raise BookPaused(f"reached {self.until_level} {self.until_count}", advice)
        if self.until_label and (unit.parent is None or unit.label == self.until_label):
            self._check_unit(stores, advice)
        if self.words_today is not None:
            written = stores.documents.written_within(DAY)
            if written >= self.words_today:
                raise BookPaused(f"{written} written in the last 24 hours", advice)

    def _check_chapter(self, unit: TaskNode, stores: Stores, advice: str) -> None:
        """Rest after a chapter, or what stands in a chapter's place: a short book has scenes that are called so."""
        chapters = stores.codex.reading_order().chapters
        label = chapters[self.until_count - 1] if self.until_count <= len(chapters) else ""
        is_asked = label != "1" and (unit.parent is None or unit.label == label)
        if label and is_asked and stores.nodes.by_label(label).status is NodeStatus.DONE:
            raise BookPaused(f"reached chapter {self.until_count}", advice)

    def _check_unit(self, stores: Stores, advice: str) -> None:
        try:
            unit = stores.nodes.by_label(self.until_label)
        except NodeNotFound:
            return  # it is still to come
        if unit.status is NodeStatus.DONE:
            raise BookPaused(f"reached {stores.codex.reading_order().name_with(unit.label, unit.title)}", advice)


def may_be_title(until: str) -> bool:
    """True for words that say by themselves no place and no number of units, as a unit's title does."""
    if _LABEL.fullmatch(until) or _LEVELLED.fullmatch(until) or chapter_number(until) is not None:
        return False
    return bool(until.strip()) and not until.strip("+- ").isdecimal()


def _counted(until: str) -> tuple[str, str]:
    """The level and the number in `scene:12` or `scene 12`; empty where it is neither."""
    found = _LEVELLED.fullmatch(until)
    return (found[1], found[2]) if found else ("", "")


class Stop:
    """The first signal lets the call in flight end, up to a deadline; the second ends it at once."""

    def __init__(self, seconds: float, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._deadline = threading.Timer(seconds, cancel)
        self._deadline.daemon = True
        self._signals = 0
        self._journal: Journal | None = None

    def tell(self, journal: Journal) -> None:
        """Let a journal hear of it, also of what came before there was one."""
        self._journal = journal
        if self._signals:
            journal.stop_requested = True

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take one signal."""
        self._signals += 1
        if self._journal is not None:
            self._journal.stop_requested = True
        if self._signals == 1:
            self._deadline.start()
        else:
            self._cancel()

    def end(self) -> None:
        """Forget the deadline."""
        self._deadline.cancel()


@contextmanager
def stopping(seconds: float, cancel: Callable[[], None]) -> Iterator[Stop]:
    """Take the signals over while a lease is held; `cancel` ends the call in flight `seconds` after the first one."""
    stop = Stop(seconds, cancel)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.end()


def end_unheeding() -> None:
    """Leave SIGTERM unheeded for as long as this process lasts, but for the walks in it, which take it over.

    For the process of one flow run: Prefect would make a crash of a signal that comes after the walk has ended.
    """
    if threading.current_thread() is threading.main_thread():
        # Unlike SIG_IGN this is not handed on to the programs that are started from here.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
