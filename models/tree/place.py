"""Places in a manuscript: labels, chapters' numbers, shares of the length, and what comes first. Source: S3-085."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

from pydantic import Field, model_serializer, model_validator

from bookwright.models.frozen import FrozenModel
from bookwright.models.story_time.clock import StoryClock
from bookwright.models.story_time.times import StoryTime
from bookwright.models.text.language import Language, lazy_pattern
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode

_LABEL = lazy_pattern(r"1(?:\.[1-9][0-9]{0,8})+", re.ASCII)
_NODE = lazy_pattern(r"1(?:\.[1-9][0-9]{0,8})*", re.ASCII)
_BOOK = "1"
_NUMBER = lazy_pattern(r"[1-9][0-9]{0,5}", re.ASCII)
_CHAPTER = lazy_pattern(
    r"(?:chapter|ch\.?)[ :]*([1-9][0-9]{0,5})|第 ?([1-9][0-9]{0,5}) ?章|제 ?([1-9][0-9]{0,5}) ?장",
    re.IGNORECASE | re.ASCII,
)
_SHARE = lazy_pattern(r"([0-9]{1,3}) ?%", re.ASCII)
_WHOLE = 100
_NEAR = 0.005
"""Percent by which a share may miss the end of a chapter and still lie in it."""


class Place(FrozenModel):
    """Where in a book: `"1.2.3"` is a node's label, `7` or `"7"` the seventh chapter, `"95%"` a share of its length.

    In files and JSON it is that number or that text, nothing more. A share lies in whatever chapter comes there in
    the book as it stands, so it needs no new place when a division makes other chapters than were thought.
    """

    label: str | None = None
    chapter: int | None = Field(default=None, ge=1)
    share: int | None = Field(default=None, ge=0, le=_WHOLE)
    """Percent of the book's length."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1:
            value = f"{value['share']}%" if "share" in value else value.get("label") or value.get("chapter")
        text = str(value).strip() if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        if _LABEL.fullmatch(text):
            return {"label": text}
        if (number := chapter_number(text)) is not None:
            return {"chapter": number}
        if (share := _SHARE.fullmatch(text)) and int(share.group(1)) <= _WHOLE:
            return {"share": int(share.group(1))}
        raise ValueError("is no place; give a chapter such as chapter 7 or 7, a node's label such as 1.2.3, or 95%")

    @model_serializer
    def _write(self) -> int | str:
        return f"{self.share}%" if self.share is not None else self.label or self.chapter or 1

    def __str__(self) -> str:
        """Return it in words: `"chapter 7"`, `"1.2.3"`, `"95%"`."""
        return f"{self.share}%" if self.share is not None else self.label or f"chapter {self.chapter}"


def chapter_number(text: str) -> int | None:
    """Return the number of a chapter that is named by it: `"9"`, `"chapter 9"`, `"第9章"`; None for anything else."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    named = _CHAPTER.fullmatch(text)
    return int(named.group(named.lastindex or 0)) if named else None


@lru_cache(maxsize=2**15)
def order_of(label: str) -> tuple[int, ...]:
    """Return a label's sort key for reading order: `"1.10"` comes after `"1.2"`, and a unit after the one above it."""
    return tuple(map(int, label.split(".")))


class ChapterPart(FrozenModel):
    """A unit below a chapter, with what is to happen in it."""

    label: str
    told: str = ""


