"""The heading of a part or chapter, in the book's language and its author's habit."""

import re
from enum import StrEnum

from bookwright.manuscripts.headings.lines import Heading, Rank, heading_in
from bookwright.manuscripts.headings.wording import Habit
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level

_CHAPTER = {Language.EN: "Chapter {}", Language.ZH: "第{}章", Language.JA: "第{}章", Language.KO: "제{}장"}
_VOLUME = {Language.EN: "Volume {}", Language.ZH: "第{}卷", Language.JA: "第{}巻", Language.KO: "제{}권"}
_ACT = {Language.EN: "Part {}", Language.ZH: "第{}部", Language.JA: "第{}部", Language.KO: "제{}부"}
CONTENTS = {Language.EN: "Contents", Language.ZH: "目录", Language.JA: "目次", Language.KO: "차례"}
"""The title of the table of contents."""
SKIP_LINK = {Language.EN: "To the text", Language.ZH: "跳到正文", Language.JA: "本文へ", Language.KO: "본문으로"}
"""What leads past the contents, for those who go through a page by keys or by ear."""

_NUMBERED = re.compile(
    r"^(?:(?:chapter|part|volume|book|act)\s+(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|第\s*[0-9０-９一二三四五六七八九十百千零〇两]+\s*[章卷部幕回节節話话巻]"
    r"|제\s*\d+\s*[장권부막화])",
    re.IGNORECASE,
)
"""A title that brings its number and is too long, or too odd, for a heading that anybody would recognise."""


class Preceding(StrEnum):
    """What stands before a chapter."""

    NOTHING = "nothing"
    PART = "part"
    CHAPTER = "chapter"


class Numbering:
    """Counts a book's parts and chapters. Those behind the author's own are headed as the author heads them."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._chapters = Habit(language)
        self._parts = Habit(language)
        self._part: int | None = None
        """The number of the part that chapters stand in now; None for one of the author's."""
        self.before = Preceding.NOTHING
        """What the last heading was asked for."""

    def part(self, level: Level, number: int, title: str, *, is_own: bool) -> str:
        """Return the heading of a volume or act; `number` counts among its siblings from 1."""
        self.before = Preceding.PART
        self._chapters.begin_part()
        if is_own:
            self._parts.learn(title)
            self._part = None
            return title
        heading = self._parts.go_on(_in_a_line(title))
        self._part = self._parts.last if heading else None
        pattern = _VOLUME if level is Level.VOLUME else _ACT
        return heading or _heading(self._language, pattern[self._language].format(number), title)

    def chapter(self, title: str, *, is_own: bool) -> str:
        """Return the heading of the next chapter: the author's own as it is; empty where the author sets none."""
        self.before = Preceding.CHAPTER
        if is_own:
            self._chapters.learn(title)
            return title
        read = heading_in(title)
        if read is not None and read.rank is Rank.SPECIAL and not read.title:
            return title  # a prologue has no number and counts for none
        heading = self._chapters.go_on(_in_a_line(title), self._part)
        return self._by_itself(title, read) if heading is None else heading

    def _by_itself(self, title: str, read: Heading | None) -> str:
        """Number a chapter of a book that is all ours; a title that brings its number says where the count stands."""
        if read is not None and not read.is_weak and read.rank is Rank.CHAPTER and read.number is not None:
            self._chapters.last = read.number
        return _heading(self._language, _CHAPTER[self._language].format(self._chapters.last), title)


def _heading(language: Language, numbered: str, title: str) -> str:
    title = _in_a_line(title)
    if not title:
        return numbered
    read = heading_in(title)
    brings_number = read is not None and not read.is_weak and read.rank in (Rank.CHAPTER, Rank.PART)
    if brings_number or _NUMBERED.match(title):
        return title
    return f"{numbered}{': ' if language is Language.EN else ' '}{title}"


def _in_a_line(title: str) -> str:
    return " ".join(title.split())
