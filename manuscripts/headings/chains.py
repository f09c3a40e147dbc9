"""Which of the lines that look like headings are headings: those whose numbers go on as a book's do."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from bookwright.manuscripts.headings.candidates import Candidate
from bookwright.manuscripts.headings.lines import Rank

_TAKEN = 3.0
"""What a candidate is worth by itself; each doubt takes something off."""
_GAP, _WIDE_GAP, _BEGINS_ANEW, _OTHER_TITLE, _BACK = 1.5, 3.2, 2.5, 1.0, 5.0
_SMALL_GAP = 3
_ODD_SHAPE, _NOT_APART, _LATE_BEGINNING, _NO_BODY = 1.0, 1.0, 1.5, 2.0
_OF_HALVES = 4
"""Signs by which the titles of a chapter's halves differ: `"(1)"`, `"上"`."""
_LOOKED_BACK = 60
"""How many candidates before one may be its predecessor."""

_LEAST_WEAK, _LEAST_WEAK_BODY, _WEAK_SHARE = 3, 400, 0.6


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