class ReadingOrder(FrozenModel):
    """The chapters of a book as far as they are known, which let places of all kinds be compared."""

    chapters: tuple[str, ...] = ()
    """Their labels in reading order; for a book without chapters those of its highest units."""
    ends: tuple[float, ...] = ()
    """At how many percent of the book's length each of them ends; empty takes them as equally long."""
    reached: tuple[float, ...] = ()
    """The highest of `ends` up to each of them; empty where that is to be worked out."""
    usual: float = 0.0
    """How many percent a chapter is likely to have that is still to be made; 0 once all are there."""
    coarse: tuple[str, ...] = ()
    """Labels of the units that hold whole chapters, or will."""
    parts: tuple[ChapterPart, ...] = ()
    """The units below chapters in which something is due, in reading order."""
    times: tuple[tuple[str, StoryTime], ...] = ()
    """Labels of the units that have a time in the story, with it, in reading order."""

    @cached_property
    def clock(self) -> StoryClock:
        """The story's clock, beside the order of the pages."""
        return StoryClock(self.times, self.chapters)

    def label_at(self, place: Place) -> str:
        """Return the label of a place: of its chapter where it names no unit; empty for a chapter to come."""
        number = self.number(place)
        return place.label or (self.chapters[number - 1] if number <= len(self.chapters) else "")

    def chapter_of(self, label: str) -> int:
        """Return the number of the chapter that a unit lies in, or of the one that it begins with."""
        if label not in self._numbers:
            here = order_of(label)
            before = bisect_right(self.chapters, here, key=order_of)
            last = order_of(self.chapters[before - 1]) if before else (0,)  # may be the one that it lies in
            self._numbers[label] = before if here[: len(last)] == last else before + 1
        return self._numbers[label]

    def number_of(self, label: str) -> int | None:
        """Return the number of the chapter with a label; None for what is no chapter."""
        before = bisect_left(self.chapters, order_of(label), key=order_of)
        return before + 1 if label in self.chapters[before : before + 1] else None

    def takes_over(self, earlier: "ReadingOrder") -> None:
        """Take over what an earlier order of the same chapters and times has worked out of them."""
        if self.chapters is earlier.chapters and self.times is earlier.times:
            known = ((name, earlier.__dict__.get(name)) for name in ("clock", "_numbers"))
            self.__dict__.update((name, found) for name, found in known if found is not None)

    def number(self, place: Place) -> int:
        """Return the number of a place's chapter: of a share as the book stands, which may be a chapter to come."""
        if place.share is not None:
            return self._number_at(place.share)
        return place.chapter or self.chapter_of(place.label or "1")

    def name_of(self, label: str) -> str:
        """Name a node as every verb takes it: `the book`, `chapter 9`, `chapter 9 (1.16.2)` below it, or its label."""
        if label == _BOOK:
            return "the book"
        if (own := self.number_of(label)) is not None:
            return f"chapter {own}"
        steps = label.split(".")
        above = (".".join(steps[:depth]) for depth in range(len(steps) - 1, 1, -1))
        number = next(filter(None, map(self.number_of, above)), None)
        return label if number is None else f"chapter {number} ({label})"

    def name_with(self, label: str, title: str) -> str:
        """Name a node with its title: `chapter 9 "The Debt" (1.16)`."""
        name, titled = self.name_of(label), f' "{title}"' if title else ""
        return f"{name}{titled} ({label})" if self.number_of(label) else f"{name}{titled}"

    def named(self, node: TaskNode) -> str:
        """Name a node as every verb takes it: `chapter 9 "The Debt" (1.16)`, `the book`, all else by its own name."""
        is_named = node.label == _BOOK or (node.is_unit and self.number_of(node.label) is not None)
        return self.name_with(node.label, node.title or node.goal[:40]) if is_named else node.name

    def call_of(self, call: str) -> str:
        """Name a call, or what comes next, by its place: `chapter 9 write/draft` for `1.16 write/draft`."""
        label, gap, rest = call.partition(" ")
        return f"{self.name_of(label)}{gap}{rest}" if _NODE.fullmatch(label) else call

    def has_come(self, place: Place | None, at: str) -> bool:
        """Whether the unit `at` begins at a place or after it; None has come from the start."""
        if place is None:
            return True
        if place.label is not None:
            return order_of(place.label) <= order_of(at)
        return self.chapter_of(at) >= self.number(place)

    def is_here(self, place: Place | None, at: str) -> bool:
        """Whether a place lies in the unit `at`, or `at` lies in the place's unit."""
        if place is None:
            return False
        if place.label is None:
            return self.chapter_of(at) == self.number(place)
        there, here = order_of(place.label), order_of(at)
        shorter = min(len(there), len(here))
        return there[:shorter] == here[:shorter]

    def is_before(self, place: Place, at: str) -> bool:
        """Whether a place's unit has ended where the unit `at` begins."""
        if place.label is None:
            return self.number(place) < self.chapter_of(at)
        return order_of(place.label) < order_of(at) and not self.is_here(place, at)

    def holds_chapters(self, at: str) -> bool:
        """Whether the unit `at` is above the chapters: what is due in one of them is not to be done by it."""
        return at in self.coarse

    def parts_at(self, at: str) -> tuple[tuple[ChapterPart, ...], ...]:
        """Return the siblings among which a unit of a chapter stands, at each depth from the chapter down to it."""
        steps = at.split(".")
        above = [".".join(steps[:depth]) for depth in range(self._depth_of_chapter(at), len(steps))]
        return tuple(tuple(part for part in self.parts if part.label.rpartition(".")[0] == each) for each in above)

    def _depth_of_chapter(self, at: str) -> int:
        number = self.chapter_of(at)
        chapter = self.chapters[number - 1] if number <= len(self.chapters) else at
        return len(order_of(chapter)) if at == chapter or at.startswith(f"{chapter}.") else len(order_of(at))

    def _number_at(self, share: int) -> int:
        known = len(self.chapters)
        if not self.ends:
            return _inside(share / self.usual, None) if self.usual else _inside(share * known / _WHOLE, max(known, 1))
        before = bisect_left(self._reached, float(share), key=lambda end: end + _NEAR)
        if before < known or not self.usual:
            return min(before + 1, known)
        return known + _inside((share - self._reached[-1]) / self.usual, None)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {}

    @cached_property
    def _reached(self) -> tuple[float, ...]:
        return self.reached or tuple(accumulate(self.ends, max))


def _inside(number: float, most: int | None) -> int:
    """Return the number of the chapter that ends at or behind a point, from 1."""
    found = max(math.ceil(number - _NEAR), 1)
    return found if most is None else min(found, most)


_WORDS = {
    Language.EN: ("Volume {}", "Act {}", "Chapter {}", "Scene {}", "Beat {}", "Paragraph {}"),
    Language.ZH: ("第{}卷", "第{}幕", "第{}章", "第{}场", "第{}拍", "第{}段"),
    Language.JA: ("第{}巻", "第{}幕", "第{}章", "第{}場", "第{}拍", "第{}段落"),
    Language.KO: ("제{}권", "제{}막", "제{}장", "제{}장면", "제{}비트", "제{}문단"),
}
"""By level, the book's own aside."""
_BETWEEN = {Language.EN: ", ", Language.KO: " "}


def hierarchical_position(unit: TaskNode, above: Sequence[TaskNode], reading: ReadingOrder, language: Language) -> str:
    """Return where a unit stands, from the coarsest level down; empty for the book itself.

    `above` has the nearest first. Chapters are counted through the whole book, as readers count them; all other units
    among those of the unit above. Nothing of it is stored: it follows from the tree, which an author may change.
    """
    path = [own for own in (*reversed(above), unit) if own.level is not Level.BOOK]
    numbers = (reading.chapter_of(own.label) if own.level is Level.CHAPTER else own.unit_index for own in path)
    words = (_WORDS[language][own.level.depth - 1] for own in path)
    return _BETWEEN.get(language, "").join(word.format(number) for word, number in zip(words, numbers, strict=True))
