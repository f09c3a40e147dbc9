"""Headings of a text that marks none: found by their wording, and by numbers that go on as a book's do."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter

from bookwright.manuscripts.headings.candidates import Candidate, candidates_in, measured, undoubled, without_contents
from bookwright.manuscripts.headings.lines import Rank, is_title
from bookwright.manuscripts.manuscript import Block, HeadingMark
from bookwright.models.text.emphasis import without_emphasis

_TAKEN = 3.0
"""What a candidate is worth by itself; each doubt takes something off."""
_GAP, _WIDE_GAP, _BEGINS_ANEW, _OTHER_TITLE, _BACK = 1.5, 3.2, 2.5, 1.0, 5.0
_SMALL_GAP = 3
_ODD_SHAPE, _NOT_APART, _LATE_BEGINNING, _NO_BODY, _OF_CLAUSES = 1.0, 1.0, 1.5, 2.0, 0.1
_OF_HALVES = 4
"""Signs by which the titles of a chapter's halves differ: `"(1)"`, `"上"`."""
_LOOKED_BACK = 60
"""How many candidates before one may be its predecessor."""

_LEAST_WEAK, _LEAST_WEAK_BODY, _WEAK_SHARE = 3, 400, 0.6

_INDEX = attrgetter("index")
_TITLE_SHARE = 0.6
"""Of the bare headings have a title below them, or none has."""
_SPEECH = ("…", "”", "」")
_CALLS = ("!", "?", "！", "？", *_SPEECH)
"""Ends of lines that are no titles; calls and questions are some where the book's other chapters have titles."""
_LEAST_HEADINGS = 2
MOST_ABOVE = 4
"""Lines of a title page above a single heading, or above a text without headings."""
_OPENING = 2_500
"""Characters that may stand between the heading of a part and its first chapter."""


def unmarked_headings(blocks: Sequence[Block]) -> list[HeadingMark]:
    """Return the headings of chapters and parts in order; nothing where there is one alone amid the text."""
    every = candidates_in(blocks)
    found = spoken = _chosen([one for one in every if not one.heading.is_weak], blocks)
    if _chapters_in(found) < _LEAST_HEADINGS:
        found = _chosen(every, blocks)
    if _chapters_in(found) < _LEAST_HEADINGS:
        found = _parts_alone(every, blocks) or _single(spoken, blocks)
    return _marks(found, blocks)


def _single(found: Sequence[Candidate], blocks: Sequence[Block]) -> list[Candidate]:
    """Return the heading of a text's only chapter, and of its part, if a title page at most stands above; else none."""
    own = [one for one in found if one.heading.rank in (Rank.PART, Rank.CHAPTER)]
    if not own or own[-1].heading.rank is Rank.PART or own[-1].is_thin:
        return []
    above = blocks[: own[0].begins]
    return own if len(above) <= MOST_ABOVE and all(is_title(block.text) for block in above) else []


def _chosen(candidates: list[Candidate], blocks: Sequence[Block]) -> list[Candidate]:
    kept = _cleaned(candidates, blocks)
    chain = main_chain(kept, [one.index for one in kept if one.heading.rank is Rank.PART or one.heading.above])
    chapters = list(chain.members)
    family = chapters[0].heading.family if chapters else ""
    specials = [one for one in kept if one.heading.rank is Rank.SPECIAL and not one.is_thin]
    matter = [one for one in kept if one.heading.rank is Rank.MATTER]
    parts = _parts(kept, [*chapters, *specials], family)
    return sorted([*chapters, *specials, *matter, *parts], key=_INDEX)


def _cleaned(candidates: Sequence[Candidate], blocks: Sequence[Block]) -> list[Candidate]:
    total = sum(len(block.text) for block in blocks)
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


def _parts_alone(every: list[Candidate], blocks: Sequence[Block]) -> list[Candidate]:
    """Return the parts of a text that has no chapters; they are its chapters then."""
    parts = [one for one in every if one.heading.rank in (Rank.PART, Rank.SPECIAL, Rank.MATTER)]
    kept = _cleaned(parts, blocks)
    numbered = chain_of(one for one in kept if one.heading.rank is Rank.PART and not one.is_thin)
    specials = [one for one in kept if one.heading.rank is Rank.SPECIAL and not one.is_thin]
    found = sorted([*numbered.members, *specials], key=_INDEX)
    return found if len(found) >= _LEAST_HEADINGS else []


def _chapters_in(found: Sequence[Candidate]) -> int:
    return sum(one.heading.rank in (Rank.CHAPTER, Rank.SPECIAL) for one in found)


def _marks(found: Sequence[Candidate], blocks: Sequence[Block]) -> list[HeadingMark]:
    has_titles = _have_titles_below(found, blocks)
    families = [one.heading.family for one in found if one.heading.rank is Rank.CHAPTER]
    main = max(dict.fromkeys(families), key=families.count, default="")  # another wording is one of parts
    has_chapters = bool(families) or _chapters_in(found) >= _LEAST_HEADINGS
    marks: list[HeadingMark] = []
    for one in found:
        heading = one.heading
        if heading.above is not None:
            marks += _part_above(one, marks)
        is_part = has_chapters and (
            heading.rank is Rank.PART or (heading.rank is Rank.CHAPTER and heading.family != main)
        )
        below = _title_below(one, blocks, _SPEECH) if has_titles else ""
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


