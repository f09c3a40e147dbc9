"""Reading an author's outline in Markdown: which headings are chapters, and what is said of each.

Headings that say "Chapter 3", "第三章" and the like are the units; other headings are notes on the book then. Where
none says so, the headings themselves are the units, or a list if there are none.
"""

import re
from collections.abc import Sequence

from bookwright.manuscripts.headings import Rank, heading_in
from bookwright.manuscripts.outline_parts import ITEM, Section, unit_of, unmarked
from bookwright.models.errors import InvalidInput
from bookwright.models.outline import MOST_UNITS, Outline, OutlineUnit
from bookwright.models.plain import plain

_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_SPLIT = re.compile(r"\s*(?:[:：]|\s[—–-]{1,2})\s+|[:：]")
_CONTAINERS = frozenset(
    "chapters outline plot structure parts 章节 章節 大纲 大綱 目录 目錄 章立て 構成 目次 목차 차례 줄거리 장".split()
) | {"chapter outline"}
_FRONT = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)


def read_outline(text: str) -> Outline:
    """Read an outline.

    Raises:
        InvalidInput: It names no chapters, or one of them twice; the message says what to change.
    """
    text = plain(text.replace("\r\n", "\n").replace("\r", "\n")).strip() + "\n"
    front = _FRONT.match(text)
    named = _TITLE.search(front[1]) if front else None
    before, sections = _sections(text[front.end() :] if front else text)
    title, sections = _title(sections, named[1] if named else "", before)
    notes, units = _units(sections, before)
    if not units:
        raise InvalidInput(
            "the outline names no chapters: give each a heading such as `## Chapter 1: The Lamp`, or a list"
        )
    outline = Outline(title=title[:200], design="\n".join(notes).strip(), units=tuple(units))
    _check(outline)
    return outline


def _sections(text: str) -> tuple[list[str], list[Section]]:
    before: list[str] = []
    found: list[Section] = []
    lines = text.split("\n")
    for place, line in enumerate(lines):
        heading = _ATX.match(line)
        under = (
            re.fullmatch(r" {0,3}(=+|-{2,})\s*", lines[place + 1]) if place + 1 < len(lines) and line.strip() else None
        )
        if heading and heading[2].strip():
            found.append(Section(len(heading[1]), heading[2].strip(), heading_in(unmarked(heading[2]))))
        elif under and not ITEM.match(line):
            found.append(Section(1 if under[1][0] == "=" else 2, line.strip(), heading_in(unmarked(line))))
        elif not (re.fullmatch(r" {0,3}(=+|-{2,})\s*", line) and place and lines[place - 1].strip()):
            (found[-1].lines if found else before).append(line)
    return before, found


def _title(sections: list[Section], named: str, before: list[str]) -> tuple[str, list[Section]]:
    """Tell the book's title from its chapters: the first heading, if it is the only one so high and no chapter.

    Raises:
        InvalidInput: Two headings could be the title.
    """
    if not sections or sections[0].is_unit:
        return named, sections
    first, others = sections[0], sections[1:]
    if any(other.level < first.level for other in others):
        raise InvalidInput(
            f"the outline's first heading, {first.text[:60]!r}, stands below a later one; the title comes first"
        )
    same = [other for other in others if other.level == first.level]
    worded = any(other.is_unit for other in others)
    if same and worded and not any(other.is_unit for other in same) and first.level == 1 and len(same) == 1:
        raise InvalidInput(f"the outline has two titles, {first.text[:60]!r} and {same[0].text[:60]!r}; keep one")
    if same:
        return named, sections  # these are the chapters, or notes on the book before them
    before += first.lines
    return unmarked(first.text), others


def _units(sections: Sequence[Section], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]]:
    """Return the notes on the whole book, and its units."""
    units = [section for section in sections if section.is_unit]
    says_chapter = any(section.read and section.read.rank is Rank.CHAPTER for section in units)
    if units and (says_chapter or not any(section.level > units[0].level for section in sections)):
        return _worded(sections, before)
    listed = _listed(sections, before)
    if listed is not None:
        return listed
    levels = sorted({section.level for section in sections})
    deepest = levels[1] if _has_parts(sections, levels) else min(levels, default=0)
    return list(before), _nested(_folded(sections, deepest))


