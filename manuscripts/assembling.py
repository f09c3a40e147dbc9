"""From the headings of a manuscript to its parts and chapters, with every paragraph in its place or accounted for."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from bookwright.manuscripts.blocks import Block
from bookwright.manuscripts.found import FoundBook, FoundChapter, FoundPart, HeadingMark
from bookwright.manuscripts.title_page import title_and_author

_FRONT_SHARE = 0.35
"""Of a usual chapter: what stands before the first heading and is longer is a chapter itself."""
_SENTENCE = re.compile(r"[.!?。！？…][\"”’」』）)]?$")
_END = re.compile(
    r"[\s\W]*(?:the end|end|fin|finis|全文完|全书完|全書完|完结|完結|完|了|終わり|おわり|終|끝)[\s\W]*", re.IGNORECASE
)
"""What stands below a last page and is none of its text."""
_LEAST_SENTENCES = 3
_SHOWN = 40

Paragraphs = tuple[str, ...]


def assembled(blocks: Sequence[Block], marks: Sequence[HeadingMark]) -> FoundBook:
    """Put what stands between headings below them."""
    building = _Building()
    ends = [*(mark.index for mark in marks[1:]), len(blocks)]
    for mark, end in zip(marks, ends, strict=True):
        body = blocks[mark.index + mark.blocks : end]
        building.take(mark, tuple(block.text for block in body if block.text != mark.heading), len(body))
    building.end()
    building.begin_with(tuple(block.text for block in blocks[: marks[0].index]))
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
            self._leave_out(mark.heading, body)
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

    def begin_with(self, front: Paragraphs) -> None:
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
            self._leave_out("what stands before the first heading", front)

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

    def _leave_out(self, what: str, body: Paragraphs) -> None:
        if body:
            size = f"{len(body):,} line{'s' * (len(body) != 1)}, {sum(map(len, body)):,} characters"
            self.notes.append(f"left out: {what[:_SHOWN]} ({size}: {body[0][:_SHOWN]!r} ...)")
