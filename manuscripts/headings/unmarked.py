"""Headings of a text that marks none: found by their wording and by the order of their numbers."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter

from bookwright.manuscripts.blocks import Block
from bookwright.manuscripts.found import HeadingMark
from bookwright.manuscripts.headings.candidates import Candidate, candidates_in, measured, undoubled, without_contents
from bookwright.manuscripts.headings.chains import chain_of, main_chain
from bookwright.manuscripts.headings.lines import Rank, is_title

_INDEX = attrgetter("index")
_TITLE_SHARE = 0.6
"""Of the bare headings have a title below them, or none has."""
_LEAST_HEADINGS = 2
_OPENING = 2_500
"""Characters that may stand between the heading of a part and its first chapter."""


def unmarked_headings(blocks: Sequence[Block]) -> list[HeadingMark]:
    """Return the headings of chapters and parts in order; nothing where there are not at least two."""
    every = candidates_in(blocks)
    total = sum(len(block.text) for block in blocks)
    found = _chosen([one for one in every if not one.heading.is_weak], blocks, total)
    if _chapters_in(found) < _LEAST_HEADINGS:
        found = _chosen(every, blocks, total)
    if _chapters_in(found) < _LEAST_HEADINGS:
        found = _parts_alone(every, blocks, total)
    return _marks(found, blocks)


def _chosen(candidates: list[Candidate], blocks: Sequence[Block], total: int) -> list[Candidate]:
    kept = _cleaned(candidates, blocks, total)
    chain = main_chain(kept, [one.index for one in kept if one.heading.rank is Rank.PART or one.heading.above])
    chapters = list(chain.members)
    family = chapters[0].heading.family if chapters else ""
    specials = [one for one in kept if one.heading.rank is Rank.SPECIAL and not one.is_thin]
    matter = [one for one in kept if one.heading.rank is Rank.MATTER]
    parts = _parts(kept, [*chapters, *specials], family)
    return sorted([*chapters, *specials, *matter, *parts], key=_INDEX)


def _cleaned(candidates: Sequence[Candidate], blocks: Sequence[Block], total: int) -> list[Candidate]:
    single = measured(undoubled(candidates), total)
    return measured(without_contents(single, blocks), total)


def _parts(kept: Sequence[Candidate], chapters: Sequence[Candidate], family: str) -> list[Candidate]:
    """Return the headings of parts: those soon followed by a chapter, with numbers that go on."""
    above = [one for one in kept if one.heading.rank is Rank.PART]
    if family in ("episode", "section", "回"):
        above += [one for one in kept if one.heading.family in ("章", "장", "chapter") and one.heading.family != family]
    families = dict.fromkeys(one.heading.family for one in above)
    ordered = sorted(chapters, key=_INDEX)
    chains = [
        chain_of(one for one in above if one.heading.family == name and _opens(one, ordered)) for name in families
    ]
    return [member for chain in chains for member in chain.members]


def _opens(part: Candidate, chapters: Sequence[Candidate]) -> bool:
    """True if one of the chapters, which are in order, begins soon after a part."""
    place = bisect_right(chapters, part.index, key=_INDEX)
    return place < len(chapters) and chapters[place].offset - part.offset - len(part.text) <= _OPENING


def _parts_alone(every: list[Candidate], blocks: Sequence[Block], total: int) -> list[Candidate]:
    """Return the parts of a text that has no chapters; they are its chapters then."""
    parts = [one for one in every if one.heading.rank in (Rank.PART, Rank.SPECIAL, Rank.MATTER)]
    kept = _cleaned(parts, blocks, total)
    numbered = chain_of(one for one in kept if one.heading.rank is Rank.PART and not one.is_thin)
    specials = [one for one in kept if one.heading.rank is Rank.SPECIAL and not one.is_thin]
    found = sorted([*numbered.members, *specials], key=_INDEX)
    return found if len(found) >= _LEAST_HEADINGS else []


def _chapters_in(found: Sequence[Candidate]) -> int:
    return sum(one.heading.rank in (Rank.CHAPTER, Rank.SPECIAL) for one in found)


def _marks(found: Sequence[Candidate], blocks: Sequence[Block]) -> list[HeadingMark]:
    has_titles = _have_titles_below(found, blocks)
    has_chapters = _chapters_in(found) >= _LEAST_HEADINGS
    families = [one.heading.family for one in found if one.heading.rank is Rank.CHAPTER]
    main = max(dict.fromkeys(families), key=families.count, default="")  # another wording is one of parts
    marks: list[HeadingMark] = []
    for one in found:
        heading = one.heading
        if heading.above is not None:
            marks += _part_above(one, marks)
        is_part = has_chapters and (
            heading.rank is Rank.PART or (heading.rank is Rank.CHAPTER and heading.family != main)
        )
        below = _title_below(one, blocks) if has_titles else ""
        own = one.text.strip() if heading.rank is Rank.SPECIAL else ""  # a prologue is called so
        size = one.index - one.begins + (2 if below and not heading.title else 1)
        is_matter = heading.rank is Rank.MATTER
        title = heading.title or below or own
        marks.append(HeadingMark(one.begins, title, one.text, size, is_part=is_part, is_matter=is_matter))
    return marks


def _part_above(one: Candidate, marks: Sequence[HeadingMark]) -> list[HeadingMark]:
    """The part that a chapter's own line names, where it is another than the last one."""
    above = one.heading.above
    assert above is not None
    last = next((mark for mark in reversed(marks) if mark.is_part), None)
    if last is not None and last.heading == above.text:
        return []
    return [HeadingMark(one.begins, above.title, above.text, blocks=0, is_part=True)]


def _have_titles_below(found: Sequence[Candidate], blocks: Sequence[Block]) -> bool:
    bare = [one for one in found if one.heading.rank is Rank.CHAPTER and not one.heading.title]
    return bool(bare) and sum(bool(_title_below(one, blocks)) for one in bare) >= _TITLE_SHARE * len(bare)


def _title_below(one: Candidate, blocks: Sequence[Block]) -> str:
    """Return the line below a bare heading if it could be its title and a text follows."""
    if one.heading.title or one.heading.rank is Rank.SPECIAL or one.index + 2 >= len(blocks):
        return ""
    below, after = blocks[one.index + 1].text.strip(), blocks[one.index + 2].text
    is_short = len(below) <= (60 if below.isascii() else 30)
    is_latin = below[:1].isascii() and below[:1].isalpha()
    looks = is_title(below) and is_short and not below.endswith((".", "!", "?", "！", "？", "…", "”", "」"))
    return below if looks and len(after) > len(below) and (not is_latin or below[:1].isupper()) else ""