def _worded(sections: Sequence[Section], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]]:
    """Take headings that say that they are chapters or parts as units, and all others as notes."""
    notes, kept = list(before), []
    deepest = max(section.level for section in sections if section.is_unit)
    for section in _folded(sections, deepest):
        is_container = section.text.casefold() in _CONTAINERS and not "".join(section.lines).strip()
        if section.is_unit:
            kept.append(section)
        elif not is_container:
            notes += section.as_lines()
    return notes, _nested(kept)


def _folded(sections: Sequence[Section], deepest: int) -> list[Section]:
    """Make what stands under a heading deeper than any unit's a part of what stands before it."""
    kept: list[Section] = []
    for section in sections:
        if kept and section.level > deepest:
            kept[-1].lines += section.as_lines()
        else:
            kept.append(section)
    return kept


def _has_parts(sections: Sequence[Section], levels: Sequence[int]) -> bool:
    """True where deeper headings follow most of the highest."""
    top = [place for place, section in enumerate(sections) if section.level == levels[0]]
    followed = sum(place + 1 < len(sections) and sections[place + 1].level > levels[0] for place in top)
    return len(levels) > 1 and followed >= len(top) / 2


def _nested(sections: Sequence[Section]) -> list[OutlineUnit]:
    """Put chapters into the parts before them: under deeper headings, or under the words "part" and "chapter"."""
    units: list[OutlineUnit] = []
    part: Section | None = None
    has_levels = len({section.level for section in sections}) > 1
    for place, section in enumerate(sections):
        after = sections[place + 1] if place + 1 < len(sections) else None
        is_part = after is not None and (after.level > section.level or (section.is_part and not after.is_part))
        is_inside = part is not None and (section.level > part.level or (not has_levels and not section.is_part))
        if is_part and not (is_inside and has_levels):
            part = section
            units.append(unit_of(section))
        elif is_inside:
            units[-1] = units[-1].model_copy(update={"units": (*units[-1].units, unit_of(section))})
        else:
            part = None
            units.append(unit_of(section))
    return units


def _listed(sections: Sequence[Section], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]] | None:
    """Read a list of chapters: below no heading at all, or below one that says "chapters"."""
    holder = next((one for one in sections if unmarked(one.text).casefold() in _CONTAINERS), None)
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
    found = ITEM.match(lines[0])
    assert found is not None  # a group begins with an item
    title, _, goal = _cut(unmarked(found[1]))
    section = Section(1, title, heading_in(title), [goal, "", *(line.strip(" \t") for line in lines[1:])])
    return unit_of(section)


def _cut(text: str) -> tuple[str, str, str]:
    """Cut a line into a title and what is said of it; `"Chapter 1: The Lamp: she ..."` keeps its number."""
    pieces = list(_SPLIT.finditer(text))
    worded = heading_in(text)
    numbered = heading_in(text[: pieces[0].start()]) if pieces else None
    if not pieces or (worded is not None and not worded.is_weak and len(pieces) < 2):
        return text, "", ""
    cut = pieces[1] if numbered is not None and len(pieces) > 1 else pieces[0]
    return text[: cut.start()], ":", text[cut.end() :]


def _check(outline: Outline) -> None:
    every = [chapter for unit in outline.units for chapter in (unit, *unit.units)]
    if len(every) > MOST_UNITS:
        raise InvalidInput(f"the outline names {len(every):,} chapters; it may name {MOST_UNITS:,}")
    for units in (outline.units, *(unit.units for unit in outline.units)):
        seen: set[str] = set()
        for unit in units:
            if unit.title in seen:
                raise InvalidInput(f"the outline has {unit.title[:60]!r} twice; give each chapter a heading of its own")
            seen.add(unit.title)
