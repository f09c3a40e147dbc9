"""Reading an author's outline in Markdown: which headings are chapters, and what is said of each.

Headings that say "Chapter 3", "第三章" and the like are the units; other headings are notes on the book then. Where
none says so, the headings themselves are the units, or a list if there are none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from bookwright.manuscripts.formats.markdown import ATX, FENCE, front_matter, without_comments
from bookwright.manuscripts.headings.lines import Rank, heading_in
from bookwright.manuscripts.outline_units import CONTAINERS, ITEM, OutlineSection, listed, unit_of, unmarked
from bookwright.models.errors import InvalidInput
from bookwright.models.text.plain import plain
from bookwright.models.tree.outline import MOST_DEPTH, MOST_UNITS, Outline, OutlineUnit

_UNDER = re.compile(r" {0,3}(=+|-{2,})\s*")


def read_outline(text: str) -> Outline:
    """Read an outline.

    Raises:
        InvalidInput: It names no chapters, or one of them twice; the message says what to change.
    """
    text = without_comments(plain(text.replace("\r\n", "\n").replace("\r", "\n"))).strip() + "\n"
    values, shown = front_matter(text)
    before, sections = _sections(shown)
    title, sections = _title(sections, values.get("title", ""), before)
    notes, units = _units(sections, before)
    if not units:
        raise InvalidInput(
            "the outline names no chapters: give each a heading such as `## Chapter 1: The Lamp`, or a list"
        )
    outline = Outline(title=title[:200], design="\n".join(notes).strip(), units=tuple(units))
    _check(outline)
    return outline


def _sections(text: str) -> tuple[list[str], list[OutlineSection]]:
    """Cut a text at its headings; at lines that say "Chapter 3" where it marks none and has no list."""
    before, found = _gathered(_headed(text.split("\n")))
    if found or any(map(ITEM.match, before)):
        return before, found
    return _gathered((line, _spoken_heading(line)) for line in before)


def _gathered(lines: Iterable[tuple[str, OutlineSection | None]]) -> tuple[list[str], list[OutlineSection]]:
    """Put lines below the heading before them; return those before the first, and the headings."""
    before: list[str] = []
    found: list[OutlineSection] = []
    for line, heading in lines:
        if heading is not None:
            found.append(heading)
        else:
            (found[-1].lines if found else before).append(line)
    return before, found


def _headed(lines: Sequence[str]) -> Iterator[tuple[str, OutlineSection | None]]:
    """Yield the lines that are shown, each with the heading that it is; what is fenced is text."""
    is_fenced = False
    for line, after in zip(lines, (*lines[1:], ""), strict=True):
        if FENCE.match(line):
            is_fenced = not is_fenced
        elif is_fenced or not _UNDER.fullmatch(line) or not line.strip():
            yield line, None if is_fenced else _heading(line, after)


def _heading(line: str, after: str) -> OutlineSection | None:
    marked, under = ATX.match(line), _UNDER.fullmatch(after) if line.strip() else None
    if marked and (marked[2] or "").strip():
        return OutlineSection(len(marked[1]), marked[2].strip(), heading_in(unmarked(marked[2])))
    if under and not ITEM.match(line):
        return OutlineSection(1 if under[1][0] == "=" else 2, line.strip(), heading_in(unmarked(line)))
    return None


def _spoken_heading(line: str) -> OutlineSection | None:
    text = unmarked(line)
    section = OutlineSection(2, text, heading_in(text))
    return section if section.is_unit else None


def _title(sections: list[OutlineSection], named: str, before: list[str]) -> tuple[str, list[OutlineSection]]:
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


def _units(sections: Sequence[OutlineSection], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]]:
    """Return the notes on the whole book, and its units."""
    units = [section for section in sections if section.is_unit]
    says_chapter = any(section.read and section.read.rank is Rank.CHAPTER for section in units)
    if units and (says_chapter or not any(section.level > units[0].level for section in sections)):
        return _worded(sections, before)
    told = listed(sections, before)
    if told is not None:
        return told
    levels = sorted({section.level for section in sections})
    deepest = levels[1] if _has_parts(sections, levels) else min(levels, default=0)
    return list(before), _nested(_folded(sections, deepest))


def _worded(sections: Sequence[OutlineSection], before: Sequence[str]) -> tuple[list[str], list[OutlineUnit]]:
    """Take headings that say that they are chapters or parts as units, and all others as notes."""
    notes, kept = list(before), []
    deepest = max(section.level for section in sections if section.is_unit)
    for section in _folded(sections, deepest):
        is_container = section.text.casefold() in CONTAINERS and not "".join(section.lines).strip()
        if section.is_unit:
            kept.append(section)
        elif not is_container:
            notes += section.as_lines()
    return notes, _nested(kept)


def _folded(sections: Sequence[OutlineSection], deepest: int) -> list[OutlineSection]:
    """Make what stands under a heading deeper than any unit's a part of what stands before it."""
    kept: list[OutlineSection] = []
    for section in sections:
        if kept and section.level > deepest:
            kept[-1].lines += section.as_lines()
        else:
            kept.append(section)
    return kept


def _has_parts(sections: Sequence[OutlineSection], levels: Sequence[int]) -> bool:
    """True where deeper headings follow most of the highest."""
    top = [place for place, section in enumerate(sections) if section.level == levels[0]]
    followed = sum(place + 1 < len(sections) and sections[place + 1].level > levels[0] for place in top)
    return len(levels) > 1 and followed >= len(top) / 2


def _nested(sections: Sequence[OutlineSection]) -> list[OutlineUnit]:
    """Put units into those before them that stand higher: by their headings' levels, or by their words if all are even.

    Raises:
        InvalidInput: They nest deeper than volumes, parts and chapters.
    """
    has_levels = len({section.level for section in sections}) > 1
    return _below(sections, [section.level if has_levels else _rank(section, sections) for section in sections], 1)


def _rank(section: OutlineSection, sections: Sequence[OutlineSection]) -> int:
    holds_parts = section.is_volume and any(other.is_part and not other.is_volume for other in sections)
    return 1 if holds_parts else 2 if section.is_part else 3


def _below(sections: Sequence[OutlineSection], depths: Sequence[int], depth: int) -> list[OutlineUnit]:
    units, place = [], 0
    while place < len(sections):
        inside = takewhile(lambda other: other > depths[place], depths[place + 1 :])  # noqa: B023, used at once
        end = place + 1 + sum(1 for _ in inside)
        if end > place + 1 and depth >= MOST_DEPTH:
            raise InvalidInput(
                f"the outline nests deeper than volumes, parts and chapters, below {sections[place].text[:60]!r}"
            )
        below = _below(sections[place + 1 : end], depths[place + 1 : end], depth + 1)
        units.append(unit_of(sections[place]).model_copy(update={"units": tuple(below)}))
        place = end
    return units


def _check(outline: Outline) -> None:
    every = list(outline.every())
    if len(every) > MOST_UNITS:
        raise InvalidInput(f"the outline names {len(every):,} chapters; it may name {MOST_UNITS:,}")
    for units in (outline.units, *(unit.units for unit in every)):
        seen: set[str] = set()
        for unit in units:
            if unit.title in seen:
                raise InvalidInput(f"the outline has {unit.title[:60]!r} twice; give each chapter a heading of its own")
            seen.add(unit.title)
