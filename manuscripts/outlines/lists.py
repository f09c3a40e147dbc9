"""Lists of an author's outline: each item a chapter, and in an item that says "Part" its chapters."""

import re
from collections.abc import Sequence
from textwrap import dedent

from bookwright.manuscripts.headings.lines import Rank, heading_in
from bookwright.manuscripts.outlines.parts import ITEM, OutlineSection, unit_of, unlengthed, unmarked
from bookwright.models.tree.outline import OutlineUnit

_SPLIT = re.compile(r"\s*(?:[:：]|\s[—–-]{1,2})\s+|[:：]")
CONTAINERS = frozenset(
    "chapters outline plot structure parts 章节 章節 大纲 大綱 目录 目錄 章立て 構成 目次 목차 차례 줄거리 장".split()
) | {"chapter outline"}
"""Headings above the chapters of an outline that are none themselves."""


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
