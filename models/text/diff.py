"""What two versions of a text differ in, word by word; and two changes of one text laid together.

For a diff, paragraphs are compared first, then the sentences of those that changed, then the words of sentences that
changed: it takes time that grows with their length and no faster. Of two changes, what only one side changed is taken,
and what both did is for a person.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

_EASTERN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LEVELS = (
    re.compile(r"[^\n]*\n+|[^\n]+"),
    re.compile(r".+?(?:[.!?…。！？]+[\"'”’」』）)]*\s*|\Z)", re.DOTALL),
    re.compile(rf"[{_EASTERN}]\s*|[^\s{_EASTERN}]+\s*|\s+"),
)
"""Paragraphs, sentences, and words or characters of a script without spaces; each with the space behind it."""

_MOST_WORDS = 2_000
"""Beyond so many on both sides together, what has no sentence in common is told as replaced."""

Change = tuple[str, str]
"""What stood there and what stands there now; the same text twice where nothing changed."""


def word_diff(before: str, after: str) -> Iterator[Change]:
    """Yield the changes in order; the first halves make up `before`, the second ones `after`."""
    for old, new in _compared(before, after, _LEVELS):
        words = old.rstrip(), new.rstrip()
        spaces = old[len(words[0]) :], new[len(words[1]) :]
        if old != new and (words[0] == words[1] or spaces[0] == spaces[1]):  # one of the two is all that changed
            yield from (part for part in (words, spaces) if any(part))
        else:
            yield old, new


def _compared(before: str, after: str, levels: Sequence[re.Pattern[str]]) -> Iterator[Change]:
    level, *finer = levels
    old, new = level.findall(before), level.findall(after)
    if not finer and len(old) + len(new) > _MOST_WORDS:
        yield before, after
        return
    matcher = SequenceMatcher(None, [piece.rstrip() for piece in old], [piece.rstrip() for piece in new], bool(finer))
    for tag, start, end, first, last in matcher.get_opcodes():
        for was, now in _paired(old[start:end], new[first:last]):
            if tag == "replace" and finer:
                yield from _compared(was, now, finer)
            else:
                yield was, now


def _paired(old: list[str], new: list[str]) -> list[Change]:
    """Take the pieces of a changed stretch one by one if they are as many as before, else all together."""
    return list(zip(old, new, strict=True)) if len(old) == len(new) else [("".join(old), "".join(new))]


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
    start = shared_length(base, other)
    end = shared_length(base[start:][::-1], other[start:][::-1])
    middle = _matching(base[start : len(base) - end], other[start : len(other) - end])
    blocks = [(0, 0, start), *((a + start, b + start, size) for a, b, size in middle)]
    return [block for block in (*blocks, (len(base) - end, len(other) - end, end)) if block[2]]


def shared_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many of their first pieces two texts have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))


def _matching(base: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """Match what lies between; nothing where so much in it is alike that this would take for ever."""
    counts = Counter(other)
    if sum(counts[piece] for piece in base) > _MOST_PAIRS:
        return []
    return [(a, b, size) for a, b, size in SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()]


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that went, after a `-`, and those that came, after a `+`, without what stands around them."""
    lines = list(unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0))[2:]  # without its two names
    return [line for line in lines if not line.startswith("@@")]
