"""The units of an author's outline: of a heading with what stands below it, or of the items of a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from bookwright.manuscripts.headings.lines import Heading, Rank, heading_in
from bookwright.models.story_time.times import stated_time
from bookwright.models.tree.outline import OutlineUnit
from bookwright.models.tree.plan import parse_length

ITEM = re.compile(r"^(?:\d{1,4}[.)、][ \t]*|[-*+][ \t]+)(\S.*)$")
"""An item of a list."""

_KEY = re.compile(
    r"^(?:[-*+][ \t]+)?\**(?P<key>goal|aim|length|words|"
    r"目标|目標|字数|字數|篇幅|长度|長度|目的|長さ|文字数|목표|목적|분량|길이)"
    r"\**[ \t]*[:：]\**[ \t]*(?P<value>\S.*)$",
    re.IGNORECASE,
)
_LENGTH_KEYS = frozenset("length words 字数 字數 篇幅 长度 長度 長さ 文字数 분량 길이".split())
_IN_TITLE = re.compile(
    r"[(（\[]\s*(?:about|ca\.?|約|约|약|~)?\s*([\d,]+(?:\.\d+)?\s*[万萬만千천kK]?)\s*(?:words?|字|文字|자|글자)\s*[)）\]]"
)
_VOLUMES = frozenset(("volume", "book", "卷", "권"))
_MOST_TITLE, _MOST_GOAL = 120, 1_200
_SPLIT = re.compile(r"\s*(?:[:：]|\s[—–-]{1,2})\s+|[:：]")
CONTAINERS = frozenset(
    "chapters outline plot structure parts 章节 章節 大纲 大綱 目录 目錄 章立て 構成 目次 목차 차례 줄거리 장".split()
) | {"chapter outline"}
"""Headings above the chapters of an outline that are none themselves."""


@dataclass
class OutlineSection:
    """A heading with the lines below it, up to the next heading."""

    level: int
    text: str
    read: Heading | None
    lines: list[str] = field(default_factory=list)

    @property
    def is_unit(self) -> bool:
        """Worded as a chapter or a part."""
        read = self.read
        return read is not None and not read.is_weak and read.rank in (Rank.CHAPTER, Rank.SPECIAL, Rank.PART)

    def as_lines(self) -> list[str]:
        """It as a part of a longer text."""
        return ["", f"{'#' * self.level} {self.text}", *self.lines]

    @property
    def is_part(self) -> bool:
        """Worded as a part."""
        return self.read is not None and self.read.rank is Rank.PART

    @property
    def is_volume(self) -> bool:
        """Worded as what may hold parts."""
        return self.is_part and self.read is not None and self.read.family in _VOLUMES


def unit_of(section: OutlineSection) -> OutlineUnit:
    """Read a goal, a length, a time in the story and a design out of a section."""
    found = _IN_TITLE.search(section.text)
    goal, when, length, rest = "", "", parse_length(found[1]) if found else None, []
    for line in section.lines:
        key = _KEY.match(line.strip())
        if key and key["key"].casefold() in _LENGTH_KEYS and re.search(r"\d", key["value"]):
            length = length or parse_length(key["value"])
        elif key and key["key"].casefold() not in _LENGTH_KEYS and not goal:
            goal = key["value"].strip()
        elif not when and (said := stated_time(line)):
            when = said
        else:
            rest.append(line)
    design = "\n".join(rest).strip()
    if not goal:
        goal, design = _first_paragraph(design)
    return OutlineUnit(title=_name(section), goal=goal[:_MOST_GOAL], design=design, length=length, story_time=when)


def _name(section: OutlineSection) -> str:
    title = unmarked(unlengthed(section.text))
    read = heading_in(title)
    return (read.title if read is not None and read.is_weak and read.title else title)[:_MOST_TITLE]


def _first_paragraph(text: str) -> tuple[str, str]:
    """Return the paragraph that says what a unit is for, and the rest; a list says none."""
    first, _, rest = text.partition("\n\n")
    if not first.strip() or ITEM.match(first.lstrip()) or first.startswith("#") or len(first) > _MOST_GOAL:
        return "", text
    return " ".join(first.split()), rest.strip()


def unlengthed(text: str) -> str:
    """Return a heading without the length that it gives."""
    return _IN_TITLE.sub("", text).strip()


def unmarked(text: str) -> str:
    """Return a line without marks of emphasis."""
    return re.sub(r"(\*\*|__|\*|`)(.+?)\1", r"\2", text).strip()


def listed(sections: Sequence[OutlineSection], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]] | None:
    """Read a list of chapters: below no heading at all, or below one that says "chapters"."""
    holder = next((one for one in sections if unmarked(one.text).casefold() in CONTAINERS), None)
    if sections and holder is None:
        return None
    lines = holder.lines if holder else before
    first = next((place for place, line in enumerate(lines) if ITEM.match(line)), None)
    if first is None:
        return None
    notes = list(lines[:first]) if holder is None else list(before)
    for one in sections:
        notes += [] if one is holder else one.as_lines()
    return notes, [_item(group) for group in _items(lines[first:])]


def _items(lines: Sequence[str]) -> list[list[str]]:
    groups: list[list[str]] = []
    for line in lines:
        if ITEM.match(line):
            groups.append([line])
        elif groups:
            groups[-1].append(line)
    return groups


def _item(lines: Sequence[str]) -> OutlineUnit:
    """Read an item; the items in one that is worded as a part are its chapters, those in another are notes on it."""
    found = ITEM.match(lines[0])
    assert found is not None  # a group begins with an item
    title, goal = _cut(unmarked(found[1]))
    inside = dedent("\n".join(lines[1:])).split("\n")
    section = OutlineSection(1, title, heading_in(title), [goal, ""])
    first = next((place for place, line in enumerate(inside) if ITEM.match(line)), len(inside))
    own = first if section.is_part else len(inside)
    section.lines += [line.strip(" \t") for line in inside[:own]]
    below = [_item(group) for group in _items(inside[own:])]
    return unit_of(section).model_copy(update={"units": tuple(below)})


def _cut(text: str) -> tuple[str, str]:
    """Cut a line into a title and what is said of it; `"Chapter 1: The Lamp: she ..."` keeps its number."""
    pieces = list(_SPLIT.finditer(text))
    worded = heading_in(text)
    numbered = heading_in(unlengthed(text[: pieces[0].start()])) if pieces else None
    is_bare = numbered is not None and not numbered.title and numbered.rank is not Rank.SPECIAL
    if not pieces or (worded is not None and not worded.is_weak and len(pieces) < 2 and is_bare):
        return text, ""
    cut = pieces[1] if is_bare and len(pieces) > 1 else pieces[0]
    return text[: cut.start()], text[cut.end() :]
