"""Recognising where the chapters of a manuscript begin, in four languages and without a model.

What a format marks as headings is believed; where it marks none, lines are headings by their wording and by their
numbers, which have to go on as those of a book do. So a table of contents, a heading told twice and a line of prose
that begins with "Chapter 3" are none. Every paragraph comes to its place or is accounted for; what stands before the
first heading is read as a title page.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from bookwright.manuscripts.cutting import bearable, bounded, cut_up
from bookwright.manuscripts.headings.lines import heading_in
from bookwright.manuscripts.headings.marked import marked_headings
from bookwright.manuscripts.headings.unmarked import MOST_ABOVE, unmarked_headings
from bookwright.manuscripts.manuscript import Block, FoundBook, FoundChapter, FoundPart, HeadingMark, ManuscriptSource
from bookwright.models.errors import InvalidInput
from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.times import TimeReading
from bookwright.models.text.emphasis import without_emphasis
from bookwright.models.text.language import Language
from bookwright.models.wording import counted

_FAR_MORE = 3
"""Headings by their wording go before the marked ones where there are so many times as many."""
_LONGEST_HEADING = 200


def recognise(source: ManuscriptSource, language: Language, pattern: str = "") -> FoundBook:
    """Cut a manuscript into its chapters.

    `pattern` is the author's own word for what a heading is: a regular expression that matches it from its beginning;
    a group named `title`, or the first group, is the chapter's title.

    Raises:
        InvalidInput: It is no regular expression, or no line matches it.
    """
    blocks = bearable(_without_title(source))
    plain = [_unstressed(block) for block in blocks]
    marks = _by_pattern(plain, pattern) if pattern else _by_itself(plain)
    found = _assembled(blocks, marks, source.title) if marks else _without_headings(blocks, language)
    if not found.chapters:
        raise InvalidInput("nothing of a story stands below its headings")
    return bounded(found, language)


def _without_title(source: ManuscriptSource) -> Sequence[Block]:
    """Leave out a title page's heading: it says what the file says of itself."""
    first = source.blocks[0]
    return source.blocks[1:] if first.level and first.text.casefold() == source.title.casefold() else source.blocks


def _unstressed(block: Block) -> Block:
    """What could be a heading without its emphasis, which exports would show as asterisks; else the block itself."""
    is_heading = "*" in block.text and (block.level or heading_in(block.text))
    return block._replace(text=without_emphasis(block.text)) if is_heading else block


def _without_headings(blocks: Sequence[Block], language: Language) -> FoundBook:
    """Cut up a text, without the title and the author's name above it and what stands below its last page."""
    end = len(blocks) - 1 if len(blocks) > 1 and _END.fullmatch(blocks[-1].text) else len(blocks)
    for size in range(2, min(MOST_ABOVE, end - 1) + 1):
        front = tuple(block.text for block in blocks[:size])
        title, author = title_and_author(front)
        if title and author:
            found, note = cut_up(blocks[size:end], language), _left_out("what stands above the text", front)
            return replace(found, title=title, author=author, notes=(note, *found.notes))
    return cut_up(blocks[:end], language)


def _by_itself(blocks: Sequence[Block]) -> list[HeadingMark]:
    marked = marked_headings(blocks)
    if len(marked) * _FAR_MORE >= len(blocks):
        return marked
    spoken = unmarked_headings(blocks)
    return spoken if len(spoken) > (_FAR_MORE if len(marked) > 1 else 1) * len(marked) else marked


def _by_pattern(blocks: Sequence[Block], pattern: str) -> list[HeadingMark]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InvalidInput(f"--chapter-pattern is no regular expression: {error}") from None
    marks = [
        HeadingMark(index, _title(found), block.text.strip())
        for index, block in enumerate(blocks)
        if len(block.text) <= _LONGEST_HEADING and (found := compiled.match(block.text.strip()))
    ]
    if not marks:
        raise InvalidInput(f"no line of it matches --chapter-pattern {pattern!r}")
    return marks


def _title(found: re.Match[str]) -> str:
    named = found.groupdict().get("title")
    return (named or (found.group(1) if found.re.groups else "") or found.string).strip()


