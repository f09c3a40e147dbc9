"""What stands above a part or a chapter, in the book's language."""

import re

from bookwright.manuscripts.headings import Rank, heading_in
from bookwright.manuscripts.numbers import han_numeral
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


_EASTERN_WORDING = re.compile(
    r"(?P<before>[第제]\s*|)(?P<number>[0-9０-９]+|[一二三四五六七八九十百千零]+)(?P<word>[章回節节話话集장화회])"
)
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


class ChapterNumbers:
    """Counts a book's chapters; an author's own numbered headings say where the count stands and how it is written."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._last = 0
        self._own = ""

    def heading(self, title: str, *, is_own: bool) -> str:
        """Return the heading of the next chapter; one that the author brought along is taken as it is."""
        own = heading_in(title) if is_own else None
        if own is None or own.is_weak:
            self._last += 1
            numbered = _written_like(self._own, self._last) or _CHAPTER[self._language].format(self._last)
            return _heading(self._language, numbered, title)
        if own.rank is Rank.CHAPTER and own.number is not None:
            self._last, self._own = own.number, title
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


def _written_like(heading: str, number: int) -> str:
    """Return a number in the wording of another heading: `第三十一章` after `第三十章`, `第6話` after `第5話`.

    Empty where the other is not worded in an eastern way.
    """
    wording = _EASTERN_WORDING.match(heading.strip())
    if wording is None:
        return ""
    own = wording["number"]
    if not own.isdecimal():
        told = han_numeral(number)
    else:
        told = f"{number:0{len(own)}d}" if own[0] in "0０" else str(number)
        told = told if own.isascii() else told.translate(_WIDE)
    return f"{wording['before']}{told}{wording['word']}"
