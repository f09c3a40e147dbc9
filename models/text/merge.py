"""Two changes of one text laid together: what only one side changed is taken, what both did is for a person."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MINE, BASE, THEIRS, END = "<<<<<<< yours", "||||||| both began with", "=======", ">>>>>>> the book's"
_PIECE = re.compile(r"[^\n。！？!?.…]*[。！？!?.…]*[\"'”’」』）)\]]*[ \t\u3000]*\n*")
"""A sentence with its closing marks, and the line breaks after it."""
_MOST_PAIRS = 1_000_000
"""Of equal pieces, between what two texts share at their ends: a million lines `*` are as good as one change."""


@dataclass(frozen=True)
class Merged:
    """What came of two changes."""

    text: str
    """Where they cannot be told apart, both stand in it, between marks."""
    conflicts: int = 0


def merged(base: str, mine: str, theirs: str, *, is_by_line: bool = False) -> Merged:
    """Lay two changes of a text together, sentence by sentence or, for what is no prose, line by line."""
    if mine in (theirs, base):
        return Merged(theirs)
    if theirs == base:
        return Merged(mine)
    pieces = [text.splitlines(keepends=True) if is_by_line else _pieces(text) for text in (base, mine, theirs)]
    found = [_settled(*part) for part in _parts(*pieces)]
    return Merged("".join(text for text, _ in found), sum(is_conflict for _, is_conflict in found))


def stretches(base: str, mine: str, theirs: str) -> list[tuple[str, str]]:
    """Cut two changes of a text of prose into stretches: mine and theirs where a person has to choose between them.

    Where nobody has to, both halves are what stands there when the two are laid together.
    """
    return [_halves(*part) for part in _parts(_pieces(base), _pieces(mine), _pieces(theirs))]


def has_marks(text: str) -> bool:
    """Tell whether a text still holds what both sides changed, between marks."""
    return any(line.startswith((MINE, END)) for line in text.split("\n"))


def _pieces(text: str) -> list[str]:
    return [piece for piece in _PIECE.findall(text) if piece]


def _halves(base: str, mine: str, theirs: str) -> tuple[str, str]:
    if mine == base:
        return theirs, theirs
    return (mine, mine) if theirs == base else (mine, theirs)


def _settled(base: str, mine: str, theirs: str) -> tuple[str, bool]:
    first, second = _halves(base, mine, theirs)
    if first == second:
        return first, False
    sides = (MINE, mine), (BASE, base), (THEIRS, theirs)
    lines = [f"{mark}\n{text.rstrip()}\n" for mark, text in sides]
    return "\n" + "".join(lines) + f"{END}\n\n", True


def _parts(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Cut the three into stretches that all share and stretches between, in order.

    Changes that touch each other are one stretch: what stands between them says that they are two.
    """
    at = (0, 0, 0)
    for start, first, second, size in (*_shared(base, mine, theirs), (len(base), len(mine), len(theirs), 0)):
        between = base[at[0] : start], mine[at[1] : first], theirs[at[2] : second]
        if any(between):
            yield "".join(between[0]), "".join(between[1]), "".join(between[2])
        kept = "".join(base[start : start + size])
        if kept:
            yield kept, kept, kept
        at = start + size, first + size, second + size


def _shared(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield where all three read the same: a place in each, and for how many pieces."""
    ours, others = _same(base, mine), _same(base, theirs)
    one = other = 0
    while one < len(ours) and other < len(others):
        (a, b, size), (c, d, length) = ours[one], others[other]
        start, end = max(a, c), min(a + size, c + length)
        if start < end:
            yield start, b + start - a, d + start - c, end - start
        one, other = (one + 1, other) if a + size < c + length else (one, other + 1)


def _same(base: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """Find what two read alike, in order: both ends first, so that one change in a long text costs little."""
    start = _shared_length(base, other)
    end = _shared_length(base[start:][::-1], other[start:][::-1])
    middle = _matching(base[start : len(base) - end], other[start : len(other) - end])
    blocks = [(0, 0, start), *((a + start, b + start, size) for a, b, size in middle)]
    return [block for block in (*blocks, (len(base) - end, len(other) - end, end)) if block[2]]


def _shared_length(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))


def _matching(base: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """Match what lies between; nothing where so much in it is alike that this would take for ever."""
    counts = Counter(other)
    if sum(counts[piece] for piece in base) > _MOST_PAIRS:
        return []
    return [(a, b, size) for a, b, size in SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()]