_FRONT_SHARE = 0.35
"""Of a usual chapter: what stands before the first heading and is longer is a chapter itself."""
_SENTENCE = re.compile(r"[.!?。！？…][\"”’」』）)]?$")
_END = re.compile(
    r"[\s\W]*(?:the end|end|fin|finis|全文完|全书完|全書完|完结|完結|完|了|終わり|おわり|終|끝)[\s\W]*", re.IGNORECASE
)
_LEAST_SENTENCES = 3
_SHOWN = 40

Paragraphs = tuple[str, ...]


def _assembled(blocks: Sequence[Block], marks: Sequence[HeadingMark], title: str) -> FoundBook:
    """Put what stands between headings below them, in a book that may be known to have a title."""
    building = _Building()
    ends = [*(mark.index for mark in marks[1:]), len(blocks)]
    for mark, end in zip(marks, ends, strict=True):
        body = blocks[mark.index + mark.blocks : end]
        own = mark.heading, blocks[mark.index].text
        building.take(mark, tuple(block.text for block in body if block.text not in own), len(body))
    building.end()
    building.begin_with(tuple(block.text for block in blocks[: marks[0].index]), title)
    return FoundBook(tuple(building.chapters), tuple(building.parts), tuple(building.notes), *building.title_page)


class _Building:
    def __init__(self) -> None:
        self.chapters: list[FoundChapter] = []
        self.parts: list[FoundPart] = []
        self.notes: list[str] = []
        self.title_page = "", ""
        """The book's title and author, as far as they stand before its first heading."""
        self._part: int | None = None
        self._opening: Paragraphs = ()
        """What stands between a part's heading and its first chapter."""

    def take(self, mark: HeadingMark, body: Paragraphs, count: int) -> None:
        """Place one section; `count` is of its blocks, before the heading's repetitions were left out."""
        if mark.is_matter:
            self.notes += [_left_out(mark.heading, body)] if body else []
        elif mark.is_part:
            self._begin_part(mark, body)
        else:
            self._add(mark, body)
        if count > len(body) and not mark.is_matter:
            self.notes.append(f"{mark.heading[:_SHOWN]!r} is repeated in its text, {count - len(body)} times; left out")

    def end(self) -> None:
        """Nothing more comes."""
        self._settle_opening()
        if self.chapters and _END.fullmatch(self.chapters[-1].paragraphs[-1]) and len(self.chapters[-1].paragraphs) > 1:
            self.chapters[-1] = replace(self.chapters[-1], paragraphs=self.chapters[-1].paragraphs[:-1])

    def begin_with(self, front: Paragraphs, title: str) -> None:
        """Say what becomes of what stands before the first heading."""
        if not front:
            return
        usual = median(chapter.size for chapter in self.chapters) if self.chapters else 0
        is_prose = sum(bool(_SENTENCE.search(line)) for line in front) >= _LEAST_SENTENCES
        if is_prose and sum(map(len, front)) >= _FRONT_SHARE * usual:
            self.chapters.insert(0, FoundChapter("", "", front))
            self.notes.append("what stands before the first heading is long enough for a chapter and became the first")
        else:
            self.title_page = title_and_author(front)
            is_page = any(self.title_page) or front[0] == title or any(map(_PAGE.search, front))
            if self.chapters and not is_page and _SENTENCE.search(front[0]):
                self.chapters[0] = replace(self.chapters[0], paragraphs=(*front, *self.chapters[0].paragraphs))
                self.notes.append("what stands before the first heading became the beginning of the first chapter")
            else:
                self.notes.append(_left_out("what stands before the first heading", front))

    def _begin_part(self, mark: HeadingMark, body: Paragraphs) -> None:
        self._settle_opening()
        if not self.parts or (self.parts[-1].heading, self.parts[-1].title) != (mark.heading, mark.title):
            self.parts.append(FoundPart(mark.heading, mark.title))
        self._part, self._opening = len(self.parts) - 1, body

    def _add(self, mark: HeadingMark, body: Paragraphs) -> None:
        if mark.leaves_part:
            self._settle_opening()
            self._part = None
        if not body and not self._opening:
            self.notes.append(f"{mark.heading[:_SHOWN]!r} has no text below it and is left out")
            return
        self.chapters.append(FoundChapter(mark.heading, mark.title, (*self._opening, *body), self._part))
        self._opening = ()

    def _settle_opening(self) -> None:
        """A part that had a text and no chapter has one without a heading of its own."""
        if self._opening and self._part is not None:
            self.chapters.append(FoundChapter("", "", self._opening, self._part))
        self._opening = ()


