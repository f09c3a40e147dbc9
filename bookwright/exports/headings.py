"""What stands above a part or a chapter, in the book's language."""

import re

from bookwright.manuscripts.headings import Rank, heading_in
from bookwright.models.language import Language
from bookwright.models.level import Level

_CHAPTER = {Language.EN: "Chapter {}", Language.ZH: "第{}章", Language.JA: "第{}章", Language.KO: "제{}장"}
_VOLUME = {Language.EN: "Volume {}", Language.ZH: "第{}卷", Language.JA: "第{}巻", Language.KO: "제{}권"}
_ACT = {Language.EN: "Part {}", Language.ZH: "第{}部", Language.JA: "第{}部", Language.KO: "제{}부"}
_TO_TEXT = {Language.EN: "To the text", Language.ZH: "跳到正文", Language.JA: "本文へ", Language.KO: "본문으로"}
_CONTENTS = {Language.EN: "Contents", Language.ZH: "目录", Language.JA: "目次", Language.KO: "차례"}

_NUMBERED = re.compile(
    r"^(?:(?:chapter|part|volume|book|act)\s+(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|第\s*[0-9０-９一二三四五六七八九十百千零〇两]+\s*[章卷部幕回节節話话巻]"
    r"|제\s*\d+\s*[장권부막화])",
    re.IGNORECASE,
)


class ChapterNumbers:
    """Counts a book's chapters; where an author's own headings are numbered, they say where the count stands."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._last = 0

    def heading(self, title: str, *, is_own: bool) -> str:
        """Return the heading of the next chapter; one that the author brought along is taken as it is."""
        own = heading_in(title) if is_own else None
        if own is None or own.is_weak:
            self._last += 1
            return chapter_heading(self._language, self._last, title)
        if own.rank is Rank.CHAPTER and own.number is not None:
            self._last = own.number
        return title


def chapter_heading(language: Language, number: int, title: str) -> str:
    """Return a chapter's heading, such as `"Chapter 3: The Lamp"` or `"第3章 灯"`.

    A title that brings its own number is taken as it is.
    """
    return _heading(language, _CHAPTER[language].format(number), title)


def part_heading(language: Language, level: Level, number: int, title: str) -> str:
    """Return the heading of a volume or act; `number` counts among its siblings from 1."""
    own = heading_in(title)
    if own is not None and own.rank is Rank.PART:
        return title
    pattern = (_VOLUME if level is Level.VOLUME else _ACT)[language]
    return _heading(language, pattern.format(number), title)


def contents_heading(language: Language) -> str:
    """Return the title of the table of contents."""
    return _CONTENTS[language]


def skip_link(language: Language) -> str:
    """Return the link that leads past the contents, for those who go through a page by keys or by ear."""
    return _TO_TEXT[language]


def _heading(language: Language, numbered: str, title: str) -> str:
    title = " ".join(title.split())
    if not title:
        return numbered
    if _NUMBERED.match(title):
        return title
    return f"{numbered}{': ' if language is Language.EN else ' '}{title}"