def _title_below(one: Candidate, blocks: Sequence[Block], ends: tuple[str, ...] = _CALLS) -> str:
    """Return the line below a bare heading if it could be its title, with none of these ends, and a text follows."""
    if one.heading.title or one.heading.rank is Rank.SPECIAL or one.index + 2 >= len(blocks):
        return ""
    below, after = without_emphasis(blocks[one.index + 1].text.strip()), blocks[one.index + 2].text
    is_short = len(below) <= (60 if below.isascii() else 30)
    is_latin = below[:1].isascii() and below[:1].isalpha()
    looks = is_title(below) and is_short and not below.endswith(ends)
    return below if looks and len(after) > len(below) and (not is_latin or below[:1].isupper()) else ""


@dataclass(frozen=True)
class Chain:
    """Headings of one wording whose numbers go on."""

    members: tuple[Candidate, ...] = ()
    score: float = 0.0


def main_chain(candidates: Sequence[Candidate], part_places: Sequence[int]) -> Chain:
    """Return the chapters' headings: the family of wordings whose numbers go on best.

    Bare numbers count only where no wording such as "chapter" does. `part_places` are the blocks at
    which a part begins: numbers may begin anew there.
    """
    numbered = [one for one in candidates if one.heading.rank is Rank.CHAPTER]
    strong = _best(numbered, part_places, is_weak=False)
    if len(strong.members) >= 2:
        return strong
    weak = _best(numbered, part_places, is_weak=True)
    return weak if _holds(weak, numbered) else strong


def chain_of(candidates: Iterable[Candidate], part_places: Sequence[int] = ()) -> Chain:
    """Return the best sequence among candidates of one family, in order of the text."""
    members = list(candidates)
    usual = Counter(one.heading.shape for one in members).most_common(1)
    is_apart = sum(one.is_apart for one in members) >= 0.8 * len(members)
    scores: list[float] = []
    before: list[int | None] = []
    for place, one in enumerate(members):
        own = _worth(one, usual[0][0], is_apart)
        best, origin = own - (0.0 if (one.heading.number or 0) <= 1 else _LATE_BEGINNING), None
        for earlier in range(max(0, place - _LOOKED_BACK), place):
            value = scores[earlier] + own - _doubt(members[earlier], one, part_places)
            if value > best:  # of two that are as good, the first: a heading stands before what speaks of it
                best, origin = value, earlier
        scores.append(best)
        before.append(origin)
    if not scores:
        return Chain()
    last: int | None = max(range(len(scores)), key=lambda place: (scores[place], -place))
    total, chosen = scores[last or 0], []
    while last is not None:
        chosen.append(members[last])
        last = before[last]
    return Chain(tuple(reversed(chosen)), total)


def _worth(one: Candidate, usual: str, is_apart: bool) -> float:
    return (
        _TAKEN
        - (_ODD_SHAPE if one.heading.shape != usual else 0.0)
        - (_NOT_APART if is_apart and not one.is_apart else 0.0)
        - (_NO_BODY if one.is_thin else 0.0)
        - (_OF_CLAUSES if "，" in one.heading.title else 0.0)  # of two with one number, rather an author's note
    )


def _doubt(one: Candidate, other: Candidate, part_places: Sequence[int]) -> float:
    """Tell how unlikely it is that a heading follows another."""
    first, second = one.heading.number or 0, other.heading.number or 0
    if second == first + 1:
        return 0.0
    if second == first:
        return _OTHER_TITLE if _are_halves(one.heading.title, other.heading.title) else _BACK
    if second > first:
        return _GAP if second - first <= _SMALL_GAP else _WIDE_GAP
    if second <= 1:
        return 0.0 if any(one.index < place <= other.index for place in part_places) else _BEGINS_ANEW
    return _BACK


def _are_halves(first: str, second: str) -> bool:
    """True for the titles of one chapter told in two: they differ by their last signs, such as `上` and `下`."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    shared = sum(1 for _ in pairs)
    rests = len(first) - shared, len(second) - shared
    return shared > 0 and 0 < max(rests) <= _OF_HALVES


def _best(candidates: Sequence[Candidate], part_places: Sequence[int], *, is_weak: bool) -> Chain:
    families = dict.fromkeys(one.heading.family for one in candidates if one.heading.is_weak is is_weak)
    chains = [chain_of((one for one in candidates if one.heading.family == family), part_places) for family in families]
    found = max(chains, key=lambda chain: chain.score, default=Chain())
    if is_weak or not found.members or found.members[0].heading.family != "section":
        return found
    others = [chain for chain in chains if chain is not found and len(chain.members) >= 2]
    return max(others, key=lambda chain: chain.score, default=found)  # sections lie in chapters, if there are any


def _holds(chain: Chain, candidates: Sequence[Candidate]) -> bool:
    """True where bare numbers are chapters: they begin at the beginning, leave hardly any out, and have texts."""
    if len(chain.members) < _LEAST_WEAK or (chain.members[0].heading.number or 0) > 1:
        return False
    family = chain.members[0].heading.family
    of_family = [one for one in candidates if one.heading.family == family]
    ends = [*(one.offset for one in chain.members[1:]), chain.members[-1].offset + chain.members[-1].body]
    bodies = sorted(end - one.offset for one, end in zip(chain.members, ends, strict=True))
    return len(chain.members) >= _WEAK_SHARE * len(of_family) and bodies[len(bodies) // 2] >= _LEAST_WEAK_BODY