def _left_out(what: str, body: Paragraphs) -> str:
    size = f"{counted(len(body), 'line')}, {sum(map(len, body)):,} characters"
    return f"left out: {what[:_SHOWN]} ({size}: {body[0][:_SHOWN]!r} ...)"


_MOST_LINES = 12
_MOST_TITLE = 60
_AUTHOR = re.compile(
    r"^(?:(?P<by>by\s+)|(?:author|作者|著者|作|著|지은이|글쓴이|저자)\s*[:：]\s*|[著作]\s+)(?P<name>\S.{0,60}?)(?:\s*著)?$",
    re.IGNORECASE | re.MULTILINE,
)
"""A word for an author, with the name behind it or in the next line."""
_PARTICLES = frozenset("and bin da de del della den der di dos du ibn la le of ten ter van von y zu".split())
_SHORT = re.compile(r"(?:\w\.)+|(?:Jr|Sr|Esq|Ph\.?D|MD)\.")
"""The last word of a name with a full stop."""
_NOTICE = re.compile(
    r"https?:|www\.|\.(?:com|net|org)\b|copyright|©|all rights|版权|版權|著作権|저작권|下载|下載", re.IGNORECASE
)
_PAGE = re.compile(
    rf"{_NOTICE.pattern}|^(?:produced|translated|edited|illustrated)\s+by\b|^(?:for|to)\s+my\b|\bedition\b|"
    r"^an?\s+(?:\w+\s+)?(?:novel|novella|story|tale|romance)\.?$|献给|獻給|捧げる|바칩니다",
    re.IGNORECASE,
)
"""What stands on a title page and in no story's first line."""
_NO_TITLE = re.compile(
    rf"{_NOTICE.pattern}|"
    r"^(?:a\s+(?:novel|story)|(?:(?:长篇|長篇|長編)?小[说説說])|(?:장편\s*)?소설)$|"
    r"\d[\d,.]*\s*(?:words|characters|字|자)\b|[.。,，、;；:：…]$",
    re.IGNORECASE,
)
"""Addresses, notices, figures, sentences, and what says only of which kind a book is."""
_MARKS = re.compile(r"^[\s《〈「『【\[#*=“\"]+|[\s》〉」』】\]#*=”\"]+$")


def title_and_author(lines: Sequence[str]) -> tuple[str, str]:
    """Return what a title page says, each empty where it does not: the first line is the title unless it names none.

    A page of many lines, or whose first line is a sentence, an address or a notice, is no title page.
    """
    if not lines or len(lines) > _MOST_LINES:
        return "", ""
    author, title = _author_in("\n".join(line.strip() for line in lines)), _MARKS.sub("", lines[0])
    if not title or len(title) > _MOST_TITLE or _NO_TITLE.search(title) or _author_in(title):
        return "", author
    return title, author


def _author_in(text: str) -> str:
    named = _AUTHOR.finditer(text)
    return next((one["name"] for one in named if _is_name(one["name"].split(), is_by=bool(one["by"]))), "")


def _is_name(words: Sequence[str], *, is_by: bool) -> bool:
    """True if what stands behind a word for an author names somebody: it is no sentence and, behind "by", no time."""
    last = words[-1]
    if _SENTENCE.search(last) and not _SHORT.fullmatch(last):
        return False
    is_lower = last in _PARTICLES or any(word.islower() and word not in _PARTICLES for word in words)
    return not is_by or (not is_lower and any(read_time(word) == TimeReading() for word in words))
